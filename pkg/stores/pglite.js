// Cards and boxes in PGlite: PostgreSQL inside the process, in memory, on disk or in IndexedDB.
//
//   import { PGlite } from "@electric-sql/pglite";
//   const store = pgliteStore(new PGlite());
//   await store.migrate();
import { sqlStore } from "./sql.js";

export function pgliteStore(db, options) {
  return sqlStore((text, params) => db.query(text, params), options);
}
