// Cards and boxes in PGlite: PostgreSQL inside the process, in memory, on disk or in IndexedDB.
//
//   import { PGlite } from "@electric-sql/pglite";
//   const store = pgliteStore(new PGlite());
//   await store.migrate();
import { sqlStore } from "./sql.js";

/** @type {typeof import("../types/stores/pglite.js").pgliteStore} */
export function pgliteStore(db, options) {
  /** @type {import("../types/stores/sql.js").Query} */
  const query = (text, params) => /** @type {PromiseLike<{ rows: object[] }>} */ (db.query(text, params));
  return sqlStore(query, options);
}
