// A database of the documented system, with unreadable rows: the package opens it without changes and then migrates it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "../../pkg/index.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { times } from "../support/deep.mjs";
import { BOX, BROKEN, brokenIds, CONTEXT_BOX, fill, OUTPUT_BOX, PROFILE_BOX, PROJECT, TABLES } from "./documents.mjs";
import { poolOf, startPostgres } from "./server.mjs";

const [CARDS, DAMAGED] = [times(2000, 10_000), 30];
const server = await startPostgres();
const pool = poolOf(server.url);
test.after(async () => {
  await pool.end();
  await server.stop();
});
await pool.query(TABLES);
await fill(pool, { cards: CARDS, broken: DAMAGED });
const store = pgStore(pool);
const project = await open(store, { projectId: PROJECT });

test(`${CARDS} cards are listed, and ${DAMAGED} unreadable ones are reported with a reason`, async () => {
  const unreadable = [];
  let readable = 0;
  for (let n = 0; n < CARDS / 100; n += 1) {
    const { cards, missing_cards } = await project.boxes.getCards({ box_id: BOX(n) });
    readable += cards.length;
    unreadable.push(...missing_cards);
  }
  assert.equal(readable, CARDS - DAMAGED);
  assert.deepEqual(
    unreadable.map(({ id }) => id),
    brokenIds(CARDS, DAMAGED),
  );
  for (const { id, reason, why } of unreadable) assert.ok(reason === "unreadable" && why.startsWith(`card \`${id}\` cannot be read`), why);
  assert.ok(new Set(unreadable.map(({ id, why }) => why.replace(id, ""))).size >= BROKEN.length - 2, "the reasons differ");
});

test("the registry and the state are read, and a turn reports its unreadable cards", async () => {
  const { rows } = await project.agents.list({});
  assert.deepEqual(
    rows.map(({ agent_id, display_name }) => [agent_id, display_name]),
    [
      ["ann", "Ann"],
      ["bob", "Bob"],
    ],
  );
  const turn = await project.preview("turn_view", { agent_id: "ann" });
  const own = brokenIds(CARDS, DAMAGED).filter((id) => Number(id.slice(4)) < 100);
  assert.deepEqual(
    turn.value.missing.map(({ card_id, reason }) => [card_id, reason]),
    own.map((id) => [id, "unreadable"]),
  );
  assert.equal(turn.value.request.messages.length, 100 - own.length + 1);
  assert.equal(turn.lints.filter(({ code }) => code === "unreadable_card").length, own.length);
  assert.equal((await project.agents.resolveCurrentOutputBoxId({ agent_id: "bob" })).output_box_id, BOX(1));
  const { body } = await project.payload({ provider: "anthropic", model: "m", max_output_tokens: 100, box_id: CONTEXT_BOX });
  assert.equal(JSON.stringify(body).match(/text of card/g).length, 100 - own.length);
});

test("a preview passes on a box with unreadable cards before a migration", async () => {
  const call = {
    source_agent_id: "ann",
    arguments: { target_strategy: "new", target_ref: "writer", instruction: "Go on.", context_box_id: OUTPUT_BOX },
  };
  const preview = await project.preview("delegate_async", call);
  assert.ok(preview.writes.cards.length > 0);
  const packed = await project.preview("pack_context", {
    tool_suffix: "t",
    source_agent_id: "ann",
    check_liveness: true,
    arguments: { profile_name: "WRITER", boxes: [BOX(0)] },
    handover: { context_packing_config: { inherit_context: { include_boxes_from_args: ["boxes"] } } },
  });
  assert.equal(packed.value.attached_card_ids.length, 100);
  assert.ok(packed.lints.some(({ code }) => code === "inherited_card_unreadable"));
  await assert.rejects(packed.commit(), { code: "store", details: { reason: "not_migrated" } });
});

test("after `migrate()`, both programs can write to the tables", async () => {
  await store.migrate();
  await store.migrate();
  const { rows: indexes } = await pool.query(
    "select indexname from pg_indexes where tablename = 'agent_state_head' and indexname like 'tuckbox%' order by 1",
  );
  assert.deepEqual(
    indexes.map(({ indexname }) => indexname),
    ["all", "by_context", "by_deadline", "by_output", "by_status"].map((name) => `tuckbox_heads_${name}`),
  );
  const fresh = await open(store, { projectId: PROJECT });
  const handed = await fresh.delegate({
    source_agent_id: "ann",
    arguments: { target_strategy: "new", target_ref: "writer", instruction: "Go on.", context_box_id: OUTPUT_BOX },
  });
  const { rows: agents } = await pool.query(
    "select profile_box_id::text, worker_target from resource.project_agents where agent_id like '00000000%'",
  );
  assert.deepEqual(agents, [{ profile_box_id: PROFILE_BOX, worker_target: "worker.writer" }], JSON.stringify(handed));
  // the other program writes in its own format
  await pool.query(
    'insert into cards (card_id, tenant_id, content) values (\'late\', $1, \'{"__type__": "TextContent", "text": "late"}\') on conflict (card_id) do update set content = excluded.content',
    [PROJECT],
  );
  await pool.query("update state.agent_state_head set turn_epoch = turn_epoch + 1 where project_id = $1 and agent_id = 'ann'", [PROJECT]);
  assert.equal((await fresh.cards.get({ card_ids: ["late"] })).cards.length, 1);

  await fresh.tools.register({ tool_name: "search", description: "Looks.", parameters: { type: "object" } });
  await fresh.agents.update({ agent_id: "bob", display_name: "Robert" });
  const { rows: bob } = await pool.query("select display_name, status, metadata from resource.project_agents where agent_id = 'bob'");
  assert.deepEqual(bob, [{ display_name: "Robert", status: "active", metadata: {} }]);
  await fresh.agents.movePointers({ agent_id: "bob", context_box_id: BOX(3), output_box_id: OUTPUT_BOX });
  const { rows: head } = await pool.query(
    "select context_box_id::text, output_box_id::text, status from state.agent_state_head where agent_id = 'bob'",
  );
  assert.deepEqual(head, [{ context_box_id: BOX(3), output_box_id: OUTPUT_BOX, status: "idle" }]);
});

