// PostgreSQL databases in any state: empty, partly filled, filled by other software, slow, or missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import postgres from "postgres";
import { memoryStore, open } from "../../pkg/index.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { postgresStore } from "../../pkg/stores/postgres.js";
import { migration, sqlStore } from "../../pkg/stores/sql.js";
import { storeContract } from "../../pkg/testing.js";
import { until } from "../support/until.mjs";
import { countingWire } from "./proxy.mjs";
import { poolOf, startPostgres } from "./server.mjs";

const server = await startPostgres();
const pool = poolOf(server.url);
test.after(async () => {
  await pool.end();
  await server.stop();
});

const at = "2026-01-04T10:30:00.000Z";
const UUID = "0198c0de-0000-7000-8000-00000000000";

let schemas = 0;

/** Creates a schema and a store in it. */
async function inSchema({ tables = "", migrate = true } = {}) {
  schemas += 1;
  const schema = `s${schemas}`;
  await pool.query(`create schema ${schema}; set search_path to ${schema}; ${tables}; set search_path to default`);
  const store = pgStore(pool, { schema });
  if (migrate) await store.migrate();
  const all = async (text) => (await pool.query(text.replaceAll("{s}", schema))).rows;
  return { schema, store, all };
}

/** The documented tables with boxes under UUIDs, as other software creates and fills them. */
const DOCUMENTED = `
  create table cards (
    card_id text primary key, tenant_id text not null, content jsonb, tool_calls jsonb, tool_call_id text, ttl_seconds integer,
    expires_at timestamptz, deleted_at timestamptz, metadata jsonb, created_at timestamptz default now());
  create table card_boxes (box_id uuid primary key, tenant_id text not null, card_ids jsonb not null);
  insert into cards (card_id, tenant_id, content, metadata, expires_at) values
    ('c1', 'p1', '{"__type__": "TextContent", "text": "hello"}', '{"type": "task.instruction", "role": "user"}', '2031-01-01 00:00:00.123456+02'),
    ('c2', 'p1', '{"__type__": "JsonContent", "data": {"n": 12345678901234567890.10}}', null, 'infinity'),
    ('c3', 'p2', '{"__type__": "TextContent", "text": "of another project"}', '{}', null);
  insert into card_boxes values
    ('${UUID}1', 'p1', '["c1", "c2", "c1"]'), ('${UUID}2', 'p2', '["c3"]')`;

test("repeated and concurrent migrations change nothing", async () => {
  const { schema, store, all } = await inSchema({ migrate: false });
  await Promise.all(Array.from({ length: 6 }, () => pgStore(pool, { schema }).migrate()));
  await store.commit({
    project_id: "p",
    operation_id: "o",
    at,
    boxes: [{ change: "create", box: { box_id: "b", card_ids: ["x"], version: 1 } }],
  });
  const before = await all("select version, applied_at from {s}.tuckbox_schema order by version");
  await store.migrate();
  assert.deepEqual(await all("select version, applied_at from {s}.tuckbox_schema order by version"), before);
  assert.deepEqual(
    before.map((row) => row.version),
    [1, 2, 3, 4, 5],
  );
  assert.match(await store.read({ project_id: "p", boxes: ["b"] }), /\["x"\]/);
  assert.match(migration({ schema }), /^do /);
});

test("tables of an older version are read, report what is missing, and can be migrated", async () => {
  const { store, all, schema } = await inSchema();
  const at_first = await open(store, { projectId: "p" });
  await at_first.boxes.create({ box_id: "b", card_ids: ["x"] });
  await all(`drop table {s}.tuckbox_box_turns, {s}.tuckbox_turn_views;
    drop function {s}.tuckbox_commit_5, {s}.tuckbox_put_5, {s}.tuckbox_version_5; delete from {s}.tuckbox_schema where version >= 4`);
  const older = pgStore(pool, { schema });
  const project = await open(older, { projectId: "p" });
  assert.deepEqual((await project.boxes.get({ box_ids: ["b"] })).boxes[0].card_ids, ["x"]);
  const append = await project.preview("append_to_box", { box_id: "b", card_ids: ["y"] });
  await assert.rejects(append.commit(), {
    code: "store",
    message: /version 3, and this package has version 5; run `migrate\(\)`/,
    details: { reason: "not_migrated", found: 3, expected: 5 },
  });
  assert.deepEqual(await all("select card_ids from {s}.card_boxes"), [{ card_ids: ["x"] }]);
  await older.migrate();
  assert.equal((await project.boxes.append({ box_id: "b", card_ids: ["y"] })).version, 2);
  assert.deepEqual((await project.agents.listTurnViews({})).rows, []);
});

