// The tools of a worker: those that answer in place, those that answer later, recipes, and the end of a turn.
import { TuckboxError, messageOf } from "../error.js";
import { wrong } from "../options.js";
import { failure, within } from "./limits.js";
import { RECIPES } from "./recipes.js";

/** How long a turn waits for a batch that names no deadline of its own, and how much longer than for one that does. */
const BATCH_SECONDS = 900;
const MARGIN_SECONDS = 60;
/** How long the text of a tool's failure may be. */
const ERROR_LENGTH = 2000;

/** A host's tools, checked, and their definitions for the model. */
export function readTools(given) {
  if (typeof given !== "object" || given === null) throw wrong("tools", "`tools` is an object of tools by name");
  const tools = new Map();
  for (const [name, said] of Object.entries(given)) {
    const tool = typeof said === "function" ? { run: said } : said;
    const kinds = ["run", "start", "recipe", "deliver"].filter((kind) => tool?.[kind] !== undefined);
    if (kinds.length !== 1) throw wrong(`tools.${name}`, `tool \`${name}\` has exactly one of \`run\` (answers in place), \`start\` (answers later), \`recipe\` and \`deliver\``);
    if (tool.recipe !== undefined && !(tool.recipe in RECIPES)) throw wrong(`tools.${name}.recipe`, `\`${tool.recipe}\` is no recipe`);
    for (const kind of ["run", "start"]) if (tool[kind] !== undefined && typeof tool[kind] !== "function") throw wrong(`tools.${name}.${kind}`, `\`${kind}\` of \`${name}\` is a function`);
    tools.set(name, { ...tool, name });
  }
  const definitions = [...tools.values()].map(({ name, description = "", parameters = { type: "object", properties: {} } }) => ({ type: "function", function: { name, description, parameters } }));
  return { get: (name) => tools.get(name), definitions };
}

/** The calls that a model asked for, under ids of their own: those of a model may repeat. */
export class ToolCalls {
  constructor({ tools, max_tool_calls }, { step_id }, asked) {
    if (asked.length > max_tool_calls) throw failure("too_many_tool_calls", `the model made ${asked.length} calls at once; ${max_tool_calls} are allowed`);
    const stem = step_id.replace(/[^0-9A-Za-z]/g, "").slice(-24);
    this.calls = asked.map((call, at) => readCall(call, `call_${stem}_${at}`, tools));
    const deliveries = this.calls.filter(({ tool }) => tool?.deliver !== undefined);
    if (deliveries.length > 0 && this.calls.length > 1) {
      for (const call of deliveries) call.fault = `\`${call.name}\` must be the only call`;
    }
  }

  get isEmpty() {
    return this.calls.length === 0;
  }

  /** The calls as the thought keeps them. */
  get told() {
    return this.calls.map(({ told }) => told);
  }
}

function readCall(call, id, tools) {
  const { name, arguments: text } = call?.function ?? {};
  if (typeof name !== "string") throw failure("unreadable_answer", "the model made a call without a name");
  const told = { ...call, id, type: "function" };
  const tool = tools.get(name);
  const read = { id, name, tool, told, args: {}, fault: tool === undefined ? `there is no tool \`${name}\`` : undefined };
  if (read.fault !== undefined) return read;
  try {
    read.args = typeof text === "string" ? JSON.parse(text === "" ? "{}" : text) : (text ?? {});
  } catch (error) {
    read.fault = `the arguments of \`${name}\` are no JSON: ${messageOf(error)}`;
    // the model is shown what it wrote, in a form that can be sent
    read.told = { ...told, function: { ...call.function, arguments: JSON.stringify({ unreadable: text }) } };
  }
  return read;
}

/** Does what the model's calls ask for; the work that follows. */
export async function settle(session, work, answered, { calls, told }, turn, options) {
  const { engine, log } = options;
  const outcomes = await Promise.all(calls.map((call) => outcomeOf(call, turn, options)));
  const cards = outcomes.filter(({ card }) => card !== undefined);
  if (cards.length > 0) {
    const { card_ids } = await session.call("put_cards", { cards: cards.map(({ card }) => card) });
    cards.forEach((outcome, at) => (outcome.card_ids = [card_ids[at]]));
  }
  turn.signal.throwIfAborted();
  const { value, tables } = await session.made("turn_tools", {
    ...work,
    thought: { text: answered.text, tool_calls: told, thinking_blocks: answered.thinking_blocks },
    tool_calls: outcomes.map(({ id, name, outcome, card_ids, error }) => ({ id, name, outcome, card_ids, error })),
    tool_suspend_timeouts: timeouts(calls),
  });
  // a turn that is somebody else's has its step left as it was
  if (!tables.has("steps")) {
    log("warn", "turn_lost", { agent_id: work.agent_id, agent_turn_id: work.agent_turn_id });
    return [];
  }
  const waiting = calls.filter((_, at) => outcomes[at].outcome === "suspend");
  await Promise.all(waiting.map((call) => begin(engine, call, turn, options)));
  return value.queued;
}

