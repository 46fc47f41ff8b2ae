// Reads what client libraries and `fetch` return: objects of classes, streams of events, and web responses.
/** @import { CallOptions } from "../types/workspace.js" */
import { messageOf, TuckboxError } from "./error.js";
import { JsonText, jsonText } from "./json.js";
import { own } from "./options.js";
import { plain } from "./plain.js";

/**
 * @typedef {(op: string, args: unknown, options?: CallOptions) => Promise<any>} Call
 * @typedef {{ next(): Promise<{ done?: boolean, value?: any }>, return?(): unknown }} Events
 */

/** The members of a result of the AI SDK, which has them as getters of a class. */
const SDK_RESULT = ["content", "finishReason", "usage"];

/**
 * Reads an answer. For a stream, a web response or a promise, the returned promise also iterates over the deltas.
 *
 * @param {Call} call
 * @param {any} args
 * @param {CallOptions} [options]
 */
export function readAnswer(call, args, options) {
  const isGiven = typeof args === "object" && args !== null && !(args instanceof JsonText);
  const response = isGiven ? args.response : undefined;
  if (typeof response !== "object" || response === null || response instanceof JsonText) return call("read_response", args, options);
  // each access to the stream of the AI SDK splits it
  const isStreamed = "fullStream" in response || eventsOf(response) !== undefined;
  if (isWeb(response) || typeof response.then === "function" || isStreamed) return reading(call, args, options);
  return call("read_response", { ...args, response: answerOf(response, args.provider) }, options);
}

/**
 * Reads a stream as it arrives. Ending an iteration early cancels the stream, and so does the signal of the call.
 *
 * @param {Call} call
 * @param {any} args
 * @param {CallOptions} [options]
 */
function reading(call, args, options) {
  const { signal } = own(options);
  const deltas = /** @type {unknown[]} */ ([]);
  let wake = () => {};
  let changed = new Promise((resolve) => (wake = () => resolve(undefined)));
  const notify = () => {
    wake();
    changed = new Promise((resolve) => (wake = () => resolve(undefined)));
  };
  const stop = new AbortController();
  const aborted = new Promise((_, reject) => {
    const fail = () => reject(new TuckboxError("aborted", "the stream was canceled", { cause: signal?.reason }));
    stop.signal.addEventListener("abort", fail, { once: true });
  });
  aborted.catch(() => {});
  const abort = () => stop.abort();
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  /** @type {"open" | "done" | { error: unknown }} */
  let state = "open";
  const answer = pump(call, args, options, aborted, (more) => {
    deltas.push(...more);
    notify();
  }).then(
    (value) => {
      state = "done";
      return value;
    },
    (error) => {
      state = { error };
      throw error;
    },
  );
  const ended = () => {
    signal?.removeEventListener("abort", abort);
    notify();
  };
  // an iteration throws the same error
  answer.then(ended, ended);
  return Object.assign(answer, {
    async *[Symbol.asyncIterator]() {
      try {
        for (let at = 0; ; ) {
          if (at < deltas.length) {
            yield deltas[at];
            at += 1;
          } else if (state === "open") await changed;
          else if (state === "done") return;
          else throw state.error;
        }
      } finally {
        if (state === "open") abort();
      }
    },
  });
}

/**
 * @param {Call} call
 * @param {any} args
 * @param {CallOptions | undefined} options
 * @param {Promise<unknown>} aborted
 * @param {(deltas: unknown[]) => void} add
 */
async function pump(call, { response, ...args }, options, aborted, add) {
  const given = await Promise.race([response, aborted]);
  const whole = async () => call("read_response", { ...args, response: answerOf(given, args.provider) }, options);
  if (typeof given !== "object" || given === null) return whole();
  const opened = isWeb(given) ? await openWeb(given, aborted) : eventsOf(given);
  if (opened instanceof JsonText) return call("read_response", { ...args, response: opened }, options);
  if (opened === undefined) return whole();
  const iterator = /** @type {Events} */ (opened[Symbol.asyncIterator]());
  const events = [];
  try {
    for (;;) {
      const { done, value } = /** @type {any} */ (await Promise.race([iterator.next(), aborted]));
      if (done) break;
      const event = plain(value);
      events.push(event);
      const { deltas } = await call("read_deltas", { ...args, events: [event] }, options);
      if (deltas.length > 0) add(deltas);
    }
  } catch (error) {
    // the streams of OpenAI and Anthropic end their request this way; a pending `next` would delay `return`
    given.controller?.abort?.();
    Promise.resolve(iterator.return?.()).catch(() => {});
    throw error;
  }
  return call("read_response", { ...args, events }, options);
}

