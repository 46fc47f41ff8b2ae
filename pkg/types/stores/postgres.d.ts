import type { SqlOptions, SqlStore } from "./sql.js";

/** A store in PostgreSQL over `postgres`. `sql` is what `postgres(url)` gives. */
export declare function postgresStore(
  sql: { unsafe(text: string, params: string[], options: { prepare: boolean }): PromiseLike<readonly unknown[]> },
  options?: SqlOptions,
): SqlStore;
