import type { KvOptions, KvStore } from "./kv.js";

/** A store in Deno KV. `kv` is what `Deno.openKv()` gives. */
export declare function denoKvStore(kv: { getMany(keys: any): any; atomic(): any }, options?: KvOptions): KvStore;
