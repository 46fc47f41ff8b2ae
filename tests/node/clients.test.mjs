// The page "Call a provider" with the real libraries of all providers, against a server on this machine. What arrives is
// what `payload` returned, and what the libraries return is read, whole and as a stream.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { memoryStore, open } from "../../pkg/index.js";
import { startProviders } from "../support/providers.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(`${root}docs/how-to/call-a-provider.md`, "utf8");

let server;
before(async () => {
  server = await startProviders();
  Object.assign(process.env, {
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: `${server.url}/anthropic`,
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: `${server.url}/openai/v1`,
    GEMINI_API_KEY: "k",
    GOOGLE_GEMINI_BASE_URL: `${server.url}/gemini`,
    MISTRAL_API_KEY: "k",
    AI_GATEWAY_API_KEY: "k",
    AWS_REGION: "eu-north-1",
    AWS_ACCESS_KEY_ID: "k",
    AWS_SECRET_ACCESS_KEY: "s",
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.http2,
  });
});
after(() => server.close());

/** The code of the page before its sections: the prompt of all examples. */
const prompt = page.match(/```ts\n(.*?)```/s)[1];

/** Runs the example of a section and returns what it printed. */
async function run(t, section) {
  const from = page.indexOf(`## ${section}\n`);
  assert.notEqual(from, -1, section);
  const code = page.slice(from).match(/```ts\n(.*?)```/s)[1];
  // these two libraries have no variable for their address
  const { outputText } = ts.transpileModule(`${prompt}${code}`, { compilerOptions: { target: "ES2022", module: "ES2022" } });
  const pointed = outputText
    .replace("new Mistral({", `new Mistral({ serverURL: "${server.url}/mistral",`)
    .replace("createGateway()", `createGateway({ baseURL: "${server.url}/gateway" })`)
    .replaceAll('from "tuckbox"', `from "${pathToFileURL(`${root}pkg/index.js`)}"`);
  const folder = `${root}tests/.cache/clients`;
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/${section.replace(/\W+/g, "_")}.mjs`;
  writeFileSync(file, pointed);
  const printed = [];
  t.mock.method(console, "log", (...values) => printed.push(values));
  await import(pathToFileURL(file));
  return printed;
}

/** Runs the prompt of the page, to build the same payload. */
async function payloadOf(provider, model, more = {}) {
  const project = await open(memoryStore(), { projectId: "demo" });
  const body = prompt.slice(prompt.indexOf("const weather"));
  const given = new Function(`${body}; return { messages, tools };`)();
  return { project, ...given, ...(await project.payload({ provider, model, ...given, ...more })) };
}

/** The keys that libraries add. */
const ADDED = { gemini: { generationConfig: {} }, mistral: { stream: false } };

const CALL = ["weather", '{"city":"Oslo"}'];

for (const [section, provider, model] of [
  ["Anthropic", "anthropic", "claude-opus-4-8"],
  ["OpenAI Chat Completions", "openai_chat", "gpt-5"],
  ["OpenAI Responses", "openai_responses", "gpt-5"],
  ["Google Gemini", "gemini", "gemini-2.5-flash"],
  ["Amazon Bedrock", "bedrock", "anthropic.claude-opus-4-8"],
  ["Mistral", "mistral", "mistral-large-latest"],
  ["AI SDK", "ai_sdk", "anthropic/claude-opus-4-8"],
  ["fetch", "anthropic", "claude-opus-4-8"],
]) {
  test(`${section}: the server receives the body, and the answer is read`, async (t) => {
    const [[calls, tokens]] = await run(t, section);
    assert.deepEqual([calls.map((made) => [made.function.name, made.function.arguments]), tokens], [[CALL], 5]);
    const { body } = await payloadOf(provider, model);
    const sent = JSON.parse(server.bodies.at(-1));
    if (provider === "ai_sdk") {
      assert.deepEqual(
        sent.prompt.map(({ role }) => role),
        ["system", "user"],
      );
      assert.deepEqual(sent.tools[0].inputSchema, body.tools.weather.inputSchema);
    } else assert.deepEqual(sent, { ...ADDED[provider], ...body });
    // the libraries of OpenAI and Anthropic send the text of their argument
    if (/^(openai|anthropic)/.test(provider)) assert.equal(server.bodies.at(-1), JSON.stringify(body));
  });
}

test("Stream: deltas arrive, then the whole answer", async (t) => {
  const printed = await run(t, "Stream");
  assert.deepEqual(printed.slice(0, -1), [["Let me "], ["look."], ["weather", ""], ["", '{"city":'], ["", '"Oslo"}']]);
  assert.equal(printed.at(-1)[0][0].function.arguments, CALL[1]);
});

test("Answer tool calls: the conversation goes on until the model answers", async (t) => {
  const printed = await run(t, "Answer tool calls");
  assert.deepEqual(printed, [["Rain, 4 °C."]]);
  const { messages } = JSON.parse(server.bodies.at(-1));
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["system", "user", "assistant", "tool"],
  );
});

test("Handle errors: a refused request has its status and delay", async (t) => {
  const printed = await run(t, "Handle errors");
  assert.deepEqual(printed, [["the provider answered with status 429: slow down", "7"]]);
});

/** Opens a stream with the library of each provider. */
const STREAMS = {
  async anthropic(body) {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    return new Anthropic().messages.create({ ...body, stream: true });
  },
  async openai_chat(body) {
    const { default: OpenAI } = await import("openai");
    return new OpenAI().chat.completions.create({ ...body, stream: true });
  },
  async openai_responses(body) {
    const { default: OpenAI } = await import("openai");
    return new OpenAI().responses.create({ ...body, stream: true });
  },
  async gemini(body) {
    const { GoogleGenAI } = await import("@google/genai");
    return new GoogleGenAI({}).models.generateContentStream(body);
  },
  async bedrock(body) {
    const { BedrockRuntimeClient, ConverseStreamCommand } = await import("@aws-sdk/client-bedrock-runtime");
    return new BedrockRuntimeClient().send(new ConverseStreamCommand(body));
  },
  async mistral(body) {
    const { Mistral } = await import("@mistralai/mistralai");
    return new Mistral({ apiKey: "k", serverURL: `${server.url}/mistral` }).chat.stream(body);
  },
  async ai_sdk(body) {
    const { createGateway, streamText } = await import("ai");
    const model = createGateway({ baseURL: `${server.url}/gateway` })("m");
    return streamText({ ...body, model });
  },
  // server-sent events without a library
  async fetch(body) {
    return fetch(`${server.url}/anthropic/v1/messages`, { method: "POST", body: JSON.stringify({ ...body, stream: true }) });
  },
};

for (const [name, start] of Object.entries(STREAMS)) {
  const provider = name === "fetch" ? "anthropic" : name;

  test(`${name}: a stream of its library is read while it arrives`, async () => {
    const { project, body, tools } = await payloadOf(provider, "m", { form: "client" });
    const reading = project.prompt.readResponse({ provider, response: await start(body), tools });
    const deltas = [];
    for await (const delta of reading) deltas.push(delta);
    const text = deltas.filter(({ type }) => type === "text").map((delta) => delta.text);
    assert.deepEqual(text, ["Let me ", "look."]);
    const pieces = deltas.filter(({ type }) => type === "tool_call");
    assert.deepEqual([pieces[0].name, pieces.map((piece) => piece.arguments).join("")], CALL);
    assert.deepEqual(deltas.at(-1).usage.output_tokens, 5);
    const { message, complete, losses } = await reading;
    assert.deepEqual([complete, losses], [true, []]);
    assert.equal(message.content, "Let me look.");
    assert.deepEqual(
      message.tool_calls.map((made) => [made.function.name, made.function.arguments]),
      [CALL],
    );
  });

  test(`${name}: leaving the loop cancels the stream, and so does a signal`, async () => {
    const { project, body, tools } = await payloadOf(provider, "m", { form: "client" });
    const reading = project.prompt.readResponse({ provider, response: await start(body), tools });
    for await (const _ of reading) break;
    await reading.then(
      ({ complete }) => assert.ok(complete, "it was read before the loop ended"),
      ({ code }) => assert.equal(code, "aborted"),
    );
    const stop = new AbortController();
    stop.abort();
    const stopped = project.prompt.readResponse({ provider, response: await start(body), tools }, { signal: stop.signal });
    await assert.rejects(stopped, { code: "aborted" });
  });
}

test("bytes of Bedrock and schemas of the AI SDK have the types of their libraries", async () => {
  const project = await open(memoryStore(), { projectId: "demo" });
  const image = { type: "image", data: "iVBORw0KGgo=", mime_type: "image/png" };
  const messages = [{ role: "user", content: [{ type: "text", text: "See" }, image] }];
  const { body } = await project.payload({ provider: "bedrock", form: "client", model: "m", messages });
  assert.ok(body.messages[0].content[1].image.source.bytes instanceof Uint8Array);
  assert.equal(body.modelId, "m");
  const preview = await project.preview("payload", { provider: "bedrock", form: "client", model: "m", messages });
  assert.ok(preview.value.body.messages[0].content[1].image.source.bytes instanceof Uint8Array);
  const http = await project.payload({ provider: "bedrock", model: "m", messages });
  assert.equal(http.body.messages[0].content[1].image.source.bytes, image.data);
  assert.equal(http.native, undefined);
});

test("an error inside a stream ends the reading at once", async () => {
  const project = await open(memoryStore(), { projectId: "demo" });
  async function* events() {
    yield { choices: [{ index: 0, delta: { content: "so" } }] };
    yield { error: { message: "overloaded" } };
    throw new Error("never read");
  }
  const reading = project.prompt.readResponse({ provider: "openai_chat", response: events() });
  const seen = [];
  await assert.rejects(
    async () => {
      for await (const delta of reading) seen.push(delta);
    },
    { code: "bad_request", message: /overloaded/ },
  );
  assert.deepEqual(seen, [{ type: "text", text: "so" }]);
  await assert.rejects(reading, { code: "bad_request" });
});

test("Mistral's thinking arrives as reasoning and goes back verbatim", async () => {
  const project = await open(memoryStore(), { projectId: "demo" });
  const thinking = (text) => ({ type: "thinking", thinking: [{ type: "text", text }] });
  const events = [
    { data: { choices: [{ index: 0, delta: { content: [thinking("h")] } }] } },
    { data: { choices: [{ index: 0, delta: { content: [thinking("m")] } }] } },
    { data: { choices: [{ index: 0, delta: { content: "so" }, finishReason: "stop" }] } },
  ];
  async function* stream() {
    yield* events;
  }
  const { message, stop } = await project.prompt.readResponse({ provider: "mistral", response: stream() });
  assert.deepEqual([message.content, stop], [[thinking("hm"), { type: "text", text: "so" }], "end"]);
  const { deltas } = await project.prompt.readDeltas({ provider: "mistral", events });
  assert.deepEqual(deltas, [
    { type: "reasoning", text: "h" },
    { type: "reasoning", text: "m" },
    { type: "text", text: "so" },
  ]);
});
