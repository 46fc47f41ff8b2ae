// The lock of a project file. No acknowledged commit is lost when processes, containers or disks fail.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../pkg/lib/clock.js";
import { VirtualClock } from "../../pkg/lib/contract/clock.js";
import { Lock, TAKE_OVER_MS } from "../../pkg/lib/file/lock.js";
import { nameOf } from "../../pkg/lib/file/owner.js";
import { fileStore } from "../../pkg/stores/file.js";
import { times } from "../support/deep.mjs";
import { recordDisk } from "../support/disk.mjs";
import { awaited, GUARD_MS, until } from "../support/until.mjs";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-file-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the path of a new file in a new folder. */
const fresh = () => join(mkdtempSync(join(folder, "at-")), "project.json");
const otherFiles = (path) => readdirSync(join(path, "..")).filter((name) => name !== "project.json");

const at = "2026-01-04T10:30:00.000Z";
const append = (id) => ({ project_id: "p", operation_id: id, at, boxes: [{ change: "append", box_id: "log", card_ids: [id] }] });
const create = {
  project_id: "p",
  operation_id: "make",
  at,
  boxes: [{ change: "create", box: { box_id: "log", card_ids: [], parent_ids: [], version: 1, deleted_at: null } }],
};

/** Creates a file with the box `log` and returns its path. */
async function made() {
  const path = fresh();
  await fileStore(path).commit(create);
  return path;
}

async function logOf(path) {
  return JSON.parse(await fileStore(path).read({ project_id: "p", boxes: ["log"] })).boxes[0].card_ids;
}

/** Commits on a virtual clock, so waiting for the lock takes no real time. */
function commitAtOnce(path, writes, waitMs) {
  const clock = new VirtualClock();
  return clock.run(() => fileStore(path, { waitMs, clock }).commit(writes));
}

/** Creates a lock of another owner. */
function lockedBy(path, name) {
  mkdirSync(`${path}.lock`);
  writeFileSync(join(`${path}.lock`, name), "");
}

const module = fileURLToPath(new URL("../../pkg/stores/file.js", import.meta.url));

/** Returns the arguments of a process that runs `script`. `store` in the script is the store of `path`. */
const program = (path, script) => [
  "--input-type=module",
  "-e",
  `import { fileStore } from ${JSON.stringify(module)};
  const store = fileStore(${JSON.stringify(path)}, { waitMs: ${GUARD_MS} });
  const append = (id) => store.commit({ project_id: "p", operation_id: id, at: ${JSON.stringify(at)}, boxes: [{ change: "append", box_id: "log", card_ids: [id] }] });
  ${script}`,
];

/** Returns the name of an owner that this process cannot look up: of another PID namespace or another machine. */
async function foreignName(pid) {
  const [id, , started, namespace, boot] = (await nameOf(globalThis.crypto.randomUUID())).split(".");
  return [id, pid, started ?? 1, Number(namespace ?? 0) + 1, boot ?? "0"].join(".");
}

async function endedProcess() {
  const child = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => child.once("close", resolve));
  return child.pid;
}

test("processes in separate PID namespaces with one host name lose no commit", async () => {
  const [path, steps] = [await made(), times(6, 40)];
  const script = `for (let step = 0; step < ${steps}; step += 1) { await append(process.argv[1] + "_" + step); console.log(step); }`;
  const apart = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
  // without the right to create namespaces, the processes share one
  const isAllowed = spawnSync("unshare", [...apart, "true"]).status === 0;
  const names = ["a", "b", "c"];
  const runs = names.map((name) => {
    const own = [...program(path, script), name];
    const child = isAllowed
      ? spawn("unshare", [...apart, process.execPath, ...own], { stdio: ["ignore", "pipe", "inherit"] })
      : spawn(process.execPath, own, { stdio: ["ignore", "pipe", "inherit"] });
    let acknowledged = "";
    child.stdout.on("data", (text) => (acknowledged += text));
    return new Promise((resolve) => child.once("close", (code) => resolve({ code, steps: acknowledged.trim().split("\n").length })));
  });
  assert.deepEqual(
    await Promise.all(runs),
    names.map(() => ({ code: 0, steps })),
  );
  const log = await logOf(path);
  assert.deepEqual([...log].sort(), names.flatMap((name) => Array.from({ length: steps }, (_, step) => `${name}_${step}`)).sort());
  assert.deepEqual(otherFiles(path), []);
});

