// Cards and boxes in PostgreSQL over `postgres`.
//
//   import postgres from "postgres";
//   const store = postgresStore(postgres(url));
//   await store.migrate();
import { sqlStore } from "./sql.js";

/**
 * Returns a store over `sql`, the result of `postgres(url)`. A prepared statement takes one round trip instead of two.
 *
 * @type {typeof import("../types/stores/postgres.js").postgresStore}
 */
export function postgresStore(sql, options) {
  /** @type {import("../types/stores/sql.js").Query} */
  const query = (text, params) => /** @type {PromiseLike<object[]>} */ (sql.unsafe(text, params, { prepare: true }));
  return sqlStore(query, options);
}
