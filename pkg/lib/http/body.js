// The body of a request: JSON, in UTF-8, and not too long.
import { messageOf } from "../error.js";
import { notTooDeep } from "../json.js";
import { HttpError } from "./responses.js";

/**
 * The text of a body that holds one JSON object. What the core reads is not read here as well: where the core
 * refuses it, `checkJson` says whether it was JSON at all.
 */
export async function bodyText(request, max_body_bytes, isForCore) {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(type)) {
    throw new HttpError(415, "bad_request", "the body is JSON: send it with `content-type: application/json`", { path: "content-type" });
  }
  const text = decoded(await bytesOf(request, max_body_bytes));
  notTooDeep(text);
  if (isForCore && isBraced(text)) return text;
  checkJson(text);
  if (!text.trimStart().startsWith("{")) throw new HttpError(400, "bad_request", "the body is not an object");
  return text;
}

/** Refuses a text that is no JSON. */
export function checkJson(text) {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new HttpError(400, "bad_request", `the body is not JSON: ${messageOf(cause)}`);
  }
}

/** True for a text that begins and ends as an object does: with a last member put before its end, it is JSON only if it was. */
function isBraced(text) {
  const isBlank = (at) => " \t\r\n".includes(text.charAt(at));
  let [first, last] = [0, text.length - 1];
  while (first < last && isBlank(first)) first += 1;
  while (last > first && isBlank(last)) last -= 1;
  return first < last && text.charAt(first) === "{" && text.charAt(last) === "}";
}

/** Reads no further than allowed, whatever the length that was announced. */
async function bytesOf(request, max_body_bytes) {
  if (Number(request.headers.get("content-length") ?? 0) > max_body_bytes) throw tooLong(max_body_bytes);
  const chunks = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > max_body_bytes) {
      await reader.cancel().catch(() => {});
      throw tooLong(max_body_bytes);
    }
    chunks.push(next.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HttpError(400, "bad_request", "the body is not UTF-8");
  }
}

function tooLong(max_body_bytes) {
  return new HttpError(413, "limit", `the body is longer than ${max_body_bytes} bytes`, { details: { max_body_bytes } });
}
