// The body of a request: JSON in UTF-8, of limited length.
import { messageOf } from "../error.js";
import { notTooDeep } from "../json.js";
import { limitedBytes } from "../limited.js";
import { HttpError } from "./responses.js";

/**
 * Returns the text of a body, which must be a JSON object. A text for the core is not parsed here: if the core rejects
 * it, `checkJson` reports whether it is JSON.
 *
 * @param {Request} request
 * @param {number} maxBodyBytes
 * @param {boolean} isForCore
 */
export async function bodyText(request, maxBodyBytes, isForCore) {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(type)) {
    throw new HttpError(415, "bad_request", "the body must be JSON: send it with `content-type: application/json`", {
      path: "content-type",
    });
  }
  const bytes = await limitedBytes(request, maxBodyBytes);
  if (bytes === undefined) throw tooLong(maxBodyBytes);
  const text = decoded(bytes);
  notTooDeep(text);
  if (isForCore && isBraced(text)) return text;
  checkJson(text);
  if (!text.trimStart().startsWith("{")) throw new HttpError(400, "bad_request", "the body must be an object");
  return text;
}

/**
 * Rejects text that is not JSON.
 *
 * @param {string} text
 */
export function checkJson(text) {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new HttpError(400, "bad_request", `the body is not JSON: ${messageOf(cause)}`);
  }
}

/**
 * Returns true for text in braces. If one more member is added at its end, the text is JSON only if it was before.
 *
 * @param {string} text
 */
function isBraced(text) {
  /** @param {number} at */
  const isBlank = (at) => " \t\r\n".includes(text.charAt(at));
  let [first, last] = [0, text.length - 1];
  while (first < last && isBlank(first)) first += 1;
  while (last > first && isBlank(last)) last -= 1;
  return first < last && text.charAt(first) === "{" && text.charAt(last) === "}";
}

/** @param {Uint8Array} bytes */
function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HttpError(400, "bad_request", "the body is not UTF-8");
  }
}

/** @param {number} maxBodyBytes */
function tooLong(maxBodyBytes) {
  return new HttpError(413, "limit", `the body is longer than ${maxBodyBytes} bytes`, { details: { max_body_bytes: maxBodyBytes } });
}
