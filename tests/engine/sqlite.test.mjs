// The engine satisfies its contract on a file of SQLite. Two engines and a command share one file.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { engine } from "../../pkg/engine.js";
import { open } from "../../pkg/index.js";
import { sqliteStore } from "../../pkg/stores/sqlite.js";
import { testEngine } from "../../pkg/testing.js";
import { onlyDeep } from "../support/deep.mjs";
import { NO_DRIVER, openDatabase } from "../support/sqlite.mjs";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-sqlite-engine-"));
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const opened = (name) => sqliteStore(openDatabase(join(folder, name)));

// without a driver, each test is skipped with its reason
const options = openDatabase === undefined ? onlyDeep(NO_DRIVER) : {};
/** Parts of the names of the cases in fast tests. The other cases run the same rules on other stores. */
const FAST = ["a turn runs", "a lead forks three"];
if (openDatabase === undefined) test("sqlite: the contract of an engine", options, () => {});
else {
  const store = await opened("contract.db");
  const chosen = (name, run) =>
    test(name, FAST.some((start) => name.includes(start)) ? {} : onlyDeep("the same rules run on other stores"), run);
  testEngine(chosen, "sqlite", () => ({ open, store }));
}

/** Runs `tuckbox` where a driver for runtimes without one is installed. Returns its value. */
async function tuckbox(...args) {
  const command = ["--no-warnings", here("../../pkg/bin/tuckbox.js"), ...args, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: here("../consumers/deep") });
  // an engine prints its events before
  return JSON.parse(stdout.trimEnd().split("\n").at(-1)).value;
}

test("engines of two processes and the inspector's commands share a file", options, async () => {
  const file = join(folder, "shared.db");
  assert.deepEqual(await tuckbox("migrate", "--store", file), { migrated: false });
  assert.throws(() => readFileSync(file), { code: "ENOENT" });
  await tuckbox("migrate", "--store", file, "--commit");
  assert.equal(readFileSync(file).toString("latin1", 0, 15), "SQLite format 3");

  const store = await opened("shared.db");
  const one = engine({ open, store, projectId: "p1" });
  const profile = { name: "Writer", llm_config: { model: "gpt-5" } };
  await one.profile(profile);
  await one.provision({ agent_id: "a1", profile: "Writer" });
  // the other process sees the agent, and makes what is due
  const listed = await tuckbox("call", "list_agents", "--store", file, "--project", "p1");
  assert.match(JSON.stringify(listed), /"a1"/);
  const tick = await tuckbox("engine", "--store", file, "--project", "p1", "--once");
  assert.deepEqual(Object.keys(tick).sort(), ["failed", "made", "sent"]);
  await one.close();
  store.close();
});
