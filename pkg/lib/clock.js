// The clock of waits: that of the machine, or one that a host passes.
/** @import { Clock } from "../types/engine.js" */
import { wrong } from "./options.js";

/**
 * The clock of the machine.
 *
 * @type {Clock}
 */
export const systemClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(/** @type {any} */ (timer)),
};

const REQUIRED = ["now", "setTimeout", "clearTimeout"];

/**
 * Returns milliseconds that never go backwards: their differences are durations.
 *
 * @param {Clock} clock
 */
export function elapsed(clock) {
  return clock.elapsed === undefined ? clock.now() : clock.elapsed();
}

/**
 * Returns `clock`, which must have the three methods of a clock.
 *
 * @param {Clock} clock
 */
export function checkClock(clock) {
  for (const method of REQUIRED) {
    if (typeof (/** @type {any} */ (clock)?.[method]) !== "function") throw wrong("clock", `\`clock\` must have a method \`${method}\``);
  }
  return clock;
}

/**
 * Waits for `ms` milliseconds of `clock`.
 *
 * @param {Clock} clock
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function sleep(clock, ms) {
  return new Promise((resolve) => clock.setTimeout(resolve, ms));
}
