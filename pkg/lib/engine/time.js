// The time of calls: that of the store if it has a clock. The clocks of hosts can differ and jump, and ages of rows that
// other hosts wrote are compared with it.
/** @import { Store } from "../../types/store.js" */
import { ask, TIMEOUT_MS } from "../host.js";

/** How long a measurement of the store's clock is used. */
const FRESH_MS = 60_000;
/** The difference to the clock of the store that is reported. */
const MAX_SKEW_MS = 5000;

/** Returns the time of the machine, which does not go back when its clock does. */
function forwardTime() {
  let last = { time: Date.now(), at: performance.now() };
  return () => {
    const at = performance.now();
    last = { time: Math.max(Date.now(), last.time + at - last.at), at };
    return Math.round(last.time);
  };
}

/**
 * Returns the time of calls, and a function that measures the store's clock from time to time. Between two measurements
 * the time advances with a clock that never jumps. Without a clock of the store it is that of the
 * machine, which advances when its clock goes back.
 *
 * @param {Store} store
 * @param {(aheadMs: number) => void} onSkew Called when the clock of the machine begins to differ from that of the store.
 */
export function storeTime(store, onSkew) {
  if (typeof store.now !== "function") return { time: forwardTime(), sync: async () => {} };
  /** @type {{ at: number, time: number } | undefined} */
  let measured;
  /** @type {Promise<void> | undefined} */
  let measuring;
  let isSkewed = false;
  const compare = (/** @type {number} */ aheadMs) => {
    const wasSkewed = isSkewed;
    isSkewed = Math.abs(aheadMs) > MAX_SKEW_MS;
    if (isSkewed && !wasSkewed) onSkew(aheadMs);
  };
  const measure = async () => {
    const before = performance.now();
    try {
      const time = await ask(store, "now", undefined, { timeoutMs: TIMEOUT_MS, signal: undefined });
      const after = performance.now();
      // the store read its clock about halfway
      if (Number.isFinite(time)) {
        measured = { at: (before + after) / 2, time };
        compare(Math.round(Date.now() - time - (after - before) / 2));
      }
    } catch {
      // the call that follows reports what is wrong with the store
    }
    measuring = undefined;
  };
  return {
    time: () => (measured === undefined ? Date.now() : Math.round(measured.time + performance.now() - measured.at)),
    sync: async () => {
      if (measured !== undefined && performance.now() - measured.at < FRESH_MS) return;
      measuring ??= measure();
      await measuring;
    },
  };
}
