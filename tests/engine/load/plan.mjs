// Prints what a number of turns per day needs, or compares predictions with a second measurement:
//
//   node tests/engine/load/plan.mjs --turns-per-day 1000000 [--peak 4] [--keep-days 30] [--call-ms 5000]
//   node tests/engine/load/plan.mjs --calibrate     measures this machine and writes calibration.json
//   node tests/engine/load/plan.mjs --check         measures other numbers of workers and agents, and compares
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
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
    turns: { type: "string", default: "2000" },
    calibrate: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});

/** The largest error of a prediction. */
const MAX_ERROR = 0.2;

function measure(args) {
  const [load] = loadavg();
  if (load > availableParallelism() / 2)
    console.error(`other programs use this machine (load ${load.toFixed(1)}): the times are too long, and predictions from them are wrong`);
  const { stdout, status } = spawnSync(process.execPath, [here("run.mjs"), "--json", "--turns", values.turns, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error("the measurement failed");
  return JSON.parse(stdout.trimEnd().split("\n").at(-1));
}

if (values.calibrate) {
  const measured = measure(["--workers", "4", "--lanes", "4", "--agents", "200"]);
  writeFileSync(here("calibration.json"), `${JSON.stringify(measured, null, 2)}\n`);
  console.log(`wrote calibration.json: ${measured.turns_per_second} turns per second, ${measured.cpu_ms} ms of CPU per turn`);
}
if (!existsSync(here("calibration.json")))
  throw new Error("`calibration.json` is missing; run `cargo xtask plan --calibrate` on a machine that does nothing else");
const measured = JSON.parse(readFileSync(here("calibration.json"), "utf8"));

if (values.check) {
  const second = { workers: 2, lanes: 2 };
  const expected = predict(measured, second);
  const { turns_per_second: found } = measure(["--workers", "2", "--lanes", "2", "--agents", "50"]);
  const error = Math.abs(expected - found) / found;
  console.log(
    `2 workers with 2 lanes and 50 agents: predicted ${expected.toFixed(0)}, measured ${found.toFixed(0)} turns per second, error ${(error * 100).toFixed(0)} %`,
  );
  if (error > MAX_ERROR) process.exitCode = 1;
}

if (values["turns-per-day"] !== undefined) {
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
