// The entry for edge functions that import modules with a question mark.
import { openWith } from "./lib/open.js";
import module from "./generated/core_bg.wasm?module";

export * from "./lib/public.js";

export function open(store, options) {
  return openWith(() => module, store, options);
}
