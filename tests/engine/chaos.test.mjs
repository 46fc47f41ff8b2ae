// A short storm: ten hosts are killed while batches run, and the tables hold the laws of the simulator.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chaos } from "./chaos/run.mjs";

test("ten kills of workers, engines, NATS and PostgreSQL lose nothing and join nothing twice", async () => {
  const { batches, turns } = await chaos({ kills: 10, workers: 2 });
  assert.ok(turns > 0 && batches > 0, `${turns} turns, ${batches} batches`);
});
