// Prints what a number of turns per day needs, or compares predictions with a second measurement:
//
//   node tests/engine/load/plan.mjs --turns-per-day 1000000 [--peak 4] [--keep-days 30] [--call-ms 5000]
//   node tests/engine/load/plan.mjs --calibrate     measures this machine and writes calibration.json
//   node tests/engine/load/plan.mjs --check         calibrates, measures other numbers of workers and agents, and compares
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { limits, plan, predict } from "./model.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { values } = parseArgs({
  options: {
    "turns-per-day": { type: "string" },
    peak: { type: "string", default: "4" },
    "keep-days": { type: "string", default: "30" },
    "call-ms": { type: "string", default: "5000" },
    turns: { type: "string", default: "1000" },
    calibrate: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});

/** The largest error of a prediction. */
const MAX_ERROR = 0.2;
/** The share of the cores that a measurement needs. */
const FREE = 0.9;
/** The number of times that a check measures. */
const ROUNDS = 3;

/**
 * The number of turns of each worker before those that count. The runtime compiles code in them, and a worker among four
 * reaches a number of turns later than a worker among two.
 */
const WARM = 300;

function measure(of) {
  const turns = Number(values.turns) + WARM * of.workers;
  const options = Object.entries({ ...of, turns, warm: WARM }).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { stdout, status } = spawnSync(process.execPath, [here("run.mjs"), "--json", ...options], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error("the measurement failed");
  const measured = JSON.parse(stdout.trimEnd().split("\n").at(-1));
  if (measured.cores < FREE * availableParallelism())
    console.error(`other programs used this machine, ${measured.cores} cores were free: the times are too long`);
  return measured;
}

// many lanes occupy all cores, and hide how long a turn waits; so the first measurement has few
const FIRST = { workers: 2, lanes: 2, agents: 50 };
const SECOND = { workers: 4, lanes: 4, agents: 200 };
const middle = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

function keep(measured) {
  writeFileSync(here("calibration.json"), `${JSON.stringify(measured, null, 2)}\n`);
  console.log(`wrote calibration.json: ${measured.turns_per_second} turns per second, ${measured.cpu_ms} ms of CPU per turn`);
}

if (values.check) {
  const rounds = [];
  // both measurements of a round have the same conditions, and the median ignores a round that was disturbed
  for (let round = 1; round <= ROUNDS; round += 1) {
    const first = measure(FIRST);
    const second = measure(SECOND);
    const expected = predict(first, SECOND);
    const ratio = expected / second.turns_per_second;
    rounds.push({ first, ratio });
    const names = `${SECOND.workers} workers with ${SECOND.lanes} lanes and ${SECOND.agents} agents`;
    const shown = `predicted ${expected.toFixed(0)}, measured ${second.turns_per_second.toFixed(0)} turns per second`;
    console.log(`round ${round}, from ${first.turns_per_second.toFixed(0)}: ${names}: ${shown}, ratio ${ratio.toFixed(2)}`);
  }
  const error = Math.abs(middle(rounds.map(({ ratio }) => ratio)) - 1);
  console.log(`error of the median: ${(error * 100).toFixed(0)} %`);
  if (error > MAX_ERROR) process.exitCode = 1;
  const rate = middle(rounds.map(({ first }) => first.turns_per_second));
  keep(rounds.find(({ first }) => first.turns_per_second === rate).first);
} else if (values.calibrate) {
  keep(measure(FIRST));
}

if (values["turns-per-day"] !== undefined) {
  if (!existsSync(here("calibration.json")))
    throw new Error("`calibration.json` is missing; run `cargo xtask plan --calibrate` on a machine that does nothing else");
  const measured = JSON.parse(readFileSync(here("calibration.json"), "utf8"));
  const turnsPerDay = Number(values["turns-per-day"]);
  if (!(turnsPerDay > 0)) throw new Error("`--turns-per-day` must be a number greater than 0");
  const settings = { peak: Number(values.peak), keepDays: Number(values["keep-days"]), callMs: Number(values["call-ms"]) };
  const needs = plan(measured, { turnsPerDay, ...settings });
  const shown = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
  const row = (what, value) => console.log(`${what.padEnd(52)} ${value}`);
  row("turns per second, average and peak", `${shown(needs.turns_per_second.average)}, ${shown(needs.turns_per_second.peak)}`);
  row("reads and commits per second at the peak", `${shown(needs.store.reads_per_second)}, ${shown(needs.store.commits_per_second)}`);
  row("databases, with projects routed by id", needs.databases);
  row("cores for workers, engines and databases", needs.cores);
  row("turns that run at the same time", needs.lanes);
  row("gigabytes per day, and kept", `${shown(needs.gigabytes_per_day)}, ${shown(needs.gigabytes_kept)}`);
  console.log("\nlimits, in turns per day");
  for (const [what, found] of limits(measured, settings)) row(`  ${what}`, `${shown(found)}${found < turnsPerDay ? "  exceeded" : ""}`);
}
