import type { ProfileRow } from "../cards.js";
import type { JsonText } from "../json.js";
import type { Receipt } from "../results.js";
import type { AbortSignalLike, Reads, Store, Writes } from "../store.js";

/** The result of a driver. */
export type QueryResult = readonly object[] | { readonly rows: readonly object[] };

/**
 * Runs a statement with parameters `$1`, `$2`, .. All parameters are strings. `signal` fires when the call stops
 * waiting: a driver then cancels the statement in the database. `projectId` is the project of the statement, for
 * drivers that prepare statements.
 */
export type Query = (
  text: string,
  params: string[],
  more?: { readonly signal?: AbortSignalLike | undefined; readonly projectId?: string | undefined },
) => PromiseLike<QueryResult>;

export interface SqlOptions {
  /** The schema of the tables. The first schema of the connection's search path by default. */
  readonly schema?: string;
}

/**
 * A store in PostgreSQL. Cards are in `cards` and boxes in `card_boxes`, both with `tenant_id`.
 *
 * A batch of reads is one statement. A commit is one statement and one transaction.
 */
export interface SqlStore extends Store {
  read(reads: Reads, more?: { readonly signal?: AbortSignalLike }): Promise<string>;
  commit(writes: Writes, more?: { readonly text?: string; readonly signal?: AbortSignalLike }): Promise<Receipt>;
  /**
   * Creates or upgrades the tables. It is idempotent, and several programs can run it at once. In existing
   * tables `cards` and `card_boxes` it only adds columns. A `box_id` of type `uuid` keeps its type.
   *
   * With `rekey`, primary keys on an id become keys on project and id, so that no project can detect the ids of
   * another one. It fails without changes if another object of the database depends on such a key.
   */
  migrate(options?: { readonly rekey?: boolean }): Promise<void>;
  /** Returns the ids of the projects with boxes or agents. It reads an index of each table. */
  projects(): Promise<string[]>;
  /** Returns the time of the database in milliseconds since 1970. */
  now(): Promise<number>;
  /** Registers profiles. Replaces those with the same name in any case. */
  addProfiles(projectId: string, rows: readonly (ProfileRow | JsonText)[]): Promise<void>;
}

/**
 * Returns a store in PostgreSQL over any driver.
 *
 * @example
 * const store = sqlStore((text, params) => pool.query(text, params));
 * await store.migrate();
 * const project = await open(store, { projectId: "p1" });
 */
export declare function sqlStore(query: Query, options?: SqlOptions): SqlStore;

/** Returns the statement of {@link SqlStore.migrate}, for hosts with their own migrations. */
export declare function migration(options?: SqlOptions & { readonly rekey?: boolean }): string;
