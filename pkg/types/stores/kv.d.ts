import type { ProfileRow } from "../cards.js";
import type { JsonText } from "../json.js";
import type { Receipt } from "../results.js";
import type { AbortSignalLike, Reads, Store, Writes } from "../store.js";

/** A key as a list of parts. */
export type Key = readonly string[];

/** A value and its version, which differs after every change. */
export interface Entry<Version> {
  readonly value: string;
  readonly version: Version;
}

/** Checks and changes of one transaction. */
export interface Change<Version> {
  /** The expected versions of keys; `null` for a key that must not exist. */
  readonly checks: readonly { readonly key: Key; readonly version: Version | null }[];
  readonly sets: readonly { readonly key: Key; readonly value: string }[];
  readonly deletes: readonly Key[];
}

/** A key-value database. */
export interface KeyValue<Version = unknown> {
  /** Returns an entry per key in the same order; `undefined` or `null` for a missing key. */
  get(keys: Key[], more: { readonly signal?: AbortSignalLike | undefined }): PromiseLike<readonly (Entry<Version> | null | undefined)[]>;
  /** Applies all changes and resolves with `true`, or none and resolves with `false` if a check fails. */
  commit(change: Change<Version>, more: { readonly signal?: AbortSignalLike | undefined }): PromiseLike<boolean>;
}

/** Limits of the database. None by default. The store splits longer rows and larger batches. */
export interface KvOptions {
  /** The prefix of every key: `["tuckbox"]` by default. */
  readonly prefix?: Key;
  /** Keys in one `get`. */
  readonly keys?: number;
  /** Bytes in one value. */
  readonly valueBytes?: number;
  /** Sets and deletes in one commit. */
  readonly changes?: number;
  /** Bytes in one commit. */
  readonly commitBytes?: number;
  /** Bytes of keys in one commit. */
  readonly keyBytes?: number;
}

/** A store in a key-value database. Commits to a project are sequential. */
export interface KvStore extends Store {
  read(reads: Reads, more?: { readonly signal?: AbortSignalLike }): Promise<string>;
  commit(writes: Writes, more?: { readonly text?: string; readonly signal?: AbortSignalLike }): Promise<Receipt>;
  /** Registers profiles. Replaces those with the same name in any case. */
  addProfiles(projectId: string, rows: readonly (ProfileRow | JsonText)[]): Promise<void>;
}

/**
 * Returns a store in a key-value database.
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
