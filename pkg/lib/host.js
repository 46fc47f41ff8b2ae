// Calls the store of a host, which can throw, hang or answer anything.
/** @import { AbortSignalLike, Store } from "../types/store.js" */
import { codeOf, messageOf, TuckboxError } from "./error.js";
import { toText } from "./json.js";

/** The time that a store has for an answer, unless the caller sets it. */
export const TIMEOUT_MS = 30_000;
/** The longest wait of a timer. */
const LONGEST = 2 ** 31 - 1;

/**
 * Calls a method of the store and waits for it, as long as `timeoutMs` and `signal` allow. The method receives its
 * own signal, which fires when the call stops waiting.
 *
 * @param {Store} store
 * @param {"read" | "commit" | "now"} method
 * @param {any} subject
 * @param {{ timeoutMs: number, signal: AbortSignalLike | undefined, text?: string, maxBytes?: number }} options
 * @returns {Promise<any>}
 */
export function ask(store, method, subject, { timeoutMs, signal, text, maxBytes }) {
  const waiting = new AbortController();
  const more = method === "commit" ? { text } : { maxBytes };
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(aborted(method, signal));
      return;
    }
    /** @param {TuckboxError} error */
    const stop = (error) => {
      settle(reject, error);
      waiting.abort(error);
    };
    const onAbort = () => stop(aborted(method, signal));
    const onTimeout = () => stop(timedOut(method, timeoutMs));
    const timer = timeoutMs > 0 && timeoutMs <= LONGEST ? setTimeout(onTimeout, timeoutMs) : undefined;
    signal?.addEventListener("abort", onAbort, { once: true });
    /** @param {(what: any) => void} how @param {unknown} what */
    const settle = (how, what) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      how(what);
    };
    // in an async function a host that throws at once rejects
    const called = async () => /** @type {any} */ (store)[method](subject, { ...more, signal: waiting.signal });
    called().then(
      (answer) => settle(resolve, answer),
      (thrown) => settle(reject, failed(method, thrown)),
    );
  });
}

/** @param {string} method @param {unknown} thrown */
function failed(method, thrown) {
  if (thrown instanceof TuckboxError) return thrown;
  const path = `store.${method}`;
  const { code, details } = reported(thrown);
  if (code === "conflict") return new TuckboxError("conflict", messageOf(thrown), { details, cause: thrown });
  const message = `the store's \`${method}\` failed: ${messageOf(thrown)}`;
  return new TuckboxError("store", message, { path, cause: thrown });
}

/**
 * Returns the code and the details of a thrown value, which can be a Proxy that throws.
 *
 * @param {unknown} thrown
 */
function reported(thrown) {
  try {
    const details = /** @type {any} */ (thrown)?.details;
    return { code: codeOf(thrown), details: JSON.parse(toText(typeof details === "object" && details !== null ? details : {}, "store")) };
  } catch {
    return { code: undefined, details: {} };
  }
}

/** @param {string} method @param {number} timeoutMs */
function timedOut(method, timeoutMs) {
  const unknown = method === "commit" ? "; the store may have applied it, and committing again is safe" : "";
  const message = `the store's \`${method}\` did not answer within ${timeoutMs} ms${unknown}`;
  return new TuckboxError("store", message, { path: `store.${method}`, details: { timeout_ms: timeoutMs } });
}

/** @param {string} method @param {AbortSignalLike | undefined} signal */
function aborted(method, signal) {
  const message = `the caller stopped waiting for the store's \`${method}\``;
  return new TuckboxError("aborted", message, { path: `store.${method}`, cause: signal?.reason });
}
