// A server with the routes of all providers. It records every body and answers with a call of the tool `weather`, as one
// answer or as a stream. After a tool result it answers with text.
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { crc32 } from "node:zlib";

const ARGUMENTS = '{"city":"Oslo"}';
const PIECES = ['{"city":', '"Oslo"}'];
const USAGE = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };

const call = { id: "call00001", type: "function", function: { name: "weather", arguments: ARGUMENTS } };
const chat = (message, finish_reason) => ({
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, finish_reason, message: { role: "assistant", content: null, ...message } }],
  usage: USAGE,
});
const chunk = (delta, finish_reason = null, usage = undefined) => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
  ...(usage && { usage }),
});
const chatEvents = [
  chunk({ role: "assistant", content: "Let me " }),
  chunk({ content: "look." }),
  chunk({ tool_calls: [{ index: 0, ...call, function: { name: "weather", arguments: "" } }] }),
  ...PIECES.map((text) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
  chunk({}, "tool_calls", USAGE),
];

// the library of Mistral expects whole calls
const mistralEvents = [...chatEvents.slice(0, 2), chunk({ tool_calls: [{ index: 0, ...call }] }), chatEvents.at(-1)];

const item = { type: "function_call", id: "fc1", call_id: "call00001", name: "weather", arguments: ARGUMENTS, status: "completed" };
const said = {
  type: "message",
  id: "m1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Let me look.", annotations: [] }],
};
const response = (output) => ({
  id: "r1",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  output,
  usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
});
const part = (type, delta, output_index) => ({ type, delta, output_index, item_id: "i", content_index: 0, logprobs: [] });
const responseEvents = [
  { type: "response.created", response: { ...response([]), status: "in_progress" } },
  { type: "response.output_item.added", output_index: 0, item: { ...said, content: [] } },
  part("response.output_text.delta", "Let me ", 0),
  part("response.output_text.delta", "look.", 0),
  { type: "response.output_item.added", output_index: 1, item: { ...item, arguments: "" } },
  ...PIECES.map((text) => part("response.function_call_arguments.delta", text, 1)),
  { type: "response.completed", response: response([said, item]) },
].map((event, sequence_number) => ({ ...event, sequence_number }));

const blocks = [
  { type: "text", text: "Let me look.", citations: null },
  { type: "tool_use", id: "call00001", name: "weather", input: { city: "Oslo" } },
];
const anthropic = {
  id: "m1",
  type: "message",
  role: "assistant",
  model: "m",
  content: blocks,
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 5 },
};
const anthropicEvents = [
  { type: "message_start", message: { ...anthropic, content: [], stop_reason: null, usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Let me " } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "look." } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { ...blocks[1], input: {} } },
  ...PIECES.map((partial_json) => ({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json } })),
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

const gemini = (parts, more = {}) => ({
  candidates: [{ content: { role: "model", parts }, ...more }],
  modelVersion: "m",
  responseId: "r1",
});
const made = { functionCall: { name: "weather", args: { city: "Oslo" } } };
const counted = { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 } };
const geminiEvents = [
  gemini([{ text: "Let me " }]),
  gemini([{ text: "look." }]),
  { ...gemini([made], { finishReason: "STOP" }), ...counted },
];

const use = { toolUseId: "call00001", name: "weather" };
const bedrock = {
  output: { message: { role: "assistant", content: [{ text: "Let me look." }, { toolUse: { ...use, input: { city: "Oslo" } } }] } },
  stopReason: "tool_use",
  usage: { inputTokens: 9, outputTokens: 5, totalTokens: 14 },
  metrics: { latencyMs: 1 },
};
const bedrockEvents = [
  ["messageStart", { role: "assistant" }],
  ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Let me " } }],
  ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "look." } }],
  ["contentBlockStop", { contentBlockIndex: 0 }],
  ["contentBlockStart", { contentBlockIndex: 1, start: { toolUse: use } }],
  ...PIECES.map((input) => ["contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input } } }]),
  ["contentBlockStop", { contentBlockIndex: 1 }],
  ["messageStop", { stopReason: "tool_use" }],
  ["metadata", { usage: bedrock.usage, metrics: bedrock.metrics }],
];

/** The answer and the events of the AI SDK's gateway. */
const sdkUsage = { inputTokens: { total: 9, noCache: 9 }, outputTokens: { total: 5, text: 5 } };
const sdkCall = { type: "tool-call", toolCallId: "call00001", toolName: "weather", input: ARGUMENTS };
const sdkReason = { unified: "tool-calls", raw: "tool_use" };
const sdk = { content: [{ type: "text", text: "Let me look." }, sdkCall], finishReason: sdkReason, usage: sdkUsage, warnings: [] };
const sdkEvents = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: "Let me " },
  { type: "text-delta", id: "0", delta: "look." },
  { type: "text-end", id: "0" },
  sdkCall,
  { type: "finish", finishReason: sdkReason, usage: sdkUsage },
];

