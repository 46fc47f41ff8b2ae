// The file store satisfies the contract. Processes that share a file lose no commit.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { fileStore } from "../../pkg/stores/file.js";
import { testStore } from "../../pkg/testing.js";
import { times } from "../support/deep.mjs";
import { checkErasure } from "../support/erasure.mjs";
import { GUARD_MS } from "../support/until.mjs";
import { sizes } from "./sizes.mjs";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-file-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const fresh = () => join(folder, `${(count += 1)}.json`);
testStore(test, "file", () => fileStore(fresh()), { sizes: { ...sizes, cards: 300 } });

test("the file does not have the content of an erased card", async () => {
  const own = mkdtempSync(join(folder, "erased-"));
  await checkErasure(fileStore(join(own, "project.json")), own);
  rmSync(own, { recursive: true });
});

const at = "2026-01-04T10:30:00.000Z";
const append = (id) => ({ project_id: "p", operation_id: id, at, boxes: [{ change: "append", box_id: "log", card_ids: [id] }] });
const create = {
  project_id: "p",
  operation_id: "make",
  at,
  boxes: [{ change: "create", box: { box_id: "log", card_ids: [], parent_ids: [], version: 1, deleted_at: null } }],
};

test("four processes append to one box: each operation applies once, in order", async () => {
  const [path, steps] = [fresh(), times(10, 25)];
  await fileStore(path).commit(create);
  const module = fileURLToPath(new URL("../../pkg/stores/file.js", import.meta.url));
  const script = `
    import { fileStore } from ${JSON.stringify(module)};
    const store = fileStore(${JSON.stringify(path)}, { waitMs: ${GUARD_MS} });
    for (let step = 0; step < ${steps}; step += 1) {
      const id = process.argv[1] + "_" + step;
      const writes = { project_id: "p", operation_id: id, at: ${JSON.stringify(at)}, boxes: [{ change: "append", box_id: "log", card_ids: [id] }] };
      await store.commit(writes);
      if (step % 5 === 0 && !(await store.commit(writes)).repeated) throw new Error(id + " applied twice");
    }`;
  const names = ["a", "b", "c", "d"];
  const codes = await Promise.all(
    names.map(
      (name) =>
        new Promise((resolve) => {
          spawn(process.execPath, ["--input-type=module", "-e", script, name], { stdio: "inherit" }).once("close", resolve);
        }),
    ),
  );
  assert.deepEqual(codes, [0, 0, 0, 0]);
  const { boxes } = JSON.parse(await fileStore(path).read({ project_id: "p", boxes: ["log"] }));
  assert.equal(boxes[0].card_ids.length, 4 * steps);
  for (const name of names)
    assert.deepEqual(
      boxes[0].card_ids.filter((id) => id.startsWith(name)),
      Array.from({ length: steps }, (_, step) => `${name}_${step}`),
    );
  assert.deepEqual(
    readdirSync(folder).filter((name) => !name.endsWith(".json")),
    [],
    "no other file remains",
  );
});

test("a read returns what another process wrote", async () => {
  const path = fresh();
  const [one, other] = [fileStore(path), fileStore(path)];
  assert.deepEqual(JSON.parse(await one.read({ project_id: "p", boxes: ["log"] })).boxes, []);
  await other.commit(create);
  assert.equal(JSON.parse(await one.read({ project_id: "p", boxes: ["log"] })).boxes.length, 1);
});

test("the error names an invalid file or a missing folder, and the store writes nothing", async () => {
  const broken = fresh();
  writeFileSync(broken, "{ not json");
  await assert.rejects(fileStore(broken).read({ project_id: "p", boxes: ["b"] }), { code: "store", path: "store.read" });
  await assert.rejects(fileStore(broken).commit(create), { code: "store", path: "store.commit" });
  assert.equal(readFileSync(broken, "utf8"), "{ not json");
  await assert.rejects(fileStore(join(folder, "none/project.json")).commit(create), { code: "store", path: "store.commit" });
  await assert.rejects(fileStore(folder).read({ project_id: "p", boxes: ["b"] }), { code: "store" });

  for (const wrong of [undefined, "", 7]) assert.throws(() => fileStore(wrong), { code: "bad_request", path: "path" });
});

