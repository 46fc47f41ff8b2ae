// The tools of a worker: those that answer at once, those that answer later, recipes, and the end of a turn.
/** @import { Engine, EngineCallOptions } from "../../types/engine.js" */
/** @import { RunningTurn, Tool } from "../../types/worker.js" */
/** @import { Session } from "../engine/calls.js" */
/** @import { Answer } from "./model.js" */
/** @import { Options, Work } from "./turns.js" */
import { messageOf, TuckboxError } from "../error.js";
import { own, wrong } from "../options.js";
import { failure, within } from "./limits.js";
import { RECIPES } from "./recipes.js";

/** The maximum length of an error message of a tool. */
const MAX_ERROR_LENGTH = 2000;

/**
 * A tool of the host. It has one of `run`, `start`, `recipe` and `deliver`.
 *
 * @typedef {object} KnownTool
 * @property {string} name
 * @property {(args: any, call: any) => unknown} [run]
 * @property {(args: any, call: any) => unknown} [start]
 * @property {keyof typeof RECIPES} [recipe]
 * @property {true} [deliver]
 * @property {string} [description]
 * @property {object} [parameters]
 * @property {number} [timeoutMs]
 * @property {number} [timeoutSeconds]
 * @property {string} [toolSuffix]
 * @property {number} [maxTasks]
 * @property {boolean} [idempotent]
 */

/**
 * A call of a tool that the host has.
 *
 * @typedef {{ id: string, name: string, tool: KnownTool, args: any, shown: object, error: undefined }} KnownCall
 */

/**
 * A call of a model: `shown` is what the model sees of it. A call with a `error` is not run.
 *
 * @typedef {KnownCall | { id: string, name: string, tool: KnownTool | undefined, args: any, shown: object, error: string }} ToolCall
 */

/**
 * The outcome of a call: the JSON text of its result and the card that has it, or the JSON text of what it delivers.
 *
 * @typedef {{ id: string, name: string, outcome: "error" | "suspend" | "deliver" | "result", error?: string, result_text?: string, card_ids?: readonly string[], delivered_text?: string, batch_seconds?: number }} Outcome
 */

/**
 * Checks the tools of a host, and returns them with their definitions for the model.
 *
 * @param {{ readonly [name: string]: Tool } | readonly import("../../types/worker.js").NamedTool[]} given
 */
