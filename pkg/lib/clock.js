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
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(/** @type {any} */ (timer)),
};

/**
 * Returns `clock`, which must have the three methods of a clock.
 *
 * @param {Clock} clock
 */
export function checkClock(clock) {
  for (const method of Object.keys(systemClock)) {
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
