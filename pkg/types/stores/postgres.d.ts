import type { SqlOptions, SqlStore } from "./sql.js";

/** Returns a store in PostgreSQL over `postgres`. `sql` is the result of `postgres(url)`. */
export declare function postgresStore(
  sql: { unsafe(text: string, params: string[], options: { prepare: boolean }): PromiseLike<readonly unknown[]> },
  options?: SqlOptions,
): SqlStore;
