import type { SqlOptions, SqlStore } from "./sql.js";

export interface PgOptions extends SqlOptions {
  /** Whether connections prepare repeated statements. True by default. Pass false for poolers without prepared statements. */
  readonly prepare?: boolean;
}

/** A statement for `pg`. A connection prepares a statement that has a name. */
export interface PgStatement {
  readonly name?: string;
  readonly text: string;
  readonly values: string[];
}

/** The used part of a `Pool` or `Client` of `pg`. */
export interface PgQueries {
  query(statement: string | PgStatement, params?: any): PromiseLike<{ readonly rows: readonly unknown[] }>;
}

/** Returns a store in PostgreSQL over `pg`. `pool` is a `Pool` or a `Client`. */
export declare function pgStore(pool: PgQueries, options?: PgOptions): SqlStore;
