import type { SqlOptions, SqlStore } from "./sql.js";

/** A store in PostgreSQL over `pg`. `pool` is a `Pool`; a `Client` works as well. */
export declare function pgStore(pool: { query(text: string, params: string[]): PromiseLike<{ readonly rows: readonly unknown[] }> }, options?: SqlOptions): SqlStore;
