// A file keeps the contract, and processes that share it lose nothing of each other.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { VirtualClock } from "../../pkg/lib/contract/clock.js";
import { fileStore } from "../../pkg/stores/file.js";
import { testStore } from "../../pkg/testing.js";
import { times } from "../support/deep.mjs";
import { awaited, GUARD_MS } from "../support/until.mjs";
import { sizes } from "./sizes.mjs";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-file-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const fresh = () => join(folder, `${(count += 1)}.json`);
testStore(test, "file", () => fileStore(fresh()), { sizes: { ...sizes, cards: 300 } });

const at = "2026-01-04T10:30:00.000Z";
const append = (id) => ({ project_id: "p", operation_id: id, at, boxes: [{ change: "append", box_id: "log", card_ids: [id] }] });
const create = {
  project_id: "p",
  operation_id: "make",
  at,
  boxes: [{ change: "create", box: { box_id: "log", card_ids: [], parent_ids: [], version: 1, deleted_at: null } }],
};

/** Commits while another process holds the lock; the time that it waits passes at once. */
function commitLocked(path, writes) {
  const clock = new VirtualClock();
  return clock.run(() => fileStore(path, { wait_ms: 500, clock }).commit(writes));
}

test("four processes append to one box: every operation once, in order", async () => {
  const [path, steps] = [fresh(), times(10, 25)];
  await fileStore(path).commit(create);
  const module = fileURLToPath(new URL("../../pkg/stores/file.js", import.meta.url));
  const script = `
    import { fileStore } from ${JSON.stringify(module)};
    const store = fileStore(${JSON.stringify(path)}, { wait_ms: ${GUARD_MS} });
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
    "nothing is left behind",
  );
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
  writeFileSync(`${path}.lock`, JSON.stringify({ pid: process.pid, host: hostname(), started: null }));
  await assert.rejects(commitLocked(path, append("x")), {
    code: "store",
    message: new RegExp(`locked by process ${process.pid}; if it no longer runs, delete \`.+\\.lock\``),
  });
  // nobody here can say whether a process of another machine still runs
  writeFileSync(`${path}.lock`, JSON.stringify({ pid: 4711, host: "elsewhere", started: null }));
  await assert.rejects(commitLocked(path, append("x")), { code: "store", message: /locked by process 4711 on `elsewhere`/ });
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

/** A process that ended: its number belongs to nobody. */
async function endedProcess() {
  const child = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => child.once("close", resolve));
  return child.pid;
}

test("the file keeps its mode, and a link to it stays a link", async () => {
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

  // a link to a file that is not there yet makes that file
  const [later, early] = [fresh(), fresh()];
  symlinkSync(later, early);
  await fileStore(early).commit(create);
  assert.ok(lstatSync(early).isSymbolicLink() && statSync(later).isFile());
});

test("both names of a file share one lock", async () => {
  const [path, link] = [fresh(), fresh()];
  await fileStore(path).commit(create);
  symlinkSync(path, link);
  writeFileSync(`${path}.lock`, JSON.stringify({ pid: process.pid, host: hostname(), started: null }));
  await assert.rejects(commitLocked(link, append("x")), { code: "store", message: /locked/ });
  rmSync(`${path}.lock`);
});

test("nothing is written through what somebody put in the way of a temporary file", async () => {
  const place = mkdtempSync(join(folder, "shared-"));
  const [path, victim] = [join(place, "project.json"), join(place, "victim")];
  writeFileSync(victim, "mine");
  await fileStore(path).commit(create);
  // the name that a file of this process had before
  symlinkSync(victim, `${path}.${process.pid}.new`);
  await fileStore(path).commit(append("a"));
  assert.equal(readFileSync(victim, "utf8"), "mine");
  assert.ok(lstatSync(path).isFile());
});

test("a lock whose owner is gone is taken over, whatever it left behind", async () => {
  const pid = await endedProcess();
  const place = mkdtempSync(join(folder, "left-"));
  const path = join(place, "project.json");
  await fileStore(path).commit(create);
  const dead = JSON.stringify({ pid, host: hostname(), started: null });
  for (const [at, left] of [["lock"], ["lock", "lock.claim"], ["lock", "lock.claim", "lock.claim.claim"]].entries()) {
    for (const name of left) writeFileSync(`${path}.${name}`, dead);
    writeFileSync(`${path}.${globalThis.crypto.randomUUID()}.new`, "{ half");
    await fileStore(path, { wait_ms: GUARD_MS }).commit(append(`after_${at}`));
    assert.deepEqual(readdirSync(place), ["project.json"]);
  }
  // the number of the owner went to another process since
  writeFileSync(`${path}.lock`, JSON.stringify({ pid: process.pid, host: hostname(), started: "1" }));
  if (process.platform === "linux") await fileStore(path, { wait_ms: GUARD_MS }).commit(append("reused"));
});

test("processes that are killed while they commit leave nothing that stops or shows", async () => {
  const place = join(folder, "killed");
  mkdirSync(place);
  const path = join(place, "project.json");
  await fileStore(path).commit(create);
  const module = fileURLToPath(new URL("../../pkg/stores/file.js", import.meta.url));
  const script = `
    import { fileStore } from ${JSON.stringify(module)};
    const store = fileStore(${JSON.stringify(path)});
    for (let step = 0; ; step += 1) {
      const id = process.argv[1] + "_" + step;
      process.stdout.write(step + " ");
      await store.commit({ project_id: "p", operation_id: id, at: ${JSON.stringify(at)}, boxes: [{ change: "append", box_id: "log", card_ids: [id] }] });
    }`;
  for (let round = 0; round < times(3, 20); round += 1) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, `r${round}`], { stdio: ["ignore", "pipe", "inherit"] });
    const gone = new Promise((resolve) => child.once("close", resolve));
    let begun = "";
    const third = new Promise((resolve) => child.stdout.on("data", (text) => (begun += text).includes("2 ") && resolve()));
    await awaited("the third commit begins", third, () => begun);
    // somewhere inside that commit or the next ones
    setTimeout(() => child.kill("SIGKILL"), Math.random() * 20);
    await gone;
    await fileStore(path, { wait_ms: GUARD_MS }).commit(append(`after_${round}`));
    assert.deepEqual(readdirSync(place), ["project.json"], "nothing is left behind");
  }
  const { boxes } = JSON.parse(await fileStore(path).read({ project_id: "p", boxes: ["log"] }));
  assert.equal(new Set(boxes[0].card_ids).size, boxes[0].card_ids.length);
});
