// The entry for hosts that bring the module: `open(store, { wasm, .. })`.
/** @import { Source } from "./lib/core.js" */
/** @import { ModuleSource } from "./types/slim.js" */
import { TuckboxError } from "./lib/error.js";
import { openWith } from "./lib/open.js";

export * from "./lib/public.js";

/** @type {typeof import("./types/slim.js").open} */
export async function open(store, options) {
  const { wasm, ...rest } = options ?? /** @type {any} */ ({});
  if (wasm === undefined) {
    const message = "`wasm` is missing: pass the module, its bytes, a response or its URL, or a function that takes the name of a part";
    throw new TuckboxError("bad_request", message, { path: "wasm" });
  }
  return openWith(typeof wasm === "function" ? /** @type {Source} */ (wasm) : onlyCore(wasm), store, rest);
}

/**
 * @param {ModuleSource} wasm
 * @returns {Source}
 */
function onlyCore(wasm) {
  return (part) => {
    if (part === "core") return wasm;
    throw new Error("`wasm` is only the core; pass a function that takes the name of a part");
  };
}
