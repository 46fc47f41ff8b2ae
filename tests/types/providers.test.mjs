// Requests match the types of the official provider libraries, and their answers are read. The requests and answers of
// every kind are written as TypeScript and compiled.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { memoryStore, open } from "../../pkg/index.js";
import { deep } from "../support/deep.mjs";
import { answers, extras, models, options, places, talks } from "./samples.mjs";

const tests = fileURLToPath(new URL("..", import.meta.url));

const HEAD = `
import Anthropic from "@anthropic-ai/sdk";
import { ConverseCommand, type ConverseRequest, type ConverseResponse, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { type GenerateContentParameters, type GenerateContentResponse, GoogleGenAI } from "@google/genai";
import { Mistral } from "@mistralai/mistralai";
import type { ChatCompletionRequest, ChatCompletionResponse } from "@mistralai/mistralai/models/components";
import { type ContentPart, type FinishReason, generateText, jsonSchema, type LanguageModelUsage, streamText, type ToolSet } from "ai";
import OpenAI from "openai";
import type { ClientBodies, HttpBodies } from "tuckbox";

// requests contain the values of an enum, not its names
type Wire<T> = T extends string ? \`\${T}\` : T extends (...args: never[]) => unknown ? T : T extends object ? { [K in keyof T]: Wire<T[K]> } : T;

type ChatRequest = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
type ResponsesRequest = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type ResponsesAnswer = Pick<OpenAI.Responses.Response, "id" | "model" | "status" | "output" | "usage">;
// options that older models accept
type Older = { temperature?: number; top_p?: number };
type AnthropicRequest = Anthropic.MessageCreateParamsNonStreaming | ((Anthropic.MessageCreateParamsNonStreaming & Older) & { model: \`claude-3-5-\${string}\` | \`claude-\${string}-4-\${1 | 5 | 6}\` });
type AnthropicAnswer = Pick<Anthropic.Message, "id" | "model" | "role" | "type" | "content" | "stop_reason">;
type GeminiRequest = Wire<GenerateContentParameters>;
type GeminiAnswer = Wire<Pick<GenerateContentResponse, "candidates" | "modelVersion" | "responseId" | "usageMetadata">>;
type SdkRequest = Parameters<typeof generateText>[0];
type SdkModel = SdkRequest["model"];
type SdkAnswer = { content: ContentPart<ToolSet>[]; finishReason: FinishReason; usage: LanguageModelUsage };
declare let x: unknown;
`;

/** The bodies of the package as arguments of the calls of the libraries. */
const CALLS = `
async function calls(http: HttpBodies, body: ClientBodies, model: SdkModel) {
  const [anthropic, openai, google, mistral] = [new Anthropic(), new OpenAI(), new GoogleGenAI({}), new Mistral()];
  x = (await anthropic.messages.create(body.anthropic)).content;
  x = (await anthropic.messages.create({ ...body.anthropic, stream: true })).controller;
  x = (await openai.chat.completions.create(body.openai_chat)).choices;
  x = (await openai.chat.completions.create({ ...body.openai_chat, stream: true })).controller;
  x = (await openai.chat.completions.create(body.openai_compatible)).choices;
  x = (await openai.responses.create(body.openai_responses)).output;
  x = (await openai.responses.create({ ...body.openai_responses, stream: true })).controller;
  x = (await google.models.generateContent(body.gemini)).text;
  x = (await google.models.generateContentStream(body.gemini))[Symbol.asyncIterator];
  // @ts-expect-error: the HTTP body would lose the system prompt and the tools
  x = await google.models.generateContent({ model: "m", ...http.gemini });
  x = [new ConverseCommand(body.bedrock), new ConverseStreamCommand(body.bedrock)];
  x = (await mistral.chat.complete(body.mistral)).choices;
  x = await mistral.chat.stream(body.mistral);
  x = (await generateText({ ...body.ai_sdk, model })).text;
  x = streamText({ ...body.ai_sdk, model }).fullStream;
}
x = calls;
`;

/** Key names of Mistral's library. Keys that a host names stay unchanged. */
const spelled = { schema: "schemaDefinition" };
const camel = (key) => spelled[key] ?? key.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const camels = (value, key) => {
  if (["parameters", "schema", "arguments", "metadata"].includes(key) || value === null || typeof value !== "object") return value;
  return Array.isArray(value)
    ? value.map((item) => camels(item, key))
    : Object.fromEntries(Object.entries(value).map(([name, inner]) => [camel(name), camels(inner, name)]));
};

/** Returns a value as TypeScript. Bytes are base64 in a request, and a function of the AI SDK creates its schemas. */
function literal(value, key, provider) {
  if (provider === "bedrock" && ["bytes", "redactedContent"].includes(key)) return "new Uint8Array()";
  if (provider === "ai_sdk" && key === "inputSchema") return `jsonSchema(${JSON.stringify(value.jsonSchema)})`;
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, "", provider)).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}: ${literal(inner, name, provider)}`)
    .join(", ")}}`;
}

/** Returns the paths of all keys of a value. Items of a list have the path of the list. */
function paths(value, at = "") {
  if (value === null || typeof value !== "object") return [at];
  if (Array.isArray(value)) return [at, ...value.flatMap((item) => paths(item, at))];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => paths(inner, at === "" ? key : `${at}.${key}`))];
}

/** The types of requests and answers. */
const types = {
  openai_chat: ["ChatRequest", "OpenAI.Chat.ChatCompletion"],
  openai_responses: ["ResponsesRequest", "ResponsesAnswer"],
  anthropic: ["AnthropicRequest", "AnthropicAnswer"],
  gemini: ["GeminiRequest", "GeminiAnswer"],
  bedrock: ["ConverseRequest", "ConverseResponse"],
  mistral: ["ChatCompletionRequest", "ChatCompletionResponse"],
  openai_compatible: ["ChatRequest", null],
  ai_sdk: ["SdkRequest", "SdkAnswer"],
};

