// Wakeups over LISTEN and NOTIFY of a real PostgreSQL server, with both drivers.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import postgres from "postgres";
import { engine } from "../../pkg/engine.js";
import { notifyTransport } from "../../pkg/engines/postgres.js";
import { memoryStore, open } from "../../pkg/index.js";
import { VirtualClock } from "../../pkg/lib/contract/clock.js";
import { poolOf, startPostgres } from "../stores/server.mjs";
import { awaited, until } from "../support/until.mjs";
import { rings } from "./rings.mjs";

const server = await startPostgres();
const pool = poolOf(server.url);
const sql = postgres(server.url, { max: 4, onnotice() {} });
after(async () => {
  await Promise.all([pool.end(), sql.end({ timeout: 5 })]);
  await server.stop();
});

for (const [label, database] of [
  ["pg", pool],
  ["postgres", sql],
]) {
  test(`${label}: a wakeup starts a worker of another host`, async () => {
    const [here, there] = [await notifyTransport(database), await notifyTransport(database)];
    try {
      await rings(`rings_${label}`, here, there);
    } finally {
      // a pool with an open connection never ends
      await Promise.all([here.close(), there.close()]);
    }
  });
}

for (const [label, database] of [
  ["pg", pool],
  ["postgres", sql],
]) {
  test(`${label}: invalid notifications do not stop the engine and reach no watcher`, async () => {
    const [channel, project_id] = [`anything_${label}`, "p"];
    const transport = await notifyTransport(database, { channel });
    const team = engine({ open, store: memoryStore(), projectId: project_id, transport });
    const seen = [];
    const watching = (async () => {
      for await (const event of team.watch()) {
        seen.push(event);
        if (event.message_id === "last") return;
      }
    })();
    // a listener that throws does not affect other listeners
    transport.subscribe(
      () => {
        throw new Error("no");
      },
      { projectId: project_id },
    );
    transport.subscribe(() => Promise.reject(new Error("no")), { projectId: project_id });
    const subject = "cg.v1r3.p.public.cmd.agent.generic.wakeup";
    const message = { project_id, message_id: "m", subject, payload: { agent_id: "a" }, headers: null, core: false };
    const others = [
      { subject: 7 },
      { subject: undefined },
      { message_id: null },
      { payload: null },
      { payload: "x" },
      { payload: {} },
      { payload: { agent_id: 7 } },
    ];
    const texts = [
      "null",
      "",
      "7",
      "[]",
      '"x"',
      "{",
      "{}",
      JSON.stringify({ project_id }),
      ...others.map((one) => JSON.stringify({ ...message, ...one })),
    ];
    const last = { ...message, message_id: "last", headers: { a: 1, b: "2" } };
    for (const text of [...texts, JSON.stringify(last)]) await pool.query("select pg_notify($1, $2)", [channel, text]);
    await awaited("the last notification arrives", watching, () => seen);
    assert.deepEqual(
      seen.map(({ message_id, agent_id, headers }) => ({ message_id, agent_id, headers })),
      [{ message_id: "last", agent_id: "a", headers: { b: "2" } }],
    );
    await team.close();
    await transport.close();
  });
}

test("messages reach the listeners of their project, and no others", async () => {
  const transport = await notifyTransport(pool, { channel: "projects" });
  const heard = { one: [], other: [] };
  for (const project_id of ["one", "other"])
    transport.subscribe(({ message_id }) => heard[project_id].push(message_id), { projectId: project_id });
  const subject = "cg.v1r3.one.public.cmd.agent.generic.wakeup";
  for (const project_id of ["one", "other"])
    await transport.publish(
      { message_id: `of ${project_id}`, subject, payload: { agent_id: "a" }, headers: null },
      { projectId: project_id },
    );
  await until("the last one arrives", () => heard.other.length);
  assert.deepEqual(heard, { one: ["of one"], other: ["of other"] });
  await transport.close();
});

test("invalid messages of a transport do not stop the engine", async () => {
  let hear;
  const log = [];
  const transport = {
    publish() {},
    subscribe(listener) {
      hear = listener;
      return () => {};
    },
  };
  const team = engine({ open, store: memoryStore(), projectId: "p", transport, log: (entry) => log.push(entry) });
  const watcher = team.watch();
  const unreadable = Object.defineProperty({}, "subject", {
    get: () => {
      throw new Error("no");
    },
    enumerable: true,
  });
  for (const given of [undefined, null, 7, "x", [], {}, { subject: "x", message_id: "m", payload: null }, unreadable]) hear(given);
  assert.ok(log.length === 8 && log.every(({ event }) => event === "message_ignored"), JSON.stringify(log));
  hear({ message_id: "m", subject: "cg.v1r3.p.public.evt.agent.ann.state", payload: {}, headers: null, core: false });
  assert.equal((await watcher.next()).value.agent_id, "ann");
  await team.close();
});

test("the transport reconnects after its connection is lost", async () => {
  const [cut, heard, clock] = [[], [], new VirtualClock()];
  const transport = await notifyTransport(pool, { channel: "cut", clock, onError: (error) => cut.push(error) });
  await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen cut' and datname = current_database()");
  await until("the lost connection is reported", () => cut.length);
  transport.subscribe((message) => heard.push(message), { projectId: "p" });
  const message = {
    message_id: "m",
    subject: "cg.v1r3.p.public.cmd.agent.generic.wakeup",
    payload: { agent_id: "a", text: "ü".repeat(9000) },
    headers: null,
    core: false,
  };
  await until("another connection listens", async () => {
    clock.advance(500);
    await transport.publish(message, { projectId: "p" });
    return heard.length;
  });
  assert.deepEqual(heard[0].payload, { agent_id: "a" }, "parts that are too long for a notification are omitted");
  assert.equal(cut.length, 1);
  await transport.close();
});

test("a transport whose connection is cut closes once, and listens no more", async () => {
  const [cut, clock] = [[], new VirtualClock()];
  const transport = await notifyTransport(pool, { channel: "cut_and_closed", clock, onError: (error) => cut.push(error) });
  const listening =
    "select count(*)::int as n from pg_stat_activity where query = 'listen cut_and_closed' and datname = current_database()";
  await pool.query(listening.replace("count(*)::int as n", "pg_terminate_backend(pid)"));
  await until("the cut is reported", () => cut.length);
  await transport.close();
  clock.advance(60_000);
  await until("no connection listens", async () => (await pool.query(listening)).rows[0].n === 0);
});

test("an invalid database, an invalid channel or a missing server is an error with a code", async () => {
  await assert.rejects(notifyTransport({}), { code: "bad_request", path: "database" });
  await assert.rejects(notifyTransport(pool, { channel: "a; drop table cards" }), { code: "bad_request", path: "channel" });
  await assert.rejects(notifyTransport(poolOf("postgres://me:wrong@127.0.0.1:1/none")), { code: "store", path: "transport" });
});
