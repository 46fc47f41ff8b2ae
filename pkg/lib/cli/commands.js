// The commands of `tuckbox`. A start loads only the command that runs: all of them take longer than most of them run.
/** @import { Command } from "./usage.js" */

const project = () => import("./project.js");
const explain = () => import("./explain.js");
const watch = () => import("./watch.js");

/**
 * Loads a command, by its name.
 *
 * @type {{ [name: string]: () => Promise<Command> }}
 */
export const COMMANDS = {
  pack: async () => (await project()).PACK,
  turn: async () => (await project()).TURN,
  compose: async () => (await project()).COMPOSE,
  handoff: async () => (await import("./handoff.js")).HANDOFF,
  import: async () => (await import("./import.js")).IMPORT,
  init: async () => (await import("./init.js")).INIT,
  extension: async () => (await import("./extension.js")).EXTENSION,
  cache: async () => (await explain()).CACHE,
  compaction: async () => (await explain()).COMPACTION,
  lock: async () => (await import("./lock.js")).LOCK,
  diff: async () => (await project()).DIFF,
  inspect: async () => (await project()).INSPECT,
  payload: async () => (await project()).PAYLOAD,
  budget: async () => (await project()).BUDGET,
  recipes: async () => (await project()).RECIPES,
  call: async () => (await project()).CALL,
  profile: async () => (await project()).PROFILE,
  agent: async () => (await project()).AGENT,
  tool: async () => (await project()).TOOL,
  run: async () => (await import("./run.js")).RUN,
  engine: async () => (await import("./engine.js")).ENGINE,
  ui: async () => (await import("./ui.js")).UI,
  watch: async () => (await watch()).WATCH,
  proxy: async () => (await watch()).PROXY,
  mcp: async () => (await import("./mcp.js")).MCP,
  migrate: async () => (await project()).MIGRATE,
};
