// The timeline of a log: steps, changes, messages, tools and searches, as recorded.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { importStream, memoryStore, open, openTimeline } from "../../pkg/index.js";
import { claudeSession, requestLog } from "../support/logs.mjs";

const bytes = ({ name, text }) => ({ name, bytes: new TextEncoder().encode(text) });
let timeline;
let steps;
let all;

before(async () => {
  timeline = await openTimeline(claudeSession().map(bytes));
  all = timeline.ask();
  steps = all.steps;
});
after(() => timeline.dispose());

test("a step has what was recorded: its time, model, usage, cost and what it did", () => {
  assert.equal(all.sessions.length, 1);
  assert.equal(all.totals.steps, steps.length);
  assert.deepEqual(
    steps.map(({ step }) => step),
    steps.map((_, at) => at + 1),
  );
  const [, second] = steps;
  assert.deepEqual(
    second.did.map(({ tool, target, failed }) => [tool, target, failed]),
    [
      ["Edit", "total.ts", false],
      ["Bash", "npm test", true],
    ],
  );
  assert.equal(second.failed, true);
  assert.deepEqual(second.recorded, { input: 10_908, output: 120, cached: 9_000, written: 1_900 });
  assert.deepEqual([second.provider, second.model, second.window], ["anthropic", "claude-sonnet-4-5", 200_000]);
  assert.ok(second.cost > 0.01 && second.cost < 0.05, `cost ${second.cost}`);
  assert.equal(second.at, "2026-03-02T09:12:16.000Z");
});

test("a table of models of the host has its own prices, in streams too", async () => {
  const price = { input: 1000, read: 0, write: 0, write_1h: 0, output: 0 };
  const models = { version: "1", models: [{ provider: "anthropic", model: "claude-sonnet-4-5", price }] };
  const own = await openTimeline(claudeSession().map(bytes), { models });
  // 8 of 10,908 tokens are neither read from the cache nor written
  assert.equal(own.ask().steps[1].cost, 0.008);
  own.dispose();
  const { value } = await importStream(claudeSession().map(bytes), { models });
  const costs = value.sessions.flatMap(({ requests }) => requests.map(({ cost }) => cost));
  assert.ok(costs.includes(0.008), costs.join(" "));
  await assert.rejects(openTimeline([], { models: { version: "1", models: [{}] } }), { code: "bad_request", path: "models[0].model" });
});

test("steps belong to prompts and agents", () => {
  assert.deepEqual(
    all.prompts.map(({ text }) => text.slice(0, 12)),
    ["The checkout", "Rename cartT", "Add a test f"],
  );
  assert.deepEqual(
    all.agents.map(({ name, depth, task, steps: count }) => [name, depth, task, count]),
    [
      [null, 0, null, 10],
      ["explore1", 1, "Find all uses of giftCard", 2],
    ],
  );
  const sub = steps.filter(({ agent }) => agent === 1);
  assert.deepEqual(
    sub.map(({ prompt }) => prompt),
    [0, 0],
    "a sub-agent is under the prompt of the main agent",
  );
});

test("the cache has a cause, and a compaction its account", () => {
  const expired = steps.find(({ cache }) => cache?.cause === "expired");
  assert.deepEqual([expired.did[0].tool, expired.cache.is_break], ["Edit", true]);
  const detail = timeline.ask({ step: expired.step });
  assert.ok(detail.cache.ttl.idle_seconds > 457);
  assert.equal(detail.cache_step, expired.step - 1);
  const compacted = steps.find(({ compacted: gone }) => gone !== null);
  const { compaction } = timeline.ask({ step: compacted.step });
  assert.match(compaction.summaries[0].parts[0].text, /^This session continues/);
  assert.equal(compaction.summaries[0].parts[0].kind, "summary");
  assert.equal(compaction.replaced.length, compacted.compacted);
  assert.equal(compaction.account.totals.covered, compacted.compacted);
});

