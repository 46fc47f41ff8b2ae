// Loops, watchers and leases: nothing that happens during other work is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { trackedHost, VirtualClock } from "../../pkg/lib/contract/clock.js";
import { Loop } from "../../pkg/lib/engine/loop.js";
import { Leases } from "../../pkg/lib/worker/leases.js";
import { worker } from "../../pkg/worker.js";
import { settled } from "../support/until.mjs";

test("work that is asked for during work is done right after it", async () => {
  const clock = new VirtualClock();
  let [runs, finish] = [0, () => {}];
  const work = () => {
    runs += 1;
    return new Promise((resolve) => {
      finish = resolve;
    });
  };
  const loop = new Loop(work, { everyMs: 1000, clock, onError: assert.fail });
  loop.nudge();
  loop.nudge();
  assert.equal(runs, 1, "one at a time");
  finish();
  await settled();
  assert.equal(runs, 2, "without a wait, and once");
  finish();
  await settled();
  assert.equal(runs, 2);
  clock.advance(1000);
  assert.equal(runs, 3);
  finish();
  await loop.stop();
});

test("a slow watcher receives the number of events that it missed", async () => {
  let hear;
  const transport = {
    publish() {},
    subscribe(listener) {
      hear = listener;
      return () => {};
    },
  };
  const team = engine({ open, store: memoryStore(), projectId: "p", transport });
  const watcher = team.watch();
  const send = (at) =>
    hear({ message_id: `m${at}`, subject: "cg.v1r3.p.public.evt.agent.ann.state", payload: { at }, headers: null, core: false });
  for (let at = 0; at < 1005; at += 1) send(at);
  assert.deepEqual((await watcher.next()).value, { kind: "lagged", dropped: 5 });
  for (let at = 5; at < 1005; at += 1) assert.equal((await watcher.next()).value.payload.at, at);
  await team.close();
  assert.equal((await watcher.next()).done, true);
});

test("events of an agent do not go backwards when two engines send them", async () => {
  const [store, listeners] = [memoryStore(), []];
  for (let at = 0; at < 6; at += 1) {
    const subject = "cg.v1r3.p.public.evt.agent.ann.state";
    const created_at = new Date(Date.UTC(2026, 0, 1) + at).toISOString();
    const row = { message_id: `m${at}`, subject, payload: { at }, headers: {}, status: "pending", core: false, created_at, seq: at };
    store.project("p").addRow("outbox", row);
  }
  const transportOf = (before) => ({
    async publish(message) {
      await before(message);
      for (const listener of listeners) listener(message);
    },
    subscribe(listener) {
      listeners.push(listener);
      return () => {};
    },
  });
  const make = (before) => engine({ open, store, projectId: "p", transport: transportOf(before) });
  const [fast, watching] = [make(async () => {}), make(async () => {})];
  // the slow engine read all messages, and sends its third one after the other engine sent them all
  const slow = make(async ({ message_id }) => {
    if (message_id === "m2") await fast.send();
  });
  const watcher = watching.watch();
  await slow.send();
  const seen = [];
  for (let at = 0; at < 6; at += 1) seen.push((await watcher.next()).value.payload.at);
  assert.deepEqual(seen, [0, 1, 2, 3, 4, 5]);
  await Promise.all([fast, slow, watching].map((team) => team.close()));
  assert.equal((await watcher.next()).done, true, "nothing else arrived");
});

