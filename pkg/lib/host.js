// Asking a host's store, which may throw, hang or answer anything.
import { TuckboxError, messageOf } from "./error.js";
import { toText } from "./json.js";

/** The longest a timer can wait. */
const LONGEST = 2 ** 31 - 1;

/**
 * Calls a method of the store and waits for it, for as long as `timeout_ms` and `signal` allow.
 * The method gets a signal of its own that fires when nobody waits any more.
 */
export function ask(store, method, subject, { timeout_ms, signal, ...more }) {
  const waiting = new AbortController();
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(aborted(method, signal));
      return;
    }
    const stop = (error) => {
      settle(reject, error);
      waiting.abort(error);
    };
    const onAbort = () => stop(aborted(method, signal));
    const onTimeout = () => stop(timedOut(method, timeout_ms));
    const timer = timeout_ms > 0 && timeout_ms <= LONGEST ? setTimeout(onTimeout, timeout_ms) : undefined;
    signal?.addEventListener("abort", onAbort, { once: true });
    const settle = (how, what) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      how(what);
    };
    // inside an async function even a host that throws at once becomes a rejection
    const called = async () => store[method](subject, { ...more, signal: waiting.signal });
    called().then(
      (answer) => settle(resolve, answer),
      (thrown) => settle(reject, failed(method, thrown)),
    );
  });
}

function failed(method, thrown) {
  if (thrown instanceof TuckboxError) return thrown;
  const path = `store.${method}`;
  const { code, details } = said(thrown);
  if (code === "conflict") return new TuckboxError("conflict", messageOf(thrown), { details, cause: thrown });
  const message = `the store's \`${method}\` failed: ${messageOf(thrown)}`;
  return new TuckboxError("store", message, { path, cause: thrown });
}

/** The code and the details of something that was thrown, which may refuse to be looked at. */
function said(thrown) {
  try {
    const { code, details } = thrown ?? {};
    return { code, details: JSON.parse(toText(typeof details === "object" && details !== null ? details : {}, "store")) };
  } catch {
    return { code: undefined, details: {} };
  }
}

function timedOut(method, timeout_ms) {
  const unknown = method === "commit" ? "; it may have been applied, and committing again is safe" : "";
  const message = `the store's \`${method}\` did not answer within ${timeout_ms} ms${unknown}`;
  return new TuckboxError("store", message, { path: `store.${method}`, details: { timeout_ms } });
}

function aborted(method, signal) {
  const message = `the caller stopped waiting for the store's \`${method}\``;
  return new TuckboxError("aborted", message, { path: `store.${method}`, cause: signal.reason });
}
