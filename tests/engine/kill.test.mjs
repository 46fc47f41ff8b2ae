// Kills a process with `kill -9` while it runs a turn. The next process ends the turn.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { engine } from "../../pkg/engine.js";
import { open } from "../../pkg/index.js";
import { fileStore } from "../../pkg/stores/file.js";
import { deep, times } from "../support/deep.mjs";

const PROGRAM = fileURLToPath(new URL("./kill/team.mjs", import.meta.url));
const KILLS = times(3, 50);
/** A killed turn runs again after its lease, and ends within this time. */
const LIMIT_MS = 30_000;

/** Runs the program, and kills it after `lines` lines. Returns the lines, and the milliseconds that it ran. */
async function run(path, turn, lines) {
  const started = Date.now();
  const child = spawn(process.execPath, [PROGRAM, path, JSON.stringify(turn)], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const printed = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (printed.length === lines) child.kill("SIGKILL");
  }
  await ended;
  return { printed, ms: Date.now() - started };
}

test(`after ${KILLS} kills of its process, a turn ends with the right result`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-kill-"));
  t.after(() => rmSync(folder, { recursive: true }));
  let [kills, turns, slowest] = [0, 0, 0];
  while (kills < KILLS) {
    turns += 1;
    const path = join(folder, `${turns}.json`);
    const team = engine({ open, store: fileStore(path), projectId: "demo" });
    await team.profile({ name: "Writer", llm_config: { provider: "openai_chat", model: "any" } });
    await team.provision({ agent_id: "ann", profile: "Writer" });
    const turn = await team.dispatch({ agent_id: "ann", instruction: "Draft it." });
    await team.close();
    const all = [];
    let result;
    // each process is killed after a line at random, until the turn ends
    while (result === undefined) {
      const isLast = kills >= KILLS;
      const { printed, ms } = await run(path, turn, isLast ? Infinity : 1 + Math.floor(Math.random() * 8));
      all.push(...printed);
      result = printed.find((line) => line.startsWith("result "));
      if (result === undefined) kills += 1;
      else slowest = Math.max(slowest, ms);
      assert.ok(!isLast || result !== undefined, all.join("\n"));
    }
    const fields = JSON.parse(result.slice("result ".length));
    assert.equal(fields.find(({ name }) => name === "output").value, "Done: part 1, part 2", all.join("\n"));
  }
  t.diagnostic(`${kills} kills of ${turns} turns; the slowest end took ${slowest} ms`);
  // fast tests run on machines of any speed
  assert.ok(!deep || slowest < LIMIT_MS, `${slowest} ms`);
});