export function readTools(given) {
  if (typeof given !== "object" || given === null)
    throw wrong("tools", "`tools` must be an object of tools by name, or a list of `tool(..)`");
  const byName = /** @type {[string, any][]} */ (
    Array.isArray(given) ? given.map((tool) => [String(tool?.name), tool]) : Object.entries(given)
  );
  const tools = /** @type {Map<string, KnownTool>} */ (new Map());
  for (const [name, value] of byName) {
    if (tools.has(name)) throw wrong("tools", `there are two tools \`${name}\``);
    const tool = /** @type {any} */ (own(typeof value === "function" ? { run: value } : value));
    const kinds = ["run", "start", "recipe", "deliver"].filter((kind) => tool[kind] !== undefined);
    if (kinds.length !== 1)
      throw wrong(
        `tools.${name}`,
        `tool \`${name}\` must have exactly one of \`run\` (answers at once), \`start\` (answers later), \`recipe\` and \`deliver\``,
      );
    if (tool.recipe !== undefined && !Object.hasOwn(RECIPES, tool.recipe))
      throw wrong(`tools.${name}.recipe`, `unknown recipe \`${tool.recipe}\`; expected one of ${Object.keys(RECIPES).join(", ")}`);
    if (tool.idempotent !== undefined && (typeof tool.idempotent !== "boolean" || tool.run === undefined))
      throw wrong(`tools.${name}.idempotent`, `\`idempotent\` of \`${name}\` must be true or false, and belongs to a tool with \`run\``);
    for (const kind of ["run", "start"])
      if (tool[kind] !== undefined && typeof tool[kind] !== "function")
        throw wrong(`tools.${name}.${kind}`, `\`${kind}\` of \`${name}\` must be a function`);
    tools.set(name, /** @type {KnownTool} */ (own({ ...tool, name })));
  }
  const definitions = [...tools.values()].map(({ name, description = "", parameters = { type: "object", properties: {} } }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
  return { get: (/** @type {string} */ name) => tools.get(name), definitions };
}

/**
 * The calls of a model, with new ids: those of a model can repeat. Another worker that repeats the step uses the same id
 * for the same call, so that a tool can detect a repeat.
 */
export class ToolCalls {
  /** @param {Options} options @param {Work} work @param {readonly any[]} asked */
  constructor({ tools, maxToolCalls }, { agent_turn_id, step_count = 0 }, asked) {
    if (asked.length > maxToolCalls)
      throw failure("too_many_tool_calls", `the model made ${asked.length} calls at once; at most ${maxToolCalls} are allowed`);
    const stem = `${hashOf(agent_turn_id)}_${step_count}`;
    const calls = asked.map((call, at) => readCall(call, `call_${stem}_${at}_${hashOf(JSON.stringify(call?.function ?? null))}`, tools));
    /** @param {ToolCall} call @returns {ToolCall} */
    const alone = (call) => (call.tool?.deliver === undefined ? call : { ...call, error: `\`${call.name}\` must be the only call` });
    this.calls = calls.length > 1 ? calls.map(alone) : calls;
  }

  get isEmpty() {
    return this.calls.length === 0;
  }

  /** The calls on the card of the thought. */
  get shown() {
    return this.calls.map(({ shown }) => shown);
  }
}

/**
 * Returns a hash of a text: 64 bits, for ids within one turn.
 *
 * @param {string} text
 */
function hashOf(text) {
  let [high, low] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at += 1) {
    high = Math.imul(high ^ text.charCodeAt(at), 0x01000193);
    low = Math.imul(low ^ text.charCodeAt(at), 0x85ebca6b) ^ (low >>> 13);
  }
  return [high, low].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
}

/**
 * @param {any} call
 * @param {string} id
 * @param {Options["tools"]} tools
 * @returns {ToolCall}
 */
function readCall(call, id, tools) {
  const { name, arguments: text } = call?.function ?? {};
  if (typeof name !== "string") throw failure("unreadable_answer", "the model made a call without a name");
  const shown = { ...call, id, type: "function" };
  const tool = tools.get(name);
  if (tool === undefined) return { id, name, tool, shown, args: {}, error: `unknown tool \`${name}\`` };
  try {
    const args = typeof text === "string" ? JSON.parse(text === "" ? "{}" : text) : (text ?? {});
    return { id, name, tool, shown, args, error: undefined };
  } catch (error) {
    const reason = `the arguments of \`${name}\` are not JSON: ${messageOf(error)}`;
    // the model sees what it wrote, in a form that a provider accepts
    const unreadable = { ...call.function, arguments: JSON.stringify({ unreadable: text }) };
    return { id, name, tool, shown: { ...shown, function: unreadable }, args: {}, error: reason };
  }
}

/**
 * Runs the calls of a model, and returns the work that follows.
 *
 * @param {Session} session
 * @param {Work} work
 * @param {Answer} answered
 * @param {ToolCalls} made
 * @param {RunningTurn} turn
 * @param {Options} options
 */
export async function settle(session, work, answered, { calls, shown }, turn, options) {
  const { engine, log } = options;
  const known = await knownResults(session, calls, turn, options);
  const results = new StoredResults(session, turn);
  // each result is stored when its tool ends: a worker that repeats the step uses it
  const settled = await Promise.allSettled(
    calls.map(async (call) => {
      const before = known.get(call.id);
      if (before !== undefined) return before;
      if (isRunnable(call) && call.tool.idempotent === false) await results.start(call);
      return results.add(await outcomeOf(call, turn, options));
    }),
  );
  const outcomes = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  turn.signal.throwIfAborted();
  const failed = settled.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  const waiting = calls.filter(isRunnable).filter(waits);
  const { value, tables } = await session.commit("turn_tools", {
    ...work,
    thought: { text: answered.text, tool_calls: /** @type {any} */ (shown), thinking_blocks: answered.thinking_blocks },
    tool_calls: outcomes.map(({ result_text, ...call }) => call),
    tool_suspend_timeouts: Object.fromEntries(
      waiting.flatMap(({ name, tool }) => (tool.timeoutSeconds === undefined ? [] : [[name, tool.timeoutSeconds]])),
    ),
  });
  // the step of a turn of another worker stays unchanged
  if (!tables.has("steps")) {
    log("warn", "turn_lost", { agent_id: work.agent_id, agent_turn_id: work.agent_turn_id });
    return [];
  }
  await Promise.all(waiting.map((call) => begin(engine, call, turn, options)));
  return value.queued;
}

/**
 * Starts a call of a suspended turn that no worker started. The call is on a card of the turn's output.
 *
 * @param {readonly any[]} cards
 * @param {string} id
 * @param {RunningTurn} turn
 * @param {Options} options
 */
export async function startAgain(cards, id, turn, options) {
  const made = cards.flatMap(({ tool_calls }) => tool_calls ?? []).find((call) => call?.id === id);
  const call = made === undefined ? undefined : readCall(made, id, options.tools);
  if (call !== undefined && isRunnable(call) && waits(call)) await begin(options.engine, call, turn, options);
}

/**
 * Returns the results that another worker stored before it released or lost the turn. A tool that must not run twice, and
 * that was started without a result, has an unknown outcome.
 *
 * @param {Session} session
 * @param {readonly ToolCall[]} calls
 * @param {RunningTurn} turn
 * @param {Options} options
 * @returns {Promise<Map<string, Outcome>>}
 */
async function knownResults(session, calls, { turn_epoch }, { unknownOutcome }) {
  // the first worker of a turn has epoch 1
  if (turn_epoch <= 1) return new Map();
  const ran = calls.filter(isRunnable).filter((call) => !waits(call));
  if (ran.length === 0) return new Map();
  const once = ran.filter(({ tool }) => tool.idempotent === false);
  const { cards } = await session.view("get_cards", {
    card_ids: [...ran.map(({ id }) => resultId(id)), ...once.map(({ id }) => startId(id))],
  });
  const found = new Set(cards.map(({ card_id }) => card_id));
  const known = /** @type {Map<string, Outcome>} */ (new Map());
  for (const { id, name } of ran) {
    if (found.has(resultId(id))) known.set(id, { id, name, outcome: "result", card_ids: [resultId(id)] });
    else if (found.has(startId(id))) {
      const error = `unknown_outcome: \`${name}\` was started, and its worker was lost before it ended`;
      if (unknownOutcome === "fail") throw failure("unknown_outcome", error);
      known.set(id, { id, name, outcome: "error", error });
    }
  }
  return known;
}

/** @param {string} id */
function startId(id) {
  return `start_${id}`;
}

/** Stores the results of the calls of one step as they end; those that end together in one commit. */
class StoredResults {
  #session;
  #step;
  #waiting = /** @type {Outcome[]} */ ([]);
  #last = /** @type {Promise<unknown>} */ (Promise.resolve());

  /** @param {Session} session @param {RunningTurn} turn */
  constructor(session, { agent_turn_id, step_id }) {
    this.#session = session;
    this.#step = { agent_turn_id, step_id };
  }

  /**
   * Stores that a tool is started which must not run twice.
   *
   * @param {KnownCall} call
   */
  async start({ id, name }) {
    const started = [{ tool_call_id: id, tool_name: name }];
    await this.#then(() => this.#session.run("put_tool_results", { ...this.#step, started }));
  }

  /** @param {Outcome} outcome */
  async add(outcome) {
    this.#waiting.push(outcome);
    await this.#then(() => this.#store(this.#waiting.splice(0)));
    return outcome;
  }

  /** @param {readonly Outcome[]} outcomes */
  async #store(outcomes) {
    let left = outcomes.filter(({ result_text }) => result_text !== undefined);
    while (left.length > 0) {
      const given = left.map(({ id, name, result_text }) => ({ tool_call_id: id, tool_name: name, result_text }));
      const { results } = await this.#session.run("put_tool_results", { ...this.#step, results: given });
      for (const [at, { card_ids, error }] of results.entries())
        Object.assign(left[at], error === undefined ? { card_ids } : { outcome: "error", error });
      left = left.slice(results.length);
    }
  }

  /** @param {() => Promise<unknown>} work */
  #then(work) {
    this.#last = this.#last.then(work);
    return this.#last;
  }
}

