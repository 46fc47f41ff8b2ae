// The entry for browsers and bundlers that serve files beside a script: the smallest download.
import { offer } from "./lib/core.js";
import { openWith } from "./lib/open.js";

export * from "./lib/public.js";

// written out, so that a bundler can follow
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
};

const addressOf = (part) => parts[part]();

offer(addressOf);

export function open(store, options) {
  return openWith(addressOf, store, options);
}
