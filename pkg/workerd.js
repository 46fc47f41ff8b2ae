// The entry for Cloudflare Workers: bytes may not be compiled there, a module can be imported.
import { openWith } from "./lib/open.js";
import module from "./generated/core_bg.wasm";

export * from "./lib/public.js";

export function open(store, options) {
  return openWith(() => module, store, options);
}
