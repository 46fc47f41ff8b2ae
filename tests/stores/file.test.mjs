// A file keeps the contract, and processes that share it lose nothing of each other.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { fileStore } from "../../pkg/stores/file.js";
import { testStore } from "../../pkg/testing.js";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-file-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const fresh = () => join(folder, `${(count += 1)}.json`);
testStore(test, "file", () => fileStore(fresh()), { sizes: { cards: 500 } });

const at = "2026-01-04T10:30:00.000Z";
const append = (id) => ({ project_id: "p", operation_id: id, at, boxes: [{ change: "append", box_id: "log", card_ids: [id] }] });
const create = { project_id: "p", operation_id: "make", at, boxes: [{ change: "create", box: { box_id: "log", card_ids: [], parent_ids: [], version: 1, deleted_at: null } }] };

test("four processes append to one box: every operation once, in order", async () => {
  const path = fresh();
  await fileStore(path).commit(create);
  const module = fileURLToPath(new URL("../../pkg/stores/file.js", import.meta.url));
  const script = `
    import { fileStore } from ${JSON.stringify(module)};
    const store = fileStore(${JSON.stringify(path)});
    for (let step = 0; step < 25; step += 1) {
      const id = process.argv[1] + "_" + step;
      const writes = { project_id: "p", operation_id: id, at: ${JSON.stringify(at)}, boxes: [{ change: "append", box_id: "log", card_ids: [id] }] };
      await store.commit(writes);
      if (step % 5 === 0 && !(await store.commit(writes)).repeated) throw new Error(id + " applied twice");
    }`;
  const names = ["a", "b", "c", "d"];
  const codes = await Promise.all(names.map((name) => new Promise((resolve) => {
    spawn(process.execPath, ["--input-type=module", "-e", script, name], { stdio: "inherit" }).once("close", resolve);
  })));
  assert.deepEqual(codes, [0, 0, 0, 0]);
  const { boxes } = JSON.parse(await fileStore(path).read({ project_id: "p", boxes: ["log"] }));
  assert.equal(boxes[0].card_ids.length, 100);
  for (const name of names) assert.deepEqual(boxes[0].card_ids.filter((id) => id.startsWith(name)), Array.from({ length: 25 }, (_, step) => `${name}_${step}`));
  assert.deepEqual(readdirSync(folder).filter((name) => !name.endsWith(".json")), [], "nothing is left behind");
});

test("what another process wrote is seen by the next read", async () => {
  const path = fresh();
  const [one, other] = [fileStore(path), fileStore(path)];
  assert.deepEqual(JSON.parse(await one.read({ project_id: "p", boxes: ["log"] })).boxes, []);
  await other.commit(create);
  assert.equal(JSON.parse(await one.read({ project_id: "p", boxes: ["log"] })).boxes.length, 1);
});

test("a file that is no store, a folder that is not there and a lock that stays are named, and nothing is written", async () => {
  const broken = fresh();
  writeFileSync(broken, "{ not json");
  await assert.rejects(fileStore(broken).read({ project_id: "p", boxes: ["b"] }), { code: "store", path: "store.read" });
  await assert.rejects(fileStore(broken).commit(create), { code: "store", path: "store.commit" });
  assert.equal(readFileSync(broken, "utf8"), "{ not json");
  await assert.rejects(fileStore(join(folder, "none/project.json")).commit(create), { code: "store", path: "store.commit" });
  await assert.rejects(fileStore(folder).read({ project_id: "p", boxes: ["b"] }), { code: "store" });

  const path = fresh();
  await fileStore(path).commit(create);
  const before = readFileSync(path, "utf8");
  writeFileSync(`${path}.lock`, "4711\n");
  await assert.rejects(fileStore(path, { wait_ms: 50 }).commit(append("x")), { code: "store", message: /locked by process 4711; if that no longer runs, delete `.+\.lock`/ });
  assert.equal(readFileSync(path, "utf8"), before);
  for (const wrong of [undefined, "", 7]) assert.throws(() => fileStore(wrong), { code: "bad_request", path: "path" });
});

test("a commit that is refused leaves the file as it was", async () => {
  const path = fresh();
  const store = fileStore(path);
  await store.commit(create);
  const before = readFileSync(path, "utf8");
  await assert.rejects(store.commit({ ...create, operation_id: "again" }), { code: "conflict" });
  assert.equal(readFileSync(path, "utf8"), before);
  assert.equal((await store.commit(create)).repeated, true);
});
