// The entry for every runtime without a better one: the module travels inside scripts.
import { decode } from "./lib/base64.js";
import { offer } from "./lib/core.js";
import { openWith } from "./lib/open.js";
import core from "./generated/core.inline.js";

export * from "./lib/public.js";

// written out, so that a bundler can follow
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
};

offer(bytesOf);

export function open(store, options) {
  return openWith(bytesOf, store, options);
}

function bytesOf(part) {
  return part === "core" ? decode(core) : parts[part]().then((inline) => decode(inline.default));
}
