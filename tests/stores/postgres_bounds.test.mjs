// Limits on the work in PostgreSQL: few statement shapes, canceled statements, and prepared statements per project.
import assert from "node:assert/strict";
import { test } from "node:test";
import postgres from "postgres";
import "../../pkg/index.js";
import { namesIn } from "../../pkg/lib/sql/names.js";
import { preparedNames } from "../../pkg/lib/sql/prepared.js";
import { MIGRATED, readStatement } from "../../pkg/lib/sql/read.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { postgresStore } from "../../pkg/stores/postgres.js";
import { until } from "../support/until.mjs";
import { server as httpServer } from "./routes.mjs";
import { poolOf, startPostgres } from "./server.mjs";

const parts = (text) => text.match(/\b(?:rows|list|follow)_\d+ as \(/g)?.length ?? 0;

test("the number of parts of a statement does not depend on limits and sources", () => {
  const statement = (reads) => readStatement(namesIn(undefined), MIGRATED, { project_id: "p", ...reads });
  const lists = (count) =>
    Array.from({ length: count }, (_, at) => ({ table: "inbox", index: "by_agent", of: [`a${at}`, "queued"], limit: at + 1 }));
  const rows = (count) => Array.from({ length: count }, (_, at) => ({ table: "agent_queues", key: [`a${at}`] }));
  const follow = (sources) => sources.map((from) => ({ from, to: [{ box: { column: "output_box_id" } }] }));
  const reads = (count) => ({ rows: rows(count), follow: follow(rows(count)) });
  assert.equal(parts(statement(reads(200)).text), 2);
  assert.equal(statement(reads(200)).text, statement(reads(2)).text);
  const listed = (count) => statement({ lists: lists(count) });
  assert.equal(parts(listed(200).text), 1);
  assert.equal(listed(200).text, listed(2).text);
});

test("a project cannot evict the prepared statements of other projects", () => {
  const nameOf = preparedNames();
  const twice = (text, project) => [nameOf(text, project), nameOf(text, project)][1];
  for (let at = 0; at < 1_000; at += 1) twice(`select ${at}`, "loud");
  const other = twice("select 'mine'", "quiet");
  assert.match(other, /^tuckbox_\w{8}_\d+$/);
  assert.equal(nameOf("select 'mine'", "loud"), other, "the same statement has one name");
  assert.equal(twice("select 'late'", "loud"), undefined, "its own share is used");
  // statements that run once do not evict statements that run again
  nameOf("select 'again'", "quiet");
  for (let at = 0; at < 1_000; at += 1) nameOf(`select 'once ${at}'`, "third");
  assert.ok(nameOf("select 'again'", "quiet"));
});

test("a canceled call cancels its statement in the database", async (t) => {
  const server = await startPostgres();
  const pool = poolOf(server.url);
  const sql = postgres(server.url, { onnotice: () => {} });
  let removed = 0;
  pool.on("remove", () => {
    removed += 1;
  });
  const stores = { pg: pgStore(pool), postgres: postgresStore(sql) };
  await stores.pg.migrate();
  const admin = await pool.connect();
  t.after(async () => {
    admin.release(true);
    await sql.end({ timeout: 5 });
    await pool.end();
    await server.stop();
  });
  // this query runs outside the transaction, which sees one snapshot
  const waiting = async () =>
    (await pool.query("select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")).rows.length;
  for (const [name, store] of Object.entries(stores)) {
    const writes = { project_id: "p1", operation_id: name, at: "2026-01-04T10:30:00.000Z", cards: [] };
    // each call runs twice, so that its statements are prepared
    for (const call of ["read", "read", "commit"]) {
      await admin.query("begin; lock table cards, tuckbox_operations in access exclusive mode");
      const caller = new AbortController();
      const run =
        call === "read"
          ? store.read({ project_id: "p1", cards: ["c"] }, { signal: caller.signal })
          : store.commit(writes, { signal: caller.signal });
      run.catch(() => {});
      await until(`${name}: the ${call} waits for the lock`, waiting, (count) => count === 1);
      caller.abort();
      await until(`${name}: the ${call} is canceled while the lock is held`, waiting, (count) => count === 0);
      await assert.rejects(run, { code: "store" });
      await admin.query("rollback");
    }
    assert.match(await store.read({ project_id: "p1", cards: ["c"] }), /"missing_cards":\["c"\]/);
  }
  assert.ok(removed >= 3, "a late cancellation must not meet another statement of the connection");
  // a cancellation that another call sent too late
  for (const [name, store] of Object.entries(stores)) {
    await admin.query("begin; lock table cards in access exclusive mode");
    const read = store.read({ project_id: "p1", cards: ["c"] });
    await until(`${name}: the read waits for the lock`, waiting, (count) => count === 1);
    const { rows } = await pool.query("select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()");
    await pool.query("select pg_cancel_backend($1)", [rows[0].pid]);
    await admin.query("rollback");
    assert.match(await read, /"missing_cards":\["c"\]/, name);
  }
  // over HTTP, the handler returns 504, and no statement continues
  await admin.query("begin; lock table cards in access exclusive mode");
  const { post } = httpServer({ store: stores.pg, timeoutMs: 300 });
  assert.equal((await post("/projects/p1/store/read", { project_id: "p1", cards: ["c"] })).status, 504);
  await until("no statement waits", waiting, (count) => count === 0);
  await admin.query("rollback");
});
