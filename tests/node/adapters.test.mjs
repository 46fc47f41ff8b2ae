// Adapters with the real libraries against a server on this machine. The requests that arrive are those of the
// previews, over whole conversations with tools. The inspector can open every request.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import { HTTPClient, Mistral } from "@mistralai/mistralai";
import { createGateway, generateText, jsonSchema, stepCountIs, wrapLanguageModel } from "ai";
import OpenAI from "openai";
import { tuckboxMiddleware } from "../../pkg/adapters/ai-sdk.js";
import { wrapAnthropic } from "../../pkg/adapters/anthropic.js";
import { adaptFetch, assemble } from "../../pkg/adapters/fetch.js";
import { wrapOpenAI } from "../../pkg/adapters/openai.js";
import { memoryStore, open } from "../../pkg/index.js";
import { startProviders } from "../support/providers.mjs";
import { until } from "../support/until.mjs";

let server;
before(async () => {
  server = await startProviders();
});
after(() => server.close());

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const opening = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "How is the weather in Oslo?" },
];

const openai = () => new OpenAI({ apiKey: "k", baseURL: `${server.url}/openai/v1` });
const anthropic = () => new Anthropic({ apiKey: "k", baseURL: `${server.url}/anthropic` });
const newProject = () => open(memoryStore(), { projectId: "demo" });

/** Waits until the project has imported so many requests, and returns the agents that they became. */
async function imported(project, count) {
  const list = () => project.agents.list({});
  const { rows } = await until(`${count} imported requests`, list, (found) => found.rows.length >= count);
  return rows;
}

/** A conversation of Chat Completions with a tool: returns the bodies that the client would send by itself. */
async function converse(client) {
  const messages = [...opening];
  const given = [];
  for (;;) {
    const body = {
      model: "gpt-5",
      messages: [...messages],
      tools: [{ type: "function", function: { name: "weather", parameters } }],
      seed: 7,
    };
    given.push(body);
    const { choices } = await client.chat.completions.create(body);
    messages.push(choices[0].message);
    if (choices[0].finish_reason !== "tool_calls") return given;
    for (const call of choices[0].message.tool_calls) messages.push({ role: "tool", tool_call_id: call.id, content: "rain" });
  }
}

test("look: nothing changes, and every request is imported", async () => {
  const project = await newProject();
  const from = server.bodies.length;
  const errors = [];
  const given = await converse(wrapOpenAI(openai(), { project, onError: (error) => errors.push(error) }));
  assert.equal(given.length, 2);
  assert.deepEqual(
    server.bodies.slice(from),
    given.map((body) => JSON.stringify(body)),
  );
  // the second request has the messages of the first
  const requests = await imported(project, 2);
  assert.deepEqual(errors, []);
  const bodies = [];
  for (const { state } of requests) {
    const { body } = await project.payload({ provider: "openai_chat", box_id: state.context_box_id });
    bodies.push(body.messages.length);
  }
  assert.deepEqual(bodies.toSorted(), [2, 4]);
});

test("assemble: what arrives is byte for byte what was previewed, over a conversation with tools", async () => {
  const project = await newProject();
  const from = server.bodies.length;
  const seen = [];
  const given = await converse(wrapOpenAI(openai(), { project, mode: "assemble", onRequest: (request) => seen.push(request) }));
  const arrived = server.bodies.slice(from);
  assert.deepEqual(
    arrived,
    seen.map(({ text }) => text),
  );
  for (const [at, body] of given.entries()) {
    const { text, losses } = await assemble({ project, provider: "openai_chat", body });
    assert.equal(text, arrived[at]);
    assert.deepEqual(losses, []);
    // what is not part of the prompt stays
    assert.equal(JSON.parse(text).seed, 7);
  }
  await imported(project, 2);
});

