// The clock that waiting goes by: the machine's own, or one that a host passes.
import { wrong } from "./options.js";

/** The clock of the machine. */
export const systemClock = {
  now: () => Date.now(),
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};

/** Returns `clock`, which must have the three methods of a clock. */
export function checkClock(clock) {
  for (const method of Object.keys(systemClock)) {
    if (typeof clock?.[method] !== "function") throw wrong("clock", `\`clock\` must have a method \`${method}\``);
  }
  return clock;
}

/** Waits for `ms` milliseconds of `clock`. */
export function sleep(clock, ms) {
  return new Promise((resolve) => clock.setTimeout(resolve, ms));
}