/** The page whose examples are compiled, too. */
const page = readFileSync(`${tests}../docs/how-to/call-a-provider.md`, "utf8");

/** Returns each example of the page after the prompt that all of them use. */
function examples() {
  const [prompt, ...blocks] = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  const host = "declare const process: { env: { [name: string]: string | undefined } };\n";
  return blocks.map((code) => `${prompt}${code}\n${host}`);
}

/**
 * Compiles lines and returns the errors with their lines. Fast tests skip lines that compiled before with the same
 * libraries, because reading the libraries takes most of the time.
 */
async function compiled(name, lines) {
  const folder = `${tests}.cache/providers/${name}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/payloads.ts`, `${lines.join("\n")}\n`);
  const pages = examples().map((code, at) => {
    writeFileSync(`${folder}/example_${at}.ts`, code);
    return `example_${at}.ts`;
  });
  const compilerOptions = {
    noEmit: true,
    tsBuildInfoFile: "./tsbuildinfo",
    skipLibCheck: true,
    exactOptionalPropertyTypes: false,
    lib: ["ES2022", "DOM", "DOM.AsyncIterable"],
    types: [],
  };
  writeFileSync(
    `${folder}/tsconfig.json`,
    JSON.stringify({ extends: "../../../types/tsconfig.json", compilerOptions, include: ["payloads.ts", ...pages] }),
  );
  const bodies = ["bodies", "clients"].map((file) => `../../../../pkg/types/${file}.d.ts`);
  const inputs = ["payloads.ts", ...pages, ...bodies, "tsconfig.json", "../../../types/tsconfig.json", "../../../package-lock.json"];
  const hash = createHash("sha256");
  for (const input of inputs) hash.update(readFileSync(`${folder}/${input}`)).update("\0");
  const [stamp, wanted] = [`${folder}/.compiled`, hash.digest("hex")];
  if (!deep && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return [];
  const compiler = `${tests}node_modules/typescript/bin/tsc`;
  const { stdout, code } = await promisify(execFile)(process.execPath, [compiler, "--pretty", "false", "--project", folder]).catch(
    (failed) => failed,
  );
  if (stdout === "" && code === undefined) writeFileSync(stamp, wanted);
  else if (stdout === "") return [`the compiler ended with ${code}`];
  return stdout
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const at = /payloads\.ts\((\d+),/.exec(line);
      return at === null ? line : `${line}\n    ${lines[Number(at[1]) - 1].slice(0, 600)}`;
    });
}

test("payloads and answers compile against the types of the official libraries", async () => {
  const workspace = await open(memoryStore(), { projectId: "p1" });
  const lines = `${HEAD}${CALLS}`.trim().split("\n");
  for (const [provider, [request, response]] of Object.entries(types)) {
    const seen = new Set();
    const compiledPaths = new Set();
    const addRequest = async (name, model, more) => {
      const call = { provider, messages: talks[name], model, ...more };
      const { body } = await workspace.payload(call);
      // fast tests compile only requests with a new key path
      const isNew = deep || paths(body).some((path) => !compiledPaths.has(path));
      for (const path of paths(body)) compiledPaths.add(path);
      if (!isNew) return;
      const argument = (await workspace.payload({ ...call, form: "client" })).body;
      const text = literal(argument, "", provider);
      if (!seen.has(text)) lines.push(`x = ${text} satisfies ${request}; // ${provider}, ${name}`);
      seen.add(text);
    };
    for (const name of Object.keys(talks)) for (const more of options.slice(0, 3)) await addRequest(name, "m", more);
    for (const model of models[provider])
      for (const more of options) for (const name of ["plain", "results"]) await addRequest(name, model, more);
    await addRequest("results", models[provider].at(-1), { extra: extras[provider] });
    assert.deepEqual(
      places[provider].filter((path) => !compiledPaths.has(path)),
      [],
      `${provider}: options that no compiled request has`,
    );
    const answer = answers[provider];
    if (response !== null)
      lines.push(
        `x = ${literal(provider === "mistral" ? camels(answer, "") : answer, "", provider)} satisfies ${response}; // ${provider}, an answer`,
      );
    // an invalid value must be an error
    for (const type of [request, response].filter((type) => type !== null)) {
      lines.push(
        "// @ts-expect-error",
        `x = ${JSON.stringify({ model: "m", contents: 1, messages: [{ role: "wizard" }], input: 1 })} satisfies ${type};`,
      );
    }
  }
  assert.equal((await compiled("all", lines)).slice(0, 6).join("\n"), "");
});

test("the answer of a provider is read without loss", async () => {
  const workspace = await open(memoryStore(), { projectId: "p1" });
  for (const [provider, response] of Object.entries(answers)) {
    const read = await workspace.prompt.readResponse({ provider, response });
    assert.deepEqual(read.losses, [], provider);
    assert.equal(read.stop, "tool_calls", provider);
    const calls = [...(read.message.tool_calls ?? [])].map((made) => [made.function.name, made.function.arguments]);
    assert.deepEqual(calls, [["search", '{"q":"otters"}']], provider);
    // Anthropic and Bedrock count cached tokens separately from the input
    const input = provider === "bedrock" ? 13 : 9;
    if (provider !== "anthropic")
      assert.deepEqual([read.usage.input_tokens, read.usage.output_tokens], [input, 2 + (provider === "gemini" ? 1 : 0)], provider);
    if (!["anthropic", "mistral"].includes(provider)) assert.equal(read.usage.cache_read_tokens, 4, provider);
  }
});