test("a late event of an agent is dropped, with any message before it", async () => {
  let hear;
  const subscribe = (listener) => {
    hear = listener;
    return () => {};
  };
  const team = engine({ open, store: memoryStore(), projectId: "p", transport: { publish() {}, subscribe } });
  const watcher = team.watch();
  let count = 0;
  const send = (agent, kind, payload) =>
    hear({ message_id: `m${(count += 1)}`, subject: `cg.v1r3.p.public.evt.agent.${agent}.${kind}`, payload, headers: null, core: false });
  const state = (status, turn_epoch, agent_turn_id = "t1", agent = "ann") => send(agent, "state", { status, turn_epoch, agent_turn_id });
  state("running", 2);
  state("dispatched", 1);
  state("suspended", 2);
  state("running", 3);
  state("suspended", 2);
  state("idle", 3);
  state("running", 3);
  send("ann", "task", { agent_turn_id: "t1", status: "success" });
  send("ann", "step", { agent_turn_id: "t1", phase: "started" });
  send("ann", "step", { agent_turn_id: "t2", phase: "started" });
  state("running", 1, "t3", "bob");
  state("dispatched", 4, "t2");
  const seen = [];
  while (seen.length < 8) {
    const { kind, agent_id, payload } = (await watcher.next()).value;
    seen.push([agent_id, kind, payload.status ?? payload.agent_turn_id, payload.turn_epoch].filter(Boolean).join(" "));
  }
  assert.deepEqual(seen, [
    "ann state running 2",
    "ann state suspended 2",
    "ann state running 3",
    "ann state idle 3",
    "ann task success",
    "ann step t2",
    "bob state running 1",
    "ann state dispatched 4",
  ]);
  await team.close();
  assert.equal((await watcher.next()).done, true, "nothing else arrived");
});

/** Returns a team with one agent on a store that the test can watch. */
async function teamOf(settings = {}) {
  const [clock, store] = [new VirtualClock(), memoryStore()];
  const onRead = { after: async () => {} };
  const read = async (reads, more) => {
    const answers = await store.read(reads, more);
    await onRead.after(reads);
    return answers;
  };
  const host = trackedHost(clock, { open, store: { read, commit: (writes, more) => store.commit(writes, more) } });
  const team = engine({ ...host, projectId: "p", settings });
  await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  return { clock, team, onRead, other: engine({ open, store, projectId: "p" }) };
}

test("a turn that waits in the queue, or for a worker, has not ended", async () => {
  const { clock, team } = await teamOf();
  await clock.run(async () => {
    const turns = [];
    for (let at = 0; at < 2; at += 1) turns.push(await team.dispatch({ agent_id: "ann", instruction: "Go on." }));
    const resultOf = async ({ agent_turn_id, output_box_id }) =>
      (await team.look("turn_result", { agent_id: "ann", agent_turn_id, output_box_id })).result;
    for (const turn of turns) assert.equal(await resultOf(turn), null);
    await worker({ engine: team, model: () => "done" }).step();
    for (const turn of turns) assert.equal((await resultOf(turn)).attempts, 1);
    await team.close();
  });
});

test("a worker loses a turn whose renewal is refused at once, not at the next check", async () => {
  const { clock, team, onRead, other } = await teamOf({ lease_seconds: 30 });
  let [asked, stopped, lost] = [false];
  const model = (_, { signal }) =>
    new Promise((_, reject) => {
      asked = true;
      signal.addEventListener("abort", () => {
        lost = clock.now();
        reject(signal.reason);
      });
    });
  const crew = worker({ engine: team, model });
  await clock.run(async () => {
    await crew.start();
    await team.dispatch({ agent_id: "ann", instruction: "Go on." });
    await clock.until("the model is asked", () => asked);
    await clock.sleep(9000);
    // between the check of the next renewal and the renewal itself
    onRead.after = async ({ rows = [] }) => {
      if (stopped !== undefined || rows.length !== 1 || rows[0].table !== "heads") return;
      stopped = clock.now();
      assert.equal(await other.stop({ agent_id: "ann" }), true);
    };
    await clock.until("the signal fires", () => lost !== undefined);
    await crew.close();
    await team.close();
  });
  assert.equal(lost, stopped);
});

test("a turn that has not started is not lost at a renewal", async () => {
  const { clock, team } = await teamOf({ lease_seconds: 30 });
  const leases = new Leases({ engine: team, leaseMs: 2000, log: () => {} });
  await clock.run(async () => {
    await team.dispatch({ agent_id: "ann", instruction: "Go on." });
    const [item] = (await team.run("claim_inbox", { agent_id: "ann" })).items;
    const lease = leases.hold(item);
    await clock.sleep(13_000);
    assert.equal(lease.isLost, false, "before its start");
    assert.equal((await team.run("turn_start", item)).entered, true);
    await clock.sleep(60_000);
    assert.equal(lease.isLost, false, "while it is renewed");
    assert.equal(await team.stop({ agent_id: "ann" }), true);
    await clock.until("the signal fires", () => lease.signal.aborted);
    assert.equal(lease.isLost, true, "after its end");
    lease.release();
    await team.close();
  });
});
