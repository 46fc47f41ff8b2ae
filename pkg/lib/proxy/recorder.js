// Writes exchanges of the proxy as records that `tuckbox import` reads. It records no header, so no credential.
/** @import { Exchange } from "./server.js" */
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { maskJson, maskUrl } from "../../mask.js";
import { codeOf, messageOf } from "../error.js";
import { objectText } from "../record.js";
import { answerText, lineOf, recordOf } from "../record-lines.js";
import { exported } from "./otlp.js";

/** @typedef {{ recorded: number, skipped: number, reason: string | undefined }} Account What was recorded, and why the rest was not. */

const DECODERS = /** @type {{ [encoding: string]: ((bytes: Uint8Array, options: object) => Promise<Uint8Array>) | undefined }} */ ({
  gzip: promisify(zlib.gunzip),
  "x-gzip": promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
  // Node 22.15 and later
  zstd: "zstdDecompress" in zlib ? promisify(/** @type {any} */ (zlib).zstdDecompress) : undefined,
});

/**
 * Returns a recorder that appends to new files of a folder. It stops at a limit; the proxy goes on.
 *
 * @param {object} options
 * @param {string} options.folder
 * @param {boolean} [options.otlp] Records exports of OpenTelemetry, too, in a file of their own.
 * @param {number} options.keep The maximum number of exchanges.
 * @param {number} options.maxBytes The maximum size of a body, also after it is decoded.
 * @param {number} options.maxDisk The maximum size of the file in bytes.
 */
export function recorder({ folder, otlp = false, keep, maxBytes, maxDisk }) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = new Date().toISOString().replace(/[:.]/g, "-");
  const path = join(folder, `${name}.jsonl`);
  const file = openSync(path, "ax", 0o600);
  const otlpPath = otlp ? join(folder, `${name}.otlp.jsonl`) : undefined;
  const otlpFile = otlpPath === undefined ? undefined : openSync(otlpPath, "ax", 0o600);
  /** @type {Account} */
  const account = { recorded: 0, skipped: 0, reason: undefined };
  const tooLong = `a body has more than ${maxBytes} bytes`;
  let size = 0;
  let last = Promise.resolve();

  /** @param {string} reason */
  const skip = (reason) => {
    account.skipped += 1;
    account.reason = reason;
  };

  /** @param {Exchange} exchange */
  const write = async (exchange) => {
    if (account.recorded >= keep) return skip(`the limit of ${keep} exchanges is reached (--keep)`);
    if (size >= maxDisk) return skip(`the limit of ${maxDisk} bytes on disk is reached`);
    if (!exchange.isWhole) return skip(tooLong);
    if (exchange.isExport) return writeExport(exchange);
    const sent = objectText(await decoded(exchange.request, exchange.sent.encoding, maxBytes));
    // lists of models and other requests without a JSON body
    if (sent === undefined) return;
    const text = await decoded(exchange.response, exchange.received.encoding, maxBytes).catch((error) => {
      if (isTooLong(error)) throw error;
      return "";
    });
    const { at, status, firstByteMs, ms, isAborted } = exchange;
    const head = {
      at,
      url: maskUrl(exchange.url),
      status: status ?? 0,
      first_byte_ms: firstByteMs,
      ms,
      ...(isAborted ? { aborted: true } : {}),
    };
    append(file, lineOf(recordOf(head, sent, answerText(text, exchange.received.type))));
  };

  /** @param {number} to @param {string} line */
  const append = (to, line) => {
    writeSync(to, `${line}\n`);
    size += Buffer.byteLength(line) + 1;
    account.recorded += 1;
  };

  /** @param {Exchange} exchange */
  const writeExport = async ({ request, sent, url }) => {
    const bytes = await opened(request, sent.encoding, maxBytes);
    const text = exported(bytes, url, sent.type);
    if (otlpFile !== undefined && text !== undefined) append(otlpFile, maskJson(text));
  };

  return {
    paths: otlpPath === undefined ? [path] : [path, otlpPath],
    account: () => ({ ...account }),
    /**
     * Records an exchange. Resolves when it is in the file, or skipped.
     *
     * @param {Exchange} exchange
     */
    record: (exchange) => {
      last = last.then(() => write(exchange)).catch((error) => skip(isTooLong(error) ? tooLong : messageOf(error)));
      return last;
    },
    /** Waits for the exchanges that ended. */
    close: async () => {
      await last;
      for (const one of [file, otlpFile]) {
        if (one === undefined) continue;
        fsyncSync(one);
        closeSync(one);
      }
    },
  };
}

/** Returns true for the error of a body that is too long when it is decoded. @param {unknown} error */
const isTooLong = (error) => codeOf(error) === "ERR_BUFFER_TOO_LARGE";

/** @param {readonly Uint8Array[]} chunks @param {string} encoding @param {number} maxOutputLength */
async function decoded(chunks, encoding, maxOutputLength) {
  return new TextDecoder().decode(await opened(chunks, encoding, maxOutputLength));
}

/** @param {readonly Uint8Array[]} chunks @param {string} encoding @param {number} maxOutputLength */
async function opened(chunks, encoding, maxOutputLength) {
  let bytes = /** @type {Uint8Array} */ (Buffer.concat(chunks));
  const names = encoding.split(",").map((name) => name.trim().toLowerCase());
  for (const name of names.reverse()) {
    if (name === "" || name === "identity") continue;
    const decode = DECODERS[name];
    if (decode === undefined) throw new Error(`the encoding ${name} is unknown`);
    bytes = await decode(bytes, { maxOutputLength });
  }
  return bytes;
}
