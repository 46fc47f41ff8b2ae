// Answers are kept while the store is down, and waiting turns do not fail.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { memoryStore, open } from "../../pkg/index.js";
import { trackedHost, VirtualClock } from "../../pkg/lib/contract/clock.js";
import { TuckboxError } from "../../pkg/lib/error.js";
import { worker } from "../../pkg/worker.js";

/** Returns a model answer that calls a tool. */
const calling = (name) => ({
  choices: [
    {
      finish_reason: "tool_calls",
      message: { role: "assistant", content: "", tool_calls: [{ id: "c", type: "function", function: { name, arguments: "{}" } }] },
    },
  ],
});

/** Creates a team on a store that can be down, with its clock and the number of model calls. */
async function teamOf({ settings = {}, ...more } = {}) {
  const [clock, inner] = [new VirtualClock(), memoryStore()];
  const state = { isAway: false, asked: 0 };
  const away =
    (method) =>
    async (...args) => {
      if (state.isAway === true || state.isAway === method)
        throw new TuckboxError("store", "the database failed: connection refused", { path: `store.${method}` });
      return inner[method](...args);
    };
  const host = trackedHost(clock, { open, store: { read: away("read"), commit: away("commit") } });
  const team = engine({ ...host, projectId: "p", settings, ...more });
  await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
  /** Makes the store, or one of its methods, fail for `ms` from now on. */
  const leave = (ms, isAway = true) => {
    state.isAway = isAway;
    clock.setTimeout(() => {
      state.isAway = false;
    }, ms);
  };
  const crewOf = (model, options = {}) =>
    worker({
      engine: team,
      model: (payload, turn) => {
        state.asked += 1;
        return model(payload, turn);
      },
      ...options,
    });
  return { clock, team, store: inner, state, leave, crewOf };
}

/** Runs one turn of `ann` and returns the fields of its deliverable. */
function turnOf({ clock, team }, crew) {
  return clock.run(async () => {
    await team.provision({ agent_id: "ann", profile: "Writer" });
    await Promise.all([team.start(), crew.start()]);
    const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
    const card = await team.result(turn, { pollMs: 1000 });
    await crew.close();
    await team.close();
    return Object.fromEntries(card.content.data.fields.map(({ name, value }) => [name, value]));
  });
}

test("a model answer is committed when the store is back after 6.5 s and after 4 minutes", async () => {
  for (const ms of [6_500, 240_000]) {
    const host = await teamOf();
    const crew = host.crewOf(() => {
      host.leave(ms);
      return "the paid answer";
    });
    const { output } = await turnOf({ ...host, team: polled(host.team) }, crew);
    assert.equal(output, "the paid answer", `${ms} ms`);
    assert.equal(host.state.asked, 1);
  }
});

test("a tool answer is committed when the store is back, and the tool runs once", async () => {
  for (const kind of ["run", "start"]) {
    const host = await teamOf();
    let runs = 0;
    const tool = () => {
      runs += 1;
      host.leave(30_000);
      return { found: "tides" };
    };
    const seen = [];
    const crew = host.crewOf(
      ({ body }, { step_count }) => {
        if (step_count === 0) return calling("look_up");
        seen.push(body.messages.at(-1).content);
        return "done";
      },
      { tools: { look_up: { [kind]: tool } } },
    );
    const { output } = await turnOf({ ...host, team: polled(host.team) }, crew);
    assert.deepEqual([output, runs, host.state.asked], ["done", 1, 2], kind);
    assert.match(seen[0], /tides/, kind);
  }
});

test("`keepAnswerMs` limits how long an answer is kept, and `close` ends the wait", async () => {
  const log = [];
  for (const [options, ends] of [
    [{ keepAnswerMs: 10_000 }, async () => {}],
    [{}, (crew) => crew.close({ graceMs: 1000 })],
  ]) {
    const host = await teamOf();
    const crew = host.crewOf(
      () => {
        host.state.isAway = true;
        return "lost";
      },
      { ...options, log: (entry) => log.push(entry) },
    );
    await host.clock.run(async () => {
      await host.team.provision({ agent_id: "ann", profile: "Writer" });
      await crew.start();
      await host.team.dispatch({ agent_id: "ann", instruction: "Go on." });
      await host.clock.until("the model is called", () => host.state.asked === 1);
      await ends(crew);
      await host.clock.until("the work has ended", () => crew.running === 0);
      await crew.close();
      await host.team.close();
    });
    assert.ok(log.splice(0).some(({ event }) => event === "work_failed"));
  }
});

test("turns that wait for a busy worker do not fail", async () => {
  const host = await teamOf();
  const { clock, team } = host;
  const crew = host.crewOf(() => clock.sleep(50_000).then(() => "done"), { concurrency: 1 });
  const agents = ["a1", "a2", "a3"];
  const outputs = await clock.run(async () => {
    for (const agent_id of agents) await team.provision({ agent_id, profile: "Writer" });
    await Promise.all([team.start(), crew.start()]);
    const turns = await Promise.all(agents.map((agent_id) => team.dispatch({ agent_id, instruction: "Go on." })));
    const cards = await Promise.all(turns.map((turn) => team.result(turn, { pollMs: 1000 })));
    await crew.close();
    await team.close();
    return cards.map(({ content }) => content.data.fields.find(({ name }) => name === "output")?.value);
  });
  assert.deepEqual(outputs, ["done", "done", "done"]);
});

