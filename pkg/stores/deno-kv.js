// Cards and boxes in Deno KV.
//
//   const store = denoKvStore(await Deno.openKv());
import { kvStore } from "./kv.js";

/** What one call of Deno KV can take, a little below its own limits. */
const LIMITS = { keys: 10, value_bytes: 65_000, changes: 1000, commit_bytes: 800_000, key_bytes: 80_000 };

/** `kv` is what `Deno.openKv()` gives. */
export function denoKvStore(kv, options) {
  const get = async (keys) => {
    const entries = await kv.getMany(keys);
    return entries.map(({ value, versionstamp }) => (versionstamp === null ? null : { value, version: versionstamp }));
  };
  const commit = async ({ checks, sets, deletes }) => {
    const change = kv.atomic();
    for (const { key, version } of checks) change.check({ key, versionstamp: version });
    for (const { key, value } of sets) change.set(key, value);
    for (const key of deletes) change.delete(key);
    return (await change.commit()).ok;
  };
  return kvStore({ get, commit }, { ...LIMITS, ...options });
}
