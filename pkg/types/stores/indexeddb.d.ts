import type { ProfileRow } from "../cards.js";
import type { JsonText } from "../json.js";
import type { Receipt } from "../results.js";
import type { AbortSignalLike, Reads, Store, Writes } from "../store.js";

export interface IndexedDbOptions {
  /** The database factory. That of the browser by default. */
  readonly indexedDB?: object;
  /** The durability of a commit: flushed to disk (the default), or passed to the operating system. */
  readonly durability?: "strict" | "relaxed" | "default";
}

/** A store in a browser's IndexedDB. Tabs can share one. A commit is one transaction. */
export interface IndexedDbStore extends Store {
  read(reads: Reads, more?: { readonly signal?: AbortSignalLike }): Promise<string>;
  commit(writes: Writes, more?: { readonly text?: string; readonly signal?: AbortSignalLike }): Promise<Receipt>;
  /** Registers profiles. Replaces those with the same name in any case. */
  addProfiles(projectId: string, rows: readonly (ProfileRow | JsonText)[]): Promise<void>;
  /** Closes the database. The next call opens it again. */
  close(): Promise<void>;
}

/**
 * Returns a store in the database `name` (`tuckbox` by default). Creates the database if it is missing.
 *
 * @example
 * const project = await open(indexedDbStore("my-app"), { projectId: "p1" });
 */
export declare function indexedDbStore(name?: string, options?: IndexedDbOptions): IndexedDbStore;
