// The entry for runtimes without one of their own: the module is inside scripts.

/** @import { ModulePart } from "./types/slim.js" */
import core from "./generated/core.inline.js";
import { decode } from "./lib/base64.js";
import { offer } from "./lib/core.js";
import { openWith } from "./lib/open.js";

export * from "./lib/public.js";

// one line each, so that a bundler finds them
const parts = {
  pack: () => import("./generated/pack.inline.js"),
  commit: () => import("./generated/commit.inline.js"),
  agents: () => import("./generated/agents.inline.js"),
  prompt: () => import("./generated/prompt.inline.js"),
  memory: () => import("./generated/memory.inline.js"),
  response: () => import("./generated/response.inline.js"),
  handoff: () => import("./generated/handoff.inline.js"),
  run: () => import("./generated/run.inline.js"),
  import: () => import("./generated/import.inline.js"),
  inspect: () => import("./generated/inspect.inline.js"),
  request: () => import("./generated/request.inline.js"),
  cache: () => import("./generated/cache.inline.js"),
  lock: () => import("./generated/lock.inline.js"),
};

offer(bytesOf);

/** @type {typeof import("./types/index.js").open} */
export function open(store, options) {
  return openWith(bytesOf, store, options);
}

/** @param {ModulePart} part */
function bytesOf(part) {
  return part === "core" ? decode(core) : parts[part]().then((inline) => decode(inline.default));
}
