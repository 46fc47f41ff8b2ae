// Errors of the engine and the worker, with their codes and paths.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { durableObjectEngine } from "../../pkg/engines/durable-object.js";
import { memoryStore, open } from "../../pkg/index.js";
import { trackedHost, VirtualClock } from "../../pkg/lib/contract/clock.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { recipe, worker } from "../../pkg/worker.js";
import { poolOf, startPostgres } from "../stores/server.mjs";
import { until } from "../support/until.mjs";

const server = await startPostgres();
const pool = poolOf(server.url);
after(async () => {
  await pool.end();
  await server.stop();
});

const store = memoryStore();
const host = { open, store, projectId: "p" };

test("the error names an invalid or unknown option", () => {
  const refused = (make, path) => assert.throws(make, { code: "bad_request", path });
  refused(() => engine(), "open");
  refused(() => engine({ ...host, open: undefined }), "open");
  refused(() => engine({ ...host, store: {} }), "store.read");
  refused(() => engine({ ...host, projectId: "" }), "projectId");
  refused(() => engine({ ...host, ticks: 5 }), "ticks");
  refused(() => engine({ ...host, tickMs: 0 }), "tickMs");
  for (const clock of [null, 7, {}, { now: Date.now, setTimeout }]) refused(() => engine({ ...host, clock }), "clock");
  refused(() => engine({ ...host, transport: {} }), "transport");
  const team = engine(host);
  const model = () => "done";
  refused(() => worker(), "engine");
  refused(() => worker({ engine: team }), "model");
  refused(() => worker({ engine: team, model, agents: "ann" }), "agents");
  refused(() => worker({ engine: team, model, concurrency: 0 }), "concurrency");
  refused(() => worker({ engine: team, model, lanes: 1 }), "lanes");
  refused(() => worker({ engine: team, model, telemetry: {} }), "telemetry");
  refused(() => worker({ engine: team, model, tools: null }), "tools");
  refused(() => worker({ engine: team, model, tools: { search: {} } }), "tools.search");
  refused(() => worker({ engine: team, model, tools: { search: { run: "x" } } }), "tools.search.run");
  refused(() => worker({ engine: team, model, tools: { search: recipe("nothing") } }), "tools.search.recipe");
  refused(() => durableObjectEngine({ open, projectId: "p" }), "storage");
});

test("the result of a refused dispatch is a conflict with the reason", async () => {
  const busy = { status: "busy", error_code: "agent_busy", agent_id: "ann" };
  await assert.rejects(engine(host).result(busy), { code: "conflict", path: "status", message: /agent_busy/ });
});

test("a name must be a string; the engine refuses others without a read", async () => {
  const team = engine({ ...host, store: { read: () => assert.fail("asked"), commit: () => assert.fail("asked") } });
  const refused = (call, path) => assert.rejects(call, { code: "bad_request", path });
  for (const name of [undefined, null, "", 7, { name: "Lead" }]) {
    await refused(team.profile({ name }), "name");
    await refused(team.dispatch({ agent_id: name, instruction: "x" }), "agent_id");
    await refused(team.stop({ agent_id: name }), "agent_id");
    await refused(team.result({ agent_id: "ann", agent_turn_id: name, output_box_id: "b" }), "agent_turn_id");
    if (name !== undefined) await refused(team.provision({ agent_id: "ann", profile: name }), "profile");
  }
});

test("an unknown agent or profile is `not_found`", async () => {
  const team = engine(host);
  await assert.rejects(team.dispatch({ agent_id: "nobody", instruction: "x" }), { code: "not_found", path: "agent_id" });
  await assert.rejects(team.provision({ agent_id: "ann", profile: "Nothing" }), { code: "not_found", path: "profile" });
  const both = await team.dispatch({ agent_id: "ann", profile_box_id: "b", context_box_id: "c", instruction: "x" });
  assert.deepEqual([both.status, both.error_code], ["rejected", "instruction_with_box"]);
  assert.equal(await team.stop({ agent_id: "nobody" }), false);
});

test("`start` fails at once with a code for an unreachable or unmigrated database", async () => {
  const away = engine({ open, store: pgStore(poolOf("postgres://me:wrong@127.0.0.1:1/none")), projectId: "p" });
  await assert.rejects(away.start(), { code: "store" });
  const empty = engine({ open, store: pgStore(pool), projectId: "p" });
  await assert.rejects(empty.start(), (error) => error.code === "store" && /migrate/.test(error.message));
  await pgStore(pool, { schema: "later" }).migrate();
  const later = engine({ open, store: pgStore(pool, { schema: "later" }), projectId: "p" });
  await later.start();
  await later.close();
});

