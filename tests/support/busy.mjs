// Slows the machine down: `node --import ./tests/support/busy.mjs --test FILES`.
//
// A thread next to every test process computes without a pause, and the test process itself stops again and again. A
// test that reads a value too early then fails on every machine, not only on a busy one.
import { isMainThread, Worker } from "node:worker_threads";

/** The duration of a stop, and of the work in between, in milliseconds. */
const [STOPPED_MS, WORKING_MS] = [20, 40];

/** The process that starts the others is not slowed down. */
const isRunner = process.execArgv.includes("--test") && process.env.NODE_TEST_CONTEXT === undefined;

if (isMainThread && !isRunner) {
  new Worker("for (;;);", { eval: true }).unref();
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.wait(waiting, 0, 0, STOPPED_MS), WORKING_MS).unref();
}
