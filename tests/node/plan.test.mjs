// The model of `cargo xtask plan`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { calibrate, limits, plan, predict, rate } from "../engine/load/model.mjs";

const near = (found, expected) => assert.ok(Math.abs(found - expected) <= expected * 0.001, `${found}, expected ${expected}`);

test("the rate is limited by the lanes, then by the cores", () => {
  // one turn at a time: no queue
  near(rate({ cpu: 0.01, wait: 0.09, cores: 2, lanes: 1 }), 10);
  // many turns: both cores are busy
  near(rate({ cpu: 0.01, wait: 0.09, cores: 2, lanes: 5000 }), 200);
  const rates = [1, 2, 4, 8, 16, 32, 64].map((lanes) => rate({ cpu: 0.01, wait: 0.09, cores: 2, lanes }));
  for (const [at, found] of rates.entries()) if (at > 0) assert.ok(found > rates[at - 1] && found < 200);
});

test("a calibration predicts its own measurement, and another number of lanes", () => {
  const truth = { cpu: 0.008, wait: 0.03, cores: 2 };
  const measured = { cpu_ms: 8, cores: 2, workers: 4, lanes: 4, turns_per_second: rate({ ...truth, lanes: 16 }) };
  near(calibrate(measured).wait, 0.03);
  near(predict(measured, { workers: 4, lanes: 4 }), measured.turns_per_second);
  near(predict(measured, { workers: 2, lanes: 2 }), rate({ ...truth, lanes: 4 }));
});

test("other programs reduce the cores, also below one", () => {
  near(rate({ cpu: 0.01, wait: 0.09, cores: 0.5, lanes: 1 }), 1 / 0.11);
  near(rate({ cpu: 0.01, wait: 0.09, cores: 0.5, lanes: 5000 }), 50);
  // a measurement next to other programs predicts one without them
  const truth = { cpu: 0.008, wait: 0.03 };
  const busy = { cpu_ms: 8, cores: 1.2, workers: 4, lanes: 4, turns_per_second: rate({ ...truth, cores: 1.2, lanes: 16 }) };
  near(predict(busy, { workers: 2, lanes: 2, cores: 2 }), rate({ ...truth, cores: 2, lanes: 4 }));
});

const measured = {
  cpu_ms: 8,
  cores: 2,
  workers: 4,
  lanes: 4,
  turns_per_second: 200,
  reads: 3,
  commits: 3,
  kilobytes: 16,
  bare_commits_per_second: 1200,
};

test("a plan grows with the load and names the number of databases", () => {
  const small = plan(measured, { turnsPerDay: 10_000 });
  assert.deepEqual([small.databases, small.cores], [1, 1]);
  const large = plan(measured, { turnsPerDay: 10_000_000 });
  // 463 turns per second at the peak, and 120 for each database
  assert.deepEqual([large.databases, large.cores], [4, 7]);
  near(large.gigabytes_per_day, 152.588);
});

test("limits are in the order in which they are met", () => {
  const found = limits(measured, { callMs: 1992 });
  const names = ["one agent", "one worker", "1 TB", "the commits of one database", "the 2 cores"];
  assert.ok(
    found.every(([name], at) => name.includes(names[at])),
    JSON.stringify(found),
  );
  // a turn takes 2 s; at the peak there are 120 turns per second in one database, and 150 on the cores
  for (const [at, turns] of [
    [0, 43_200],
    [1, 43_200],
    [3, 2_592_000],
    [4, 3_240_000],
  ])
    near(found[at][1], turns);
  const databases = (turnsPerDay) => plan(measured, { turnsPerDay }).databases;
  assert.deepEqual([databases(2_591_000), databases(2_593_000)], [1, 2]);
});
