// Imports logs of any size. Each file is passed to the core in pieces, and the core discards it after it is read.
/** @import { ImportStream } from "../../generated/core.js" */
/** @import { ImportReport, Lint } from "../../types/results.js" */
/** @import { AbortSignalLike } from "../../types/store.js" */
import { enter, Resident, readyWith } from "../core.js";
import { TuckboxError } from "../error.js";
import { parseJson, toText } from "../json.js";
import { own } from "../options.js";
import { modelTable } from "./models.js";
import { compressed, MAX_BYTES, opened } from "./open.js";

/** The number of bytes between two reports of progress. */
const REPORT_EVERY = 1 << 20;

/**
 * Returns the report of an import of `files`: each is `{ name, size, chunks }`, or `{ name, bytes }`. `progress` is
 * called after every file and during large ones. `signal` ends the import between two pieces. `models` is the host's
 * own table of models.
 *
 * @type {typeof import("../../types/import.js").importStream}
 */
export async function importStream(files, options) {
  const { progress, signal, models } = own(options);
  await readyWith("import");
  const table = await modelTable(models);
  const entropy = crypto.getRandomValues(new Uint8Array(32));
  const stream = new Resident(
    "import",
    enter((core) => new core.ImportStream(entropy, table)),
  );
  const budget = { left: MAX_BYTES };
  const counts = { files: 0, bytes: 0, requests: 0 };
  let reported = 0;
  /** @param {string} name */
  const report = (name) => {
    reported = counts.bytes;
    progress?.({ name, ...counts });
  };
  /** @param {string} name @param {number} size */
  const begin = (name, size) => enter(() => stream.object.begin(name, Math.min(size, 2 ** 32 - 1)));
  /** @param {Uint8Array} bytes */
  const push = (bytes) => {
    counts.requests = enter(() => stream.object.push(bytes));
  };
  /** @param {string} name */
  const end = (name) => {
    counts.requests = enter(() => stream.object.end());
    counts.files += 1;
    report(name);
  };
  try {
    for await (const file of files) {
      const { name } = file;
      const { size = 0, chunks } = "bytes" in file ? { size: file.bytes.length, chunks: [file.bytes] } : file;
      /** @type {Uint8Array<ArrayBuffer>[] | undefined} */
      let held;
      let first = true;
      for await (const chunk of chunks) {
        throwIfAborted(signal);
        if (first && compressed(chunk)) held = [];
        else if (first) begin(name, size);
        first = false;
        counts.bytes += chunk.length;
        if (held === undefined) push(chunk);
        else held.push(chunk.slice());
        if (counts.bytes - reported >= REPORT_EVERY) report(name);
      }
      if (held === undefined) {
        if (first) begin(name, size);
        end(name);
        continue;
      }
      const bytes = new Uint8Array(await new Blob(held).arrayBuffer());
      for (const inner of await opened({ name, bytes }, budget)) {
        begin(inner.name, inner.bytes.length);
        push(inner.bytes);
        end(inner.name);
      }
    }
    throwIfAborted(signal);
    const [around, lints] = enter(() => stream.object.finish());
    const { files: read, notes, calibration } = parseJson(around);
    // a thousand requests at a time: the text of all of them would be too large
    const sessions = /** @type {any[]} */ ([]);
    const fill = filling();
    for (let text = next(stream); text !== undefined; text = next(stream)) {
      const piece = parseJson(text);
      if (Array.isArray(piece)) for (const request of fill(piece)) sessions.at(-1).requests.push(request);
      else sessions.push({ ...piece, requests: fill(piece.requests) });
    }
    stream.free();
    return new ImportResult({ files: read, sessions, notes, calibration }, JSON.parse(lints));
  } catch (error) {
    stream.free();
    throw error;
  }
}

/**
 * Returns a function that restores the lists `unknown`: the core sends one only if it differs from that of the request
 * before.
 */
function filling() {
  let last = /** @type {unknown} */ ([]);
  return (/** @type {any[]} */ requests) => {
    for (const request of requests) {
      if (request.unknown === null) request.unknown = last;
      else last = request.unknown;
    }
    return requests;
  };
}

/** @param {Resident<ImportStream>} stream */
function next(stream) {
  return enter(() => stream.object.piece());
}

/** The result of an import. Its text is created on first use. */
class ImportResult {
  /** @param {ImportReport} value @param {readonly Lint[]} lints */
  constructor(value, lints) {
    this.value = value;
    this.lints = lints;
  }

  get text() {
    return toText(this.value, "invalid_content");
  }
}

/** @param {AbortSignalLike | undefined} signal */
function throwIfAborted(signal) {
  if (signal?.aborted) throw new TuckboxError("aborted", "the caller ended the import");
}
