// Cards and boxes in PostgreSQL over `pg`.
//
//   import { Pool } from "pg";
//   const store = pgStore(new Pool({ connectionString }));
//   await store.migrate();
import { wrong } from "../lib/options.js";
import { sqlStore } from "./sql.js";

/** How many statements of a store a connection keeps prepared. A project that runs agents has about thirty. */
const PREPARED = 64;
/** How many statements are remembered that came once. */
const REMEMBERED = 256;

/**
 * `pool` is a Pool; a Client works as well, one statement after the other. A statement that comes again is prepared
 * by its connection and planned once; `prepare: false` is for poolers that do not know prepared statements.
 */
export function pgStore(pool, { prepare = true, ...options } = {}) {
  if (typeof prepare !== "boolean") throw wrong("prepare", "`prepare` is true or false");
  const nameOf = prepare ? names() : () => undefined;
  return sqlStore((text, values) => {
    const name = values.length === 0 ? undefined : nameOf(text);
    return name === undefined ? pool.query(text, values) : pool.query({ name, text, values });
  }, options);
}

/** Gives a statement the name under which it is prepared; none where it comes for the first time. */
function names() {
  // other stores may use the same connections
  const own = `tuckbox_${globalThis.crypto.randomUUID().slice(0, 8)}`;
  const named = new Map();
  const once = new Set();
  return (text) => {
    if (named.has(text) || named.size >= PREPARED) return named.get(text);
    if (once.delete(text)) named.set(text, `${own}_${named.size}`);
    else once.add(text);
    if (once.size > REMEMBERED) once.delete(once.values().next().value);
    return named.get(text);
  };
}