/** @param {string} id */
function resultId(id) {
  return `result_${id}`;
}

/** @param {ToolCall} call @returns {call is KnownCall} */
function isRunnable(call) {
  return call.error === undefined;
}

/**
 * Returns true for a call that answers later.
 *
 * @param {KnownCall} call
 */
function waits({ tool }) {
  return tool.start !== undefined || (tool.recipe !== undefined && RECIPES[tool.recipe].waits);
}

/**
 * @param {ToolCall} call
 * @param {RunningTurn} turn
 * @param {Options} options
 * @returns {Promise<Outcome>}
 */
async function outcomeOf(call, turn, options) {
  const { id, name } = call;
  if (!isRunnable(call)) return { id, name, outcome: "error", error: call.error };
  const { tool, args } = call;
  if (waits(call))
    return { id, name, outcome: "suspend", batch_seconds: tool.recipe === undefined ? undefined : Number(args?.deadline_seconds) || 0 };
  if (tool.deliver !== undefined) return { id, name, outcome: "deliver", delivered_text: JSON.stringify(args) };
  try {
    const attributes = { "gen_ai.tool.name": name, "gen_ai.tool.call.id": id, "gen_ai.agent.id": turn.agent_id };
    const result = await options.telemetry.around("tool", name, attributes, undefined, () =>
      tool.recipe === undefined ? runTool(call, turn, options) : runRecipe(options.engine, call, turn, patienceOf(turn, options)),
    );
    return { id, name, outcome: "result", result_text: textOf(result) };
  } catch (error) {
    if (turn.signal.aborted) throw error;
    return { id, name, outcome: "error", error: messageOf(error).slice(0, MAX_ERROR_LENGTH) };
  }
}

