// Wakeups and events over a real NATS server, and outages of the server.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as jetstream from "@nats-io/jetstream";
import * as nats from "@nats-io/transport-node";
import { engine } from "../../pkg/engine.js";
import { natsTransport } from "../../pkg/engines/nats.js";
import { memoryStore, open } from "../../pkg/index.js";
import { worker } from "../../pkg/worker.js";
import { awaited, guarded, until } from "../support/until.mjs";
import { startNats } from "./nats_server.mjs";

const { jetstreamManager } = jetstream;
const { connect } = nats;
const transportTo = (servers, connect, more) => natsTransport({ nats, jetstream, connect: { servers, ...connect }, ...more });

const server = await startNats();
after(() => server.stop());

/** Returns an engine and a worker as two hosts on one store, each with its own connection. */
async function hosts(t, project_id, more = {}, transport = {}) {
  const store = memoryStore();
  const [here, there] = [await transportTo(server.url, {}, transport), await transportTo(server.url, {}, transport)];
  const team = engine({ open, store, projectId: project_id, transport: here, ...more });
  const far = engine({ open, store, projectId: project_id, transport: there });
  await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
  await team.provision({ agent_id: "ann.of.the.sea", profile: "Writer" });
  const asked = [];
  // the worker polls so rarely that only a wakeup can start it
  const crew = worker({
    engine: far,
    pollMs: 600_000,
    takeUpMs: 600_000,
    model: (_payload, turn) => {
      asked.push(turn.agent_turn_id);
      return "done";
    },
  });
  t.after(async () => {
    await crew.close();
    await team.close();
    await far.close();
    await Promise.all([here.close(), there.close()]);
  });
  return { team, far, crew, asked, here };
}

test("a wakeup starts a worker of another host, and a watcher receives events", async (t) => {
  const { team, far, crew, asked } = await hosts(t, "pro ject.1");
  const seen = [];
  const watching = (async () => {
    for await (const { kind, agent_id, payload, message_id } of far.watch({ kinds: ["state", "task"] })) {
      seen.push(`${kind} ${payload.status} ${agent_id}`);
      assert.match(message_id, /./);
      if (kind === "task") return;
    }
  })();
  await crew.start();
  await team.start();
  const turn = await team.dispatch({ agent_id: "ann.of.the.sea", instruction: "Go on." });
  await team.result(turn, { signal: guarded("the turn has ended"), pollMs: 20 });
  await awaited("the watcher receives the end of the task", watching, () => seen);
  assert.deepEqual(asked, [turn.agent_turn_id]);
  assert.deepEqual(seen, ["state running ann.of.the.sea", "state idle ann.of.the.sea", "task success ann.of.the.sea"]);
});

test("a message that is sent twice is stored once, under its outbox id", async (t) => {
  const { here } = await hosts(t, "twice");
  const nc = await connect({ servers: server.url });
  t.after(() => nc.close());
  const count = async () => (await (await jetstreamManager(nc)).streams.info("cg_v1r3")).state.messages;
  const message = {
    message_id: "m1",
    subject: "cg.v1r3.twice.public.evt.agent.a.state",
    payload: { status: "idle" },
    headers: { traceparent: "t" },
    core: false,
  };
  const before = await count();
  await here.publish(message, { projectId: "twice" });
  await here.publish(message, { projectId: "twice" });
  assert.equal(await count(), before + 1);
});

test("work continues without the server, and events are sent when it is back", async (t) => {
  // publishing fails soon after the server stops
  const { team, crew, asked } = await hosts(t, "away", {}, { publishTimeoutMs: 500 });
  await team.start();
  await crew.start();
  await server.kill();
  const turn = await team.dispatch({ agent_id: "ann.of.the.sea", instruction: "Go on." });
  await team.tick();
  await crew.step();
  await team.result(turn, { signal: guarded("the turn has ended"), pollMs: 20 });
  assert.equal(asked.length, 1);
  const outbox = async () => (await team.look("outbox", {})).messages.map(({ subject }) => subject.split(".").at(-1));
  await until("the outbox has the end of the task and no wakeup", outbox, (kept) => kept.includes("task") && !kept.includes("wakeup"));
  // the watcher uses the same connection; another one could reconnect after the event
  const heard = (async () => {
    for await (const { kind } of team.watch({ kinds: ["task"] })) return kind;
  })();
  await server.restart();
  assert.equal(await awaited("the watcher receives the end of the task", heard), "task");
  await until("the outbox is empty", outbox, ({ length }) => length === 0);
});

