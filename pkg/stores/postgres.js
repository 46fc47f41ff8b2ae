// Cards and boxes in PostgreSQL over `postgres`.
//
//   import postgres from "postgres";
//   const store = postgresStore(postgres(url));
//   await store.migrate();
import { sqlStore } from "./sql.js";

/** `sql` is what `postgres(url)` gives. A statement that is prepared takes one round trip instead of two. */
export function postgresStore(sql, options) {
  return sqlStore((text, params) => sql.unsafe(text, params, { prepare: true }), options);
}
