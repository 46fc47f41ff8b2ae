// Tools that must not run twice, and workers that are lost while they run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { worker } from "../../pkg/worker.js";
import { until } from "../support/until.mjs";

const call = (name) => ({ function: { name, arguments: "{}" } });

/** Returns how often each tool ran, and the fields of the deliverable, if the first worker is lost while `charge` runs. */
async function lost(charge, options = {}) {
  const team = engine({ open, store: memoryStore(), projectId: "demo" });
  await team.profile({ name: "Writer", llm_config: { provider: "openai_chat", model: "any" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  const ran = { charge: 0, look: 0 };
  let isLost = false;
  const tools = {
    look: () => {
      ran.look += 1;
      return "seen";
    },
    charge: {
      ...charge,
      run: () => {
        ran.charge += 1;
        return isLost ? "charged" : new Promise(() => {});
      },
    },
  };
  const model = ({ body }) => {
    const results = body.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    return results.length === 0 ? { text: "", tool_calls: [call("look"), call("charge")] } : results.join(" ");
  };
  const crew = () => worker({ engine: team, model, tools, pollMs: 20, ...options });
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  const first = crew();
  await first.start();
  await until(
    "the tool runs",
    () => ran.charge,
    (count) => count === 1,
  );
  isLost = true;
  await first.close({ graceMs: 1 });
  const second = crew();
  await second.start();
  const { content } = await team.result(turn, { pollMs: 20 });
  await second.close();
  await team.close();
  return { ran, fields: Object.fromEntries(content.data.fields.map(({ name, value }) => [name, value])) };
}

test("a tool that can run twice does, and one that ended does not", async () => {
  for (const charge of [{}, { idempotent: true }]) {
    const { ran, fields } = await lost(charge);
    assert.deepEqual(ran, { charge: 2, look: 1 });
    assert.match(fields.output, /seen.*charged/);
  }
});

test("a tool that must not run twice has an unknown outcome, which the model receives", async () => {
  const { ran, fields } = await lost({ idempotent: false });
  assert.deepEqual(ran, { charge: 1, look: 1 });
  assert.match(fields.output, /seen.*unknown_outcome/);
});

test("an unknown outcome fails the turn if the worker is set to", async () => {
  const { ran, fields } = await lost({ idempotent: false }, { unknownOutcome: "fail" });
  assert.deepEqual(ran, { charge: 1, look: 1 });
  assert.doesNotMatch(fields.output ?? "", /charged/);
});

test("of two workers that run the same call, the result that is stored first counts", async () => {
  const team = engine({ open, store: memoryStore(), projectId: "demo" });
  await team.profile({ name: "Writer", llm_config: { provider: "openai_chat", model: "any" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  const look = async (_, { tool_call_id }) => {
    // a worker that lost the turn stores its result while this one runs the tool
    const content = { __type__: "ToolResultContent", status: "success", after_execution: "suspend", result: "first", error: null };
    const card = {
      card_id: `result_${tool_call_id}`,
      type: "tool.result",
      author_id: "tool.look",
      content,
      metadata: { role: "tool" },
      tool_call_id,
    };
    await team.call("put_cards", { cards: [card] });
    return "second";
  };
  const model = ({ body }) => {
    const results = body.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    return results.length === 0 ? { text: "", tool_calls: [call("look")] } : results.join(" ");
  };
  const crew = worker({ engine: team, model, tools: { look } });
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  await crew.step();
  const { status, fields } = await team.result(turn);
  assert.equal(status, "success");
  assert.match(fields.output, /first/);
  assert.doesNotMatch(fields.output, /second/);
  await crew.close();
  await team.close();
});
