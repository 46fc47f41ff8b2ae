import type { KvOptions, KvStore } from "./kv.js";

/** Returns a store in the storage of a Durable Object. `storage` is `ctx.storage` of the object. */
export declare function durableObjectStore(
  storage: { get(keys: string[]): any; transaction(work: any): any },
  options?: KvOptions,
): KvStore;
