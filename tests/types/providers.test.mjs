// What providers get is what their own libraries take: payloads of every shape are written down as
// TypeScript and compiled against the request types of the official packages.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { open, memoryStore } from "../../pkg/index.js";

const tests = fileURLToPath(new URL("..", import.meta.url));

const call = (id, name, args = "{}") => ({ id, type: "function", function: { name, arguments: args } });
const file = (file_id, format = null) => ({ type: "file", file: { file_id, format } });
const media = (mime_type, encoding = "base64") => ({ type: "media_placeholder", media_info: { mime_type, encoding, content: "AAAA" } });
const user = (content) => ({ role: "user", content });

const schema = { type: "object", properties: { q: { type: "string" }, n: { type: "integer", minimum: 1 } }, required: ["q"] };
const tools = [
  { type: "function", function: { name: "search", description: "Finds pages.", parameters: schema, strict: true } },
  { type: "function", function: { name: "now" } },
  { name: "a.b/c", input_schema: { properties: {} } },
  { name: "choose", parameters: { anyOf: [{ type: "string" }, { type: "number" }] } },
];

const talks = {
  plain: [{ role: "system", content: "Be brief." }, user("hello")],
  systems: [
    { role: "system", content: "one" },
    { role: "developer", content: "two" },
    user("a"),
    { role: "system", content: "three" },
    user("b"),
  ],
  calls: [
    user("look"),
    { role: "assistant", content: null, tool_calls: [call("k1", "search", '{"q": "otters"}'), call("k2", "now")] },
    { role: "tool", tool_call_id: "k2", content: "noon" },
    user("well?"),
    { role: "tool", tool_call_id: "k1", content: [{ type: "text", text: "three" }, file("https://h/a.png")] },
    { role: "assistant", content: "three", reasoning_content: "counted" },
    user("thanks"),
  ],
  broken: [
    { role: "assistant", content: "I begin" },
    { role: "tool", tool_call_id: "nobody", content: "lost" },
    { role: "wizard", content: "abracadabra", name: "Mer lin" },
    { role: "assistant", tool_calls: [call("k:1", "a.b/c", "not json"), call("open", "search"), { odd: true }] },
    { role: "tool", tool_call_id: "k:1", content: "" },
    { role: "tool", tool_call_id: "k:1", content: "again" },
    user(""),
    { role: "assistant", content: "" },
  ],
  files: [
    user([
      { type: "text", text: "see" },
      file("https://h/a.png"),
      file("https://h/a.pdf"),
      file("s3://b/k", "image/png"),
      media("image/jpeg"),
      media("application/pdf"),
      media("audio/wav"),
      media("video/mp4"),
      media("image/png", "hex"),
      { type: "image_url", image_url: { url: "https://h/p" } },
      { type: "poem", lines: 3 },
    ]),
  ],
};

const types = {
  openai_chat: ["OpenAI.Chat.ChatCompletionCreateParamsNonStreaming", (body) => body],
  openai_responses: ["OpenAI.Responses.ResponseCreateParamsNonStreaming", (body) => body],
  anthropic: ["Anthropic.MessageCreateParamsNonStreaming", (body) => body],
  // the library groups what the body of the request has side by side
  gemini: [
    "GenerateContentParameters",
    ({ contents, generationConfig, ...config }) => ({ model: "m", contents, config: { ...config, ...generationConfig } }),
  ],
};

test("payloads compile against the types of the official libraries", { timeout: 300_000 }, async () => {
  const workspace = await open(memoryStore(), { project_id: "p1" });
  const lines = [
    'import type Anthropic from "@anthropic-ai/sdk";',
    'import type { GenerateContentParameters } from "@google/genai";',
    'import type OpenAI from "openai";',
    "declare let x: unknown;",
  ];
  for (const [provider, [type, shape]] of Object.entries(types)) {
    for (const [name, messages] of Object.entries(talks)) {
      for (const more of [{}, { tools, max_output_tokens: 100 }, { prefill: true }]) {
        const { body } = await workspace.payload({ provider, messages, model: "m", ...more });
        lines.push(`x = ${JSON.stringify(shape(body))} satisfies ${type}; // ${name}`);
      }
    }
    // the check itself can fail
    lines.push("// @ts-expect-error", `x = ${JSON.stringify({ model: "m", contents: 1, messages: [{ role: "wizard" }], input: 1 })} satisfies ${type};`);
  }
  const folder = `${tests}.cache/providers`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/payloads.ts`, `${lines.join("\n")}\n`);
  const compilerOptions = { noEmit: true, skipLibCheck: true, types: [] };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ extends: "../../types/tsconfig.json", compilerOptions, include: ["payloads.ts"] }));
  const compiler = `${tests}node_modules/typescript/bin/tsc`;
  const compiled = promisify(execFile)(process.execPath, [compiler, "--pretty", "false", "--project", folder]);
  const { stdout } = await compiled.catch((failed) => failed);
  const told = stdout.trim().split("\n").filter((line) => line !== "").map((line) => {
    const at = /payloads\.ts\((\d+),/.exec(line);
    return at === null ? line : `${line}\n    ${lines[Number(at[1]) - 1].slice(0, 600)}`;
  });
  assert.equal(told.slice(0, 6).join("\n"), "");
});
