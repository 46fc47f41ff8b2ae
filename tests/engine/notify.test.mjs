// Doorbells over LISTEN and NOTIFY: a real PostgreSQL server over both drivers, and PGlite.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import postgres from "postgres";
import { engine } from "../../pkg/engine.js";
import { notifyTransport } from "../../pkg/engines/postgres.js";
import { memoryStore, open } from "../../pkg/index.js";
import { worker } from "../../pkg/worker.js";
import { poolOf, startPostgres } from "../stores/server.mjs";

const server = await startPostgres();
const pool = poolOf(server.url);
const sql = postgres(server.url, { max: 4, onnotice() {} });
const pglite = new PGlite();
after(async () => {
  await Promise.all([pool.end(), sql.end({ timeout: 5 }), pglite.close()]);
  await server.stop();
});

/** One turn whose worker, a host of its own, begins only when a doorbell rings. */
async function rings(project_id, here, there) {
  const store = memoryStore();
  const [team, far] = [here, there].map((transport) => engine({ open, store, project_id, transport }));
  await team.profile({ name: "Writer", system_prompt: "You write.", llm_config: { model: "m" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  const crew = worker({ engine: far, poll_ms: 600_000, take_up_ms: 600_000, model: () => "done" });
  await crew.start();
  await team.start();
  const turn = await team.dispatch({ agent_id: "ann", instruction: "Go on." });
  const card = await team.result(turn, { signal: AbortSignal.timeout(10_000), poll_ms: 20 });
  assert.equal(card.content.data.fields[1].value, "done");
  await crew.close();
  await Promise.all([team.close(), far.close()]);
}

for (const [label, database] of [["pg", pool], ["postgres", sql], ["pglite", pglite]]) {
  test(`${label}: a doorbell wakes a worker of another host`, async () => {
    const [here, there] = [await notifyTransport(database), await notifyTransport(database)];
    await rings(`rings_${label}`, here, there);
    await Promise.all([here.close(), there.close()]);
  });
}

test("a connection that is cut is followed by another one", async () => {
  const cut = [];
  const transport = await notifyTransport(pool, { channel: "cut", onError: (error) => cut.push(error) });
  await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen cut'");
  const heard = new Promise((resolve) => transport.subscribe(resolve, { project_id: "p" }));
  const message = { message_id: "m", subject: "cg.v1r3.p.public.cmd.agent.generic.wakeup", payload: { agent_id: "a", text: "ü".repeat(9000) }, headers: null, core: false };
  const again = setInterval(() => transport.publish(message, { project_id: "p" }).catch(() => {}), 100);
  assert.deepEqual((await heard).payload, { agent_id: "a" }, "what is too long for a notification is left out");
  clearInterval(again);
  assert.equal(cut.length, 1);
  await transport.close();
});

test("what is no database, no channel or no server is an error with a code", async () => {
  await assert.rejects(notifyTransport({}), { code: "bad_request", path: "database" });
  await assert.rejects(notifyTransport(pool, { channel: "a; drop table cards" }), { code: "bad_request", path: "channel" });
  await assert.rejects(notifyTransport(poolOf("postgres://me:wrong@127.0.0.1:1/none")), { code: "store", path: "transport" });
});