test("assemble: a limit drops the oldest messages, and reports them", async () => {
  const project = await newProject();
  const seen = [];
  const client = wrapOpenAI(openai(), { project, mode: "assemble", limit: 120, onRequest: (request) => seen.push(request) });
  const history = Array.from({ length: 20 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Message ${at} about the weather of Oslo.`,
  }));
  await client.chat.completions.create({ model: "gpt-5", messages: [opening[0], ...history, opening[1]] });
  const { messages } = JSON.parse(server.bodies.at(-1));
  assert.ok(messages.length < 22, `${messages.length} messages`);
  assert.equal(messages.at(-1).content, opening[1].content);
  assert.equal(seen[0].dropped.length, 22 - messages.length);
});

test("assemble: a client of Anthropic, whole and as a stream, with system prompt and tool results", async () => {
  const project = await newProject();
  const seen = [];
  const client = wrapAnthropic(anthropic(), { project, mode: "assemble", onRequest: (request) => seen.push(request) });
  const tools = [{ name: "weather", input_schema: parameters }];
  const body = { model: "claude-opus-4-8", max_tokens: 100, system: "Be brief.", messages: [opening[1]], tools };
  const first = await client.messages.create(body);
  assert.equal(server.bodies.at(-1), seen.at(-1).text);
  const result = { type: "tool_result", tool_use_id: first.content[1].id, content: "rain" };
  const messages = [...body.messages, { role: "assistant", content: first.content }, { role: "user", content: [result] }];
  const stream = client.messages.stream({ ...body, messages });
  await stream.finalMessage();
  assert.equal(server.bodies.at(-1), seen.at(-1).text);
  const sent = JSON.parse(server.bodies.at(-1));
  assert.deepEqual(sent.system, [{ type: "text", text: "Be brief." }]);
  assert.deepEqual(
    sent.messages.map(({ role }) => role),
    ["user", "assistant", "user"],
  );
  assert.equal(sent.stream, true);
});

test("assemble: a request that the project refuses is an error of the library, sent once", async () => {
  const project = await newProject();
  const from = server.bodies.length;
  const client = wrapOpenAI(openai(), { project, mode: "assemble", payload: { strict: true } });
  const orphan = { role: "tool", tool_call_id: "nobody", content: "rain" };
  const call = client.chat.completions.create({ model: "gpt-5", messages: [opening[1], orphan] });
  await assert.rejects(call, (error) => error.status === 400 && error.error.path === "messages[1]");
  assert.equal(server.bodies.length, from);
});

test("assemble: Mistral with its client, whose requests are `Request` objects", async () => {
  const project = await newProject();
  const sent = [];
  const from = server.bodies.length;
  const fetcher = adaptFetch({ project, mode: "assemble", provider: "mistral", onRequest: ({ text }) => sent.push(text) });
  const client = new Mistral({ apiKey: "k", serverURL: `${server.url}/mistral`, httpClient: new HTTPClient({ fetcher }) });
  const tools = [{ type: "function", function: { name: "weather", parameters } }];
  await client.chat.complete({ model: "mistral-small", messages: opening, tools, temperature: 0 });
  assert.deepEqual(server.bodies.slice(from), sent);
  assert.equal(JSON.parse(sent[0]).temperature, 0);
});

test("assemble: Gemini, whose model is in the path", async () => {
  const project = await newProject();
  const sent = [];
  const from = server.bodies.length;
  const send = adaptFetch({ project, mode: "assemble", limit: 400, onRequest: (request) => sent.push(request) });
  const contents = [
    ...Array.from({ length: 6 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "model",
      parts: [{ text: `Old ${at}. ${"word ".repeat(80)}` }],
    })),
    { role: "user", parts: [{ text: "How is the weather?" }] },
    { role: "model", parts: [{ functionCall: { id: "c1", name: "weather", args: { city: "Oslo" } }, thoughtSignature: "c2ln" }] },
    { role: "user", parts: [{ functionResponse: { id: "c1", name: "weather", response: { output: "rain" } } }] },
  ];
  const body = {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents,
    tools: [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: parameters }] }],
    generationConfig: { temperature: 0 },
  };
  await send(`${server.url}/v1beta/models/gemini-2.5-flash:generateContent`, { method: "POST", body: JSON.stringify(body) });
  assert.deepEqual(server.bodies.slice(from), [sent[0].text]);
  const arrived = JSON.parse(sent[0].text);
  assert.deepEqual(arrived.systemInstruction.parts, body.systemInstruction.parts);
  assert.deepEqual(arrived.generationConfig, body.generationConfig);
  assert.equal(arrived.contents.at(-2).parts[0].thoughtSignature, "c2ln");
  assert.ok(sent[0].dropped.length > 0 && !sent[0].text.includes("Old 0."));
});

test("assemble: the input of a command of Bedrock", async () => {
  const project = await newProject();
  const body = {
    modelId: "anthropic.claude",
    system: [{ text: "Be brief." }],
    messages: [
      { role: "user", content: [{ text: "How is the weather?" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "t1", name: "weather", input: { city: "Oslo" } } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ text: "rain" }] } }] },
    ],
    toolConfig: { tools: [{ toolSpec: { name: "weather", inputSchema: { json: parameters } } }], toolChoice: { auto: {} } },
    inferenceConfig: { maxTokens: 100 },
  };
  const made = await assemble({ project, provider: "bedrock", body, model: body.modelId });
  assert.deepEqual(made.body, body);
  assert.throws(() => adaptFetch({ project, provider: "bedrock" }), { path: "provider" });
});

test("AI SDK: a middleware records every call, and assembles the prompt", async () => {
  const project = await newProject();
  const seen = [];
  const gateway = createGateway({ apiKey: "k", baseURL: `${server.url}/gateway` });
  const middleware = tuckboxMiddleware({ project, mode: "assemble", onRequest: (request) => seen.push(request) });
  const model = wrapLanguageModel({ model: gateway("m"), middleware });
  const tools = { weather: { inputSchema: jsonSchema(parameters), execute: async () => "rain" } };
  const from = server.bodies.length;
  await generateText({ model, system: "Be brief.", prompt: opening[1].content, tools, stopWhen: stepCountIs(3) });
  const prompts = server.bodies.slice(from).map((text) => JSON.parse(text).prompt);
  assert.equal(prompts.length, 3);
  assert.equal(seen.length, 3);
  assert.deepEqual(
    prompts.at(-1).map(({ role }) => role),
    ["system", "user", "assistant", "tool", "assistant", "tool"],
  );
  for (const [at, { body, losses }] of seen.entries()) {
    assert.deepEqual(losses, []);
    assert.deepEqual(
      prompts[at].map(({ role }) => role),
      body.messages.map(({ role }) => role),
    );
  }
});

test("an adapter names what it cannot wrap", async () => {
  const project = await newProject();
  assert.throws(() => wrapOpenAI({}, { project }), { code: "bad_request", path: "client", message: /openai.*withOptions/ });
  assert.throws(() => adaptFetch({ project, mode: "watch" }), { code: "bad_request", path: "mode" });
  assert.throws(() => adaptFetch({}), { code: "bad_request", path: "project" });
  await assert.rejects(assemble({ project, provider: "openai_responses", body: {} }), { code: "bad_request", path: "provider" });
});

/** The requests of a loop of steps at a provider: each has the messages of the one before. */
const LOOPS = {
  openai_chat: () => {
    const tools = [{ type: "function", function: { name: "weather", parameters } }];
    const call = (at) => ({ id: `call_${at}`, type: "function", function: { name: "weather", arguments: `{"city":"Å ${at}"}` } });
    return {
      body: { stream: true, messages: [...opening], model: "gpt-5", tools, seed: 7 },
      list: "messages",
      step: (at) => [
        { role: "assistant", content: at % 2 === 0 ? null : `Step ${at}: "é"\n`, tool_calls: [call(at)] },
        { role: "tool", tool_call_id: `call_${at}`, content: `${at} 😀` },
      ],
    };
  },
  anthropic: () => ({
    body: { model: "claude-opus-4-8", max_tokens: 100, system: "Be brief.", messages: [opening[1]] },
    list: "messages",
    step: (at) => [
      { role: "assistant", content: `Answer ${at}` },
      { role: "user", content: `Question ${at}` },
    ],
  }),
  gemini: () => ({
    body: { contents: [{ role: "user", parts: [{ text: "Hi" }] }], systemInstruction: { parts: [{ text: "Be brief." }] } },
    list: "contents",
    model: "gemini-2.5-flash",
    step: (at) => [
      { role: "model", parts: [{ text: `Answer ${at}` }] },
      { role: "user", parts: [{ text: `Question ${at}` }] },
    ],
  }),
};

test("assemble: a conversation that stays in memory has the same bytes as each request by itself", async () => {
  for (const [provider, loop] of Object.entries(LOOPS)) {
    for (const form of [(body) => body, JSON.stringify, (body) => JSON.stringify(body, null, 1)]) {
      const { body, list, model, step } = loop();
      const project = await newProject();
      const others = await newProject();
      for (let at = 0; at < 6; at += 1) {
        const more = model === undefined ? {} : { model };
        const { text, losses } = await assemble({ project, provider, body: form(body), ...more });
        // a limit is another way through the core, without memory
        const alone = await assemble({ project: others, provider, body: form(body), limit: 1_000_000, ...more });
        assert.equal(text, alone.text);
        assert.deepEqual(losses, alone.losses);
        // the same request again
        assert.equal((await assemble({ project, provider, body: form(body), ...more })).text, text);
        body[list].push(...step(at));
        // an earlier message changed, and a message too many
        if (at === 3) body[list][0] = structuredClone(body[list][0]);
        if (at === 4 && list === "messages") body[list][0].content = "Changed.";
      }
      await Promise.all([project, others].map((one) => one.dispose()));
    }
  }
});

test("assemble: conversations with a common beginning do not mix, and an invalid continuation is an error", async () => {
  const project = await newProject();
  const request = (messages, more = {}) => assemble({ project, provider: "openai_chat", body: { model: "gpt-5", messages, ...more } });
  const user = (content) => ({ role: "user", content });
  const said = ({ text }) => JSON.parse(text).messages.map(({ content }) => content);
  const base = [...opening, { role: "assistant", content: "Rain." }];
  assert.deepEqual(
    said(await request(opening)),
    opening.map(({ content }) => content),
  );
  const names = Array.from({ length: 12 }, (_, at) => `Fork ${at}`);
  const all = await Promise.all(names.map((name) => request([...base, user(name)])));
  for (const [at, made] of all.entries()) assert.equal(said(made).at(-1), names[at]);
  // other options of the request
  assert.equal(JSON.parse((await request([...base, user("x")], { seed: 8 })).text).seed, 8);
  await assert.rejects(request([...base, { role: "user", content: 7 }]), (error) => error.path === "messages[3].content");
  await assert.rejects(request([...base, Number.NaN]), (error) => error.path === "messages[3]");
  for (const more of ['],"seed":1', ",", " ", ",]", '],"messages":[{"role":"user","content":"y"}']) {
    const text = JSON.stringify({ model: "gpt-5", messages: opening, seed: 2 });
    const broken = text.replace("]", `${more}]`);
    const expected = await assemble({ project, provider: "openai_chat", body: broken, limit: 1_000_000 }).then(
      ({ text }) => text,
      ({ code }) => code,
    );
    await assemble({ project, provider: "openai_chat", body: text });
    const found = await assemble({ project, provider: "openai_chat", body: broken }).then(
      ({ text }) => text,
      ({ code }) => code,
    );
    assert.equal(found, expected, more);
  }
});

test("a model of an unsupported version is named when it is wrapped", async () => {
  const project = await open(memoryStore(), { projectId: "demo" });
  for (const mode of ["look", "assemble"]) {
    const { overrideProvider } = tuckboxMiddleware({ project, mode });
    assert.equal(overrideProvider({ model: { specificationVersion: "v4", provider: "gateway" } }), "gateway");
    assert.throws(() => overrideProvider({ model: { specificationVersion: "v1", provider: "gateway" } }), {
      code: "bad_request",
      path: "model.specificationVersion",
      message: /its model has the version `v1`; expected one of `v3` \(`ai` 6\), `v4` \(`ai` 7\)/,
    });
    const model = wrapLanguageModel({ model: createGateway({ apiKey: "k" })("m"), middleware: tuckboxMiddleware({ project, mode }) });
    assert.equal(model.provider, "gateway");
  }
});

test("a framework that never calls its adapter is named when it is wrapped", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "tuckbox-versions-"));
  const installed = { langchain: "0.3.37", "@mastra/core": "1.32.1", "@openai/agents": "0.20.0" };
  for (const [name, version] of Object.entries(installed)) {
    mkdirSync(join(cwd, "node_modules", name), { recursive: true });
    writeFileSync(join(cwd, "node_modules", name, "package.json"), JSON.stringify({ name, version }));
  }
  const from = (path) => JSON.stringify(new URL(`../../pkg/${path}.js`, import.meta.url));
  writeFileSync(
    join(cwd, "main.mjs"),
    `import { tuckboxMiddleware } from ${from("adapters/langchain")};
import { tuckboxProcessor } from ${from("adapters/mastra")};
import { tuckboxInputFilter } from ${from("adapters/openai-agents")};
const project = { payload() {} };
for (const wrap of [tuckboxMiddleware, tuckboxProcessor, tuckboxInputFilter]) wrap({ project });
`,
  );
  const { stderr } = await promisify(execFile)(process.execPath, ["main.mjs"], { cwd });
  assert.match(stderr, /`langchain` 0\.3\.37 is not supported: it never calls this adapter; expected 1\.0 or newer/);
  assert.match(stderr, /`@mastra\/core` 1\.32\.1 is not supported: .* expected 1\.34 or newer/);
  assert.doesNotMatch(stderr, /agents/);
});

test("a request that continues another has the bytes of a new one, also if earlier messages were changed in place", async () => {
  const project = await open(memoryStore(), { projectId: "demo" });
  const textOf = async (of, messages) => {
    const { text, losses } = await assemble({ project: of, provider: "openai_chat", body: { model: "m", messages, user: undefined } });
    return { text, losses };
  };
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
  const messages = [{ role: "user", content: "One?" }];
  /** @type {(() => void)[]} */
  const changes = [
    () =>
      messages.push({ role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: "call_1", content: "rain" }),
    () => messages.push({ role: "assistant", content: "Rain." }, { role: "user", content: [{ type: "text", text: "Two?" }] }),
    () => {},
    // in place: a text, a part, the order of keys, a member, fewer messages
    () => Object.assign(messages[0], { content: "Zero?" }),
    () => Object.assign(messages[4].content[0], { text: "Three?" }),
    () => messages.splice(3, 1, { content: "Rain.", role: "assistant" }),
    () => Object.assign(messages[0], { name: "ann" }),
    () => delete messages[0].name,
    () => messages.push({ role: "assistant", content: "Fine." }),
    () => messages.pop(),
    () => messages.push({ role: "user", content: "Four?", name: undefined }),
    () => messages.push({ role: "user", content: "Five?" }),
  ];
  for (const [at, change] of changes.entries()) {
    change();
    const fresh = await open(memoryStore(), { projectId: "demo" });
    assert.deepEqual(await textOf(project, messages), await textOf(fresh, messages), `change ${at}`);
  }
  // an error has the place of the whole request
  messages.push({ role: "user", content: Number.NaN });
  await assert.rejects(textOf(project, messages), { path: `messages[${messages.length - 1}].content` });
});
