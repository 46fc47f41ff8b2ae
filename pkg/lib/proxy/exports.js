// Recordings of the proxy in other forms: HAR for tools that read captures, and the records themselves, one on a line.

import { items, members } from "../raw.js";
import { version } from "../version.js";

/**
 * Returns the records in the text of a recording, each as one line of JSON.
 *
 * @param {string} text
 */
export function records(text) {
  return text.split("\n").filter((line) => {
    try {
      const { at, url, request } = JSON.parse(line);
      return typeof at === "string" && typeof url === "string" && request !== undefined;
    } catch {
      return false;
    }
  });
}

/**
 * Returns records as the JSON of HAR 1.2. It has no headers, because the proxy records none.
 *
 * @param {readonly string[]} lines
 */
export function harOf(lines) {
  const creator = { name: "tuckbox", version };
  return JSON.stringify({ log: { version: "1.2", creator, entries: lines.map((line) => entryOf(line)) } });
}

/** @param {string} line */
function entryOf(line) {
  const { at, url, status = 0, ms = 0, first_byte_ms: wait = 0 } = JSON.parse(line);
  // the exact digits of the bodies
  const texts = new Map(members(line));
  const [sent, received] = [texts.get("request") ?? "", texts.get("response") ?? "null"];
  const events = streamOf(received);
  const isEmpty = received === "null";
  const none = { httpVersion: "HTTP/1.1", cookies: [], headers: [], headersSize: -1 };
  const text = isEmpty ? "" : (events ?? received);
  return {
    startedDateTime: at,
    time: ms,
    request: {
      ...none,
      method: "POST",
      url,
      queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
      postData: { mimeType: "application/json", text: sent },
      bodySize: Buffer.byteLength(sent),
    },
    response: {
      ...none,
      status,
      statusText: "",
      redirectURL: "",
      content: { size: Buffer.byteLength(text), mimeType: events === undefined ? "application/json" : "text/event-stream", text },
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait, receive: Math.max(ms - wait, 0) },
  };
}

/**
 * Returns the events of a recorded stream as their text.
 *
 * @param {string} received
 */
function streamOf(received) {
  if (!received.startsWith("{")) return undefined;
  const events = new Map(members(received)).get("events");
  return events?.startsWith("[")
    ? items(events)
        .map((event) => `data: ${event}\n\n`)
        .join("")
    : undefined;
}
