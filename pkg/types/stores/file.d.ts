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
  addProfiles(projectId: string, rows: readonly (ProfileRow | JsonText)[]): Promise<void>;
}

/**
 * Returns a store in the file at `path`, for tools and small projects. The first commit creates the file.
 *
 * Several processes can use the file, also in several containers and on a network folder whose renames are atomic. The
 * one that commits has the lock `path.lock`. Others wait `waitMs` for it, 10 seconds by default. An owner writes a
 * heartbeat every second. A process that saw none for 5 seconds takes the lock over. The former owner then changes
 * nothing and starts its commit again.
 *
 * A commit resolves after the file and its folder are synced. Members and tables of other software stay as they are. A
 * file with a newer `format` than this package is refused.
 */
export declare function fileStore(path: string, options?: { readonly waitMs?: number; readonly clock?: Clock }): FileStore;