test("the error names a key that the store cannot read, of any kind", async () => {
  const failing = {
    read: ({ profiles, rows }) => ({
      failed:
        profiles?.map((key) => ({ kind: "profiles", key, message: "shard 3 is down" })) ??
        rows?.map((row) => ({ ...row, error: "shard 4 is down" })),
    }),
    commit: () => ({}),
  };
  const team = engine({ open, store: failing, projectId: "p", patienceMs: 1 });
  await assert.rejects(team.profile({ name: "Writer" }), { code: "store", path: "project_profiles", message: "shard 4 is down" });
  await assert.rejects(team.stop({ agent_id: "ann" }), { code: "store", message: "`heads` could not be read: shard 4 is down" });
});

test("the engine retries a failing store; if the failure lasts, only the call fails", async () => {
  let away = 3;
  const commits = [];
  const flaky = {
    read: (...args) => (away-- > 0 ? Promise.reject(new Error("connection reset")) : store.read(...args)),
    // the answer to the first commit is lost after the store applied it
    commit: async (writes, more) => {
      const receipt = await store.commit(writes, more);
      commits.push(writes.operation_id);
      if (commits.length === 1) throw new Error("connection reset");
      return receipt;
    },
  };
  const clock = new VirtualClock();
  const team = engine({ ...trackedHost(clock, { open, store: flaky }), projectId: "flaky", patienceMs: 5000 });
  await clock.run(() => team.profile({ name: "Writer", system_prompt: "x" }));
  assert.equal(commits[0], commits[1], "the engine sends the same operation again");
  away = Infinity;
  const before = clock.now();
  await assert.rejects(
    clock.run(() => team.tick()),
    { code: "store" },
  );
  assert.ok(clock.now() > before + 3000 && clock.now() <= before + 5000, `the call failed after ${clock.now() - before} ms`);
  away = 0;
  assert.deepEqual((await clock.run(() => team.tick())).failed, []);
});

test("a failing due call is reported and does not stop the others", async () => {
  const entries = [];
  const team = engine({ ...host, projectId: "due", log: (entry) => entries.push(entry) });
  for (const name of ["ann", "bob"]) {
    await team.profile({ name: "Writer", system_prompt: "x" });
    await team.provision({ agent_id: name, profile: "Writer" });
    await team.dispatch({ agent_id: name, instruction: "x" });
  }
  const broken = engine({
    ...host,
    projectId: "due",
    store: {
      read: (...args) => store.read(...args),
      commit: (writes, more) =>
        JSON.stringify(writes).includes("ann") ? Promise.reject(Object.assign(new Error("no"), { code: "x" })) : store.commit(writes, more),
    },
    patienceMs: 1,
    settings: { dispatched_timeout_seconds: 30 },
    log: (entry) => entries.push(entry),
  });
  const { made, failed } = await broken.tick(Date.now() + 60_000);
  assert.ok(failed.length > 0 && made > 0, `${made} succeeded, ${failed.length} failed`);
  assert.ok(entries.some(({ event }) => event === "due_call_failed"));
  assert.equal((await team.rows.head("bob")).status, "idle");
});

test("`step()` returns when its turn ends during polling", async () => {
  // polling for unreported results takes longer than the turn
  const head = async () => JSON.parse(await store.read({ project_id: "pass", rows: [{ table: "heads", key: ["ann"] }] })).rows[0]?.row;
  const slow = {
    commit: (...args) => store.commit(...args),
    read: async (reads, more) => {
      if (reads.lists?.length > 3) await until("the turn has ended", head, (found) => found === undefined || found.status === "idle");
      return store.read(reads, more);
    },
  };
  const team = engine({ ...host, store: slow, projectId: "pass" });
  await team.profile({ name: "Writer", system_prompt: "x", llm_config: { model: "m" } });
  await team.provision({ agent_id: "ann", profile: "Writer" });
  await team.dispatch({ agent_id: "ann", instruction: "x" });
  const crew = worker({ engine: team, model: () => "done" });
  assert.equal(await crew.step(), 1);
  assert.equal((await team.rows.head("ann")).status, "idle");
});
