// Stores, exports and lockfiles of every release open with this version; those of newer versions are refused.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { memoryStore, open } from "../../pkg/index.js";
import { fileStore } from "../../pkg/stores/file.js";
import { kvStore } from "../../pkg/stores/kv.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { sqliteStore } from "../../pkg/stores/sqlite.js";
import { onlyDeep } from "../support/deep.mjs";
import { NO_DRIVER, openDatabase } from "../support/sqlite.mjs";
import { entriesStore, seen } from "../upgrades/project.mjs";
import { poolOf, startPostgres } from "./server.mjs";

const fixtures = fileURLToPath(new URL("../upgrades/", import.meta.url));
const versions = readdirSync(fixtures).filter((name) => /^\d/.test(name));
const scratch = mkdtempSync(join(tmpdir(), "tuckbox-upgrades-"));
after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));

/** Checks that a store has the project of the fixtures, and that it can be changed. */
async function check(store, expected) {
  assert.deepEqual(await seen(store), expected);
  const project = await open(store, { projectId: "demo" });
  await project.boxes.append({ box_id: "notes", card_ids: ["n1"] });
  const { boxes } = await project.boxes.get({ box_ids: ["notes"] });
  assert.deepEqual(boxes[0].card_ids, ["n1", "n2", "n1"]);
}

for (const version of versions) {
  const text = (name) => readFileSync(`${fixtures}${version}/${name}`, "utf8");
  const copy = (name) => {
    const path = join(scratch, `${version}-${name}`);
    copyFileSync(`${fixtures}${version}/${name}`, path);
    return path;
  };
  const expected = JSON.parse(text("expected.json"));

  test(`${version}: an export, a file and a key-value database open`, async () => {
    await check(memoryStore(JSON.parse(text("export.json"))), expected);
    await check(fileStore(copy("project.json")), expected);
    await check(kvStore(entriesStore(new Map(JSON.parse(text("kv.json"))))), expected);
  });

  test(`${version}: a file of SQLite opens`, openDatabase === undefined ? onlyDeep(NO_DRIVER) : {}, async () => {
    const database = openDatabase(copy("project.db"));
    await check(await sqliteStore(database), expected);
    database.close();
  });

  test(`${version}: tables of PostgreSQL open after \`migrate\`, and before it the error names the command`, async (t) => {
    const server = await startPostgres();
    const pool = poolOf(server.url);
    t.after(async () => {
      await pool.end();
      await server.stop();
    });
    await pool.query(text("postgres.sql"));
    for (const { text: statement, values } of JSON.parse(text("postgres.json"))) await pool.query(statement, values);
    const store = pgStore(pool);
    // the tables of the version before
    await pool.query("delete from tuckbox_schema where version = (select max(version) from tuckbox_schema)");
    const project = await open(store, { projectId: "demo" });
    await assert.rejects(project.boxes.append({ box_id: "notes", card_ids: ["n1"] }), ({ code, message, details: { reason } }) => {
      assert.deepEqual([code, reason], ["store", "not_migrated"]);
      assert.match(message, /run `migrate\(\)` of the store once, or `npx tuckbox migrate --commit`/);
      return true;
    });
    assert.deepEqual(await seen(store), expected);
    await store.migrate();
    await check(store, expected);
  });

  test(`${version}: a lockfile opens`, async () => {
    const project = await open(memoryStore(), { projectId: "demo" });
    const { entries } = await project.lock.read({ lock: text("tuckbox.lock") });
    assert.ok(entries.length > 0);
  });
}

test("exports and lockfiles of newer versions are refused", async () => {
  const message = "it has format 2, made by a newer version of this package; expected format 1: use a newer version";
  assert.throws(() => memoryStore({ format: 2, projects: [] }), { code: "bad_request", message });
  const lock = readFileSync(`${fixtures}${versions.at(-1)}/tuckbox.lock`, "utf8").replace("v1", "v2");
  const project = await open(memoryStore(), { projectId: "demo" });
  await assert.rejects(project.lock.read({ lock }), { message: /unsupported version `2`; expected `1`; use the release of tuckbox/ });
});
