// Hosts whose clocks differ or jump, on a store without a clock. No healthy turn is taken from its worker, and the turn
// of a killed worker runs again. Time is simulated.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { Rows } from "../../pkg/lib/engine/rows.js";
import { worker } from "../../pkg/worker.js";
import { Host, install, Machine, World } from "../shell/world.mjs";

install();

const MINUTE_MS = 60_000;
const THINK_MS = 70_000;

/** Runs `play` in a world with a working machine and a watching one, whose clock is wrong by `skewMs`. */
async function played(skewMs, play) {
  const world = new World(1);
  world.isCalm = true;
  const store = memoryStore();
  const [right, wrong] = [new Machine(world, "right"), new Machine(world, "wrong", { skewMs })];
  const team = () => engine({ open, store, projectId: "p", tickMs: 4999.7, options: { entropy: () => world.dice.bytes(32) } });
  const calls = [];
  const setup = new Host(right, "setup");
  await world.run(
    () => setup.run(() => play({ world, right, wrong, team, calls, crew: (host) => crew(host, team(), calls) })),
    60 * MINUTE_MS,
  );
  return calls;
}

/** Starts a worker whose model thinks for longer than four leases. */
function crew(host, team, calls) {
  const model = async (_, { turn_epoch, signal }) => {
    calls.push(`${host.name} at epoch ${turn_epoch}`);
    await new Promise((resolve) => setTimeout(resolve, THINK_MS));
    signal.throwIfAborted();
    return "Done.";
  };
  return host.run(() => worker({ engine: team, model, name: host.name, modelTimeoutMs: 10 * MINUTE_MS }).start());
}

/** Declares an agent, and dispatches a turn. */
async function dispatched(team) {
  await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  return team.dispatch({ agent_id: "ann", instruction: "Go on." });
}

for (const skewMs of [10 * MINUTE_MS, -10 * MINUTE_MS]) {
  test(`a host whose clock is off by ${skewMs / 1000} s takes no healthy turn from its worker`, async () => {
    const calls = await played(skewMs, async ({ wrong, right, team, crew }) => {
      const home = team();
      const turn = await dispatched(home);
      await crew(new Host(right, "worker"));
      await new Host(wrong, "watchdog").run(() => team().start());
      assert.equal((await home.result(turn)).status, "success");
    });
    assert.deepEqual(calls, ["worker at epoch 1"]);
  });

  test(`a host whose clock is off by ${skewMs / 1000} s returns the turn of a killed worker`, async () => {
    const calls = await played(skewMs, async ({ world, wrong, right, team, crew }) => {
      const home = team();
      const turn = await dispatched(home);
      const first = new Host(right, "first");
      await crew(first);
      await new Host(wrong, "watchdog").run(() => team().start());
      world.after(THINK_MS / 2, () => first.crash("killed"));
      await new Promise((resolve) => setTimeout(resolve, THINK_MS / 2 + 1));
      await crew(new Host(wrong, "second"));
      const killed = world.time;
      assert.equal((await home.result(turn)).status, "success");
      const ms = world.time - killed;
      assert.ok(ms < THINK_MS + 30_000, `${ms} ms`);
    });
    assert.deepEqual(calls, ["first at epoch 1", "second at epoch 2"]);
  });
}

for (const [machine, jumpMs] of [
  ["wrong", 60 * MINUTE_MS],
  ["wrong", -60 * MINUTE_MS],
  ["right", 60 * MINUTE_MS],
  ["right", -60 * MINUTE_MS],
]) {
  const name = machine === "right" ? "its worker" : "its watchdog";
  test(`a turn keeps its worker when the clock of ${name} jumps by ${jumpMs / MINUTE_MS} minutes`, async () => {
    const calls = await played(0, async (world) => {
      const home = world.team();
      const turn = await dispatched(home);
      await world.crew(new Host(world.right, "worker"));
      await new Host(world.wrong, "watchdog").run(() => world.team().start());
      world.world.after(THINK_MS / 2, () => {
        world[machine].skewMs += jumpMs;
      });
      assert.equal((await home.result(turn)).status, "success");
    });
    assert.deepEqual(calls, ["worker at epoch 1"]);
  });
}

test("a store whose clock does not answer delays a call, and no call waits forever", async () => {
  const world = new World(1);
  world.isCalm = true;
  const rows = memoryStore();
  const store = {
    read: (reads) => rows.read(reads),
    commit: (writes, more) => rows.commit(writes, more),
    now: () => new Promise(() => {}),
  };
  const host = new Host(new Machine(world, "host"), "host");
  const played = host.run(async () => {
    const team = engine({ open, store, projectId: "p", options: { entropy: () => world.dice.bytes(32) } });
    const begun = world.time;
    await team.call("create_box", { box_id: "notes", card_ids: [] });
    return world.time - begun;
  });
  assert.equal(await world.run(() => played, 60 * MINUTE_MS), 30_000);
});

test("a transport that does not answer delays messages, and no work stops forever", async () => {
  const world = new World(1);
  world.isCalm = true;
  const host = new Host(new Machine(world, "host"), "host");
  let asked = 0;
  // the first message is never answered
  const transport = { publish: () => ((asked += 1) === 1 ? new Promise(() => {}) : undefined), subscribe: () => () => {} };
  const log = [];
  const played = host.run(async () => {
    const options = { entropy: () => world.dice.bytes(32) };
    const team = engine({ open, store: memoryStore(), projectId: "p", transport, options, log: (entry) => log.push(entry) });
    await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
    await team.provision({ agent_id: "ann", profile: "Writer" });
    await team.dispatch({ agent_id: "ann", instruction: "Go on." });
    const begun = world.time;
    await team.tick();
    const passed = world.time - begun;
    await team.close();
    return passed;
  });
  assert.equal(await world.run(() => played, 60 * MINUTE_MS), 30_000);
  assert.match(log.find(({ event }) => event === "publish_failed").error, /did not answer within 30000 ms/);
});

test("the message of a turn is found, whatever the clock of its host", async () => {
  const store = memoryStore();
  const add = (inbox_id, agent_turn_id, message_type, seq) =>
    store.project("p").addRow("inbox", { inbox_id, agent_id: "ann", agent_turn_id, message_type, status: "consumed", payload: {}, seq });
  // the results of the first turn have earlier times than its message
  for (let seq = 0; seq < 25; seq += 1) add(`result_${seq}`, "t1", "tool_result", seq);
  add("t1", "t1", "turn", 100);
  // a message with another id, and one with the id of another turn
  add("ask", "t2", "turn", 101);
  add("t3", "t2", "turn", 102);
  const rows = new Rows({ store, projectId: "p" });
  assert.equal((await rows.startOf("t1")).inbox_id, "t1");
  assert.equal((await rows.startOf("t2")).inbox_id, "ask");
  assert.equal(await rows.startOf("t3"), undefined);
});
