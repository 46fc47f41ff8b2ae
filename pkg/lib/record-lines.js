// Records of requests to models, as lines of JSON that `tuckbox import` reads.
/** @import { Recorded } from "../types/record.js" */
import { maskJson } from "../mask.js";
import { objectText } from "./record.js";

/** The exact text of records. A record is a JavaScript value, which can lose digits and the order of keys. */
const lines = /** @type {WeakMap<Recorded, string>} */ (new WeakMap());

/**
 * Returns a record of JSON texts, without secrets.
 *
 * @param {Omit<Recorded, "request" | "response">} head
 * @param {string} sent
 * @param {string} received
 * @returns {Recorded}
 */
export function recordOf(head, sent, received) {
  const [request, response] = [maskJson(sent), maskJson(received)];
  const record = { ...head, request: JSON.parse(request), response: JSON.parse(response) };
  lines.set(record, `${JSON.stringify(head).slice(0, -1)},"request":${oneLine(request)},"response":${oneLine(response)}}`);
  return record;
}

/**
 * Returns a record as one line of JSON: its exact text, or that of a record that the caller made.
 *
 * @param {Recorded} record
 */
export function lineOf(record) {
  return lines.get(record) ?? JSON.stringify(record);
}

/**
 * Returns JSON on one line. Strings in JSON have no line breaks.
 *
 * @param {string} json
 */
function oneLine(json) {
  return json.replace(/[\r\n]+/g, " ").trim();
}

/** @param {unknown} value */
export function textOf(value) {
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

/**
 * Returns the body of a response as JSON text. Of a stream these are its events.
 *
 * @param {string} text
 * @param {string} type The content type.
 */
export function answerText(text, type) {
  if (!type.includes("text/event-stream")) return objectText(text) ?? "null";
  const data = text.split(/\r\n|\r|\n/).filter((line) => line.startsWith("data:"));
  const events = data.map((line) => line.slice("data:".length).trim()).filter((event) => objectText(event) !== undefined);
  return events.length === 0 ? "null" : `{"events":[${events.join(",")}]}`;
}
