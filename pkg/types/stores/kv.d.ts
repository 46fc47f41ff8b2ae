import type { ProfileRow } from "../cards.js";
import type { JsonText } from "../json.js";
import type { Receipt } from "../results.js";
import type { AbortSignalLike, Reads, Store, Writes } from "../store.js";

/** A key: its parts in order. */
export type Key = readonly string[];

/** A value and the version it has; another one after every change. */
export interface Entry<Version> {
  readonly value: string;
  readonly version: Version;
}

/** What must hold, and what changes then. */
export interface Change<Version> {
  /** Versions that keys must still have; `null` for a key that must not be there. */
  readonly checks: readonly { readonly key: Key; readonly version: Version | null }[];
  readonly sets: readonly { readonly key: Key; readonly value: string }[];
  readonly deletes: readonly Key[];
}

/** A key-value database: two methods. */
export interface KeyValue<Version = unknown> {
  /** One entry for each key, in order; nothing for a key that is not there. */
  get(keys: Key[], more: { readonly signal?: AbortSignalLike | undefined }): PromiseLike<readonly (Entry<Version> | null | undefined)[]>;
  /** Makes the whole change and resolves with `true`; or does nothing and resolves with `false` when a check does not hold. */
  commit(change: Change<Version>, more: { readonly signal?: AbortSignalLike | undefined }): PromiseLike<boolean>;
}

/** What the database can take at once; no limit by default. Longer rows and larger batches are taken apart. */
export interface KvOptions {
  /** What every key starts with; `["tuckbox"]` by default. */
  readonly prefix?: Key;
  /** Keys in one `get`. */
  readonly keys?: number;
  /** Bytes in one value. */
  readonly value_bytes?: number;
  /** Sets and deletes in one commit. */
  readonly changes?: number;
  /** Bytes in one commit. */
  readonly commit_bytes?: number;
  /** Bytes of keys in one commit. */
  readonly key_bytes?: number;
}

/** A store in a key-value database. Commits to one project go one after the other. */
export interface KvStore extends Store {
  read(reads: Reads, more?: { readonly signal?: AbortSignalLike }): Promise<string>;
  commit(writes: Writes, more?: { readonly text?: string; readonly signal?: AbortSignalLike }): Promise<Receipt>;
  /** Registers profiles; one with the same name in any case is replaced. */
  addProfiles(project_id: string, rows: readonly (ProfileRow | JsonText)[]): Promise<void>;
}

/**
 * A store in a key-value database.
 *
 * @example
 * const entries = new Map();
 * const store = kvStore({
 *   get: async (keys) => keys.map((key) => entries.get(key.join("\n"))),
 *   commit: async ({ checks, sets, deletes }) => {
 *     if (checks.some(({ key, version }) => (entries.get(key.join("\n"))?.version ?? null) !== version)) return false;
 *     for (const { key, value } of sets) entries.set(key.join("\n"), { value, version: crypto.randomUUID() });
 *     for (const key of deletes) entries.delete(key.join("\n"));
 *     return true;
 *   },
 * });
 */
export declare function kvStore<Version>(kv: KeyValue<Version>, options?: KvOptions): KvStore;
