// The entry for edge functions that import modules as `?module`.

/** @import { ModulePart } from "./types/slim.js" */
import agents from "./generated/agents.wasm?module";
import cache from "./generated/cache.wasm?module";
import commit from "./generated/commit.wasm?module";
import core from "./generated/core.wasm?module";
import handoff from "./generated/handoff.wasm?module";
import importing from "./generated/import.wasm?module";
import inspect from "./generated/inspect.wasm?module";
import lock from "./generated/lock.wasm?module";
import memory from "./generated/memory.wasm?module";
import pack from "./generated/pack.wasm?module";
import prompt from "./generated/prompt.wasm?module";
import request from "./generated/request.wasm?module";
import response from "./generated/response.wasm?module";
import run from "./generated/run.wasm?module";
import { offer } from "./lib/core.js";
import { openWith } from "./lib/open.js";

export * from "./lib/public.js";

const parts = { core, pack, commit, agents, prompt, memory, response, handoff, run, import: importing, inspect, request, cache, lock };

/** @param {ModulePart} part */
const moduleOf = (part) => parts[part];

offer(moduleOf);

/** @type {typeof import("./types/index.js").open} */
export function open(store, options) {
  return openWith(moduleOf, store, options);
}
