// Values of client libraries as plain JSON: objects of classes, bytes, errors and dates.
import { TuckboxError } from "./error.js";
import { isBytes, JsonText } from "./json.js";

/** The maximum depth of a value. The limit of the core is lower. */
const MAX_DEPTH = 600;

/**
 * Returns a value as plain JSON. Functions and symbols are omitted, as in `JSON.stringify`. Bytes become base64.
 *
 * @param {any} value
 * @param {number} [depth]
 * @returns {any}
 */
export function plain(value, depth = 0) {
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null || value instanceof JsonText) return value;
  if (depth > MAX_DEPTH) throw new TuckboxError("limit", `the value is nested more than ${MAX_DEPTH} levels deep`);
  if (isBytes(value)) return base64(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1) ?? null);
  return Object.fromEntries(
    Object.keys(value).flatMap((key) => {
      const member = plain(value[key], depth + 1);
      return member === undefined ? [] : [[key, member]];
    }),
  );
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  if (typeof Buffer === "function") return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
