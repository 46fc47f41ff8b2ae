// The import of session logs in plain JavaScript: `JSON.parse` of each line, then the same mapping as the core. Only
// one session is in memory at a time.
import { readFileSync } from "node:fs";
import { estimate } from "./estimate-plain.mjs";

/** Returns the sessions and their requests. */
export function importPlainly(paths) {
  const owners = new Map();
  return paths.map((path) => session(readFileSync(path, "utf8"), path, owners));
}

function session(text, path, owners) {
  const state = {
    id: path,
    parent: undefined,
    nodes: [],
    children: new Map(),
    places: new Map(),
    ends: new Map(),
    answers: new Map(),
    asked: new Map(),
    requests: [],
  };
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    if (end > start) line(JSON.parse(text.slice(start, end)), state, owners);
    start = end + 1;
  }
  const tools = new Set(state.requests.flatMap(({ output }) => output.filter(({ kind }) => kind === "call").map(({ name }) => name)));
  let before = [];
  const requests = state.requests.map((request) => {
    const path = pathTo(state, request.tail);
    let shared = 0;
    while (shared < before.length && shared < path.length && before[shared] === path[shared]) shared += 1;
    const { model, at, recorded } = request;
    const estimated = FRAMING.reply + (request.tail === undefined ? 0 : state.nodes[request.tail].tokens);
    const residual = Math.max(recorded.input - estimated, 0) || null;
    const row = {
      model,
      at,
      messages: path.length,
      tools: tools.size,
      shared,
      came: path.length - shared,
      went: before.length - shared,
      recorded,
      estimated,
      residual,
    };
    before = path;
    return row;
  });
  return { id: state.id, parent: state.parent, requests };
}

/** Returns the positions of the messages from the first one to `tail`. */
function pathTo({ nodes }, tail) {
  const path = [];
  for (let at = tail; at !== undefined; at = nodes[at].parent) path.push(at);
  return path.reverse();
}

function line(value, state, owners) {
  const { uuid, parentUuid, sessionId, type, message } = value;
  if (uuid === undefined) return;
  state.id = sessionId;
  const owner = owners.get(uuid);
  if (owner === undefined) owners.set(uuid, sessionId);
  else if (owner !== sessionId) state.parent ??= owner;
  const parent = parentUuid === null ? undefined : state.places.get(parentUuid);
  if (type === "user") {
    const parts = partsOf(message.content);
    const results = parts.filter(({ kind }) => kind === "result");
    const answer = results.length > 0 ? state.answers.get(parentUuid) : undefined;
    let place = answer === undefined ? parent : state.ends.get(answer);
    if (results.length > 0) place = node(state, place, "tool", results);
    const rest = parts.filter(({ kind }) => kind !== "result");
    if (rest.length > 0) place = node(state, place, "user", rest);
    if (answer !== undefined) {
      state.ends.set(answer, place);
      state.answers.set(uuid, answer);
    }
    state.places.set(uuid, place);
  } else if (type === "assistant") {
    const answer = message.id;
    const begins = !state.ends.has(answer);
    const start = begins ? parent : state.ends.get(answer);
    const output = partsOf(message.content);
    const place = node(state, start, "assistant", output);
    state.places.set(uuid, place);
    state.ends.set(answer, place);
    state.answers.set(uuid, answer);
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = message.usage;
    const recorded = {
      input: input_tokens + cache_creation_input_tokens + cache_read_input_tokens,
      output: output_tokens,
      cached: cache_read_input_tokens,
    };
    if (begins) {
      state.asked.set(answer, state.requests.length);
      state.requests.push({ tail: start, output, model: message.model, at: new Date(value.timestamp).toISOString(), recorded });
    } else {
      const request = state.requests[state.asked.get(answer)];
      request.output.push(...output);
      request.recorded = recorded;
    }
  } else {
    state.places.set(uuid, parent);
  }
}

function partsOf(content) {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return content.map((block) => {
    if (block.type === "text") return { kind: "text", text: block.text };
    if (block.type === "thinking") return { kind: "reasoning", text: block.thinking, sealed: block.signature };
    if (block.type === "tool_use") return { kind: "call", id: block.id, name: block.name, arguments: block.input };
    return { kind: "result", id: block.tool_use_id, content: block.content, is_error: block.is_error === true };
  });
}

function tokensOf(part) {
  // the provider does not accept the logged reasoning
  if (part.kind === "reasoning") return 0;
  if (part.kind === "call") return estimate(part.name) + estimate(JSON.stringify(part.arguments));
  return estimate(part.kind === "result" ? part.content : part.text);
}

/** Tokens that the provider adds to a request, a message, a call and a result. */
const FRAMING = { reply: 2, message: 3, call: 10, result: 8 };

const framed = (part) => tokensOf(part) + (part.kind === "call" ? FRAMING.call : part.kind === "result" ? FRAMING.result : 0);

/** Returns the position of the message after `parent`. Reuses an equal message. */
function node({ nodes, children }, parent, role, parts) {
  const key = `${parent}\u0001${role}\u0001${JSON.stringify(parts)}`;
  const known = children.get(key);
  if (known !== undefined) return known;
  const before = FRAMING.message + (parent === undefined ? 0 : nodes[parent].tokens);
  nodes.push({ role, parts, parent, tokens: parts.reduce((sum, part) => sum + framed(part), before) });
  children.set(key, nodes.length - 1);
  return nodes.length - 1;
}
