// The entry for every runtime without a better one: the module travels inside a script.
import { decode } from "./lib/base64.js";
import { openWith } from "./lib/open.js";
import inline from "./generated/core_inline.js";

export * from "./lib/public.js";

export function open(store, options) {
  return openWith(() => decode(inline), store, options);
}
