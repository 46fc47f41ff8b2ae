// The entry for browsers and bundlers that serve files next to a script: the smallest download.
/** @import { ModulePart } from "./types/slim.js" */
import { offer } from "./lib/core.js";
import { openWith } from "./lib/open.js";

export * from "./lib/public.js";

// one line each, so that a bundler finds them
const parts = {
  core: () => new URL("./generated/core.wasm", import.meta.url),
  pack: () => new URL("./generated/pack.wasm", import.meta.url),
  commit: () => new URL("./generated/commit.wasm", import.meta.url),
  agents: () => new URL("./generated/agents.wasm", import.meta.url),
  prompt: () => new URL("./generated/prompt.wasm", import.meta.url),
  memory: () => new URL("./generated/memory.wasm", import.meta.url),
  response: () => new URL("./generated/response.wasm", import.meta.url),
  handoff: () => new URL("./generated/handoff.wasm", import.meta.url),
  run: () => new URL("./generated/run.wasm", import.meta.url),
  import: () => new URL("./generated/import.wasm", import.meta.url),
  inspect: () => new URL("./generated/inspect.wasm", import.meta.url),
  request: () => new URL("./generated/request.wasm", import.meta.url),
  cache: () => new URL("./generated/cache.wasm", import.meta.url),
  lock: () => new URL("./generated/lock.wasm", import.meta.url),
};

/** @param {ModulePart} part */
const urlOf = (part) => parts[part]();

offer(urlOf);

/** @type {typeof import("./types/index.js").open} */
export function open(store, options) {
  return openWith(urlOf, store, options);
}