test("an owner in another namespace loses the lock after 5 seconds without a heartbeat", async () => {
  const path = await made();
  lockedBy(path, await foreignName(await endedProcess()));
  const before = readFileSync(path, "utf8");
  await assert.rejects(commitAtOnce(path, append("early"), TAKE_OVER_MS - 500), {
    code: "store",
    path: "store.commit",
    message: /project\.json` is locked by another process; try again later, or wait longer with `waitMs`/,
  });
  assert.equal(readFileSync(path, "utf8"), before);
  await commitAtOnce(path, append("late"), 2 * TAKE_OVER_MS);
  assert.deepEqual(await logOf(path), ["late"]);
  assert.deepEqual(otherFiles(path), []);
});

test("a store with a short wait adds up the time of its attempts to get a lock", async () => {
  const path = await made();
  lockedBy(path, await foreignName(1));
  const clock = new VirtualClock();
  const store = fileStore(path, { waitMs: 1000, clock });
  let refused = 0;
  await clock.run(async () => {
    while (
      await store.commit(append("x")).then(
        () => false,
        () => true,
      )
    )
      refused += 1;
  });
  assert.ok(refused >= 3 && refused <= 6, `${refused} refused`);
});

test("an owner with a heartbeat keeps the lock", async () => {
  const path = await made();
  const name = await foreignName(1);
  lockedBy(path, name);
  let [beats, waited] = [0, 0];
  const clock = {
    ...systemClock,
    setTimeout(work, ms) {
      waited += ms;
      if (waited > beats * (TAKE_OVER_MS - 1000)) {
        beats += 1;
        utimesSync(join(`${path}.lock`, name), beats, beats);
      }
      return setImmediate(work);
    },
  };
  await assert.rejects(fileStore(path, { waitMs: 10 * TAKE_OVER_MS, clock }).commit(append("x")), {
    message: /is locked by another process/,
  });
  assert.ok(beats >= 10);
});

test("an owner writes at least two heartbeats before its lock can expire", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const path = await made();
  const held = await new Lock(path, new VirtualClock()).take();
  const [name] = readdirSync(`${path}.lock`);
  const time = () => statSync(join(`${path}.lock`, name)).mtimeMs;
  for (let beat = 0; beat < 2; beat += 1) {
    utimesSync(join(`${path}.lock`, name), 1, 1);
    t.mock.timers.tick(TAKE_OVER_MS / 2);
    await until("the heartbeat is written", time, (ms) => ms > 1000, { guard_ms: 60_000 });
  }
  await held.release();
  assert.deepEqual(otherFiles(path), []);
});

test("a process that pauses before its rename loses no commit of another process", async (t) => {
  // without heartbeats, however long the other process takes
  t.mock.timers.enable({ apis: ["setInterval"] });
  const path = await made();
  let isPaused = false;
  const disk = recordDisk(async ({ op, path: to }) => {
    if (op !== "rename" || to !== path || isPaused) return;
    isPaused = true;
    // another process takes the lock and commits
    await commitAtOnce(path, append("other"), GUARD_MS);
  });
  try {
    assert.equal((await fileStore(path).commit(append("paused"))).repeated, false);
  } finally {
    disk.restore();
  }
  assert.deepEqual(await logOf(path), ["other", "paused"]);
  assert.deepEqual(otherFiles(path), []);
});

test("a process that always loses its lock reports an error and writes nothing", async () => {
  const path = await made();
  const before = readFileSync(path, "utf8");
  const disk = recordDisk(async ({ op, path: to }) => {
    if (op === "rename" && to === path) for (const name of readdirSync(`${path}.lock`)) rmSync(join(`${path}.lock`, name));
  });
  try {
    await assert.rejects(fileStore(path).commit(append("x")), { code: "store", message: /other processes took the lock over 5 times/ });
  } finally {
    disk.restore();
  }
  assert.equal(readFileSync(path, "utf8"), before);
  assert.deepEqual(otherFiles(path), []);
});

test("a commit is acknowledged after its content and then its folder are synced", async () => {
  const path = fresh();
  const store = fileStore(path);
  const steps = async (writes) => {
    const disk = recordDisk();
    try {
      await store.commit(writes);
    } finally {
      disk.restore();
    }
    const isContent = (name) => name.startsWith(`${path}.lock`);
    return disk.events
      .filter((event) => !(event.op === "rename" && event.path === `${path}.lock`))
      .map((event) => `${event.op} ${isContent(event.path) ? "content" : event.path === path ? "file" : event.path}`);
  };
  const durable = ["write content", "sync content", "rename file", `sync ${join(path, "..")}`];
  assert.deepEqual(await steps(create), durable);
  assert.deepEqual(await steps(append("a")), durable);
  // the process that applied the operation can have ended before the sync
  assert.deepEqual(await steps(append("a")), [`sync ${join(path, "..")}`]);
});

test("an ended owner in the same namespace loses its lock at once, and its files are removed", async () => {
  const path = await made();
  const [id, , started, ...rest] = (await nameOf(globalThis.crypto.randomUUID())).split(".");
  const pids =
    rest.length === 0
      ? []
      : [
          [await endedProcess(), started],
          [process.pid, 1],
        ];
  for (const [pid, since] of pids) {
    lockedBy(path, [id, pid, since, ...rest].join("."));
    // files of a process that was killed before it had the lock
    mkdirSync(`${path}.${globalThis.crypto.randomUUID()}.new`);
    await fileStore(path, { waitMs: 1 }).commit(append(`after_${pid}`));
    assert.deepEqual(otherFiles(path), []);
  }
});

test("a lock without an owner is free, and the error names a file in place of the lock", async () => {
  const path = await made();
  mkdirSync(`${path}.lock`);
  await fileStore(path, { waitMs: 1 }).commit(append("a"));
  assert.deepEqual(otherFiles(path), []);
  writeFileSync(`${path}.lock`, "");
  await assert.rejects(fileStore(path).commit(append("b")), { code: "store", message: /\.lock` is not the folder of a lock; delete it/ });
});

