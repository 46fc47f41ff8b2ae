// Cards and boxes in PostgreSQL over `pg`.
//
//   import { Pool } from "pg";
//   const store = pgStore(new Pool({ connectionString }));
//   await store.migrate();
import { sqlStore } from "./sql.js";

/** `pool` is a Pool; a Client works as well, one statement after the other. */
export function pgStore(pool, options) {
  return sqlStore((text, params) => pool.query(text, params), options);
}
