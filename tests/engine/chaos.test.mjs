// A storm: hosts are killed while batches run, and the tables hold the laws of the simulator.
import assert from "node:assert/strict";
import { test } from "node:test";
import { times } from "../support/deep.mjs";
import { chaos } from "./chaos/run.mjs";

const KILLS = times(3, 200);

test(`${KILLS} kills of workers, engines, NATS and PostgreSQL lose nothing and join nothing twice`, async (t) => {
  const { counts, batches, turns } = await chaos({ kills: KILLS, workers: 2 });
  assert.ok(turns > 0 && batches > 0, `${turns} turns, ${batches} batches`);
  t.diagnostic(`${JSON.stringify(counts)} killed, ${turns} turns, ${batches} batches`);
});
