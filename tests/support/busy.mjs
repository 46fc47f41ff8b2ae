// Slows the machine down: `node --import ./tests/support/busy.mjs --test FILES`.
//
// Each test process gets a thread that computes without a pause. The test process itself stops for 20 ms every 40 ms. A
// test that reads a value too early then fails on every machine.
import { isMainThread, Worker } from "node:worker_threads";

/** The duration of a stop, and of the work in between, in milliseconds. */
const [STOPPED_MS, WORKING_MS] = [20, 40];

/** True in the process that starts the test processes. It is not slowed down. */
const isRunner = process.execArgv.includes("--test") && process.env.NODE_TEST_CONTEXT === undefined;

if (isMainThread && !isRunner) {
  new Worker("for (;;);", { eval: true }).unref();
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.wait(waiting, 0, 0, STOPPED_MS), WORKING_MS).unref();
}
