// Waits for a state. A test never waits for a fixed time, because its result must not depend on the speed of the
// machine.
import { inspect } from "node:util";

/** The timeout of every wait: far longer than any machine needs. */
export const GUARD_MS = 300_000;

/** The first and the longest pause between two calls of `look`, in milliseconds. */
const [AGAIN_MS, MAX_AGAIN_MS] = [5, 100];

/**
 * Calls `look` until `isReached` accepts its result, and returns the result. After `guard_ms` it fails with the
 * awaited state and the last result of `look`.
 *
 * @example
 * await until("the outbox is empty", async () => (await team.look("outbox", {})).messages, ({ length }) => length === 0);
 */
export async function until(what, look, isReached = Boolean, { guard_ms = GUARD_MS } = {}) {
  const end = Date.now() + guard_ms;
  for (let wait = AGAIN_MS; ; wait = Math.min(wait * 1.5, MAX_AGAIN_MS)) {
    const seen = await look();
    if (isReached(seen)) return seen;
    if (Date.now() > end) throw stuck(what, guard_ms, seen);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** Returns the value of `promise`. After `guard_ms` it fails with the awaited state and the result of `look`. */
export async function awaited(what, promise, look = () => undefined, { guard_ms = GUARD_MS } = {}) {
  let timer;
  const guard = new Promise((_, reject) => {
    timer = setTimeout(() => reject(stuck(what, guard_ms, look())), guard_ms);
  });
  try {
    return await Promise.race([promise, guard]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a signal that fires after `guard_ms`. Its reason names the awaited state. */
export function guarded(what, { guard_ms = GUARD_MS } = {}) {
  const guard = new AbortController();
  setTimeout(() => guard.abort(stuck(what, guard_ms)), guard_ms).unref();
  return guard.signal;
}

/** Runs everything that is ready in this process: promises, sockets with data, due timers. */
export async function settled(turns = 5) {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function stuck(what, guard_ms, seen) {
  const last = seen === undefined ? "" : `; last seen: ${inspect(seen, { depth: 6, breakLength: 160 }).slice(0, 4000)}`;
  return new Error(`waited ${guard_ms / 60_000} minutes until ${what}${last}`);
}
