// The request to a model, and its answer.
/** @import { Provider } from "../../types/codes.js" */
/** @import { EngineSession } from "../../types/engine.js" */
/** @import { Results } from "../../types/results.js" */
/** @import { WorkerOptions } from "../../types/worker.js" */
/** @import { readTools } from "./tools.js" */
/** @import { Work } from "./turns.js" */
import { messageOf } from "../error.js";
import { failure, raced } from "./limits.js";

/**
 * @typedef {{ view: Results["turn_view"], provider: Provider, payload: Results["payload"], tools: readonly any[], dropped: Results["turn_request"]["dropped"] }} Request
 * @typedef {{ text: string, tool_calls: readonly any[], thinking_blocks?: any[], usage?: any, stop?: unknown }} Answer
 * @typedef {{ maxAnswerBytes: number, onEvent?: (event: unknown) => Promise<void> }} Limits
 */

/**
 * Builds the request of a turn, as its profile sets it. A recorded view is sent as it is recorded.
 *
 * @param {EngineSession} session
 * @param {Work} work
 * @param {{ tools: ReturnType<typeof readTools>, provider?: WorkerOptions["provider"], systemAppend?: string, view_id?: string }} options
 * @returns {Promise<Request>}
 */
export async function payloadOf(session, work, { tools, provider: chosen, systemAppend, view_id }) {
  const { agent_id, context_box_id, output_box_id, profile_box_id } = work;
  const boxes = { context_box_id, output_box_id, profile_box_id };
  /** @type {any} */
  const turn =
    view_id === undefined ? { agent_id, ...boxes, tools: tools.definitions, system_append: systemAppend } : { recorded: view_id };
  const provider = typeof chosen === "function" ? chosen((await session.view("turn_view", turn)).profile) : chosen;
  const { turn: view, payload, dropped } = await session.view("turn_request", { turn, provider });
  checkAllowed(view.profile, tools);
  return { view, provider: payload.provider, payload, tools: view.request.tools ?? [], dropped };
}

/**
 * Rejects a profile that allows a tool that does not exist: its name is likely misspelled.
 *
 * @param {Results["turn_view"]["profile"]} profile
 * @param {ReturnType<typeof readTools>} tools
 */
function checkAllowed(profile, tools) {
  const unknown = profile?.allowed_tools?.find((name) => tools.get(name.trim()) === undefined);
  if (unknown === undefined) return;
  const known = tools.definitions.map(({ function: { name } }) => `\`${name}\``).join(", ");
  throw failure(
    "unknown_tool",
    `\`allowed_tools\` of profile \`${profile?.name}\` has \`${unknown}\`; tools of the worker: ${known || "none"}`,
  );
}

/**
 * Reads the answer of a model: the response of a provider, the events of its stream, text, or `{ text, tool_calls }`.
 *
 * @param {EngineSession} session
 * @param {Request} request
 * @param {any} answered
 * @param {Limits} options
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>}
 */
export async function answerOf(session, { provider, tools }, answered, options, signal) {
  if (typeof answered === "string") return bounded({ text: answered, tool_calls: [] }, options);
  if (typeof answered !== "object" || answered === null)
    throw failure(
      "unreadable_answer",
      `the model's answer must be a string or an object, found ${answered === null ? "null" : typeof answered}`,
    );
  if (typeof answered[Symbol.asyncIterator] === "function") {
    const events = await collected(answered, options, signal);
    return readAnswer(session, { provider, tools, events });
  }
  const { text, tool_calls } = answered;
  if (typeof text === "string" && (tool_calls === undefined || Array.isArray(tool_calls)))
    return bounded({ text, tool_calls: tool_calls ?? [] }, options);
  sized(textOf(answered).length, options);
  return readAnswer(session, { provider, tools, response: answered });
}

/** @param {EngineSession} session @param {any} call @returns {Promise<Answer>} */
async function readAnswer(session, call) {
  let read;
  try {
    read = await session.view("read_response", call);
  } catch (error) {
    throw failure("unreadable_answer", `the model's answer cannot be read: ${messageOf(error)}`);
  }
  if (read.complete === false) throw failure("incomplete_answer", "the model's answer ends too early");
  const { content, tool_calls = [] } = /** @type {any} */ (read.message);
  const cut = read.losses.find(({ code }) => code === "malformed_call");
  if (cut !== undefined && tool_calls.length === 0) throw failure("unreadable_answer", cut.reason);
  return { text: plainText(content), tool_calls, thinking_blocks: thinkingOf(content), usage: read.usage, stop: read.stop };
}

/**
 * Returns the reasoning of an answer, in the parts that its provider accepts in the next request.
 *
 * @param {any} content
 */
function thinkingOf(content) {
  if (!Array.isArray(content)) return undefined;
  const parts = content.filter((part) => part?.thought === true || ["thinking", "redacted_thinking", "reasoning"].includes(part?.type));
  return parts.length > 0 ? parts : undefined;
}

/** @param {any} content @returns {string} */
function plainText(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((part) => typeof part?.text === "string" && part.type === "text")
    .map(({ text }) => text)
    .join("");
}

/** @param {AsyncIterable<unknown>} stream @param {Limits} options @param {AbortSignal} signal */
async function collected(stream, options, signal) {
  const events = /** @type {unknown[]} */ ([]);
  let size = 0;
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await raced(signal, () => iterator.next());
      if (done) return events;
      size += textOf(value).length;
      sized(size, options);
      events.push(value);
      await options.onEvent?.(value);
    }
  } finally {
    // ends a stream that was not read to its end; an error here is ignored
    Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** @param {Answer} answer @param {Limits} options */
function bounded(answer, options) {
  sized(answer.text.length + (answer.tool_calls.length > 0 ? textOf(answer.tool_calls).length : 0), options);
  return answer;
}

/** @param {number} size @param {Limits} options */
function sized(size, { maxAnswerBytes }) {
  if (size > maxAnswerBytes) throw failure("answer_too_large", `the model's answer is longer than ${maxAnswerBytes} bytes`);
}

/** @param {unknown} value */
function textOf(value) {
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    throw failure("unreadable_answer", `the model's answer is not JSON: ${messageOf(error)}`);
  }
}
