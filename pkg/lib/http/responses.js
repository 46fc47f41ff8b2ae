// The responses of a handler: JSON, a status, and no internal details.
/** @import { Code } from "../../types/error.js" */
import { TuckboxError } from "../error.js";
import { toText } from "../json.js";

/** The code of errors inside the handler. */
export const INTERNAL = /** @type {Code} */ (/** @type {unknown} */ ("internal"));

/**
 * The status of each code.
 *
 * @type {{ [code: string]: number }}
 */
export const STATUS = {
  bad_request: 400,
  invalid_content: 422,
  auth_failed: 403,
  not_found: 404,
  conflict: 409,
  limit: 413,
  store: 502,
  aborted: 499,
  trap: 500,
  load: 500,
  internal: 500,
};

/**
 * The messages for errors whose details the caller must not see.
 *
 * @type {{ [code: string]: string }}
 */
const INSIDE = {
  store: "the store failed",
  trap: "the core stopped",
  load: "the core could not be loaded",
  internal: "internal error",
};

/** An error of the protocol, with a status. */
export class HttpError extends TuckboxError {
  /**
   * @param {number} status
   * @param {Code} code
   * @param {string} message
   * @param {{ headers?: { [name: string]: string }, path?: string, details?: object }} [more]
   */
  constructor(status, code, message, { headers, ...more } = {}) {
    super(code, message, more);
    this.status = status;
    this.headers = headers;
  }
}

/** @param {string} text @param {number} [status] @param {{ [name: string]: string }} [headers] */
export function jsonResponse(text, status = 200, headers = {}) {
  const fixed = {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    // `httpStore` takes the time of calls from it
    date: new Date(Date.now()).toUTCString(),
    "x-content-type-options": "nosniff",
  };
  return new Response(text, { status, headers: { ...fixed, ...headers } });
}

/**
 * Returns true for an error that only the host must see.
 *
 * @param {unknown} error
 */
export function isInside(error) {
  return !(error instanceof TuckboxError) || Object.hasOwn(INSIDE, error.code);
}

/** @param {unknown} error */
export function errorResponse(error) {
  const code = error instanceof TuckboxError ? error.code : INTERNAL;
  if (!(error instanceof TuckboxError) || isInside(error)) {
    const timeout = error instanceof TuckboxError && code === "store" && error.details.timeout_ms !== undefined;
    const message = timeout ? "the store did not answer in time" : INSIDE[code];
    return jsonResponse(errorText(code, "", message, {}), timeout ? 504 : STATUS[code]);
  }
  const { path, message, details } = error;
  const { status = STATUS[code] ?? 500, headers = undefined } = error instanceof HttpError ? error : {};
  return jsonResponse(errorText(code, path, message, details), status, headers);
}

/** @param {Code} code @param {string} path @param {string} message @param {object} details */
function errorText(code, path, message, details) {
  return toText({ error: { code, path, message, details } }, INTERNAL);
}
