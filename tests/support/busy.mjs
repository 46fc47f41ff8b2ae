// Makes a machine slow on purpose: `node --import ./tests/support/busy.mjs --test FILES`.
//
// Next to every test process a thread computes without a pause, and the test process itself stops again and again. What
// takes long elsewhere takes long here every time: a test that reads something too early fails, and not only where
// the machine is busy.
import { Worker, isMainThread } from "node:worker_threads";

/** How long the process stops, and how long it works in between, in milliseconds. */
const [STOPPED_MS, WORKING_MS] = [20, 40];

/** The process that starts the others is left alone. */
const isRunner = process.execArgv.includes("--test") && process.env.NODE_TEST_CONTEXT === undefined;

if (isMainThread && !isRunner) {
  new Worker("for (;;);", { eval: true }).unref();
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.wait(waiting, 0, 0, STOPPED_MS), WORKING_MS).unref();
}
