// The entry for Cloudflare Workers: bytes may not be compiled there, modules can be imported.
import { offer } from "./lib/core.js";
import { openWith } from "./lib/open.js";
import core from "./generated/core.wasm";
import pack from "./generated/pack.wasm";
import commit from "./generated/commit.wasm";
import agents from "./generated/agents.wasm";
import prompt from "./generated/prompt.wasm";
import memory from "./generated/memory.wasm";
import response from "./generated/response.wasm";
import handoff from "./generated/handoff.wasm";
import run from "./generated/run.wasm";
import importing from "./generated/import.wasm";
import inspect from "./generated/inspect.wasm";
import request from "./generated/request.wasm";

export * from "./lib/public.js";

const parts = { core, pack, commit, agents, prompt, memory, response, handoff, run, import: importing, inspect, request };

const moduleOf = (part) => parts[part];

offer(moduleOf);

export function open(store, options) {
  return openWith(moduleOf, store, options);
}
