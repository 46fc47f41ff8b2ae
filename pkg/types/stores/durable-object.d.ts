import type { KvOptions, KvStore } from "./kv.js";

/** A store in the storage of a Durable Object. `storage` is the object's `ctx.storage`. */
export declare function durableObjectStore(
  storage: { get(keys: string[]): any; transaction(work: any): any },
  options?: KvOptions,
): KvStore;