test("a refused commit does not change the file", async () => {
  const path = fresh();
  const store = fileStore(path);
  await store.commit(create);
  const before = readFileSync(path, "utf8");
  await assert.rejects(store.commit({ ...create, operation_id: "again" }), { code: "conflict" });
  assert.equal(readFileSync(path, "utf8"), before);
  assert.equal((await store.commit(create)).repeated, true);
});

test("the file keeps its mode, and a link to it remains a link", async () => {
  const path = fresh();
  await fileStore(path).commit(create);
  chmodSync(path, 0o640);
  await fileStore(path).commit(append("a"));
  assert.equal(statSync(path).mode & 0o777, 0o640);

  const link = fresh();
  symlinkSync(path, link);
  await fileStore(link).commit(append("b"));
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.deepEqual(JSON.parse(await fileStore(path).read({ project_id: "p", boxes: ["log"] })).boxes[0].card_ids, ["a", "b"]);
  assert.equal(statSync(path).mode & 0o777, 0o640);

  // a commit through a link to a missing file creates that file
  const [later, early] = [fresh(), fresh()];
  symlinkSync(later, early);
  await fileStore(early).commit(create);
  assert.ok(lstatSync(early).isSymbolicLink() && statSync(later).isFile());
});

test("the store does not write through a link in place of a temporary file", async () => {
  const place = mkdtempSync(join(folder, "shared-"));
  const [path, victim] = [join(place, "project.json"), join(place, "victim")];
  writeFileSync(victim, "mine");
  await fileStore(path).commit(create);
  // an earlier version used this name for temporary files
  symlinkSync(victim, `${path}.${process.pid}.new`);
  await fileStore(path).commit(append("a"));
  assert.equal(readFileSync(victim, "utf8"), "mine");
  assert.ok(lstatSync(path).isFile());
});

test("members and tables of other software keep their exact bytes", async () => {
  const path = fresh();
  const members = [
    '"format":1',
    '"looking": {"view" : "boxes", "n": 1.50}',
    '"calls":[{"op":"pack_context","big":123456789012345678901234567890}]',
    '"a \\"name\\"":"\\u00e9"',
  ];
  const table = '{"table":"of_another_version","key":["k"],"version":"v 1","row":{"n": 1.0}}';
  const project = `{"project_id":"p","boxes":[{"box_id":"log","card_ids":[],"parent_ids":[],"version":1,"deleted_at":null}],"rows":[${table}],"drawings": [ {"x":1e2} ]}`;
  writeFileSync(path, `{${members.join(",")},"projects":[${project}],"last":null}`);
  await fileStore(path).commit(append("a"));
  await fileStore(path).addProfiles("p", [{ name: "Writer", profile_box_id: "pb" }]);
  const text = readFileSync(path, "utf8");
  for (const kept of [
    ...members.map((member) => member.slice(member.indexOf(":") + 1).trim()),
    table,
    '"drawings":[ {"x":1e2} ]',
    '"last":null',
  ])
    assert.ok(text.includes(kept), kept);
  assert.deepEqual(Object.keys(JSON.parse(text)), ["format", "looking", "calls", 'a "name"', "last", "projects"]);
  assert.deepEqual(JSON.parse(await fileStore(path).read({ project_id: "p", boxes: ["log"] })).boxes[0].card_ids, ["a"]);
});

test("the store refuses a file of a newer package version and writes nothing", async () => {
  for (const [format, message] of [
    ["2", /format 2, made by a newer version of this package; expected format 1: use a newer version/],
    ["99", /format 99/],
    ["1e3", /`format` must be a whole number, found `1e3`/],
    ['"1"', /`format` must be a whole number/],
    ["null", /`format` must be a whole number/],
  ]) {
    const path = fresh();
    const text = `{"format":${format},"projects":[{"project_id":"p"}]}`;
    writeFileSync(path, text);
    const store = fileStore(path);
    await assert.rejects(store.read({ project_id: "p", boxes: ["log"] }), { code: "store", path: "store.read", message });
    await assert.rejects(store.commit(create), { code: "store", path: "store.commit", message });
    await assert.rejects(store.addProfiles("p", [{ name: "Writer", profile_box_id: "pb" }]), { code: "store", message });
    assert.equal(readFileSync(path, "utf8"), text);
  }
});
