// A recorder in a thread of its own: masking a long body must not delay the streams that pass through the proxy.
/** @import { Account } from "./recorder.js" */
/** @import { Exchange } from "./server.js" */
import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { recorder } from "./recorder.js";

/** @typedef {{ folder: string, otlp: boolean, keep: number, maxBytes: number, maxDisk: number }} Options */

/**
 * Starts a recorder. Throws if its file cannot be created.
 *
 * @param {Options} options
 */
export async function threadRecorder(options) {
  const thread = new Worker(new URL(import.meta.url), { workerData: options });
  const [paths] = await once(thread, "message");
  /** @type {Account} */
  let account = { recorded: 0, skipped: 0, reason: undefined };
  /** @type {Map<number, () => void>} */
  const waiting = new Map();
  let numbers = 0;
  let isEnded = false;
  const ended = new Promise((resolve) => thread.once("exit", resolve));
  thread.on("message", (/** @type {{ number: number, account: Account }} */ done) => {
    account = done.account;
    waiting.get(done.number)?.();
    waiting.delete(done.number);
  });
  // a recorder that fails, for example because a body needs too much memory, does not stop the proxy
  thread.on("error", (/** @type {Error} */ error) => {
    isEnded = true;
    account = { ...account, skipped: account.skipped + waiting.size, reason: error.message };
    for (const resolve of waiting.values()) resolve();
    waiting.clear();
  });
  return {
    paths: /** @type {string[]} */ (paths),
    account: () => account,
    /**
     * Records an exchange. Resolves when it is in the file, or skipped.
     *
     * @param {Exchange} exchange
     * @returns {Promise<void>}
     */
    record: (exchange) =>
      new Promise((resolve) => {
        if (isEnded) {
          account = { ...account, skipped: account.skipped + 1 };
          return resolve();
        }
        numbers += 1;
        waiting.set(numbers, resolve);
        // moved and not copied
        const [request, response] = [joined(exchange.request), joined(exchange.response)];
        const moved = { ...exchange, request: [request], response: [response] };
        thread.postMessage({ number: numbers, exchange: moved }, [request.buffer, response.buffer]);
      }),
    /** Waits for the exchanges that ended. */
    close: async () => {
      thread.postMessage("close");
      await ended;
    },
  };
}

/**
 * Returns chunks as one array with a buffer of its own.
 *
 * @param {readonly Uint8Array[]} chunks
 */
function joined(chunks) {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const { record, account, close, paths } = recorder(/** @type {Options} */ (workerData));
  port.on("message", async (message) => {
    if (message === "close") {
      await close();
      port.close();
      return;
    }
    await record(message.exchange);
    port.postMessage({ number: message.number, account: account() });
  });
  port.postMessage(paths);
}
