// The entry for hosts that bring the module themselves: `open(store, { wasm, .. })`.
import { TuckboxError } from "./lib/error.js";
import { openWith } from "./lib/open.js";

export * from "./lib/public.js";

export async function open(store, options) {
  const { wasm, ...rest } = options ?? {};
  if (wasm === undefined) {
    const message = "`wasm` is missing: pass the module, its bytes, a response or its address, or a function of a part's name";
    throw new TuckboxError("bad_request", message, { path: "wasm" });
  }
  return openWith(typeof wasm === "function" ? wasm : onlyCore(wasm), store, rest);
}

function onlyCore(wasm) {
  return (part) => {
    if (part === "core") return wasm;
    throw new Error("`wasm` gave only the core; pass a function of a part's name");
  };
}