test("a file and a link to it share one lock", async () => {
  const path = await made();
  const link = fresh();
  symlinkSync(path, link);
  lockedBy(path, await nameOf(globalThis.crypto.randomUUID()));
  await assert.rejects(commitAtOnce(link, append("x"), 500), { code: "store", message: /is locked by/ });
});

test("processes that are killed during a commit leave no lock and no files", async () => {
  const path = await made();
  const script = `for (let step = 0; ; step += 1) { process.stdout.write(step + " "); await append(process.argv[1] + "_" + step); }`;
  for (let round = 0; round < times(2, 20); round += 1) {
    const child = spawn(process.execPath, [...program(path, script), `r${round}`], { stdio: ["ignore", "pipe", "inherit"] });
    const gone = new Promise((resolve) => child.once("close", resolve));
    let begun = "";
    const third = new Promise((resolve) => child.stdout.on("data", (text) => (begun += text).includes("2 ") && resolve()));
    await awaited("the third commit begins", third, () => begun);
    // the process is inside that commit or a later one
    setTimeout(() => child.kill("SIGKILL"), Math.random() * 20);
    await gone;
    await fileStore(path, { waitMs: GUARD_MS }).commit(append(`after_${round}`));
    assert.deepEqual(otherFiles(path), [], "no other file remains");
  }
  const log = await logOf(path);
  assert.equal(new Set(log).size, log.length);
});
