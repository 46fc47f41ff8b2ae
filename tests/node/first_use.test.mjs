// The first steps with the package: open, pack, inspect, commit, read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore, open } from "../../pkg/index.js";
import { packCall, project } from "./support.mjs";

test("a preview shows what a commit writes, and writes nothing", async () => {
  const { store, workspace } = await project();
  const before = store.export();
  const preview = await workspace.preview("pack_context", packCall());
  assert.equal(preview.value.target_profile_box_id, "pb_writer");
  assert.deepEqual(preview.value.attached_card_ids.slice(1, 3), ["c1", "c2"]);
  assert.equal(preview.value.attached_card_ids.length, 4);
  assert.equal(preview.writes.boxes[0].box.box_id, preview.value.context_box_id);
  assert.equal(store.export(), before);
});

test("a commit writes the preview, and a second commit changes nothing", async () => {
  const { store, workspace } = await project();
  const preview = await workspace.preview({ op: "pack_context", ...packCall() });
  const receipt = await preview.commit();
  assert.deepEqual(receipt.boxes, [{ box_id: preview.value.context_box_id, version: 1 }]);
  assert.equal(receipt.repeated, false);
  const after = store.export();
  assert.equal((await preview.commit()).repeated, true);
  assert.equal(store.export(), after);

  const fresh = await open(store, { projectId: "p1" });
  const { boxes } = await fresh.boxes.get({ box_ids: [preview.value.context_box_id] });
  assert.deepEqual(boxes[0].card_ids, preview.value.attached_card_ids);
});

test("the ledger explains each position and its duplicates", async () => {
  const { workspace } = await project();
  const { ledger } = await workspace.preview("pack_context", packCall());
  const [account] = ledger.boxes;
  assert.equal(account.length, 4);
  assert.equal(account.swallowed, 1);
  const kinds = account.entries().map((entry) => entry.cause.kind);
  assert.deepEqual(kinds, ["argument", "inherited", "inherited", "parent"]);
  assert.equal(account.entries(1, 2)[0].swallowed[0].position, 2);
  assert.deepEqual(account.entries(9, 99), []);
});

test("a method commits the call and returns its value", async () => {
  const { workspace } = await project();
  const content = { __type__: "TextContent", text: "remember" };
  const { card_ids } = await workspace.cards.put({ cards: [{ type: "note", author_id: "me", content }] });
  const box = await workspace.boxes.create({ card_ids, box_id: "mine" });
  assert.equal(box.version, 1);
  const { cards, missing_cards } = await workspace.boxes.getCards({ box_id: "mine" });
  assert.deepEqual(
    cards.map((card) => card.content.text),
    ["remember"],
  );
  assert.deepEqual(missing_cards, []);
});

test("`after()` returns a view for the next call, and the store does not change", async () => {
  const { store, workspace } = await project();
  const first = await workspace.preview("create_box", { card_ids: ["c9"], box_id: "next" });
  const later = await first.after();
  const call = packCall({ input_box_ids: ["next"] });
  const second = await later.preview("pack_context", call);
  assert.deepEqual(second.value.attached_card_ids.slice(1, 2), ["c9"]);
  await assert.rejects(workspace.preview("pack_context", call), { code: "not_found" });
  assert.ok(!store.export().includes("next"));
});

test("a commit does not change the hash of a preview", async () => {
  const { workspace } = await project();
  const preview = await workspace.preview("pack_context", packCall());
  const before = preview.contentHash;
  assert.equal(preview.operationId, preview.writes.operation_id);
  assert.match(before, /^[0-9a-f]{64}$/);
  await preview.commit();
  assert.equal(preview.contentHash, before);
});

test("an exported store is imported unchanged", async () => {
  const { store, workspace } = await project();
  await workspace.pack(packCall());
  const copy = memoryStore(store.export());
  assert.equal(copy.export(), store.export());
  assert.equal(memoryStore(JSON.parse(store.export())).export(), store.export());
});

test("the boxes of a project are listed with the rows that name them", async () => {
  const store = memoryStore();
  store
    .project("demo")
    .addProfile({ name: "Lead", profile_box_id: "pb_lead", delegation_policy: { target_profiles: ["Writer"] } })
    .addProfile({ name: "Writer", profile_box_id: "pb_writer" })
    .addBox({ box_id: "pb_writer", card_ids: [] })
    .addBox({ box_id: "notes", card_ids: [] })
    .addAgent({ agent_id: "lead", profile_box_id: "pb_lead", state: { status: "running", context_box_id: "notes" } });
  const project = await open(store, { projectId: "demo" });
  const { dispatch } = await project.delegate({
    source_agent_id: "lead",
    arguments: { target_strategy: "new", target_ref: "Writer", instruction: "Draft it.", context_box_id: "notes" },
  });
  const { boxes } = await project.boxes.list({});
  const uses = Object.fromEntries(boxes.map((box) => [box.box_id, box.uses.map(({ kind, name }) => `${kind} ${name}`)]));
  assert.deepEqual(uses.pb_writer, ["profile Writer"]);
  assert.deepEqual(uses.pb_lead, ["profile Lead"]);
  assert.deepEqual(uses[dispatch.context_box_id], ["audit delegate_async"]);
  await assert.rejects(project.boxes.list({ limit: 10_001 }), { code: "limit", path: "limit" });
});
