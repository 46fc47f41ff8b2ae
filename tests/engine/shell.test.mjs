// The simulator of the shell: engines, workers, stores and transports with faults from a seed.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onlyDeep } from "../support/deep.mjs";

const RUN = fileURLToPath(new URL("../shell/run.mjs", import.meta.url));

/** Runs seeds, and returns the summary. The output of a failed run has its seed and its events. */
async function run(...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, ...args], { maxBuffer: 1 << 26 }).catch((error) => {
    throw new assert.AssertionError({ message: error.stdout || error.stderr });
  });
  return stdout.trim().split("\n").at(-1);
}

test("faults of disk and network, crashes and wrong clocks lose nothing, on every store", async (t) => {
  const summary = await run("--seed", "1", "--runs", "5", "--store", "all", "--rounds", "2");
  assert.match(summary, /^5 runs of the shell .* [1-9]\d* turns, [1-9]\d* notes/);
  t.diagnostic(summary);
});

test("a seed of the shell gives the same events again", async () => {
  assert.match(await run("--seed", "7", "--runs", "1", "--store", "memory", "--rounds", "2", "--twice"), /^1 runs of the shell/);
});

test("new seeds of the shell break no invariant", onlyDeep("takes an hour"), async (t) => {
  t.diagnostic(await run("--runs", "1000"));
});
