// The entry for browsers and bundlers that serve files beside a script: the smallest download.
import { openWith } from "./lib/open.js";

export * from "./lib/public.js";

export function open(store, options) {
  return openWith(() => new URL("./generated/core_bg.wasm", import.meta.url), store, options);
}
