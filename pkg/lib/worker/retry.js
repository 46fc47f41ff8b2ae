// Model calls that fail for a time are made again.
/** @import { Clock } from "../../types/engine.js" */
import { sleep } from "../clock.js";
import { raced } from "./limits.js";

/** The first delay, and the longest one that a worker chooses. */
const [FIRST_MS, LONGEST_MS] = [500, 8000];
/** Codes of errors of the network, from Node, undici and other runtimes. */
const NETWORK =
  /^(ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_(SOCKET|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT)|ConnectionRefused|ConnectionReset|ConnectionClosed)$/;

/**
 * Returns the answer of `ask`. It asks again, at most `attempts` times in total, after an error 429, 5xx or of the network.
 *
 * @template Value
 * @param {{ clock: Clock, attempts: number, signal: AbortSignal, onRetry: (error: unknown, ms: number) => void }} options
 * @param {() => Value | PromiseLike<Value>} ask
 * @returns {Promise<Value>}
 */
export async function retried({ clock, attempts, signal, onRetry }, ask) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await raced(signal, ask);
    } catch (error) {
      if (signal.aborted || attempt >= attempts || !isTransient(error)) throw error;
      const ms = retryAfterMs(error) ?? backoffMs(attempt);
      onRetry(error, ms);
      await raced(signal, () => sleep(clock, ms));
    }
  }
}

/**
 * Returns true for an error that can be over at the next attempt: 408, 409, 425, 429, 5xx, or an error of the network.
 *
 * @param {unknown} error
 */
export function isTransient(error) {
  const { status, code, cause, message, name } = /** @type {any} */ (error) ?? {};
  if (typeof status === "number") return [408, 409, 425, 429].includes(status) || (status >= 500 && status < 600);
  if (typeof code === "string") return NETWORK.test(code);
  if (cause !== undefined && cause !== null) return isTransient(cause);
  return (name === "TypeError" && message === "fetch failed") || name === "APIConnectionError";
}

/**
 * Returns how long the provider asks to wait: `Retry-After` in seconds or as a date, or `retry-after-ms`.
 *
 * @param {unknown} error
 * @param {number} [now]
 */
export function retryAfterMs(error, now = Date.now()) {
  const headers = /** @type {any} */ (error)?.headers ?? /** @type {any} */ (error)?.response?.headers;
  /** @param {string} name */
  const header = (name) => (typeof headers?.get === "function" ? headers.get(name) : headers?.[name]);
  const ms = Number(header("retry-after-ms") ?? Number.NaN);
  if (ms >= 0) return ms;
  const after = header("retry-after");
  if (after === undefined || after === null || after === "") return undefined;
  const wait = Number(after) >= 0 ? Number(after) * 1000 : Date.parse(after) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

/**
 * Returns a random delay that doubles with each attempt: workers that failed together do not ask together again.
 *
 * @param {number} attempt
 */
function backoffMs(attempt) {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  return most / 2 + (Math.random() * most) / 2;
}
