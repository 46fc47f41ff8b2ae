import type { ProfileRow } from "../cards.js";
import type { JsonText } from "../json.js";
import type { Receipt } from "../results.js";
import type { AbortSignalLike, Reads, Store, Writes } from "../store.js";

/** What a driver resolves with. */
export type QueryResult = readonly object[] | { readonly rows: readonly object[] };

/** Runs one statement. Statements have `$1`-style parameters, all of them text. */
export type Query = (text: string, params: string[], more?: { readonly signal?: AbortSignalLike | undefined }) => PromiseLike<QueryResult>;

export interface SqlOptions {
  /** The schema that the tables are in; by default wherever the connection looks first. */
  readonly schema?: string;
}

/**
 * A store in PostgreSQL. Cards are in `cards`, boxes in `card_boxes`, both with `tenant_id`; what is
 * not in the documents is in tables whose names start with `tuckbox_`.
 *
 * A batch of reads is one statement; a commit is one statement and one transaction.
 */
export interface SqlStore extends Store {
  read(reads: Reads, more?: { readonly signal?: AbortSignalLike }): Promise<string>;
  commit(writes: Writes, more?: { readonly text?: string; readonly signal?: AbortSignalLike }): Promise<Receipt>;
  /**
   * Makes the tables, or brings them up to date; again is safe, also from many programs at once.
   * Tables `cards` and `card_boxes` that are there already are kept: columns are added, nothing is
   * changed or removed, and a `box_id` of type `uuid` stays one.
   *
   * With `rekey`, keys on an id alone become keys on the project and the id, so that no project learns which
   * ids another one uses. It fails, and changes nothing, where something else in the database rests on such a key.
   */
  migrate(options?: { readonly rekey?: boolean }): Promise<void>;
  /** Registers profiles; one with the same name in any case is replaced. */
  addProfiles(project_id: string, rows: readonly (ProfileRow | JsonText)[]): Promise<void>;
}

/**
 * A store in PostgreSQL over any driver.
 *
 * @example
 * const store = sqlStore((text, params) => pool.query(text, params));
 * await store.migrate();
 * const project = await open(store, { project_id: "p1" });
 */
export declare function sqlStore(query: Query, options?: SqlOptions): SqlStore;

/** The statement that {@link SqlStore.migrate} runs, for hosts that keep their migrations themselves. */
export declare function migration(options?: SqlOptions & { readonly rekey?: boolean }): string;