test("a failed migration changes nothing", async () => {
  const { store, all } = await inSchema({
    migrate: false,
    tables: "create table card_boxes (box_id text primary key, tenant_id text, card_ids text[])",
  });
  await assert.rejects(store.migrate(), { code: "store", message: /could not be migrated.*card_ids/ });
  assert.deepEqual(await all("select table_name from information_schema.tables where table_schema = '{s}'"), [
    { table_name: "card_boxes" },
  ]);
});

test("the error for a database without tables states how to create them", async () => {
  const { store } = await inSchema({ migrate: false });
  const expected = { code: "store", message: /`migrate\(\)`/, details: { reason: "not_migrated" } };
  await assert.rejects(store.read({ project_id: "p", boxes: ["b"] }), {
    ...expected,
    message: /`cards` does not exist in the database.*`migrate\(\)`/,
  });
  await assert.rejects(store.commit({ project_id: "p", operation_id: "o", at }), expected);
  await assert.rejects(store.addProfiles("p", [{ name: "x" }]), expected);
  const workspace = await open(store, { projectId: "p" });
  await assert.rejects(workspace.boxes.get({ box_ids: ["b"] }), { code: "store", message: /`migrate\(\)`/ });
  await store.migrate();
  assert.deepEqual((await workspace.boxes.get({ box_ids: ["b"] })).missing_boxes, [{ id: "b", reason: "absent" }]);
});

