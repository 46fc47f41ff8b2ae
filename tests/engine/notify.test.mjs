// Doorbells over LISTEN and NOTIFY of a real PostgreSQL server, over both drivers.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import postgres from "postgres";
import { notifyTransport } from "../../pkg/engines/postgres.js";
import { VirtualClock } from "../../pkg/lib/contract/clock.js";
import { poolOf, startPostgres } from "../stores/server.mjs";
import { until } from "../support/until.mjs";
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
  test(`${label}: a doorbell wakes a worker of another host`, async () => {
    const [here, there] = [await notifyTransport(database), await notifyTransport(database)];
    await rings(`rings_${label}`, here, there);
    await Promise.all([here.close(), there.close()]);
  });
}

test("a connection that is cut is followed by another one", async () => {
  const [cut, heard, clock] = [[], [], new VirtualClock()];
  const transport = await notifyTransport(pool, { channel: "cut", clock, onError: (error) => cut.push(error) });
  await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen cut' and datname = current_database()");
  await until("the cut is reported", () => cut.length);
  transport.subscribe((message) => heard.push(message), { project_id: "p" });
  const message = {
    message_id: "m",
    subject: "cg.v1r3.p.public.cmd.agent.generic.wakeup",
    payload: { agent_id: "a", text: "ü".repeat(9000) },
    headers: null,
    core: false,
  };
  await until("another connection listens", async () => {
    clock.advance(500);
    await transport.publish(message, { project_id: "p" });
    return heard.length;
  });
  assert.deepEqual(heard[0].payload, { agent_id: "a" }, "what is too long for a notification is left out");
  assert.equal(cut.length, 1);
  await transport.close();
});

test("what is no database, no channel or no server is an error with a code", async () => {
  await assert.rejects(notifyTransport({}), { code: "bad_request", path: "database" });
  await assert.rejects(notifyTransport(pool, { channel: "a; drop table cards" }), { code: "bad_request", path: "channel" });
  await assert.rejects(notifyTransport(poolOf("postgres://me:wrong@127.0.0.1:1/none")), { code: "store", path: "transport" });
});
