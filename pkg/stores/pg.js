// Cards and boxes in PostgreSQL over `pg`.
//
//   import { Pool } from "pg";
//   const store = pgStore(new Pool({ connectionString }));
//   await store.migrate();
import { wrong } from "../lib/options.js";
import { sqlStore } from "./sql.js";

/** The number of prepared statements of a store per connection. A project that runs agents has about 30. */
const MAX_PREPARED = 64;
/** The number of statements to remember that ran once. */
const MAX_REMEMBERED = 256;

/**
 * Returns a store over a Pool. A Client works too, one statement at a time. A connection prepares a statement that runs
 * again. Use `prepare: false` for poolers without prepared statements.
 *
 * @type {typeof import("../types/stores/pg.js").pgStore}
 */
export function pgStore(pool, { prepare = true, ...options } = {}) {
  if (typeof prepare !== "boolean") throw wrong("prepare", "`prepare` must be true or false");
  const nameOf = prepare ? names() : () => undefined;
  /** @type {import("../types/stores/sql.js").Query} */
  const query = (text, values) => {
    const name = values.length === 0 ? undefined : nameOf(text);
    const result = name === undefined ? pool.query(text, values) : pool.query({ name, text, values });
    return /** @type {PromiseLike<{ rows: object[] }>} */ (result);
  };
  return sqlStore(query, options);
}

/**
 * Returns a function that gives a statement its prepared name; nothing for the first run.
 *
 * @returns {(text: string) => string | undefined}
 */
function names() {
  // other stores can use the same connections
  const own = `tuckbox_${globalThis.crypto.randomUUID().slice(0, 8)}`;
  const named = /** @type {Map<string, string>} */ (new Map());
  const once = /** @type {Set<string>} */ (new Set());
  return (text) => {
    if (named.has(text) || named.size >= MAX_PREPARED) return named.get(text);
    if (once.delete(text)) named.set(text, `${own}_${named.size}`);
    else once.add(text);
    if (once.size > MAX_REMEMBERED) once.delete(String(once.values().next().value));
    return named.get(text);
  };
}
