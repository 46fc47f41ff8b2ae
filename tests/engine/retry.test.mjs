// Model calls that are made again, and clocks of hosts that differ.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { retryAfterMs } from "../../pkg/lib/worker/retry.js";
import { worker } from "../../pkg/worker.js";
import { until } from "../support/until.mjs";

/** Returns a team with the agent `ann`, and what `model` makes of one turn. */
async function team(t, { store = memoryStore(), model, ...options }) {
  const host = engine({ open, store, projectId: "demo" });
  await host.profile({ name: "Writer", llm_config: { provider: "openai_chat", model: "any" } });
  await host.provision({ agent_id: "ann", profile: "Writer" });
  const events = [];
  const crew = worker({ engine: host, model, pollMs: 20, log: ({ event }) => events.push(event), ...options });
  await Promise.all([host.start(), crew.start()]);
  t.after(() => Promise.all([crew.close({ graceMs: 1 }), host.close()]));
  const turn = await host.dispatch({ agent_id: "ann", instruction: "Draft it." });
  return { host, turn, events };
}

const failing = (error) => Object.assign(new Error("the model failed"), error);
const fields = ({ content }) => Object.fromEntries(content.data.fields.map(({ name, value }) => [name, value]));

test("a model is called again after an error that can be over", async (t) => {
  const errors = [
    failing({ status: 429, headers: { "retry-after": "0" } }),
    failing({ status: 503, headers: new Headers({ "retry-after-ms": "1" }) }),
    new TypeError("fetch failed", { cause: failing({ code: "ECONNRESET" }) }),
  ];
  let calls = 0;
  const model = () => {
    calls += 1;
    const error = errors.shift();
    if (error !== undefined) throw error;
    return "Done.";
  };
  const { host, turn, events } = await team(t, { model });
  assert.equal(fields(await host.result(turn)).output, "Done.");
  assert.equal(calls, 4);
  assert.equal(events.filter((event) => event === "model_retried").length, 3);
});

test("a model is not called again after its own error, or more than `modelAttempts` times", async (t) => {
  for (const [error, most] of [
    [failing({ status: 400 }), 1],
    [failing({ code: "EMODEL" }), 1],
    [failing({ status: 429, headers: { "retry-after": "0" } }), 2],
  ]) {
    let calls = 0;
    const model = () => {
      calls += 1;
      throw error;
    };
    const { host, turn } = await team(t, { model, modelAttempts: 2 });
    await host.result(turn);
    assert.equal(calls, most);
  }
});

test("`Retry-After` is a number of seconds or a date", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const after = (value) => retryAfterMs({ headers: { "retry-after": value } }, now);
  assert.deepEqual(["2", "Thu, 01 Jan 2026 00:00:03 GMT", "soon", ""].map(after), [2000, 3000, undefined, undefined]);
});

test("a host whose clock is 10 minutes ahead does not release a turn that runs", async (t) => {
  const tables = memoryStore();
  const real = Date.now.bind(Date);
  const store = { read: (reads) => tables.read(reads), commit: (writes, more) => tables.commit(writes, more), now: () => real() };
  let answer;
  const waiting = new Promise((resolve) => {
    answer = resolve;
  });
  const { host, turn } = await team(t, { store, model: () => waiting });
  await until(
    "the turn runs",
    () => host.state({ agent_id: "ann" }),
    ({ agents }) => agents[0].status === "running",
  );
  t.mock.method(Date, "now", () => real() + 600_000);
  const other = engine({ open, store, projectId: "demo" });
  t.after(() => other.close());
  await other.tick();
  const [head] = (await other.state({ agent_id: "ann" })).agents;
  assert.deepEqual([head.status, head.turn_epoch], ["running", turn.turn_epoch]);
  answer("Done.");
  assert.equal(fields(await host.result(turn)).output, "Done.");
});