/**
 * Returns the events of a stream: an async iterable, or an object with one, as Bedrock and the AI SDK return it.
 *
 * @param {any} response
 */
function eventsOf(response) {
  const source = "fullStream" in response ? response.fullStream : isIterable(response) ? response : response.stream;
  if (!isIterable(source)) return undefined;
  return typeof source[Symbol.asyncIterator] === "function" ? source : chunksOf(source);
}

/**
 * Returns true for an async iterable, and for a stream where streams are not iterable.
 *
 * @param {any} source
 */
function isIterable(source) {
  return typeof source?.[Symbol.asyncIterator] === "function" || typeof source?.getReader === "function";
}

/**
 * Returns an answer as plain JSON.
 *
 * @param {any} response
 * @param {unknown} provider
 */
function answerOf(response, provider) {
  if (typeof response !== "object" || response === null) return response;
  const prototype = Object.getPrototypeOf(response);
  const isResult = provider === "ai_sdk" && prototype !== Object.prototype && prototype !== null;
  return plain(isResult ? Object.fromEntries(SDK_RESULT.map((key) => [key, response[key]])) : response);
}

/**
 * Returns true for a response of `fetch`, of this or another realm.
 *
 * @param {any} response
 */
function isWeb(response) {
  return typeof response.headers?.get === "function" && typeof response.text === "function" && typeof response.ok === "boolean";
}

/**
 * Returns the events of a web response, or its body as JSON text.
 *
 * @param {Response} response
 * @param {Promise<unknown>} aborted
 */
async function openWeb(response, aborted) {
  const type = response.headers.get("content-type") ?? "";
  if (response.ok && type.includes("text/event-stream") && response.body !== null) return serverEvents(response.body);
  const text = /** @type {string} */ (await Promise.race([response.text(), aborted]));
  if (!response.ok) throw refusal(response, text);
  try {
    const value = JSON.parse(text);
    // Gemini answers with a list of chunks, unless the request asks for server-sent events
    return Array.isArray(value) ? listed(value) : jsonText(text);
  } catch (cause) {
    const message = `expected JSON or an event stream, found \`${type}\`: ${messageOf(cause)}`;
    throw new TuckboxError("invalid_content", message, { path: "response", cause });
  }
}

/**
 * Returns the error of a response that reports one.
 *
 * @param {Response} response
 * @param {string} text
 */
function refusal(response, text) {
  let body = /** @type {any} */ (text);
  try {
    body = JSON.parse(text);
  } catch {
    // a proxy answers with text
  }
  const reason = body?.error?.message ?? body?.message ?? response.statusText;
  const details = { status: response.status, retry_after: response.headers.get("retry-after"), body };
  return new TuckboxError("bad_request", `the provider answered with status ${response.status}: ${reason}`, { path: "response", details });
}

/** @param {unknown[]} values */
async function* listed(values) {
  yield* values;
}

/**
 * Returns the chunks of a stream, also where streams are not iterable.
 *
 * @param {ReadableStream<any>} stream
 */
async function* chunksOf(stream) {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * Returns the data of server-sent events as JSON.
 *
 * @param {ReadableStream<Uint8Array>} body
 */
async function* serverEvents(body) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of chunksOf(body)) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n\r\n|\n\n|\r\r/);
    rest = blocks.pop() ?? "";
    for (const block of blocks) yield* dataOf(block);
  }
  yield* dataOf(rest);
}

/** @param {string} block */
function* dataOf(block) {
  const lines = block.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
  const data = lines.map((line) => line.slice("data:".length).trimStart()).join("\n");
  if (data === "" || data === "[DONE]") return;
  try {
    yield JSON.parse(data);
  } catch (cause) {
    throw new TuckboxError("invalid_content", `an event of the stream is not JSON: ${messageOf(cause)}`, { path: "response", cause });
  }
}