/**
 * Returns how long calls with an answer wait for a store that fails.
 *
 * @param {RunningTurn} turn
 * @param {Options} options
 */
function patienceOf({ signal }, { keepAnswerMs }) {
  return { patienceMs: keepAnswerMs, patienceSignal: signal };
}

/** @param {KnownCall} call @param {RunningTurn} turn @param {Options} options @returns {Promise<unknown>} */
function runTool({ id, name, tool, args }, turn, { engine, toolTimeoutMs }) {
  const ms = tool.timeoutMs ?? toolTimeoutMs;
  return within(engine.clock, ms, "tool_timeout", `\`${name}\` did not answer`, turn.signal, (signal) =>
    tool.run?.(args, { ...turn, tool_call_id: id, tool_name: name, signal }),
  );
}

/**
 * Returns the answer of a tool as JSON text.
 *
 * @param {unknown} value
 */
function textOf(value) {
  const text = JSON.stringify(value ?? null);
  if (text === undefined) throw new TuckboxError("bad_request", "the answer of the tool is not JSON");
  return text;
}

/**
 * Starts a call that answers later. If it cannot start, the answer is that error.
 *
 * @param {Engine} engine
 * @param {KnownCall} call
 * @param {RunningTurn} turn
 * @param {Options} options
 */
async function begin(engine, call, turn, options) {
  const { log, telemetry, toolTimeoutMs } = options;
  const { id, name, tool, args } = call;
  const { agent_id, agent_turn_id, turn_epoch, step_id, channel_id, recursion_depth, project_id } = turn;
  const handle = {
    project_id,
    agent_id,
    agent_turn_id,
    turn_epoch,
    step_id,
    tool_call_id: id,
    tool_name: name,
    recursion_depth,
    channel_id,
  };
  const patience = patienceOf(turn, options);
  const source = { source_agent_id: agent_id, source_agent_turn_id: agent_turn_id, source_step_id: step_id };
  const note = () => engine.run("tool_call", { correlation_id: id, recursion_depth, channel_id, ...source }, patience);
  try {
    // a call without a note is started again: a recipe starts the same batch, a tool must not start twice
    if (tool.recipe !== undefined) {
      await runRecipe(engine, call, turn, patience);
      await note();
      return;
    }
    await note();
    // the turn waits now, so an immediate answer is accepted too
    const quiet = new AbortController().signal;
    const attributes = { "gen_ai.tool.name": name, "gen_ai.tool.call.id": id, "gen_ai.agent.id": agent_id };
    const answer = await telemetry.around("tool", name, attributes, undefined, () =>
      within(engine.clock, toolTimeoutMs, "tool_timeout", `\`${name}\` did not start`, quiet, (signal) =>
        tool.start?.(args, { ...turn, ...handle, handle, signal }),
      ),
    );
    if (answer !== undefined) await engine.answer(handle, { result: JSON.parse(textOf(answer)) }, patience);
  } catch (error) {
    log("warn", "tool_failed", { ...handle, error: messageOf(error) });
    if (tool.recipe !== undefined) await note();
    const message = messageOf(error).slice(0, MAX_ERROR_LENGTH);
    await engine.answer(handle, { status: "failed", error: { code: "tool_failed", message, source: "worker" } }, patience);
  }
}

/** @param {Engine} engine @param {KnownCall} call @param {RunningTurn} turn @param {EngineCallOptions} options */
async function runRecipe(engine, { id, name, tool, args }, turn, options) {
  const { agent_id, agent_turn_id, turn_epoch, step_id, channel_id, recursion_depth, headers, trace_id } = turn;
  const call = {
    op: tool.recipe,
    source_agent_id: agent_id,
    tool_suffix: tool.toolSuffix ?? name,
    recursion_depth,
    arguments: args,
    ...(tool.maxTasks === undefined ? {} : { max_tasks: tool.maxTasks }),
  };
  const parent = { parent_agent_turn_id: agent_turn_id, parent_turn_epoch: turn_epoch, parent_tool_call_id: id, parent_step_id: step_id };
  const more = trace_id === undefined || trace_id === null ? {} : { trace_id };
  const { result } = await engine.run("hand_out", { call: /** @type {any} */ (call), channel_id, headers, ...more, ...parent }, options);
  const { status, error_code } = /** @type {{ status: string, error_code?: string }} */ (result);
  if (status !== "accepted") throw new TuckboxError("bad_request", `\`${name}\` was rejected: ${error_code}`);
  return result;
}
