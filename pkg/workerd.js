// The entry for Cloudflare Workers, which import modules and cannot compile bytes.

/** @import { ModulePart } from "./types/slim.js" */
import agents from "./generated/agents.wasm";
import cache from "./generated/cache.wasm";
import commit from "./generated/commit.wasm";
import core from "./generated/core.wasm";
import handoff from "./generated/handoff.wasm";
import importing from "./generated/import.wasm";
import inspect from "./generated/inspect.wasm";
import lock from "./generated/lock.wasm";
import memory from "./generated/memory.wasm";
import pack from "./generated/pack.wasm";
import prompt from "./generated/prompt.wasm";
import request from "./generated/request.wasm";
import response from "./generated/response.wasm";
import run from "./generated/run.wasm";
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
