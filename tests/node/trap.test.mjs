// A trap in the core: the call fails, the instance is replaced, and the package continues to work.
//
// The core does not trap by itself, so the test overwrites the memory of an instance.
import assert from "node:assert/strict";
import { test } from "node:test";
import { instance_exports } from "../../pkg/generated/core.js";
import { open, TuckboxError } from "../../pkg/index.js";
import { filled, packCall, project } from "./support.mjs";

/** Overwrites the memory of the running instance. */
async function corrupt() {
  const { memory } = instance_exports();
  new Uint8Array(memory.buffer).fill(0xa5);
}

async function trapped(promise) {
  const error = await promise.then(
    () => assert.fail("the call was accepted"),
    (error) => error,
  );
  assert.ok(error instanceof TuckboxError, String(error?.stack ?? error));
  assert.equal(error.code, "trap");
  return error;
}

test("a trap is a typed error, and the workspace continues to work", async () => {
  const { store, workspace } = await project();
  await workspace.pack(packCall());
  const before = store.export();
  await corrupt();
  const error = await trapped(workspace.pack(packCall()));
  assert.match(error.message, /replaced/);
  assert.ok(error.cause instanceof WebAssembly.RuntimeError, String(error.cause));
  assert.equal(store.export(), before);
  const { attached_card_ids } = await workspace.pack(packCall());
  assert.equal(attached_card_ids.length, 4);
  assert.equal(workspace.stats().boxes, 2);
});

test("other workspaces lose only what was in memory", async () => {
  const first = await project();
  const second = await project();
  await second.workspace.pack(packCall());
  await corrupt();
  await trapped(first.workspace.pack(packCall()));
  const { boxes } = await second.workspace.boxes.get({ box_ids: ["b1"] });
  assert.deepEqual(boxes[0].card_ids, ["c1", "c2", "c1"]);
});

test("a preview from before a trap reports that it is lost", async () => {
  const { workspace } = await project();
  const preview = await workspace.preview("pack_context", packCall());
  const { value } = preview;
  const view = await preview.after();
  await corrupt();
  await trapped(workspace.pack(packCall()));
  assert.equal(preview.value, value, "parts that were read before the trap remain");
  assert.throws(() => preview.lints, { code: "trap", message: /preview was lost/ });
  await trapped(preview.commit());
  await trapped(view.pack(packCall()));
  preview.dispose();
  view.dispose();
});

test("a call that waits for its store during a trap starts again", async () => {
  const good = filled();
  let open_;
  const gate = new Promise((resolve) => (open_ = resolve));
  let reached;
  const atGate = new Promise((resolve) => (reached = resolve));
  let reads = 0;
  const store = {
    async read(keys) {
      reads += 1;
      reached();
      if (reads === 1) await gate;
      return good.read(keys);
    },
    commit: (writes, more) => good.commit(writes, more),
  };
  const waiting = (await open(store, { projectId: "p1" })).pack(packCall());
  await atGate;
  const other = await project();
  await corrupt();
  await trapped(other.workspace.pack(packCall()));
  open_();
  assert.equal((await waiting).attached_card_ids.length, 4);
  assert.equal(reads, 2);
});

test("a commit keeps its receipt if the core traps while the store works", async () => {
  const good = filled();
  let open_;
  const gate = new Promise((resolve) => (open_ = resolve));
  let reached;
  const atGate = new Promise((resolve) => (reached = resolve));
  const store = {
    read: (keys) => good.read(keys),
    async commit(writes, more) {
      reached();
      await gate;
      return good.commit(writes, more);
    },
  };
  const workspace = await open(store, { projectId: "p1" });
  const packing = workspace.pack(packCall());
  await atGate;
  const other = await project();
  await corrupt();
  await trapped(other.workspace.pack(packCall()));
  open_();
  const { context_box_id } = await packing;
  const { boxes } = await workspace.boxes.get({ box_ids: [context_box_id] });
  assert.equal(boxes.length, 1);
});

test("the package works after many traps", async () => {
  const { workspace } = await project();
  for (let at = 0; at < 20; at += 1) {
    await corrupt();
    await trapped(workspace.boxes.get({ box_ids: ["b1"] }));
    assert.equal((await workspace.boxes.get({ box_ids: ["b1"] })).boxes.length, 1);
  }
});
