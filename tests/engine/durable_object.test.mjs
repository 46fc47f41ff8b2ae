// An engine and its worker in a Durable Object: alarms instead of timers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { durableObjectEngine } from "../../pkg/engines/durable-object.js";
import { open } from "../../pkg/index.js";
import { objectStorage } from "../support/object_storage.mjs";
import { until } from "../support/until.mjs";

/** Returns an object with one agent, and its storage. The runtime of an object deletes an alarm when it fires. */
async function objectOf(worker) {
  const storage = objectStorage();
  const object = durableObjectEngine({ storage, open, projectId: "p", worker });
  await object.engine.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
  await object.engine.provision({ agent_id: "ann", profile: "Writer" });
  const fire = async () => {
    storage.alarm = null;
    await object.alarm();
  };
  return { storage, fire, ...object };
}

test("a write sets an alarm, the alarm runs the turn, and an object at rest has no alarm", async () => {
  const alarms = [];
  const { storage, fire, engine } = await objectOf({
    model: () => {
      // an object that is evicted here wakes up again
      alarms.push(storage.alarm);
      return "done";
    },
  });
  await fire();
  assert.equal(storage.alarm, null);
  const turn = await engine.dispatch({ agent_id: "ann", instruction: "Go on." });
  await until("the write sets an alarm", () => storage.alarm);
  await fire();
  assert.deepEqual([typeof alarms[0], alarms.length], ["number", 1]);
  assert.ok(await engine.result(turn));
  assert.equal(storage.alarm, null);
});

test("an object keeps its alarm while a turn waits for a tool", async () => {
  const handles = [];
  const tools = {
    order: {
      start: (_, { handle }) => {
        handles.push(handle);
      },
    },
  };
  const calling = { text: "", tool_calls: [{ id: "c", type: "function", function: { name: "order", arguments: "{}" } }] };
  const { storage, fire, engine } = await objectOf({ model: (_, { step_count }) => (step_count === 0 ? calling : "done"), tools });
  const turn = await engine.dispatch({ agent_id: "ann", instruction: "Go on." });
  await fire();
  assert.equal(handles.length, 1);
  assert.equal(typeof storage.alarm, "number");
  await engine.answer(handles[0], { result: "tea" });
  await fire();
  assert.ok(await engine.result(turn));
  assert.equal(storage.alarm, null);
});