/** How long the turn waits for each tool that answers later. */
function timeouts(calls) {
  const later = calls.filter(({ tool, fault }) => fault === undefined && (tool.start !== undefined || RECIPES[tool.recipe]?.waits));
  const seconds = ({ tool, args }) => tool.timeout_seconds ?? (tool.recipe === undefined ? undefined : (Number(args?.deadline_seconds) || BATCH_SECONDS) + MARGIN_SECONDS);
  return Object.fromEntries(later.map((call) => [call.name, seconds(call)]).filter(([, wait]) => wait !== undefined));
}

async function outcomeOf(call, turn, options) {
  const { id, name, tool, args, fault } = call;
  if (fault !== undefined) return { id, name, outcome: "error", error: fault };
  if (tool.start !== undefined || RECIPES[tool.recipe]?.waits) return { id, name, outcome: "suspend" };
  const metadata = { step_id: turn.step_id, agent_turn_id: turn.agent_turn_id };
  try {
    if (tool.deliver !== undefined) {
      const card = { type: "task.deliverable", author_id: turn.agent_id, content: { __type__: "JsonContent", data: delivered(args) }, metadata: { ...metadata, role: "assistant" } };
      return { id, name, outcome: "deliver", card };
    }
    const told = { "gen_ai.tool.name": name, "gen_ai.tool.call.id": id, "gen_ai.agent.id": turn.agent_id };
    const result = await options.telemetry.around("tool", name, told, undefined, () => (tool.recipe === undefined ? inPlace(call, turn, options) : handOut(options.engine, call, turn)));
    const content = { __type__: "ToolResultContent", status: "success", after_execution: "suspend", result: plain(result) };
    const card = { type: "tool.result", author_id: `tool.${name}`, content, tool_call_id: id, metadata: { ...metadata, role: "tool", tool_call_id: id, function_name: name } };
    return { id, name, outcome: "result", card };
  } catch (error) {
    if (turn.signal.aborted) throw error;
    return { id, name, outcome: "error", error: messageOf(error).slice(0, ERROR_LENGTH) };
  }
}

function inPlace({ id, name, tool, args }, turn, { engine, tool_timeout_ms }) {
  const ms = tool.timeout_ms ?? tool_timeout_ms;
  return within(engine.clock, ms, "tool_timeout", `\`${name}\` did not answer`, turn.signal, (signal) => tool.run(args, { ...turn, tool_call_id: id, tool_name: name, signal }));
}

/** A deliverable as its fields. */
function delivered(args) {
  const fields = Object.entries(typeof args === "object" && args !== null ? args : { output: args });
  return { schema_version: 1, kind: "deliverable", status: "success", fields: fields.map(([name, value]) => ({ name, value: typeof value === "string" ? value : JSON.stringify(value) })) };
}

/** A tool's answer as JSON; what is none is a failure of the tool. */
function plain(value) {
  const text = JSON.stringify(value ?? null);
  if (text === undefined) throw new TuckboxError("bad_request", "the tool answered with something that is no JSON");
  return JSON.parse(text);
}

/** Begins a call that answers later. One that cannot begin is answered with that. */
async function begin(engine, call, turn, { log, telemetry, tool_timeout_ms }) {
  const { id, name, tool, args } = call;
  const { agent_id, agent_turn_id, turn_epoch, step_id, channel_id, recursion_depth, project_id } = turn;
  const handle = { project_id, agent_id, agent_turn_id, turn_epoch, step_id, tool_call_id: id, tool_name: name, recursion_depth, channel_id };
  try {
    await engine.run("tool_call", { correlation_id: id, recursion_depth, channel_id, source_agent_id: agent_id, source_agent_turn_id: agent_turn_id, source_step_id: step_id });
    if (tool.recipe !== undefined) {
      await handOut(engine, call, turn);
      return;
    }
    // the turn waits by now: what is answered at once counts too
    const quiet = new AbortController().signal;
    const told = { "gen_ai.tool.name": name, "gen_ai.tool.call.id": id, "gen_ai.agent.id": agent_id };
    const answer = await telemetry.around("tool", name, told, undefined, () => within(engine.clock, tool_timeout_ms, "tool_timeout", `\`${name}\` did not begin`, quiet, (signal) => tool.start(args, { ...turn, ...handle, handle, signal })));
    if (answer !== undefined) await engine.answer(handle, { result: plain(answer) });
  } catch (error) {
    log("warn", "tool_failed", { ...handle, error: messageOf(error) });
    const message = messageOf(error).slice(0, ERROR_LENGTH);
    await engine.answer(handle, { status: "failed", error: { code: "tool_failed", message, source: "worker" } });
  }
}

async function handOut(engine, { id, name, tool, args }, turn) {
  const { agent_id, agent_turn_id, turn_epoch, step_id, channel_id, recursion_depth, headers, trace_id } = turn;
  const call = { op: tool.recipe, source_agent_id: agent_id, tool_suffix: tool.tool_suffix ?? name, recursion_depth, arguments: args, ...(tool.max_tasks === undefined ? {} : { max_tasks: tool.max_tasks }) };
  const parent = { parent_agent_turn_id: agent_turn_id, parent_turn_epoch: turn_epoch, parent_tool_call_id: id, parent_step_id: step_id };
  const more = trace_id === undefined || trace_id === null ? {} : { trace_id };
  const { result } = await engine.run("hand_out", { call, channel_id, headers, ...more, ...parent });
  if (result.status !== "accepted") throw new TuckboxError("bad_request", `\`${name}\` was refused: ${result.error_code}`);
  return result;
}
