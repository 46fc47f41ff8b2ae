// Waits for a store that fails.
/** @import { Clock } from "../../types/engine.js" */
/** @import { AbortSignalLike } from "../../types/store.js" */
import { sleep } from "../clock.js";
import { codeOf } from "../error.js";

/**
 * Repeats `work` while the store fails, for at most `patienceMs` of the clock or until a signal fires.
 *
 * @template Value
 * @param {() => Promise<Value>} work
 * @param {{ clock: Clock, patienceMs: number, signals: readonly (AbortSignalLike | undefined)[] }} options
 */
export async function patiently(work, { clock, patienceMs, signals }) {
  const end = clock.now() + patienceMs;
  for (let wait = 25; ; wait = Math.min(wait * 2, 1000)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || signals.some((signal) => signal?.aborted) || clock.now() + wait > end) throw error;
      await sleep(clock, wait);
    }
  }
}

/**
 * Returns true for a failure that can pass, such as a lost connection. Tables of another version do not change by themselves.
 *
 * @param {any} error
 */
function isPassing(error) {
  return codeOf(error) === "store" && !["not_migrated", "newer"].includes(error.details?.reason);
}
