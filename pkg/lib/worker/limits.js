// Waits for functions of the host, which can throw, hang or ignore their signal.
/** @import { Clock } from "../../types/engine.js" */

/**
 * Returns the answer of `work`, unless the signal fires first.
 *
 * @template Value
 * @param {AbortSignal} signal
 * @param {() => Value | PromiseLike<Value>} work
 * @returns {Promise<Value>}
 */
export function raced(signal, work) {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    /** @param {(what: any) => void} how */
    const settle = (how) => (/** @type {any} */ what) => {
      signal.removeEventListener("abort", onAbort);
      how(what);
    };
    // in an async function a host that throws at once rejects
    (async () => work())().then(settle(resolve), settle(reject));
  });
}

/**
 * Returns the answer of `work(signal)`, unless `ms` milliseconds of the clock pass or the outer signal fires first.
 *
 * @template Value
 * @param {Clock} clock
 * @param {number} ms
 * @param {string} code
 * @param {string} message
 * @param {AbortSignal} outer
 * @param {(signal: AbortSignal) => Value | PromiseLike<Value>} work
 */
export async function within(clock, ms, code, message, outer, work) {
  const limited = new AbortController();
  const onAbort = () => limited.abort(outer.reason);
  outer.addEventListener("abort", onAbort, { once: true });
  if (outer.aborted) onAbort();
  const timer = clock.setTimeout(() => limited.abort(failure(code, `${message} within ${ms} ms`)), Math.min(ms, 2 ** 31 - 1));
  try {
    return await raced(limited.signal, () => work(limited.signal));
  } finally {
    clock.clearTimeout(timer);
    outer.removeEventListener("abort", onAbort);
    // the work can stop now
    limited.abort();
  }
}

/**
 * Returns an error with the code of a failed turn.
 *
 * @param {string} code
 * @param {string} message
 */
export function failure(code, message) {
  return Object.assign(new Error(message), { code });
}
