// What a model is sent, and what it answered.
import { messageOf } from "../error.js";
import { PROVIDERS } from "../providers.js";
import { failure, raced } from "./limits.js";

/** The keys of a profile's `llm_config` that say how its model is called. */
const KEYS = ["max_output_tokens", "temperature", "top_p", "stop", "effort", "thinking_tokens", "parallel_tool_calls", "quirks", "model_info", "extra", "keep_reasoning"];

/** The request of a turn: the view, the provider, and the payload for it. */
export async function payloadOf(session, work, { tools, provider: chosen, system_append }) {
  const { agent_id, context_box_id, output_box_id, profile_box_id } = work;
  const turn = Object.fromEntries(Object.entries({ agent_id, context_box_id, output_box_id, profile_box_id, tools: tools.definitions, system_append }).filter(([, value]) => value !== undefined && value !== null));
  const view = await session.view("turn_view", turn);
  const config = view.profile?.llm_config ?? {};
  const provider = (typeof chosen === "function" ? chosen(view.profile) : chosen) ?? config.provider ?? "openai_chat";
  if (!PROVIDERS.includes(provider)) throw failure("unknown_provider", `the profile names the provider \`${provider}\`; known are ${PROVIDERS.map((name) => `\`${name}\``).join(", ")}`);
  const said = Object.fromEntries(KEYS.filter((key) => config[key] !== undefined && config[key] !== null).map((key) => [key, config[key]]));
  const payload = await session.view("payload", { turn, provider, model: typeof config.model === "string" ? config.model : "default", ...said });
  return { view, provider, payload, tools: view.request.tools ?? [] };
}

/** An answer as text and calls: what a provider answers, the events of its stream, plain text, or `{ text, tool_calls }`. */
export async function answerOf(session, { provider, tools }, answered, options, signal) {
  if (typeof answered === "string") return bounded({ text: answered, tool_calls: [] }, options);
  if (typeof answered !== "object" || answered === null) throw failure("unreadable_answer", `the model answered ${answered === null ? "null" : `with a ${typeof answered}`}, which is no answer`);
  if (typeof answered[Symbol.asyncIterator] === "function") {
    const events = await collected(answered, options, signal);
    return readAnswer(session, { provider, tools, events });
  }
  const { text, tool_calls } = answered;
  if (typeof text === "string" && (tool_calls === undefined || Array.isArray(tool_calls))) return bounded({ text, tool_calls: tool_calls ?? [] }, options);
  sized(textOf(answered).length, options);
  return readAnswer(session, { provider, tools, response: answered });
}

async function readAnswer(session, call) {
  let read;
  try {
    read = await session.view("read_response", call);
  } catch (error) {
    throw failure("unreadable_answer", `the model's answer cannot be read: ${messageOf(error)}`);
  }
  if (read.complete === false) throw failure("incomplete_answer", "the model's answer ends too early");
  const { content, tool_calls = [] } = read.message;
  const cut = read.losses.find(({ code }) => code === "malformed_call");
  if (cut !== undefined && tool_calls.length === 0) throw failure("unreadable_answer", cut.reason);
  return { text: wordsOf(content), tool_calls, thinking_blocks: thinkingOf(content), usage: read.usage, stop: read.stop };
}

/** The reasoning in an answer, in the parts that its provider takes back in the next request of the turn. */
function thinkingOf(content) {
  if (!Array.isArray(content)) return undefined;
  const parts = content.filter((part) => part?.thought === true || ["thinking", "redacted_thinking", "reasoning"].includes(part?.type));
  return parts.length > 0 ? parts : undefined;
}

function wordsOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter((part) => typeof part?.text === "string" && part.type === "text").map(({ text }) => text).join("");
}

async function collected(stream, options, signal) {
  const events = [];
  let size = 0;
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await raced(signal, () => iterator.next());
      if (done) return events;
      size += textOf(value).length;
      sized(size, options);
      events.push(value);
    }
  } finally {
    // a stream that is not read to its end is let go; it may refuse
    Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

function bounded(answer, options) {
  sized(answer.text.length + (answer.tool_calls.length > 0 ? textOf(answer.tool_calls).length : 0), options);
  return answer;
}

function sized(size, { max_answer_bytes }) {
  if (size > max_answer_bytes) throw failure("answer_too_large", `the model's answer is longer than ${max_answer_bytes} bytes`);
}

function textOf(value) {
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    throw failure("unreadable_answer", `the model's answer is no JSON: ${messageOf(error)}`);
  }
}
