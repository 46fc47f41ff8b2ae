// The store in a file of SQLite satisfies the contract, on every driver that this runtime has.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { open } from "../../pkg/index.js";
import { sqliteStore } from "../../pkg/stores/sqlite.js";
import { testStore } from "../../pkg/testing.js";
import { onlyDeep } from "../support/deep.mjs";
import { checkErasure } from "../support/erasure.mjs";
import { NO_DRIVER, openDatabase } from "../support/sqlite.mjs";
import { sizes } from "./sizes.mjs";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-sqlite-"));
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
const path = (name) => join(folder, name);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

// without a driver, each test is skipped with its reason
const options = openDatabase === undefined ? onlyDeep(NO_DRIVER) : {};
const database = openDatabase?.(path("contract.db"));
const store = database && (await sqliteStore(database));
if (store === undefined) test("sqlite: the contract of a store", options, () => {});
else testStore(test, "sqlite", () => store, { sizes });

const NEWER = {
  code: "store",
  message: /schema version 9, made by a newer version of this package; expected 1: use a newer version/,
  details: { reason: "newer", schema_version: 9 },
};

/** Runs statements on a file. */
function run(name, sql) {
  const other = openDatabase(path(name));
  other.exec(sql);
  other.close();
}

test("the file does not have the content of an erased card", options, async () => {
  const own = mkdtempSync(join(folder, "erased-"));
  await checkErasure(await sqliteStore(openDatabase(join(own, "project.db"))), own);
});

test("the file has the documented schema", options, () => {
  const value = (name) => database.prepare(`pragma ${name}`).get()[name];
  assert.equal(value("user_version"), 1);
  assert.equal(value("application_id"), 0x746b6278);
  assert.equal(value("journal_mode"), "wal");
  const columns = database.prepare("select name from pragma_table_info('tuckbox_rows')").all();
  assert.deepEqual(
    columns.map(({ name }) => name),
    ["project_id", "shelf", "key", "text"],
  );
});

test("files of other programs and of other versions are refused", options, async () => {
  for (const [name, sql] of [
    ["other.db", "create table users (id)"],
    // programs often give their schema a version, without an application id
    ["versioned.db", "create table users (id); pragma user_version = 1"],
    ["later.db", "pragma user_version = 9"],
  ]) {
    run(name, sql);
    const before = readFileSync(path(name));
    await assert.rejects(sqliteStore(openDatabase(path(name))), { code: "store", message: /another program/ });
    assert.deepEqual(readFileSync(path(name)), before, name);
  }
  run("new.db", `pragma application_id = ${0x746b6278}; pragma user_version = 9`);
  const before = readFileSync(path("new.db"));
  await assert.rejects(sqliteStore(openDatabase(path("new.db"))), NEWER);
  assert.deepEqual(readFileSync(path("new.db")), before);
  writeFileSync(path("text.db"), "not a database, but long enough to be read".repeat(40));
  await assert.rejects(sqliteStore(openDatabase(path("text.db")), { timeoutMs: 0 }), { code: "store" });
});

test("a store refuses a file that a newer version migrated after it was opened", options, async () => {
  const store = await sqliteStore(openDatabase(path("migrated.db")));
  const writes = { project_id: "p", operation_id: "o", at: "2026-01-04T10:30:00.000Z", files: [{ path: "f", text: "x" }] };
  await store.commit(writes);
  run("migrated.db", "pragma user_version = 9");
  await assert.rejects(store.commit({ ...writes, operation_id: "later" }), NEWER);
  await assert.rejects(store.addProfiles("p", [{ name: "Writer", profile_box_id: "pb" }]), NEWER);
  await assert.rejects(store.read({ project_id: "p", files: ["f"] }), NEWER);
  run("migrated.db", "pragma user_version = 1");
  const { operations } = JSON.parse(await store.read({ project_id: "p", operations: ["o", "later"] }));
  assert.deepEqual(
    operations.map(({ operation_id }) => operation_id),
    ["o"],
  );
  assert.deepEqual(store.listed("p").profile_names, []);
  store.close();
});

test("unknown options are refused", options, async () => {
  await assert.rejects(sqliteStore(database, { color: 1 }), { code: "bad_request", path: "color" });
  await assert.rejects(sqliteStore(database, { timeoutMs: "1" }), { code: "bad_request", path: "timeoutMs" });
});

test("two connections to one file see each other's commits", options, async () => {
  const [one, other] = [await sqliteStore(openDatabase(path("two.db"))), await sqliteStore(openDatabase(path("two.db")))];
  const project = await open(one, { projectId: "p1" });
  await project.boxes.create({ box_id: "notes", card_ids: ["n1"] });
  const found = await (await open(other, { projectId: "p1" })).boxes.get({ box_ids: ["notes"] });
  assert.deepEqual(found.boxes[0].card_ids, ["n1"]);
  await one.addProfiles("p1", [{ name: "Writer", profile_box_id: "pb" }]);
  assert.deepEqual(other.projects(), ["p1"]);
  assert.deepEqual(other.listed("p1"), { box_ids: ["notes"], agent_ids: [], profile_names: ["Writer"] });
  one.close();
  other.close();
});

test("the command line works on a file of SQLite", options, async () => {
  const file = path("command.db");
  const args = path("box.json");
  writeFileSync(args, '{"box_id":"notes","card_ids":["n1"]}');
  const command = [here("../../pkg/bin/tuckbox.js"), "call", "create_box", args, "--store", file, "--project", "p1", "--commit", "--json"];
  // the folder has a driver for runtimes without one
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", ...command], { cwd: here("../consumers/deep") });
  assert.match(stdout, /"notes"/);
  const written = await sqliteStore(openDatabase(file));
  assert.deepEqual(written.listed("p1").box_ids, ["notes"]);
  written.close();
});

const kills = onlyDeep("kills 200 processes");
test("killed processes lose nothing that was answered", kills, async () => {
  const file = path("kills.db");
  const store = await sqliteStore(openDatabase(file));
  const project = await open(store, { projectId: "p1" });
  await project.boxes.create({ box_id: "log", card_ids: [] });
  const answered = [];
  for (let kill = 0; kill < 200; kill += 1) {
    const child = spawn(process.execPath, ["--no-warnings", here("./sqlite_host.mjs"), file, `w${kill}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let lines = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      answered.push(line);
      lines += 1;
      if (lines === 1 + (kill % 5)) child.kill("SIGKILL");
    }
  }
  const { boxes } = await (await open(store, { projectId: "p1" })).boxes.get({ box_ids: ["log"] });
  const found = new Set(boxes[0].card_ids);
  assert.equal(found.size, boxes[0].card_ids.length);
  assert.deepEqual(
    answered.filter((id) => !found.has(id)),
    [],
  );
  store.close();
});