test("a stream that the server lost is created again by the next message", async (t) => {
  const { here } = await hosts(t, "lost");
  const nc = await connect({ servers: server.url });
  t.after(() => nc.close());
  const { streams } = await jetstreamManager(nc);
  await streams.delete("cg_v1r3");
  const subject = "cg.v1r3.lost.public.evt.agent.a.state";
  await here.publish({ message_id: "after", subject, payload: {}, headers: null, core: false }, { projectId: "lost" });
  assert.equal((await streams.info("cg_v1r3")).state.messages, 1);
});

test("a wakeup that a worker does not take is passed on until one takes it", async (t) => {
  const { here } = await hosts(t, "taken");
  const seen = [];
  const stop = await here.wakeups(
    async ({ agent_id }) => {
      seen.push(agent_id);
      if (seen.length === 1) throw new Error("the worker runs as many turns as it can");
    },
    { projectId: "taken" },
  );
  t.after(stop);
  const subject = "cg.v1r3.taken.public.cmd.agent.generic.wakeup";
  await here.publish({ message_id: "w", subject, payload: { agent_id: "ann" }, headers: null, core: false }, { projectId: "taken" });
  await until(
    "it comes again",
    () => seen,
    ({ length }) => length === 2,
  );
});

test("any subject arrives as it was sent, also one that NATS does not permit", async (t) => {
  const { here } = await hosts(t, "any");
  const heard = [];
  here.subscribe((message) => heard.push(message), { projectId: "any" });
  const subjects = ["cg.v1r3.any.a b.*.>", "cg.v1r3.any.\u00fc", "cg.v1r3.any.my channel.evt.agent.a*b.state"];
  for (const [at, subject] of subjects.entries())
    await here.publish({ message_id: `s${at}`, subject, payload: { agent_id: "a" }, headers: null, core: true }, { projectId: "any" });
  await until(
    "all arrive",
    () => heard,
    ({ length }) => length === subjects.length,
  );
  assert.deepEqual(
    heard.map(({ subject }) => subject),
    subjects,
  );
});

test("a missing server, wrong credentials and another kind of stream are errors with a code", async (t) => {
  await assert.rejects(transportTo("nats://127.0.0.1:1", { timeout: 500 }), { code: "store", path: "transport" });
  const closed = await startNats({ user: "me", password: "secret" });
  t.after(() => closed.stop());
  await assert.rejects(transportTo(closed.url, { user: "me", pass: "wrong" }), { code: "auth_failed" });
  const nc = await connect({ servers: server.url });
  t.after(() => nc.close());
  await (await jetstreamManager(nc)).streams.add({ name: "other", subjects: ["orders.>"] });
  await assert.rejects(
    natsTransport({ nats, jetstream, connection: nc, stream: "other" }),
    (error) => error.code === "bad_request" && error.path === "stream" && error.details.found[0] === "orders.>",
  );
  await assert.rejects(natsTransport({ nats, jetstream, streams: "x" }), { code: "bad_request", path: "streams" });
});

test("a message that is too long is dropped, and the other messages are sent", async (t) => {
  const entries = [];
  const { team, here } = await hosts(t, "long", { log: (entry) => entries.push(entry) });
  const one = (size) => ({
    target_agent_id: "ann.of.the.sea",
    message_type: "note",
    payload: { text: "x" },
    headers: { "CG-Recursion-Depth": "0", tracestate: "y".repeat(size) },
  });
  await team.enqueue(one(10));
  await team.run("wakeup", { target_agent_id: "ann.of.the.sea", metadata: { text: "x".repeat(900_000) }, reason: "z".repeat(300_000) });
  await team.enqueue(one(11));
  await team.send();
  assert.equal((await team.look("outbox", {})).messages.length, 0);
  assert.equal(entries.filter(({ event }) => event === "publish_failed").length, 1);
  // an engine does not try again what can never be sent
  const subject = "cg.v1r3.long.public.evt.agent.ann.state";
  const message = { message_id: "l", subject, payload: { text: "x".repeat(1_100_000) }, headers: null, core: false };
  await assert.rejects(here.publish(message, { projectId: "long" }), { code: "bad_request", isPermanent: true });
});
