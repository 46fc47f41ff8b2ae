// The resident data of a workspace: lazy reads, freshness, conflicts, concurrent calls, and release.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, TuckboxError } from "../../pkg/index.js";
import { copyOf, isSame } from "../../pkg/lib/same.js";
import { times } from "../support/deep.mjs";
import { settled } from "../support/until.mjs";
import { filled, packCall, project } from "./support.mjs";

/** Creates a store that counts its reads and can delay them. */
async function counted(options = {}) {
  const good = filled();
  const store = {
    reads: [],
    gate: undefined,
    async read(reads) {
      const { gate } = this;
      this.reads.push(reads);
      const answer = await good.read(reads);
      await gate;
      return answer;
    },
    commit: (writes, more) => good.commit(writes, more),
  };
  return { good, store, workspace: await open(store, { projectId: "p1", ...options }) };
}

test("rows are read once", async () => {
  const { store, workspace } = await counted();
  await workspace.pack(packCall());
  const before = store.reads.length;
  await workspace.pack(packCall());
  assert.equal(before, 1, "one read returns the profile and the boxes");
  assert.equal(store.reads.length, before);
  workspace.refresh();
  await workspace.pack(packCall());
  assert.equal(store.reads.length, before + 1);
});

test("a thousand boxes take one read and one commit", async () => {
  const { good, store, workspace } = await counted();
  const ids = Array.from({ length: 1000 }, (_, at) => `box-${at}`);
  for (const box_id of ids) good.project("p1").addBox({ box_id, card_ids: [`c-${box_id}`] });
  const { attached_card_ids } = await workspace.pack(packCall({ input_box_ids: ids }));
  assert.equal(attached_card_ids.length, 1002);
  assert.equal(store.reads.length, 1);
  assert.equal(store.reads[0].boxes.length, 1000);
});

test("missing rows and failed reads are read again by the next call", async () => {
  const { good, store, workspace } = await counted();
  await assert.rejects(workspace.pack(packCall({ profile_name: "editor" })), { code: "not_found" });
  good.project("p1").addProfile({ name: "Editor", profile_box_id: "pb_editor" });
  const packed = await workspace.pack(packCall({ profile_name: "editor" }));
  assert.equal(packed.target_profile_box_id, "pb_editor");
  assert.equal(store.reads.length, 2);
});

test("each part of a preview is transferred once, on first access", async () => {
  const { workspace } = await project();
  const preview = await workspace.preview("pack_context", packCall());
  for (const part of ["value", "writes", "ledger", "lints"]) assert.equal(preview[part], preview[part], part);
  assert.equal(typeof preview.valueText, "string");
  assert.deepEqual(JSON.parse(preview.valueText), preview.value);
  assert.deepEqual(JSON.parse(preview.writesText), preview.writes);
  assert.deepEqual(Object.keys(preview), []);
});

test("a conflict evicts stale rows, and the next preview reads them again", async () => {
  const { good, store, workspace } = await counted();
  await workspace.pack(packCall());
  const elsewhere = await open(good, { projectId: "p1" });
  await elsewhere.boxes.append({ box_id: "b1", card_ids: ["c7"] });

  const preview = await workspace.preview("pack_context", packCall());
  const before = good.export();
  const error = await preview.commit().catch((error) => error);
  assert.ok(error instanceof TuckboxError);
  assert.equal(error.code, "conflict");
  assert.deepEqual(error.details, { box_id: "b1", expected: 1, found: 2 });
  assert.equal(good.export(), before);

  const reads = store.reads.length;
  const again = await workspace.pack(packCall());
  assert.ok(again.attached_card_ids.includes("c7"));
  // the refused batch also expected the profile, so it is read again
  assert.deepEqual(store.reads.slice(reads), [{ project_id: "p1", profiles: ["writer"], boxes: ["b1"] }]);
});

test("the second of two writers with the same version gets a conflict, and no write is lost", async () => {
  const { good, workspace } = await counted();
  const other = await open(good, { projectId: "p1" });
  const first = await workspace.preview("append_to_box", { box_id: "b2", card_ids: ["x"] });
  const second = await other.preview("append_to_box", { box_id: "b2", card_ids: ["y"] });
  await first.commit();
  await assert.rejects(second.commit(), { code: "conflict" });
  await other.boxes.append({ box_id: "b2", card_ids: ["y"] });
  workspace.refresh();
  const { boxes } = await workspace.boxes.get({ box_ids: ["b2"] });
  assert.deepEqual(boxes[0].card_ids, ["c3", "x", "y"]);
});

test("concurrent calls in one workspace return correct results", async () => {
  const { workspace } = await counted();
  const calls = Array.from({ length: 50 }, (_, at) => {
    return at % 2 === 0
      ? workspace.pack(packCall({ instruction: `task ${at}` }))
      : workspace.boxes.append({ box_id: "b2", card_ids: [`new-${at}`], any_version: true });
  });
  const values = await Promise.all(calls);
  assert.equal(new Set(values.map((value) => value.context_box_id).filter(Boolean)).size, 25);
  workspace.refresh();
  const { boxes } = await workspace.boxes.get({ box_ids: ["b2"] });
  assert.equal(boxes[0].card_ids.length, 26);
  assert.equal(boxes[0].version, 26);
});

