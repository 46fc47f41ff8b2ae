import type { SqlOptions, SqlStore } from "./sql.js";

export interface PgOptions extends SqlOptions {
  /** Lets connections prepare statements that come again. False for poolers that do not know prepared statements. Default true. */
  readonly prepare?: boolean;
}

/** A statement for `pg`; one with a name is prepared by its connection. */
export interface PgStatement {
  readonly name?: string;
  readonly text: string;
  readonly values: string[];
}

/** What is asked of a `Pool` or a `Client` of `pg`. */
export interface PgQueries {
  query(statement: string | PgStatement, params?: any): PromiseLike<{ readonly rows: readonly unknown[] }>;
}

/** A store in PostgreSQL over `pg`. `pool` is a `Pool`; a `Client` works as well. */
export declare function pgStore(pool: PgQueries, options?: PgOptions): SqlStore;
