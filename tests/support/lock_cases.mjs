// Writes `tests/vectors/lock.json`: contexts, their lockfile, and the verdict on edited contexts. The expected values
// are the answers of this package; `cargo xtask conform` compares them with the native core and with every runtime.
//
//   node tests/support/lock_cases.mjs
import { writeFileSync } from "node:fs";
import { contexts, shared } from "../../examples/lock/contexts.mjs";
import * as tuckbox from "../../pkg/index.js";
import { run } from "../conform/adaptors/lock.mjs";

const FORMATS = ["text", "markdown", "junit", "annotations", "sarif"];
/** A model without a price, so that another table of prices changes nothing. */
const base = { ...shared, model: "model-1" };
const listed = (all) => Object.entries(all).map(([name, context]) => ({ name, ...context }));

const png = "iVBORw0KGgo=";
/** One request for each form of a body. */
const bodies = (text) => ({
  chat: {
    model: "model-1",
    seed: 1,
    tools: [{ type: "function", function: { name: "search", parameters: { type: "object" } } }],
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
        ],
      },
      { role: "user", content: "And now?" },
      { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "search", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c1", content: "2 pages" },
    ],
  },
  responses: {
    model: "model-1",
    instructions: "Be brief.",
    input: [
      { role: "user", content: [{ type: "input_text", text }] },
      { type: "function_call", call_id: "c1", name: "search", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "2 pages" },
    ],
  },
  gemini: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [{ role: "user", parts: [{ text }, { inlineData: { mimeType: "image/png", data: png } }] }],
    tools: [{ functionDeclarations: [{ name: "search", parameters: { type: "OBJECT" } }] }],
  },
  bedrock: {
    modelId: "model-1",
    system: [{ text: "Be brief." }, { cachePoint: { type: "default" } }],
    messages: [{ role: "user", content: [{ text }] }],
    inferenceConfig: { maxTokens: 100 },
  },
});

const strange = (text) => ({
  context: {
    provider: "openai_chat",
    model: "model-1",
    messages: [
      { role: "system", content: `Today is 2026-11-18.\nŞişli, İstanbul; 東京; ${text}` },
      { role: "system", content: "It is 10:31." },
      { role: "user", content: "a\u202eb\u200b \ud83d\ude00 C:\\Users\\ann\\notes.txt\r\n\ttab" },
      { role: "user", content: `key sk-abcdefghij0123456789xyz ${"long ".repeat(40)}` },
    ],
    origins: [{ layer: "system_prompt" }, { layer: "clock" }, null, null],
  },
  volatile: [{ slot: "/system/0", after: "Today is ", before: "." }, "/system/clock"],
  legal_for: ["anthropic", "gemini"],
});

const CASES = [
  {
    name: "an edited prompt of the sample project",
    input: {
      contexts: listed(contexts(base)),
      edited: listed(contexts({ ...base, prompts: { ...base.prompts, writer: `${base.prompts.writer} Avoid the passive voice.` } })),
      check: { formats: FORMATS, assertions: [{ max_tokens: 100 }, { entries: ["support/*"], tools: ["none"] }] },
    },
  },
  {
    name: "each form of a body",
    input: {
      contexts: listed(bodies("Hello")).map(({ name, ...body }) => ({ name, request: { body } })),
      edited: listed(bodies("Good day")).map(({ name, ...body }) => ({ name, request: { body } })),
      check: { formats: FORMATS },
    },
  },
  {
    name: "hidden characters, secrets and volatile text",
    input: {
      contexts: [{ name: "İ/\u202ename", ...strange("one") }],
      edited: [
        { name: "İ/\u202ename", ...strange("two") },
        { name: "new", ...strange("two"), redact: true },
      ],
      check: { formats: FORMATS, assertions: [{ excludes: [{ secret: true }], legal_for: ["anthropic"] }] },
    },
  },
];

const lines = [];
for (const { name, input } of CASES) {
  const expect = {};
  for (const { label, okText, error } of await run({ inputText: JSON.stringify(input) }, tuckbox)) {
    if (error !== undefined) throw error;
    expect[label] = { ok: JSON.parse(okText) };
  }
  lines.push(JSON.stringify({ name, input, expect }));
}
writeFileSync(new URL("../vectors/lock.json", import.meta.url), `{"cases": [\n${lines.join(",\n")}\n]}\n`);
