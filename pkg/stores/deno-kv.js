// Cards and boxes in Deno KV.
//
//   const store = denoKvStore(await Deno.openKv());
/** @import { KeyValue } from "../types/stores/kv.js" */
import { kvStore } from "./kv.js";

/** The limits of one call, slightly below those of Deno KV. */
const LIMITS = { keys: 10, valueBytes: 65_000, changes: 1000, commitBytes: 800_000, keyBytes: 80_000 };

/**
 * Returns a store in `kv`, the result of `Deno.openKv()`.
 *
 * @type {typeof import("../types/stores/deno-kv.js").denoKvStore}
 */
export function denoKvStore(kv, options) {
  /** @type {KeyValue<string>["get"]} */
  const get = async (keys) => {
    const entries = /** @type {any[]} */ (await kv.getMany(keys));
    return entries.map(({ value, versionstamp }) => (versionstamp === null ? null : { value, version: versionstamp }));
  };
  /** @type {KeyValue<string>["commit"]} */
  const commit = async ({ checks, sets, deletes }) => {
    const change = kv.atomic();
    for (const { key, version } of checks) change.check({ key, versionstamp: version });
    for (const { key, value } of sets) change.set(key, value);
    for (const key of deletes) change.delete(key);
    return (await change.commit()).ok;
  };
  return kvStore({ get, commit }, { ...LIMITS, ...options });
}