test("a commit after a change by the other program is a conflict", async () => {
  const fresh = await open(store, { projectId: PROJECT });
  const moved = await fresh.preview("move_pointers", { agent_id: "ann", context_box_id: BOX(5) });
  await pool.query("update state.agent_state_head set turn_epoch = turn_epoch + 1 where project_id = $1 and agent_id = 'ann'", [PROJECT]);
  await assert.rejects(moved.commit(), { code: "conflict" });
  const delegated = await fresh.preview("delegate_async", {
    source_agent_id: "ann",
    arguments: { target_strategy: "reuse", target_ref: "bob", instruction: "Go." },
  });
  await pool.query("delete from resource.project_agents where project_id = $1 and agent_id = 'bob'", [PROJECT]);
  await assert.rejects(delegated.commit(), { code: "conflict" });
});

test("a value that the database cannot store is refused with a reason, and nothing is written", async () => {
  const fresh = await open(store, { projectId: PROJECT });
  await assert.rejects(fresh.agents.register({ agent_id: "cleo", profile_box_id: PROFILE_BOX }), {
    code: "invalid_content",
    message: /worker_target/,
  });
  await assert.rejects(fresh.agents.register({ agent_id: "cleo", profile_name: "Nobody", worker_target: "w" }), {
    code: "not_found",
    path: "profile_name",
  });
  await assert.rejects(fresh.agents.movePointers({ agent_id: "ann", output_box_id: "not-a-uuid" }), {
    code: "not_found",
    path: "output_box_id",
  });
  const { rows } = await pool.query("select count(*)::int as n from resource.project_agents where agent_id = 'cleo'");
  assert.equal(rows[0].n, 0);
});

test("the error names tables of a newer program and incomplete tables", async () => {
  await pool.query("insert into tuckbox_schema (version) values (99)");
  await assert.rejects(store.migrate(), { code: "store", path: "store.migrate", message: /version 99.*use a newer one/ });
  const at = "2026-01-04T10:30:00.000Z";
  const counts = () =>
    pool.query(
      "select (select count(*)::int from tuckbox_files) as files, (select count(*)::int from tuckbox_operations) as operations, (select count(*)::int from resource.profiles where name = 'Later') as profiles",
    );
  const { rows: before } = await counts();
  const newer = {
    code: "store",
    message:
      "the tables of the database have version 99, made by a newer version of this package; this package has version 5: use a newer one",
    details: { reason: "newer", found: 99, expected: 5 },
  };
  const writes = { project_id: PROJECT, operation_id: "too_early", at, files: [{ path: "later", text: "x" }] };
  await assert.rejects(store.commit(writes), newer);
  await assert.rejects(store.addProfiles(PROJECT, [{ name: "Later", profile_box_id: PROFILE_BOX }]), newer);
  // the newer version can have replaced the functions
  await pool.query("alter function tuckbox_commit_5 rename to tuckbox_commit_other");
  await assert.rejects(store.commit(writes), newer);
  await pool.query("alter function tuckbox_commit_other rename to tuckbox_commit_5");
  assert.deepEqual((await counts()).rows, before);
  await pool.query("delete from tuckbox_schema where version = 99");
  await pool.query("delete from tuckbox_schema where version >= 4");
  await assert.rejects(store.commit(writes), { code: "store", message: /version 3, and this package has version 5; run `migrate\(\)`/ });
  await pool.query("insert into tuckbox_schema (version) values (4), (5)");
  const half = pgStore(pool, { schema: "half" });
  await pool.query("create schema half; create table half.cards (like cards); create table half.card_boxes (like card_boxes)");
  await assert.rejects(half.read({ project_id: PROJECT, agents: ["ann"] }), { code: "store", message: /project_agents.*`migrate\(\)`/ });
  await assert.rejects(half.commit({ project_id: PROJECT, operation_id: "o", at: "2026-01-04T10:30:00.000Z", files: [] }), {
    code: "store",
    details: { reason: "not_migrated" },
  });
});
