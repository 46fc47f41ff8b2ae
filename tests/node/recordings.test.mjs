// Forecasts of the cache agree with the usage of recorded sessions.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { memoryStore, open, openTimeline } from "../../pkg/index.js";

const session = readFileSync(new URL("../recordings/pi-session.jsonl", import.meta.url));

test("forecasts of cache reads agree with a recorded session", async () => {
  const text = session.toString();
  const project = await open(memoryStore(), { projectId: "p" });
  const { value } = await project.preview("import", { files: [{ name: "pi.jsonl", text }], shape: "cache" });
  const { requests } = value.sessions[0].explanation;
  const hits = requests.filter(({ cause, recorded }) => cause === "appended" && recorded?.read > 0);
  const close = hits.filter(({ expected, recorded }) => Math.abs(expected.read - recorded.read) <= 0.05 * recorded.read);
  assert.ok(hits.length >= 40 && close.length >= 0.95 * hits.length, `${close.length} of ${hits.length} within 5 %`);
  const wrong = requests.filter(({ cause, sure, recorded }) => cause === "appended" && sure && recorded?.read === 0);
  assert.deepEqual(wrong, []);
});

test("a request without an answer has no cache break and no other model: neither is in the log", async () => {
  const timeline = await openTimeline([{ name: "pi.jsonl", bytes: session }]);
  const { steps, totals } = timeline.ask();
  const last = steps.at(-1);
  assert.deepEqual([last.unanswered, last.model, last.recorded.cached, last.cache.sure], [true, null, null, false]);
  assert.deepEqual([last.cache.is_break, last.cache.lost_tokens, last.cache.lost_cost], [false, 0, null]);
  assert.equal(totals.breaks, steps.filter(({ cache }) => cache?.is_break && cache.lost_tokens > 0).length);
  assert.deepEqual(
    timeline.ask({ step: last.step }).changes.map(({ subject }) => subject),
    ["message", "message"],
  );
  timeline.dispose();
});
