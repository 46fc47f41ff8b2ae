// Cards and boxes in PostgreSQL over `postgres`.
//
//   import postgres from "postgres";
//   const store = postgresStore(postgres(url));
//   await store.migrate();
import { sqlStore } from "./sql.js";

/** `sql` is what `postgres(url)` gives. */
export function postgresStore(sql, options) {
  return sqlStore((text, params) => sql.unsafe(text, params), options);
}
