import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { writeEntry } from "../support/entry.mjs";

/** Runs files with these sources in one process. Returns the output of `node --test`. */
function run(sources) {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-entry-"));
  try {
    const files = sources.map((source, at) => {
      const file = join(folder, `${at}.test.mjs`);
      writeFileSync(file, `import test from "node:test";\n${source}`);
      return file;
    });
    const entry = writeEntry("node/entry-of-a-test", files);
    const env = { ...process.env };
    // a test runner inside a test prints for its parent otherwise
    delete env.NODE_TEST_CONTEXT;
    return spawnSync(process.execPath, ["--test", "--test-force-exit", "--test-reporter=spec", entry], { env, encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const EARLY = 'test("early", () => {});';

test("a file that waits before it declares its tests loses none", () => {
  const { stdout, status } = run([EARLY, 'await new Promise((resolve) => setTimeout(resolve, 300));\ntest("late", () => {});']);
  assert.match(stdout, /✔ early/);
  assert.match(stdout, /✔ late/);
  assert.equal(status, 0);
});

test("a file that cannot be loaded fails", () => {
  const { stdout, status } = run([EARLY, 'await null;\nthrow new Error("no server");']);
  assert.match(stdout, /no server/);
  assert.notEqual(status, 0);
});
