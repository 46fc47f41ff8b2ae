import type { ProfileRow } from "../cards.js";
import type { Clock } from "../engine.js";
import type { JsonText } from "../json.js";
import type { Receipt } from "../results.js";
import type { AbortSignalLike, Reads, Store, Writes } from "../store.js";

/** A store in a JSON file. */
export interface FileStore extends Store {
  read(reads: Reads): Promise<string>;
  commit(writes: Writes, more?: { readonly text?: string; readonly signal?: AbortSignalLike }): Promise<Receipt>;
  /** Registers profiles; one with the same name in any case is replaced. */
  addProfiles(project_id: string, rows: readonly (ProfileRow | JsonText)[]): Promise<void>;
}

/**
 * A store in the file at `path`, for tools and small projects; the first commit makes it. Several
 * processes can use it: the one that commits holds `path.lock`, for which others wait `wait_ms` of
 * `clock`, ten seconds of the machine's clock by default.
 */
export declare function fileStore(path: string, options?: { readonly wait_ms?: number; readonly clock?: Clock }): FileStore;