test("tables of other software are read without a migration", async () => {
  const { store, all } = await inSchema({ tables: DOCUMENTED, migrate: false });
  const workspace = await open(store, { projectId: "p1" });
  const { boxes, missing_boxes } = await workspace.boxes.get({
    box_ids: [`${UUID}1`, `${UUID}2`, `${UUID}9`, "not a uuid", `${UUID}1`.toUpperCase()],
  });
  assert.deepEqual(
    boxes.map((box) => [box.box_id, box.card_ids, box.version]),
    [
      [`${UUID}1`, ["c1", "c2", "c1"], 0],
      [`${UUID}1`.toUpperCase(), ["c1", "c2", "c1"], 0],
    ],
  );
  assert.deepEqual(
    missing_boxes.map((box) => box.id),
    [`${UUID}2`, `${UUID}9`, "not a uuid"],
  );
  const { cards, missing_cards } = await workspace.cards.get({ card_ids: ["c1", "c2", "c3"] });
  assert.equal(cards[0].expires_at, "2030-12-31T22:00:00.123Z");
  assert.equal(cards[1].expires_at, null);
  assert.deepEqual(missing_cards, [{ id: "c3", reason: "absent" }]);
  assert.match(await store.read({ project_id: "p1", cards: ["c2"] }), /12345678901234567890\.10/);
  await assert.rejects(store.read({ project_id: "p1", profiles: ["x"] }), {
    message: /profiles` does not exist in the database.*`migrate\(\)`/,
  });
  await assert.rejects(workspace.boxes.create({ card_ids: [] }), { code: "store", details: { reason: "not_migrated" } });
  assert.equal((await all("select count(*)::int as n from {s}.card_boxes"))[0].n, 2);
});

test("a key on the id alone reports a conflict with other projects until it includes the project", async () => {
  const { store, all } = await inSchema({ tables: DOCUMENTED });
  const card = { card_id: "c3", type: "note", author_id: "me", content: { __type__: "TextContent", text: "mine" } };
  const workspace = await open(store, { projectId: "p1" });
  await assert.rejects(workspace.cards.put({ cards: [card] }), { code: "conflict" });
  await store.migrate({ rekey: true });
  await store.migrate({ rekey: true });
  assert.deepEqual((await workspace.cards.put({ cards: [card] })).card_ids, ["c3"]);
  const { box_id } = await workspace.boxes.create({ box_id: `${UUID}2`, card_ids: ["c3"] });
  assert.equal(box_id, `${UUID}2`);
  const rows = await all("select tenant_id, content->>'text' as text from {s}.cards where card_id = 'c3' order by 1");
  assert.deepEqual(rows, [
    { tenant_id: "p1", text: "mine" },
    { tenant_id: "p2", text: "of another project" },
  ]);
  await assert.rejects(workspace.cards.put({ cards: [{ ...card, content: { __type__: "TextContent", text: "other" } }] }), {
    code: "conflict",
  });
  const keys = await all(
    "select pg_get_constraintdef(oid) as key from pg_constraint where conrelid = '{s}.cards'::regclass and contype = 'p'",
  );
  assert.deepEqual(keys, [{ key: "PRIMARY KEY (tenant_id, card_id)" }]);
  await assert.rejects(store.migrate({ rekey: "yes" }), { code: "bad_request", path: "rekey" });
});

test("a failed `rekey` keeps a key that another table references, and all other keys", async () => {
  const { store, all } = await inSchema({ tables: `${DOCUMENTED}; create table notes (card_id text references cards (card_id))` });
  await assert.rejects(store.migrate({ rekey: true }), { code: "store", message: /could not be migrated.*depend/s });
  await assert.rejects(all(`insert into {s}.card_boxes values ('${UUID}1', 'p9', '[]')`), { code: "23505" });
});

test("after a migration, both programs can write to tables of other software", async () => {
  const { schema, store, all } = await inSchema({ tables: DOCUMENTED });
  const workspace = await open(store, { projectId: "p1" });
  const box = await workspace.boxes.append({ box_id: `${UUID}1`, card_ids: ["c2"] });
  assert.deepEqual([box.card_ids, box.version], [["c1", "c2", "c1", "c2"], 2]);
  const made = await workspace.boxes.create({ card_ids: ["c1"] });
  assert.equal((await all(`select box_id::text from {s}.card_boxes where tenant_id = 'p1' and version = 1`))[0].box_id, made.box_id);
  await assert.rejects(workspace.boxes.create({ card_ids: ["c1"], box_id: "not a uuid" }), {
    code: "bad_request",
    message: /must be uuids, found `not a uuid`/,
  });

  const preview = await workspace.preview("append_to_box", { box_id: `${UUID}1`, card_ids: ["c1"] });
  await pool.query(`update ${schema}.card_boxes set card_ids = card_ids || '["other"]' where box_id = '${UUID}1'`);
  await assert.rejects(preview.commit(), { code: "conflict", details: { box_id: `${UUID}1`, expected: 2, found: 3 } });
  const again = await workspace.boxes.append({ box_id: `${UUID}1`, card_ids: ["c1"] });
  assert.deepEqual(again.card_ids.slice(-2), ["other", "c1"]);
});

test("a program that read the tables before a migration continues after it", async () => {
  const { schema, store } = await inSchema({ tables: DOCUMENTED, migrate: false });
  const workspace = await open(store, { projectId: "p1" });
  // the table of turns does not exist yet
  const early = await workspace.preview("append_to_box", { box_id: `${UUID}1`, card_ids: ["c1"], even_during_turn: true });
  await pgStore(pool, { schema }).migrate();
  await assert.rejects(early.commit(), { code: "conflict" });
  assert.equal((await workspace.boxes.append({ box_id: `${UUID}1`, card_ids: ["c1"] })).version, 2);
});

test("a commit does not change a row of another project in a table of other software", async () => {
  const { store, all } = await inSchema({ tables: DOCUMENTED });
  const card = {
    card_id: "c3",
    content: { __type__: "TextContent", text: "mine" },
    metadata: {},
    tool_calls: null,
    tool_call_id: null,
    ttl_seconds: null,
  };
  const error = await store.commit({ project_id: "p1", operation_id: "o1", at, cards: [card] }).catch((error) => error);
  assert.equal(error.code, "conflict");
  assert.ok(!JSON.stringify(error).includes("of another project"));
  await store.commit({ project_id: "p1", operation_id: "o2", at, delete_cards: ["c3"] });
  await assert.rejects(
    store.commit({ project_id: "p1", operation_id: "o3", at, boxes: [{ change: "create", box: { box_id: `${UUID}2`, card_ids: [] } }] }),
    { code: "conflict" },
  );
  const change = { box_id: `${UUID}2`, version: 1 };
  for (const one of [
    { change: "append", card_ids: ["x"], ...change },
    { change: "replace", card_ids: [], ...change },
    { change: "delete", ...change },
  ]) {
    await assert.rejects(store.commit({ project_id: "p1", operation_id: `o${one.change}`, at, boxes: [one] }), {
      code: "conflict",
      details: { box_id: `${UUID}2`, expected: 1, found: null },
    });
  }
  const [there] = await all(
    `select c.content->>'text' as text, c.deleted_at, b.card_ids, b.version::int from {s}.cards c, {s}.card_boxes b where c.tenant_id = 'p2' and b.tenant_id = 'p2'`,
  );
  assert.deepEqual(there, { text: "of another project", deleted_at: null, card_ids: ["c3"], version: 1 });
  assert.deepEqual(await all("select operation_id from {s}.tuckbox_operations"), [{ operation_id: "o2" }]);
});

test("committed rows can be read with plain SQL", async () => {
  const { store, all } = await inSchema();
  const workspace = await open(store, { projectId: "p1", now: () => Date.parse(at) });
  const { card_ids } = await workspace.cards.put({
    cards: [{ type: "fact", author_id: "me", content: { __type__: "JsonContent", data: { n: 2n ** 80n } }, ttl_seconds: 60 }],
  });
  const [row] = await all(
    "select card_id, tenant_id, content->'data'->>'n' as n, metadata->>'type' as type, ttl_seconds::int, expires_at, created_at from {s}.cards",
  );
  assert.deepEqual(row, {
    card_id: card_ids[0],
    tenant_id: "p1",
    n: String(2n ** 80n),
    type: "fact",
    ttl_seconds: 60,
    expires_at: new Date(Date.parse(at) + 60_000),
    created_at: new Date(at),
  });
});

test("a card has the same bytes in a preview, in memory and in the database", async () => {
  const { store } = await inSchema();
  const args = {
    cards: [
      {
        type: "fact",
        author_id: "me",
        card_id: "c1",
        content: { __type__: "JsonContent", data: { bb: [1e20, 0.1, -0, 2n ** 70n], a: { é: "\u2028", "": null } } },
      },
    ],
  };
  const options = { projectId: "p1", now: () => Date.parse(at), entropy: () => new Uint8Array(32) };
  const seen = [];
  for (const one of [store, memoryStore()]) {
    const preview = await (await open(one, options)).preview("put_cards", args);
    await preview.commit();
    const fresh = await open(one, options);
    const read = await fresh.preview("get_cards", { card_ids: ["c1"] });
    seen.push([preview.contentHash, read.valueText]);
  }
  assert.deepEqual(seen[0], seen[1]);
});

test("with a strict isolation level, commits succeed after retries", async () => {
  const { schema } = await inSchema();
  const strict = poolOf(server.url, { options: "-c default_transaction_isolation=serializable" });
  for (const { group, run } of storeContract(() => pgStore(strict, { schema }))) {
    if (group === "concurrency" || group === "operations") await run();
  }
  await strict.end();
});

test("a role with read access can read, and its commits are refused", async () => {
  const { schema, store } = await inSchema();
  await store.commit({
    project_id: "p",
    operation_id: "o",
    at,
    boxes: [{ change: "create", box: { box_id: "b", card_ids: [], version: 1 } }],
  });
  // roles belong to the whole server
  const reader = `reader_${process.pid}`;
  await pool.query(
    `create role ${reader} login; grant usage on schema ${schema} to ${reader}; grant select on all tables in schema ${schema} to ${reader}`,
  );
  const other = poolOf(server.url.replace("postgres@", `${reader}@`));
  const reading = pgStore(other, { schema });
  assert.match(await reading.read({ project_id: "p", boxes: ["b"] }), /"b"/);
  await assert.rejects(
    reading.commit({ project_id: "p", operation_id: "o2", at, boxes: [{ change: "append", box_id: "b", card_ids: ["x"] }] }),
    { code: "store", details: { sqlstate: "42501" } },
  );
  await other.end();
  await pool.query(`drop owned by ${reader}; drop role ${reader}`);
});

test("a value that the database cannot store is refused with a reason", async () => {
  const { store } = await inSchema();
  const commit = (parts) => store.commit({ project_id: "p", operation_id: `o${Math.random()}`, at, ...parts });
  await assert.rejects(commit({ files: [{ path: "a", text: "\u0000" }] }), { code: "invalid_content" });
  await assert.rejects(commit({ cards: [{ card_id: "c", content: {}, ttl_seconds: 10n ** 20n }] }), { code: "limit" });
  await assert.rejects(commit({ at: "yesterday or so", files: [{ path: "a", text: "" }] }), { code: "store" });
  assert.deepEqual(JSON.parse(await store.read({ project_id: "p", files: ["a"], cards: ["c"] })).missing_files, ["a"]);
});

test("an unreachable database is a `store` error", async () => {
  const nowhere = poolOf("postgres://postgres@127.0.0.1:1/postgres");
  await assert.rejects(pgStore(nowhere).read({ project_id: "p", boxes: ["b"] }), { code: "store", message: /ECONNREFUSED/ });
  await assert.rejects(pgStore(nowhere).migrate(), { code: "store" });
});

test("an invalid query function, or an invalid result of it, is an error", async () => {
  assert.throws(() => sqlStore(undefined), { code: "bad_request", path: "query" });
  assert.throws(() => sqlStore(() => [], { schem: "x" }), { code: "bad_request", path: "schem" });
  assert.throws(() => sqlStore(() => [], { schema: "" }), { code: "bad_request", path: "schema" });
  for (const result of [undefined, [], { rows: [] }, [{ answers: 1 }]]) {
    await assert.rejects(sqlStore(async () => result).read({ project_id: "p", boxes: ["b"] }), { code: "store", path: "query" });
  }
});

test("the caller's signal reaches the query function", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const seen = [];
  const store = sqlStore((_text, _params, more) => {
    seen.push(more.signal);
    queueMicrotask(() => t.mock.timers.tick(20));
    return new Promise((_, reject) => more.signal.addEventListener("abort", () => reject(new Error("cut off"))));
  });
  const workspace = await open(store, { projectId: "p", timeoutMs: 20 });
  await assert.rejects(workspace.boxes.get({ box_ids: ["b"] }), { code: "store", message: /did not answer within 20 ms/ });
  assert.ok(seen[0].aborted);
});

test("a connection prepares a repeated statement once, unless `prepare` is `false`", async (t) => {
  const { schema } = await inSchema();
  const single = poolOf(server.url, { max: 1 });
  t.after(() => single.end());
  const named = async () =>
    (
      await single.query("select name from pg_prepared_statements where name like 'tuckbox_%' and statement like '%\"' || $1 || '\"%'", [
        schema,
      ])
    ).rows.length;
  const plain = pgStore(single, { schema, prepare: false });
  for (let at = 0; at < 4; at += 1) await plain.read({ project_id: "p", boxes: ["b"] });
  assert.equal(await named(), 0);
  const store = pgStore(single, { schema });
  await store.read({ project_id: "p", boxes: ["b"] });
  assert.equal(await named(), 0, "a statement that runs once is not prepared");
  for (let at = 0; at < 4; at += 1)
    assert.deepEqual(JSON.parse(await store.read({ project_id: "p", boxes: [`b${at}`] })).missing_boxes, [`b${at}`]);
  assert.equal(await named(), 1);
  assert.throws(() => pgStore(single, { prepare: 1 }), { code: "bad_request", path: "prepare" });
});

test("every statement filters by project", async () => {
  const texts = [];
  const store = sqlStore(async (text, params) => {
    texts.push([text, params]);
    return [{ answers: '{"repeated":false,"boxes":[]}' }];
  });
  await store.read({
    project_id: "p1",
    profiles: ["a"],
    profiles_by_box: ["a"],
    boxes: ["a"],
    cards: ["a"],
    agents: ["a"],
    files: ["a"],
    directories: ["a"],
  });
  await store.commit({ project_id: "p1", operation_id: "o", at });
  await store.addProfiles("p1", [{ name: "a" }]);
  for (const [, params] of texts) assert.ok(params.includes("p1"));
  const [read] = texts[0];
  assert.equal(read.match(/(tenant|project)_id = \$2/g).length, 9);
  const [, commit] = /\$commit\$(.*)\$commit\$/s.exec(migration());
  for (const statement of commit.split(";")) {
    if (/(from|into|update|join) (cards|card_boxes|tuckbox_\w+)/.test(statement)) assert.match(statement, /tenant_id/, statement);
  }
});

test("a pack over 100 boxes takes three round trips", async (t) => {
  const { schema, store } = await inSchema();
  await store.addProfiles("p1", [{ name: "Writer", profile_box_id: "pb" }]);
  const ids = Array.from({ length: 100 }, (_, index) => `b${index}`);
  await store.commit({
    project_id: "p1",
    operation_id: "o",
    at,
    boxes: ids.map((box_id, index) => ({ change: "create", box: { box_id, card_ids: [`c${index}`, `c${index + 1}`], version: 1 } })),
  });
  const wire = await countingWire(server.port);
  const counted = server.url.replace(String(server.port), String(wire.port));
  const sql = postgres(counted, { max: 1 });
  const countedPool = poolOf(counted, { max: 1 });
  t.after(async () => {
    await Promise.all([sql.end(), countedPool.end()]);
    await wire.close();
  });
  for (const over of [pgStore(countedPool, { schema }), postgresStore(sql, { schema })]) {
    const pack = async () =>
      (await open(over, { projectId: "p1" })).pack({
        tool_suffix: "t",
        source_agent_id: "a",
        arguments: { profile_name: "writer", boxes: ids },
        handover: { context_packing_config: { inherit_context: { include_boxes_from_args: ["boxes"] } } },
      });
    // the second run of a statement prepares it, which takes one more round trip
    for (let run = 0; run < 2; run += 1) await pack();
    const before = wire.roundTrips();
    const { attached_card_ids } = await pack();
    assert.equal(attached_card_ids.length, 101);
    assert.ok(wire.roundTrips() - before <= 3, `${wire.roundTrips() - before} round trips`);
  }
});

test("a statement that fails in a deadlock or a serialization conflict is retried and applies once", async () => {
  const { schema } = await inSchema();
  for (const [name, code] of [
    ["deadlock", "40P01"],
    ["serialization", "40001"],
  ]) {
    let failures = 3;
    const store = sqlStore(
      async (text, params) => {
        if (failures-- > 0) throw Object.assign(new Error("try again"), { code });
        return pool.query(text, params);
      },
      { schema },
    );
    const boxes = [{ change: "create", box: { box_id: name, card_ids: ["x"], version: 1 } }];
    assert.equal((await store.commit({ project_id: "p", operation_id: name, at, boxes })).repeated, false);
    failures = 3;
    assert.equal(JSON.parse(await store.read({ project_id: "p", boxes: [name] })).boxes.length, 1);
    failures = Infinity;
    await assert.rejects(store.commit({ project_id: "p", operation_id: `${name}_2`, at }), { code: "store", details: { sqlstate: code } });
  }
});

test("a statement that a driver resolves without its rows is sent again and applies once", async () => {
  const { schema } = await inSchema();
  let lost = 1;
  const store = sqlStore(
    async (text, params) => {
      const result = await pool.query(text, params);
      return lost-- > 0 ? [] : result;
    },
    { schema },
  );
  const boxes = [{ change: "create", box: { box_id: "once", card_ids: ["x"], version: 1 } }];
  assert.equal((await store.commit({ project_id: "p", operation_id: "once", at, boxes })).repeated, true);
  lost = 1;
  assert.equal(JSON.parse(await store.read({ project_id: "p", boxes: ["once"] })).boxes.length, 1);
  lost = Infinity;
  await assert.rejects(store.read({ project_id: "p", boxes: ["once"] }), { code: "store" });
});

test("a call that stops waiting is not tried again", async () => {
  const stop = new AbortController();
  let tries = 0;
  const store = sqlStore(async () => {
    tries += 1;
    stop.abort();
    throw Object.assign(new Error("try again"), { code: "40001" });
  });
  await assert.rejects(store.commit({ project_id: "p", operation_id: "o", at }, { signal: stop.signal }), { code: "store" });
  assert.equal(tries, 1);
});

test("a batch that expects a missing row waits for the batch that writes it", async () => {
  const { schema, store } = await inSchema();
  const row = (message_id) => ({ table: "outbox", key: [message_id], version: null, row: { message_id, status: "pending", seq: 1 } });
  const writes = (name, other) => ({
    project_id: "p",
    operation_id: name,
    at,
    expects: [{ table: "outbox", key: [other], version: null }],
    rows: [row(name)],
  });
  const first = await pool.connect();
  try {
    await first.query("begin");
    await pgStore(first, { schema }).commit(writes("one", "other"));
    let isDone = false;
    const second = store.commit(writes("other", "one")).finally(() => {
      isDone = true;
    });
    second.catch(() => {});
    const waiting = "select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted";
    await until("the second batch waits or is done", async () => isDone || (await pool.query(waiting)).rows[0].n > 0);
    await first.query("commit");
    await assert.rejects(second, { code: "conflict" });
  } finally {
    first.release();
  }
});
