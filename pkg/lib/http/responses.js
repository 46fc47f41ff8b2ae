// What a handler answers: JSON, the right status, and nothing that is not the caller's business.
import { TuckboxError } from "../error.js";
import { toText } from "../json.js";

/** The status of each code. */
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

/** What is said instead of what happened inside. */
const INSIDE = { store: "the store failed", trap: "the core stopped", load: "the core could not be loaded", internal: "something went wrong inside" };

/** An error of the protocol itself, with a status of its own. */
export class HttpError extends TuckboxError {
  constructor(status, code, message, { headers, ...more } = {}) {
    super(code, message, more);
    this.status = status;
    this.headers = headers;
  }
}

export function jsonResponse(text, status = 200, headers = {}) {
  const fixed = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", "x-content-type-options": "nosniff" };
  return new Response(text, { status, headers: { ...fixed, ...headers } });
}

/** True for what the host wants to know about and the caller must not. */
export function isInside(error) {
  return !(error instanceof TuckboxError) || Object.hasOwn(INSIDE, error.code);
}

export function errorResponse(error) {
  const code = error instanceof TuckboxError ? error.code : "internal";
  if (isInside(error)) {
    const timeout = code === "store" && error.details.timeout_ms !== undefined;
    const message = timeout ? "the store did not answer in time" : INSIDE[code];
    return jsonResponse(errorText(code, "", message, {}), timeout ? 504 : STATUS[code]);
  }
  const { path, message, details } = error;
  return jsonResponse(errorText(code, path, message, details), error.status ?? STATUS[code] ?? 500, error.headers);
}

function errorText(code, path, message, details) {
  return toText({ error: { code, path, message, details } }, "internal");
}