test("a turn that runs longer than the watchdog's limit is renewed in time", async () => {
  const host = await teamOf({ settings: { lease_seconds: 30 } });
  const { clock } = host;
  const crew = host.crewOf(() => clock.sleep(100_000).then(() => "done"));
  assert.equal((await turnOf(host, crew)).output, "done");
});

test("a failed renewal is retried at the next check", async () => {
  const host = await teamOf({ settings: { lease_seconds: 30 }, patienceMs: 100, tickMs: 500 });
  const { clock, team } = host;
  const crew = host.crewOf(async () => {
    // the store is down each time a renewal is due
    for (const [after, ms] of [
      [9_000, 5_000],
      [13_000, 4_000],
    ]) {
      await clock.sleep(after);
      host.leave(ms, "commit");
    }
    await clock.sleep(60_000);
    return "done";
  });
  assert.equal((await turnOf({ ...host, team: polled(team) }, crew)).output, "done");
});

test("a call without writes uses new reads, not those of the previous call", async () => {
  const { team } = await teamOf();
  await team.provision({ agent_id: "ann", profile: "Writer" });
  await team.hold(async (session) => {
    const args = { agent_id: "ann", expect_turn_epoch: 1, expect_status: "dispatched", new_status: "dispatched" };
    const update = (expect_agent_turn_id) => session.run("state_update", { ...args, expect_agent_turn_id });
    assert.equal((await update("none")).updated, false);
    const { agent_turn_id } = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
    assert.equal((await update(agent_turn_id)).updated, true);
  });
  await team.close();
});

