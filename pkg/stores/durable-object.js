// Cards and boxes in the storage of a Cloudflare Durable Object.
//
//   export class Project extends DurableObject {
//     #store = durableObjectStore(this.ctx.storage);
//   }
/** @import { Key, KeyValue } from "../types/stores/kv.js" */
import { kvStore } from "./kv.js";

/** The maximum number of keys of one call. */
const KEYS = 128;

const LIMITS = { keys: KEYS, valueBytes: 100_000 };

/**
 * Returns a store in `storage`, the `ctx.storage` of the object.
 *
 * @type {typeof import("../types/stores/durable-object.js").durableObjectStore}
 */
export function durableObjectStore(storage, options) {
  /** @param {Key} key */
  const name = (key) => JSON.stringify(key);
  /** @type {KeyValue<string>["get"]} */
  const get = async (keys) => {
    const found = await storage.get(keys.map(name));
    return keys.map((key) => found.get(name(key)));
  };
  /** @type {KeyValue<string>["commit"]} */
  const commit = ({ checks, sets, deletes }) =>
    storage.transaction(async (/** @type {any} */ transaction) => {
      const found = await transaction.get(checks.map(({ key }) => name(key)));
      if (checks.some(({ key, version }) => (found.get(name(key))?.version ?? null) !== version)) return false;
      const version = crypto.randomUUID();
      for (const group of grouped(sets))
        await transaction.put(Object.fromEntries(group.map(({ key, value }) => [name(key), { value, version }])));
      for (const group of grouped(deletes)) await transaction.delete(group.map(name));
      return true;
    });
  return kvStore({ get, commit }, { ...LIMITS, ...options });
}

/**
 * @template Item
 * @param {readonly Item[]} list
 */
function grouped(list) {
  return Array.from({ length: Math.ceil(list.length / KEYS) }, (_, index) => list.slice(index * KEYS, (index + 1) * KEYS));
}
