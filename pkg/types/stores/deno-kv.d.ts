import type { KvOptions, KvStore } from "./kv.js";

/** Returns a store in Deno KV. `kv` is the result of `Deno.openKv()`. */
export declare function denoKvStore(kv: { getMany(keys: any): any; atomic(): any }, options?: KvOptions): KvStore;