test("a step has its changes, its messages by kind, and its tokens by tool and file", () => {
  const third = timeline.ask({ step: 3 });
  assert.deepEqual(
    third.changes.map(({ change, message }) => [change, ...message.parts.map(({ kind, tool, target }) => [kind, tool, target])]),
    [
      ["added", ["tool_call", "Edit", "src/total.ts"], ["tool_call", "Bash", "npm test"]],
      ["added", ["tool_result", "Edit", "src/total.ts"]],
      ["added", ["tool_result", "Bash", "npm test"]],
    ],
  );
  const fourth = timeline.ask({ step: 4 });
  assert.deepEqual(
    fourth.files.map(({ file, times }) => [file, times]),
    [["src/total.ts", 3]],
  );
  assert.equal(fourth.messages[1].parts[0].kind, "thinking");
  const sum = fourth.groups.reduce((total, { tokens }) => total + tokens, 0);
  assert.equal(sum, steps[3].estimated);
  assert.equal(
    sum,
    steps[3].tokens_by_kind.reduce((total, tokens) => total + tokens, 0),
  );
});

test("a message has all of its content, its origin, and the steps that send it", () => {
  const { hits, count } = timeline.ask({ find: "GIFTCARD IS APPLIED" });
  assert.equal(count, 1);
  assert.deepEqual([hits[0].kind, hits[0].tool, hits[0].found], ["tool_result", "Bash", "giftCard is applied"]);
  const found = timeline.ask({ message: hits[0].message });
  assert.deepEqual([found.reason, found.made_by, found.first_step], ["result", 2, 3]);
  assert.equal(found.origin.file, "project/s1.jsonl");
  assert.ok(found.dropped_step > found.last_step);
  assert.equal(found.resent_tokens, found.times * found.message.tokens);
  assert.equal(timeline.ask({ find: "subagent_type: Explore" }).count, 1, "arguments are searched");
});

test("a log of bodies has tools, parameters and the exact body", async () => {
  const log = requestLog();
  const bodies = await openTimeline([bytes(log)]);
  const second = bodies.ask({ step: 2 });
  assert.deepEqual(second.tools.list.map(({ name, calls }) => [name, calls]).toSorted(), [
    ["book_boat", 0],
    ["read_page", 0],
    ["search", 1],
    ["send_mail", 0],
  ]);
  assert.equal(second.tools.unused, 3);
  assert.equal(second.tools.unused_tokens_in_all, 2 * second.tools.unused_tokens);
  assert.deepEqual(
    second.changes.filter(({ subject }) => subject === "parameter").map(({ name, before: was, after: is }) => [name, was, is]),
    [["max_tokens", "500", "900"]],
  );
  assert.equal(second.output_limit, 900);
  assert.deepEqual(second.body, JSON.parse(log.text.split("\n")[1]));
  assert.equal(bodies.ask().steps[0].did[0].tool, "search", "the next request has the answer");
  bodies.dispose();
});

test("the operation returns the same, and reports what does not exist", async () => {
  const project = await open(memoryStore(), { projectId: "p1" });
  const files = claudeSession();
  assert.deepEqual(await project.import.timeline({ files }), all);
  assert.deepEqual(await project.import.timeline({ files, step: 3 }), timeline.ask({ step: 3 }));
  await assert.rejects(project.import.timeline({ files, step: 99 }), { code: "not_found", path: "step" });
  await assert.rejects(project.import.timeline({ files, session: 4 }), { code: "not_found", path: "session" });
  await assert.rejects(project.import.timeline({ files, step: 1, find: "a" }), { code: "bad_request" });
  assert.throws(() => timeline.ask({ message: "m9999" }), { code: "not_found" });
  assert.deepEqual((await openTimeline([])).ask().steps, []);
});

test("a request without an answer is not a change of the model", async () => {
  const [{ name, text }] = claudeSession();
  const line = JSON.parse(text.split("\n").at(-1));
  const asked = { ...line, type: "user", message: { role: "user", content: "And now?" }, parentUuid: line.uuid, uuid: "last" };
  const open = await openTimeline([bytes({ name, text: `${text}\n${JSON.stringify(asked)}` })]);
  const last = open.ask().steps.at(-1);
  assert.deepEqual([last.model, last.unanswered], [null, true]);
  assert.notEqual(last.cache.cause, "model_changed");
  open.dispose();
});
