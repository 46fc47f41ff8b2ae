// One bad item does not block the others: messages that cannot be sent, and rows that cannot be read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { trackedHost, VirtualClock } from "../../pkg/lib/contract/clock.js";
import { worker } from "../../pkg/worker.js";

/** Returns an engine on a store with these messages in its outbox. */
function outboxOf(messages, publish) {
  const [clock, store, log] = [new VirtualClock(), memoryStore(), []];
  for (const [at, { agent, payload = {} }] of messages.entries()) {
    const subject = `cg.v1r3.p.public.evt.agent.${agent}.state`;
    const created_at = new Date(Date.UTC(2026, 0, 1) + at).toISOString();
    const row = { message_id: `m${at}`, subject, payload, headers: {}, status: "pending", core: false, created_at, seq: at };
    store.project("p").addRow("outbox", row);
  }
  const make = () => engine({ open, store, projectId: "p", clock, transport: { publish }, log: (entry) => log.push(entry) });
  return { clock, store, log, make, team: make() };
}

test("a message that can never be sent goes to quarantine with its reason, and is sent again on request", async () => {
  const sent = [];
  let max = 10;
  const publish = ({ message_id, payload }) => {
    if ((payload.text ?? "").length > max) throw Object.assign(new Error(`longer than ${max}`), { isPermanent: true });
    sent.push(message_id);
  };
  const messages = [{ agent: "ann", payload: { text: "x".repeat(20) } }, { agent: "ann" }, { agent: "bob" }];
  const { team, make, log } = outboxOf(messages, publish);
  await team.send();
  assert.deepEqual(sent, ["m1", "m2"], "later messages of the same agent, and of others");
  const [found, ...more] = await make().quarantine();
  assert.deepEqual([found.message_id, found.error, more], ["m0", "longer than 10", []]);
  assert.deepEqual((await team.look("outbox", {})).messages, []);
  assert.equal(log.filter(({ event }) => event === "message_quarantined").length, 1);
  // every engine of the project leaves it alone
  await make().send();
  assert.equal(sent.length, 2);
  assert.equal(await team.retry(["m0", "unknown"]), 1);
  await team.send();
  assert.equal((await team.quarantine()).length, 1, "it still cannot be sent");
  max = 100;
  assert.equal(await team.retry(["m0"]), 1);
  await team.send();
  assert.deepEqual([sent.at(-1), await team.quarantine()], ["m0", []]);
  await team.close();
});

test("a message that was refused too often is tried again after its release, as if it were new", async () => {
  let isRefused = true;
  const sent = [];
  const publish = ({ message_id }) => {
    if (message_id === "m0" && isRefused) throw new Error("not now");
    sent.push(message_id);
  };
  const { clock, team, store } = outboxOf([{ agent: "bad" }], publish);
  for (let at = 1; (await team.quarantine()).length === 0; at += 1) {
    assert.ok(at < 100, "it goes to quarantine");
    const row = { message_id: `m${at}`, subject: "cg.v1r3.p.public.evt.agent.good.state", payload: {}, status: "pending", seq: at };
    store.project("p").addRow("outbox", { ...row, created_at: new Date(Date.UTC(2026, 0, 2) + at).toISOString() });
    clock.advance(300_000);
    await team.send();
  }
  await team.retry(["m0"]);
  await team.send();
  assert.equal((await team.quarantine()).length, 0, "one more failure is not enough");
  isRefused = false;
  clock.advance(300_000);
  await team.send();
  assert.equal(sent.at(-1), "m0");
  await team.close();
});

test("an unreadable row affects only its agent, and is reported once", async () => {
  const [clock, store, log] = [new VirtualClock(), memoryStore(), []];
  const team = engine({ ...trackedHost(clock, { open, store }), projectId: "p", log: (entry) => log.push(entry) });
  await clock.run(async () => {
    await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
    for (const agent_id of ["ann", "bad"]) await team.provision({ agent_id, profile: "Writer" });
    const lost = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
    // the worker of this turn is gone
    const [item] = (await team.run("claim_inbox", { agent_id: "ann" })).items;
    assert.equal((await team.run("turn_start", item)).entered, true);
    const nonsense = {
      agent_id: "bad",
      status: "running",
      turn_epoch: "many",
      active_agent_turn_id: "t",
      updated_at: "2026-01-01T00:00:00Z",
    };
    store.project("p").addRow("heads", nonsense);
    store
      .project("p")
      .addRow("outbox", { message_id: "m", subject: 7, payload: {}, status: "pending", created_at: "2026-01-01T00:00:00Z", seq: 1 });
    const next = await team.dispatch({ agent_id: "ann", instruction: "And this." });
    clock.advance(301_000);
    for (let tick = 0; tick < 3; tick += 1) {
      const { unreadable, failed } = await team.tick();
      assert.deepEqual(
        unreadable.map(({ table, key }) => [table, key]),
        [["heads", ["bad"]]],
      );
      assert.deepEqual(failed, []);
    }
    const state = await team.state();
    assert.deepEqual([state.agents.map(({ agent_id }) => agent_id), state.unreadable[0].key], [["ann"], ["bad"]]);
    await worker({ engine: team, model: () => "done" }).step();
    const { content } = await team.result(next);
    assert.equal(content.data.fields.find(({ name }) => name === "output").value, "done");
    assert.ok(await team.result(lost));
    await team.close();
  });
  const reported = log.filter(({ event }) => event === "row_unreadable");
  assert.deepEqual([reported.length, reported[0].key], [1, ["bad"]]);
  assert.match(reported[0].error, /turn_epoch/);
});