test("a late answer does not undo a commit", async () => {
  const { good, store, workspace } = await counted();
  let open_;
  store.gate = new Promise((resolve) => (open_ = resolve));
  const slow = workspace.boxes.get({ box_ids: ["b2"] });
  store.gate = undefined;
  await workspace.boxes.append({ box_id: "b2", card_ids: ["new"] });
  open_();
  await slow;
  const { boxes } = await workspace.boxes.get({ box_ids: ["b2"] });
  assert.deepEqual(boxes[0].card_ids, ["c3", "new"]);
  assert.equal(boxes[0].version, 2);
  assert.ok(good.export().includes('"new"'));
});

test("an answer to a read from before a refresh is not used", async () => {
  const { good, store, workspace } = await counted();
  let open_;
  store.gate = new Promise((resolve) => (open_ = resolve));
  const slow = workspace.boxes.get({ box_ids: ["b2"] });
  store.gate = undefined;
  const elsewhere = await open(good, { projectId: "p1" });
  await elsewhere.boxes.append({ box_id: "b2", card_ids: ["new"] });
  workspace.refresh();
  open_();
  assert.deepEqual((await slow).boxes[0].card_ids, ["c3", "new"]);
});

test("`stats()` counts the resident rows", async () => {
  const { workspace } = await project();
  assert.equal(workspace.stats().boxes, 0);
  await workspace.pack(packCall());
  const stats = workspace.stats();
  assert.deepEqual([stats.boxes, stats.profiles, stats.cardIds], [2, 1, 4]);
  assert.ok(stats.memoryBytes > 65_536);
});

test("using a disposed object is an error, and `dispose` can be called twice", async () => {
  const { workspace } = await project();
  const preview = await workspace.preview("pack_context", packCall());
  preview.dispose();
  preview[Symbol.dispose]();
  for (const look of [() => preview.value, () => preview.ledger]) {
    assert.throws(look, { code: "bad_request", message: /preview was disposed/ });
  }
  for (const step of [preview.after(), preview.commit()]) {
    await assert.rejects(step, { code: "bad_request", message: /preview was disposed/ });
  }
  const kept = await workspace.preview("pack_context", packCall());
  workspace[Symbol.dispose]();
  workspace.dispose();
  assert.throws(() => workspace.stats(), { code: "bad_request", message: /workspace was disposed/ });
  await assert.rejects(workspace.pack(packCall()), { code: "bad_request" });
  assert.equal(kept.value.attached_card_ids.length, 4, "a preview works after its workspace is disposed");
  assert.equal((await kept.commit()).repeated, false);
});

test("disposing a workspace during a call ends the call with a typed error", async () => {
  const { store, workspace } = await counted();
  let open_;
  store.gate = new Promise((resolve) => (open_ = resolve));
  const call = workspace.pack(packCall());
  workspace.dispose();
  open_();
  await assert.rejects(call, { code: "bad_request", message: /disposed/ });
});

test("unreferenced previews are freed", async () => {
  const { workspace } = await project();
  const card_ids = Array.from({ length: times(3000, 10_000) }, (_, at) => `a rather long card id that fills memory ${at}`);
  const round = async () => {
    for (let at = 0; at < 20; at += 1) await workspace.preview("create_box", { card_ids });
  };
  await round();
  const collected = async () => {
    for (let at = 0; at < 5; at += 1) {
      globalThis.gc?.();
      // the garbage collector reports freed objects in a later task
      await settled();
    }
    return workspace.stats().memoryBytes;
  };
  if (globalThis.gc === undefined) {
    const { setFlagsFromString } = await import("node:v8");
    const { runInNewContext } = await import("node:vm");
    setFlagsFromString("--expose-gc");
    globalThis.gc = runInNewContext("gc");
  }
  const before = await collected();
  for (let at = 0; at < 5; at += 1) {
    await round();
    await collected();
  }
  const after = await collected();
  assert.ok(after <= before * 1.5, `${before} bytes grew to ${after}`);
});

test("a value is the same as its copy until a member, an item or their order changes", () => {
  const value = () => ({ role: "user", content: [{ type: "text", text: "Hi" }, 7], name: null });
  const copy = copyOf(value());
  assert.equal(isSame(value(), copy), true);
  for (const [what, change] of [
    ["a text", (one) => (one.content[0].text = "Ho")],
    ["a removed member", (one) => delete one.name],
    ["a removed inner member", (one) => delete one.content[0].text],
    ["an added member", (one) => (one.id = 1)],
    ["another name", (one) => (one.content[0] = { type: "text", body: "Hi" })],
    ["a removed item", (one) => one.content.pop()],
    ["an added item", (one) => one.content.push(undefined)],
    ["another order of items", (one) => one.content.reverse()],
    ["another type", (one) => (one.content[1] = "7")],
    ["a list in place of an object", (one) => (one.content[0] = ["text", "Hi"])],
  ]) {
    const changed = value();
    change(changed);
    assert.equal(isSame(changed, copy), false, what);
  }
  const { role, ...rest } = value();
  assert.equal(isSame({ ...rest, role }, copy), false, "another order of members");
});
