// Kills hosts while batches run, then checks the invariants of the simulator on the tables.
import assert from "node:assert/strict";
import { test } from "node:test";
import { times } from "../support/deep.mjs";
import { chaos } from "./chaos/run.mjs";

const KILLS = times(1, 200);

test(`killed workers, engines and servers lose no turn, and each batch joins once (${KILLS} of 200 kills)`, async (t) => {
  const { counts, batches, turns } = await chaos({ kills: KILLS, workers: 2 });
  assert.ok(turns > 0 && batches > 0, `${turns} turns, ${batches} batches`);
  t.diagnostic(`killed ${JSON.stringify(counts)}; ${turns} turns, ${batches} batches`);
});
