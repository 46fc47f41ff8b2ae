import type { ProfileRow } from "../cards.js";
import type { JsonText } from "../json.js";
import type { Receipt } from "../results.js";
import type { AbortSignalLike, Reads, Store, Writes } from "../store.js";

export interface IndexedDbOptions {
  /** Where databases are; the browser's own by default. */
  readonly indexedDB?: object;
  /** When a commit counts as stored: on the disk (the default), or once the system has it. */
  readonly durability?: "strict" | "relaxed" | "default";
}

/** A store in a browser's IndexedDB. Tabs can share one; a commit is one transaction. */
export interface IndexedDbStore extends Store {
  read(reads: Reads, more?: { readonly signal?: AbortSignalLike }): Promise<string>;
  commit(writes: Writes, more?: { readonly text?: string; readonly signal?: AbortSignalLike }): Promise<Receipt>;
  /** Registers profiles; one with the same name in any case is replaced. */
  addProfiles(project_id: string, rows: readonly (ProfileRow | JsonText)[]): Promise<void>;
  /** Closes the database; the next call opens it again. */
  close(): Promise<void>;
}

/**
 * A store in the database `name` (`tuckbox` by default), which is made when it is not there.
 *
 * @example
 * const project = await open(indexedDbStore("my-app"), { project_id: "p1" });
 */
export declare function indexedDbStore(name?: string, options?: IndexedDbOptions): IndexedDbStore;
