// Waiting for a host's function, which may throw, hang or never look at its signal.
/** The answer of `work`, unless the signal fires first; then nobody waits for it any more. */
export function raced(signal, work) {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = (how) => (what) => {
      signal.removeEventListener("abort", onAbort);
      how(what);
    };
    // inside an async function even a host that throws at once becomes a rejection
    (async () => work())().then(settle(resolve), settle(reject));
  });
}

/** The answer of `work(signal)` within so many milliseconds of the clock, as long as the outer signal is quiet. */
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
    // whoever still works on it may stop
    limited.abort();
  }
}

/** An error whose code is that of a failed turn. */
export function failure(code, message) {
  return Object.assign(new Error(message), { code });
}
