// Checks lockfiles of contexts with 50 cards: `tuckbox lock check` as a command, and its parts in this process.
//
//   node lock.mjs      (`cargo xtask bench lock` builds the package and runs this)
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryStore, open } from "../../pkg/index.js";
import { buildEntries } from "../../pkg/lib/lock/build.js";

const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
const project = await open(memoryStore(), { projectId: "bench" });
const CARDS = 50;
/** The repeats after the first one, which compiles the module. */
const ROUNDS = 5;

function contextOf(context) {
  const messages = Array.from({ length: CARDS }, (_, card) => ({
    role: card % 2 === 0 ? "user" : "assistant",
    content: `Card ${card} of context ${context}. `.repeat(8),
  }));
  return { context: { provider: "openai_chat", model: "gpt-5", messages } };
}

/** The config: its functions make the contexts, one of which can be another one. */
const CONFIG = `${contextOf}
const CARDS = ${CARDS};
const changed = Number(process.env.CHANGED);
const names = Array.from({ length: Number(process.env.COUNT) }, (_, at) => at);
export default { lock: { entries: Object.fromEntries(names.map((at) => ["c" + at, () => contextOf(at === changed ? -1 : at)])) } };
`;

/** Returns the time of a command, in milliseconds. */
function run(cwd, action, code, env) {
  const start = performance.now();
  const ran = spawnSync(process.execPath, [program, "lock", action], { cwd, encoding: "utf8", env: { ...process.env, CI: "", ...env } });
  assert.equal(ran.status, code, `${ran.stdout}${ran.stderr}`);
  return performance.now() - start;
}

const least = (times) => Math.round(Math.min(...times.slice(1)));
const rounds = (work) => Array.from({ length: ROUNDS + 1 }, work);

for (const [count, changed] of [
  [100, -1],
  [1_000, 7],
]) {
  const cwd = mkdtempSync(join(tmpdir(), "tuckbox-bench-"));
  writeFileSync(join(cwd, "tuckbox.config.mjs"), CONFIG);
  run(cwd, "update", 0, { COUNT: count, CHANGED: -1 });
  const whole = least(rounds(() => run(cwd, "check", changed < 0 ? 0 : 1, { COUNT: count, CHANGED: changed })));
  rmSync(cwd, { recursive: true });

  const contexts = Array.from({ length: count }, (_, at) => [`c${at}`, async () => contextOf(at === changed ? -1 : at)]);
  const build = async (all) => (await buildEntries({}, all, async () => project, false)).entries;
  const { lock } = await project.lock.update({ entries: await build(contexts.map(([name], at) => [name, async () => contextOf(at)])) });
  const times = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const start = performance.now();
    const entries = await build(contexts);
    const built = performance.now();
    const verdict = await project.lock.check({ lock, entries, formats: ["text"] });
    times.push([built - start, performance.now() - built]);
    assert.deepEqual(
      verdict.entries.map(({ name }) => name),
      changed < 0 ? [] : [`c${changed}`],
    );
  }
  const [built, compared] = [0, 1].map((part) => least(times.map((time) => time[part])));
  const what = `${count} contexts of ${CARDS} cards, ${changed < 0 ? "none" : "one"} changed`;
  console.log(`${what}: ${whole} ms for the command; ${built} ms to build, ${compared} ms to compare`);
}
