// Calls every operation in a valid order, on the project of `support.mjs`.
import assert from "node:assert/strict";
import { runCalls } from "./run_calls.mjs";
import { samples } from "./samples.mjs";

const START = Date.UTC(2026, 0, 1);

/** Returns a source of random bytes. Ids are the same in every run, so that calls can be examples. */
export function fixedEntropy() {
  let made = 0;
  return () =>
    new Uint8Array(32)
      .fill(7)
      .fill((made += 1) & 255, 0, 1)
      .fill(made >> 8, 1, 2);
}

/** Calls every operation. `call(op, args, now)` resolves with the answer. */
export async function callAll(call) {
  for (const [op, calls] of Object.entries(samples)) for (const args of calls) await call(op, args, START);
  const answers = {};
  for (const [op, args, seconds = 0, expected] of runCalls) {
    const given = typeof args === "function" ? args(answers) : args;
    answers[op] = await call(op, given, START + seconds * 1000);
    const answer =
      typeof expected === "object" && expected !== null
        ? Object.fromEntries(Object.keys(expected).map((key) => [key, answers[op][key]]))
        : answers[op];
    if (expected !== undefined) assert.deepEqual(answer, expected, `${op} ${JSON.stringify(given)}`);
  }
}
