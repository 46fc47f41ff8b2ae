// Cards and boxes in PostgreSQL over `postgres`.
//
//   import postgres from "postgres";
//   const store = postgresStore(postgres(url));
//   await store.migrate();
import { preparedNames } from "../lib/sql/prepared.js";
import { sqlStore } from "./sql.js";

/**
 * Returns a store over `sql`, the result of `postgres(url)`. A prepared statement takes one round trip instead of two:
 * a connection prepares a statement that runs again. The statement of a call that stops waiting is canceled.
 *
 * @type {typeof import("../types/stores/postgres.js").postgresStore}
 */
export function postgresStore(sql, options) {
  const nameOf = preparedNames();
  /** @type {import("../types/stores/sql.js").Query} */
  const query = async (text, params, { signal, projectId } = {}) => {
    const statement = /** @type {any} */ (sql.unsafe(text, params, { prepare: nameOf(text, projectId) !== undefined }));
    // `cancel()` of the driver drops the promise of its canceller, whose rejection would end the process
    const cancel = () => Promise.resolve(statement.canceller?.(statement)).catch(() => {});
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await statement;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  };
  return sqlStore(query, options);
}
