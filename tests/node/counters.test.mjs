// Exact token counters of OpenAI encodings, which a host loads on demand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openaiCounter as alone } from "../../pkg/counters/openai.js";
import { corpus, exact } from "../corpus/corpus.mjs";
import { countWith, openaiCounter } from "./installed.mjs";
import { project } from "./support.mjs";

const talk = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "look" },
      { type: "file", file: { file_id: "https://h/a.png", format: null } },
    ],
  },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "k", type: "function", function: { name: "search", arguments: '{"q": "otters"}' } }],
  },
  { role: "tool", tool_call_id: "k", content: "three" },
];
const call = { provider: "openai_chat", messages: talk, tools: [{ name: "search" }] };
const sum = (parts) => parts.reduce((all, { tokens }) => all + tokens, 0);

test("strings are counted exactly, undocumented costs are estimated, and the buckets add up", async () => {
  const { workspace } = await project();
  for (const encoding of ["o200k_base", "cl100k_base"]) {
    const counter = await openaiCounter(encoding);
    assert.equal(counter.exact, true);
    assert.equal(counter.count("hello world"), 2);
    const account = await workspace.countTokens({ ...call, counter: await countWith(counter, workspace, call) });
    assert.equal(sum(account.buckets), account.tokens);
    assert.equal(account.exact, false);
    assert.deepEqual(account.messages[0], { position: 0, tokens: counter.count("Be brief."), exact: true });
    // providers do not document the cost of images, tool definitions and message framing
    const estimated = account.buckets.filter(({ exact }) => !exact).map(({ kind, position }) => position ?? kind);
    assert.deepEqual(estimated, [1, "tools", "framing"]);
  }
});

test("counts without a counter are marked as estimates", async () => {
  const { workspace } = await project();
  const account = await workspace.countTokens(call);
  assert.ok(account.buckets.every(({ exact }) => !exact));
  const counter = { exact: false, count: (text) => text.length };
  const own = await workspace.countTokens({ ...call, counter: await countWith(counter, workspace, call) });
  assert.deepEqual(own.messages[0], { position: 0, tokens: 9, exact: false });
});

test("budgets and comparisons use the counter", async () => {
  const { workspace } = await project();
  const counter = await openaiCounter();
  const fitted = await workspace.budget({ ...call, limit: 900, counter: await countWith(counter, workspace, call) });
  assert.equal(fitted.account.messages[0].exact, true);
  const before = { messages: talk.slice(0, 2) };
  const provider = "openai_chat";
  const counts = await countWith(counter, workspace, { provider, ...before }, { provider, messages: talk });
  const diff = await workspace.prompt.diffPayloads({ provider, before, after: { messages: talk }, counter: counts });
  assert.equal(diff.first_difference.why, "appended");
  await assert.rejects(workspace.countTokens({ ...call, counter: { counts: [1] } }), { code: "bad_request", path: "counter.counts" });
});

test("special tokens inside a string are counted as text", async () => {
  const counter = await openaiCounter();
  assert.ok(counter.count("<|endoftext|>") > 1);
  assert.equal(counter.count(""), 0);
});

test("the error states why a counter cannot be loaded", async () => {
  await assert.rejects(openaiCounter("p50k"), { code: "bad_request", path: "encoding" });
  // `gpt-tokenizer` is not installed next to the package here, so loading the vocabulary must fail
  await assert.rejects(alone(), { code: "bad_request", message: /`gpt-tokenizer` is not installed/ });
});

test("the recorded counts of the corpus equal those of the encoder", async () => {
  const { count } = await openaiCounter();
  const counted = Object.entries(corpus).map(([kind, texts]) => [kind, texts.map(count)]);
  assert.deepEqual(Object.fromEntries(counted), exact());
});
