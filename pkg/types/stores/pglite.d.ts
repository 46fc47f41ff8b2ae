import type { SqlOptions, SqlStore } from "./sql.js";

/** Returns a store in PGlite, PostgreSQL inside the process. `db` is a `PGlite`. */
export declare function pgliteStore(
  db: { query(text: string, params: string[]): PromiseLike<{ readonly rows: readonly unknown[] }> },
  options?: SqlOptions,
): SqlStore;
