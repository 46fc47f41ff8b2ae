// Messages from outside: notifications, subjects, rows. Any role and any program can send them, so they can be anything.
/** @import { OutboxMessage } from "../../types/results.js" */

/**
 * Returns the value of JSON text; nothing for other text.
 *
 * @param {unknown} text
 * @returns {unknown}
 */
export function readJson(text) {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

/**
 * Returns true for an object that is not a list.
 *
 * @param {unknown} value
 * @returns {value is { readonly [name: string]: unknown }}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns a message with the members of an engine's message; nothing for any other value.
 *
 * @param {unknown} value
 * @returns {OutboxMessage | undefined}
 */
export function readMessage(value) {
  try {
    return isObject(value) ? checked(value) : undefined;
  } catch {
    // an object of a host can throw when it is read
    return undefined;
  }
}

/** @param {{ readonly [name: string]: unknown }} value */
function checked(value) {
  const { message_id, subject, payload, headers, core } = value;
  if (typeof message_id !== "string" || typeof subject !== "string" || !isObject(payload)) return undefined;
  const texts = isObject(headers) ? Object.entries(headers).filter(([, text]) => typeof text === "string") : [];
  const own = texts.length > 0 ? Object.fromEntries(texts) : null;
  return /** @type {OutboxMessage} */ ({ message_id, subject, payload, headers: own, core: core === true });
}

/**
 * Calls a listener. It reports an error of the listener, at once or later, and never throws.
 *
 * @param {() => unknown} listener
 * @param {(error: unknown) => void} [onError]
 */
export function notify(listener, onError = () => {}) {
  /** @param {unknown} error */
  const report = (error) => {
    try {
      onError(error);
    } catch {
      // an error of the report is ignored
    }
  };
  try {
    Promise.resolve(listener()).catch(report);
  } catch (error) {
    report(error);
  }
}
