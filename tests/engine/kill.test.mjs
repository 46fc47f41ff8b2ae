// Kills the team of `pkg/README.md` with `kill -9` at random points. The next process ends the turn.
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
/** The number of teams that run at the same time: most of a run is the wait for a lease. */
const LANES = times(1, 5);
/** The deep test has the default settings. The fast test waits less. */
const SETTINGS = deep ? {} : { lease_seconds: 1 };
const RESULT = "result success: success: 3 answers";
const llm_config = { provider: "openai_chat", model: "any" };

/** Starts a turn of a lead in a new file. */
async function dispatched(path) {
  const team = engine({ open, store: fileStore(path), projectId: "demo" });
  await team.profile({ name: "Researcher", system_prompt: "You look things up.", llm_config });
  const delegation_policy = { target_profiles: ["Researcher"] };
  await team.profile({ name: "Lead", system_prompt: "You delegate work and summarize it.", llm_config, delegation_policy });
  await team.provision({ agent_id: "lead", profile: "Lead" });
  const turn = await team.dispatch({ agent_id: "lead", instruction: "What moves a ship?" });
  await team.close();
  return turn;
}

/** Runs the program, and kills it after `lines` lines. Returns the lines, and the milliseconds that it ran. */
async function run(path, turn, lines = Infinity) {
  const started = Date.now();
  const child = spawn(process.execPath, [PROGRAM, path, JSON.stringify(turn), JSON.stringify(SETTINGS)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const printed = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (printed.length === lines) child.kill("SIGKILL");
  }
  await ended;
  return { printed, ms: Date.now() - started };
}

const resultOf = (printed) => printed.find((line) => line.startsWith("result "));

test(`after each of ${KILLS} kills, the next process ends the turn with the right result`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-kill-"));
  t.after(() => rmSync(folder, { recursive: true }));
  let [files, slowest] = [0, 0];
  const nextFile = () => join(folder, `${(files += 1)}.json`);
  const whole = nextFile();
  const { printed: all } = await run(whole, await dispatched(whole));
  assert.equal(resultOf(all), RESULT, all.join("\n"));
  // the last lines come after the result
  const places = all.indexOf(RESULT);
  let left = KILLS;
  const kill = async () => {
    const path = nextFile();
    const turn = await dispatched(path);
    const { printed: before } = await run(path, turn, 1 + Math.floor(Math.random() * places));
    const { printed: after, ms } = await run(path, turn);
    assert.equal(resultOf(after), RESULT, [...before, "KILL", ...after].join("\n"));
    slowest = Math.max(slowest, ms);
  };
  const lane = async () => {
    while ((left -= 1) >= 0) await kill();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  t.diagnostic(`${KILLS} kills; the slowest end took ${slowest} ms`);
});