test("a message that the transport refused is sent again, and no other message is lost or repeated", async () => {
  const sent = [];
  let failures = 0;
  const publish = ({ message_id, subject }) => {
    if (!subject.endsWith(".wakeup") && failures-- > 0) throw new Error("the server is down");
    sent.push(message_id);
  };
  const { team, crewOf, clock } = await teamOf({ transport: { publish } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  await crewOf(() => "done").step();
  const isNews = ({ core, subject }) => !core && !subject.endsWith(".wakeup");
  const waiting = (await team.look("outbox", { limit: 100 })).messages.filter(isNews).map(({ message_id }) => message_id);
  assert.ok(waiting.length > 3, "the outbox has states, steps and the end of the task");
  failures = 2;
  await team.send();
  const left = (await team.look("outbox", { limit: 100 })).messages.map(({ message_id }) => message_id);
  assert.deepEqual(
    left,
    waiting.filter((id) => !sent.includes(id)),
    "unsent messages stay in the outbox",
  );
  for (let pass = 0; pass < 2; pass += 1) {
    clock.advance(2000);
    await team.send();
  }
  assert.deepEqual((await team.look("outbox", { limit: 100 })).messages, []);
  assert.deepEqual(
    waiting.filter((id) => sent.filter((one) => one === id).length !== 1),
    [],
  );
  await team.close();
});

/** Returns an engine with these messages in its outbox, and the list of sent messages. */
function outboxOf(messages, { refuses, ...more }) {
  const [clock, store, log, sent] = [new VirtualClock(), memoryStore(), [], []];
  const add = ({ agent, kind = "state", payload = {} }, at) => {
    const subject = `cg.v1r3.p.public.evt.agent.${agent}.${kind}`;
    const created_at = new Date(Date.UTC(2026, 0, 1) + at).toISOString();
    const row = { message_id: `m${at}`, subject, payload, headers: {}, status: "pending", core: false, created_at, seq: at };
    store.project("p").addRow("outbox", row);
  };
  for (const [at, message] of messages.entries()) add(message, at);
  const publish = (message) => {
    if (refuses(message)) throw new Error("the server refuses it");
    sent.push(message.message_id);
  };
  const team = engine({ open, store, projectId: "p", clock, transport: { publish }, log: (entry) => log.push(entry), ...more });
  return { clock, team, store, add, sent, log };
}

test("messages that a transport always refuses delay only their agent and are quarantined with the reason", async () => {
  const messages = [
    ...["bad0", "bad1", "bad2", "bad3", "bad4"].map((agent) => ({ agent, payload: { is_bad: true } })),
    { agent: "bad0" },
    ...Array.from({ length: 20 }, (_, at) => ({
      agent: `good${at % 4}`,
      ...(at % 2 === 0 ? {} : { kind: "task", payload: { agent_turn_id: 7 } }),
    })),
  ];
  // the limit is smaller than the number of refused messages
  const { clock, team, add, sent, log } = outboxOf(messages, { refuses: ({ payload }) => payload.is_bad === true, sendLimit: 4 });
  for (let pass = 0; pass < 4; pass += 1) await team.send();
  const good = messages.flatMap(({ agent }, at) => (agent.startsWith("good") ? [`m${at}`] : []));
  assert.deepEqual(sent, good, "each message is sent once, in order, without a wait");
  const before = log.length;
  for (let minute = 0; minute < 30; minute += 1) {
    add({ agent: "good0" }, messages.length + minute);
    clock.advance(60_000);
    for (let pass = 0; pass < 3; pass += 1) await team.send();
  }
  assert.equal(sent.length, good.length + 30 + 1, "later messages of other agents are sent, and then those of its own agent");
  assert.ok(sent.includes("m5"));
  const quarantined = log.filter(({ event }) => event === "message_quarantined");
  assert.deepEqual(quarantined.map(({ message_id }) => message_id).sort(), ["m0", "m1", "m2", "m3", "m4"]);
  assert.match(quarantined[0].error, /the server refuses it/);
  assert.equal(quarantined.length, 5, "each once");
  assert.ok(log.length - before < 100, `${log.length - before} entries in 30 minutes`);
  await team.close();
});

test("a clock that jumps back by an hour does not delay a refused message", async () => {
  let refuses = true;
  const virtual = new VirtualClock();
  let jumped = 0;
  const clock = {
    now: () => virtual.now() - jumped,
    elapsed: () => virtual.now(),
    setTimeout: (work, ms) => virtual.setTimeout(work, ms),
    clearTimeout: (timer) => virtual.clearTimeout(timer),
  };
  const { team, sent } = outboxOf([{ agent: "ann" }], { refuses: () => refuses, clock });
  await team.send();
  refuses = false;
  jumped = 3_600_000;
  await team.send();
  assert.deepEqual(sent, [], "it waits a second");
  virtual.advance(2000);
  await team.send();
  assert.deepEqual(sent, ["m0"]);
  await team.close();
});

test("the end of a task is sent after its batch was notified, and not before", async () => {
  const end = { agent: "ann", kind: "task", payload: { agent_turn_id: "turn_1", status: "success" } };
  const { team, store, sent, log } = outboxOf([end, { agent: "bob" }], { refuses: () => false, patienceMs: 1 });
  const task = { batch_task_id: "t", batch_id: "b", agent_id: "ann", current_agent_turn_id: "turn_1", current_turn_epoch: 1 };
  store.project("p").addRow("batch_tasks", { ...task, status: "nonsense" });
  await team.send();
  assert.deepEqual(sent, ["m1"]);
  assert.ok(
    log.some(({ event, agent_turn_id }) => event === "child_event_failed" && agent_turn_id === "turn_1"),
    JSON.stringify(log),
  );
  assert.deepEqual(
    (await team.look("outbox", {})).messages.map(({ message_id }) => message_id),
    ["m0"],
  );
  await team.close();
});

test("messages keep their order while a transport is down, and are sent soon after it is back", async () => {
  let isAway = true;
  const many = outboxOf(
    Array.from({ length: 30 }, (_, at) => ({ agent: `a${at}` })),
    { refuses: () => true },
  );
  await many.team.send();
  assert.equal(many.log.length, 3, "not every message is tried");
  await many.team.close();
  const messages = Array.from({ length: 30 }, (_, at) => ({ agent: `a${at % 3}` }));
  const { clock, team, sent, log } = outboxOf(messages, { refuses: () => isAway });
  for (let pass = 0; pass < 200; pass += 1) {
    await team.send();
    clock.advance(3000);
  }
  assert.deepEqual(sent, []);
  assert.ok(!log.some(({ event }) => event === "message_quarantined"));
  isAway = false;
  for (let pass = 0; pass < 5; pass += 1) {
    await team.send();
    clock.advance(250);
  }
  for (const agent of [0, 1, 2]) {
    const own = sent.filter((id) => Number(id.slice(1)) % 3 === agent);
    assert.deepEqual(
      own,
      Array.from({ length: 10 }, (_, at) => `m${at * 3 + agent}`),
    );
  }
  await team.close();
});

test("a worker finds its messages after 600 messages for an unavailable worker target", async () => {
  const { team, store, crewOf } = await teamOf();
  for (let at = 0; at < 600; at += 1) {
    const agent_id = `far${at}`;
    const created_at = new Date(Date.UTC(2026, 0, 1) + at).toISOString();
    store.project("p").addAgent({ agent_id, worker_target: "away" });
    store
      .project("p")
      .addRow("inbox", { inbox_id: `i${at}`, agent_id, message_type: "turn", status: "pending", created_at, seq: at, payload: {} });
  }
  await team.provision({ agent_id: "ann", profile: "Writer", worker_target: "here" });
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  assert.equal(await crewOf(() => "done", { targets: ["here"] }).step(), 1);
  assert.ok(await team.result(turn));
  await team.close();
});

/** Returns the team with a `result` that retries while the store is down. */
function polled(team) {
  const result = async (turn, options) => {
    for (;;) {
      try {
        return await team.result(turn, options);
      } catch (error) {
        if (error.code !== "store") throw error;
      }
    }
  };
  return new Proxy(team, {
    get: (target, name) =>
      name === "result" ? result : (Reflect.get(target, name, target)?.bind?.(target) ?? Reflect.get(target, name, target)),
  });
}