/** Returns a message of AWS event streams. */
function frame([type, value]) {
  const header = (name, text) => {
    const bytes = Buffer.from(text);
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7, bytes.length >> 8, bytes.length & 255]), bytes]);
  };
  const headers = Buffer.concat([
    header(":event-type", type),
    header(":content-type", "application/json"),
    header(":message-type", "event"),
  ]);
  const payload = Buffer.from(JSON.stringify(value));
  const whole = Buffer.alloc(16 + headers.length + payload.length);
  whole.writeUInt32BE(whole.length, 0);
  whole.writeUInt32BE(headers.length, 4);
  whole.writeUInt32BE(crc32(whole.subarray(0, 8)), 8);
  headers.copy(whole, 12);
  payload.copy(whole, 12 + headers.length);
  whole.writeUInt32BE(crc32(whole.subarray(0, whole.length - 4)), whole.length - 4);
  return whole;
}

/** The routes: the answer, the events, and whether a request asks for a stream. */
const ROUTES = [
  [/^\/anthropic\/v1\/messages/, { whole: () => anthropic, events: anthropicEvents, named: true }],
  [/^\/mistral\//, { whole: (body) => chatAnswer(body), events: mistralEvents, ends: true }],
  [/\/chat\/completions/, { whole: (body) => chatAnswer(body), events: chatEvents, ends: true }],
  [/\/responses$/, { whole: (body) => responseAnswer(body), events: responseEvents, named: true }],
  [
    /generateContent/i,
    { whole: () => ({ ...gemini([{ text: "Let me look." }, made], { finishReason: "STOP" }), ...counted }), events: geminiEvents },
  ],
  [/\/converse/, { whole: () => bedrock, frames: bedrockEvents }],
  [/language-model/, { whole: () => sdk, events: sdkEvents }],
];

function chatAnswer({ messages }) {
  if (messages.at(-1).role === "tool") return chat({ content: "Rain, 4 °C." }, "stop");
  return chat({ content: "Let me look.", tool_calls: [call] }, "tool_calls");
}

function responseAnswer({ input }) {
  const isAnswered = Array.isArray(input) && input.at(-1).type === "function_call_output";
  const last = { ...said, content: [{ ...said.content[0], text: "Rain, 4 °C." }] };
  return response(isAnswered ? [last] : [said, item]);
}

/** Returns an answer with the ids of its own: frameworks merge messages and calls with the same ids. */
function numbered(answer, count) {
  const number = String(count).padStart(5, "0");
  return JSON.parse(JSON.stringify(answer).replaceAll("call00001", `call${number}`).replace('"id":"c1"', `"id":"c${number}"`));
}

const isStream = (request, body) =>
  body.stream === true || /stream/i.test(request.url) || request.headers["ai-language-model-streaming"] === "true";

/** Starts the servers. `bodies` has the texts of all requests so far. The library of Bedrock needs HTTP/2: `http2`. */
export async function startProviders() {
  const bodies = [];
  const answerOne = async (request, answer) => {
    const chunks = [];
    for await (const bytes of request) chunks.push(bytes);
    const text = Buffer.concat(chunks).toString();
    if (request.url.endsWith("/busy")) {
      answer.writeHead(429, { "content-type": "application/json", "retry-after": "7" });
      return answer.end(JSON.stringify({ type: "error", error: { type: "rate_limit_error", message: "slow down" } }));
    }
    bodies.push(text);
    const [, route] = ROUTES.find(([path]) => path.test(request.url)) ?? [];
    if (route === undefined) return answer.writeHead(404).end(request.url);
    const body = JSON.parse(text);
    if (!isStream(request, body)) {
      answer.writeHead(200, { "content-type": "application/json" });
      return answer.end(JSON.stringify(numbered(route.whole(body), bodies.length)));
    }
    if (route.frames !== undefined) {
      answer.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
      for (const event of route.frames) answer.write(frame(event));
      return answer.end();
    }
    answer.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of route.events) answer.write(`${route.named ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
    return answer.end(route.ends ? "data: [DONE]\n\n" : "");
  };
  // a busy machine loads a framework for longer than the 5 s after which an idle connection ends
  const servers = [createServer({ keepAliveTimeout: 120_000 }, answerOne), createHttp2Server(answerOne)];
  const sockets = new Set();
  for (const server of servers) server.on("connection", (socket) => sockets.add(socket));
  for (const server of servers) await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const [url, http2] = servers.map((server) => `http://127.0.0.1:${server.address().port}`);
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) await new Promise((resolve) => server.close(resolve));
  };
  return { url, http2, bodies, close };
}
