// MCP over standard input and output: one JSON-RPC message in each line.
/** @import { Protocol } from "./protocol.js" */
import { CODES, failure, kindOf, peer, RpcError } from "./protocol.js";

/** The maximum number of characters of a line. */
const MAX_LINE = 8 * 1024 * 1024;

/**
 * Serves one client until its input ends. The calls that run then are answered first.
 *
 * @param {Protocol} protocol
 * @param {{ input: AsyncIterable<string | Uint8Array>, output: NodeJS.WritableStream }} streams
 */
export async function serveStdio(protocol, { input, output }) {
  const client = peer();
  /** @type {Map<string | number, AbortController>} */
  const calls = new Map();
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  const asked = new Map();
  const running = /** @type {Set<Promise<void>>} */ (new Set());
  let isOpen = true;
  let numbers = 0;
  // a lost client ends the input, too
  output.on("error", () => {
    isOpen = false;
  });
  /** @param {object} message */
  const send = (message) => {
    if (isOpen) output.write(`${JSON.stringify(message)}\n`);
  };
  /** @param {string} method @param {object} params */
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      numbers += 1;
      asked.set(numbers, { resolve, reject });
      send({ jsonrpc: "2.0", id: numbers, method, params });
    });

  /** @param {any} message */
  const call = async (message) => {
    const { id } = message;
    const stop = new AbortController();
    try {
      if (calls.has(id)) throw new RpcError(CODES.request, "`id` is in use by another request");
      calls.set(id, stop);
    } catch (error) {
      send(failure(id, error));
      return;
    }
    /** @param {object} answer */
    const reply = (answer) => {
      // a canceled request has no answer; at the end of the input, every request has one
      if (!stop.signal.aborted || stop.signal.reason === "end") send(answer);
    };
    try {
      const answer = await protocol.answer(message, client, { signal: stop.signal, send, ask });
      reply(answer);
    } catch (error) {
      reply(failure(id, error));
    } finally {
      calls.delete(id);
    }
  };

  /** @param {any} message */
  const receive = (message) => {
    const kind = kindOf(message);
    if (kind === "request") {
      const done = call(message).finally(() => running.delete(done));
      running.add(done);
    } else if (kind === "notification") {
      if (message.method === "notifications/cancelled") calls.get(message.params?.requestId)?.abort("canceled");
    } else {
      const waiting = asked.get(message.id);
      asked.delete(message.id);
      if ("error" in message) waiting?.reject(new Error(String(message.error?.message ?? "the client refused")));
      else waiting?.resolve(message.result);
    }
  };

  const unfollow = protocol.follow(client, send);
  for await (const line of lines(input)) {
    let message;
    try {
      if (line === undefined) throw new RpcError(CODES.request, `a message must have at most ${MAX_LINE} characters`);
      if (line.trim() === "") continue;
      message = parsed(line);
      receive(message);
    } catch (error) {
      const id = message?.id;
      send(failure(typeof id === "string" || Number.isSafeInteger(id) ? id : undefined, error));
    }
    if (!isOpen) break;
  }
  unfollow();
  for (const { reject } of asked.values()) reject(new Error("the client ended the connection"));
  for (const [, stop] of calls) stop.abort("end");
  await Promise.all(running);
}

/**
 * Parses a message.
 *
 * @param {string} text
 */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError(CODES.parse, "the message is not JSON", { status: 400 });
  }
}

/**
 * Splits a stream into lines. A line that is too long is `undefined`.
 *
 * @param {AsyncIterable<string | Uint8Array>} input
 * @returns {AsyncGenerator<string | undefined>}
 */
async function* lines(input) {
  const decoder = new TextDecoder();
  let rest = "";
  let isTooLong = false;
  for await (const chunk of input) {
    const pieces = (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })).split("\n");
    const last = /** @type {string} */ (pieces.pop());
    for (const piece of pieces) {
      const line = rest + piece;
      yield isTooLong || line.length > MAX_LINE ? undefined : line;
      rest = "";
      isTooLong = false;
    }
    rest += last;
    if (rest.length > MAX_LINE) {
      rest = "";
      isTooLong = true;
    }
  }
  if (rest !== "" || isTooLong) yield isTooLong ? undefined : rest;
}
