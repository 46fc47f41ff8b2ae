// Forecasts of the cache agree with the usage of recorded sessions.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { memoryStore, open } from "../../pkg/index.js";

test("forecasts of cache reads agree with a recorded session", async () => {
  const text = readFileSync(new URL("../recordings/pi-session.jsonl", import.meta.url), "utf8");
  const project = await open(memoryStore(), { projectId: "p" });
  const { value } = await project.preview("import", { files: [{ name: "pi.jsonl", text }], shape: "cache" });
  const { requests } = value.sessions[0].explanation;
  const hits = requests.filter(({ cause, recorded }) => cause === "appended" && recorded?.read > 0);
  const close = hits.filter(({ expected, recorded }) => Math.abs(expected.read - recorded.read) <= 0.05 * recorded.read);
  assert.ok(hits.length >= 40 && close.length >= 0.95 * hits.length, `${close.length} of ${hits.length} within 5 %`);
  const wrong = requests.filter(({ cause, sure, recorded }) => cause === "appended" && sure && recorded?.read === 0);
  assert.deepEqual(wrong, []);
});
