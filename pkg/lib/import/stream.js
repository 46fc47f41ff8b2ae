// Logs of any size: one file after the other goes into the core in pieces, and is forgotten once it is told.
import { Resident, enter, readyWith } from "../core.js";
import { TuckboxError } from "../error.js";
import { parseJson, toText } from "../json.js";
import { MOST, compressed, opened } from "./open.js";

/** After how many bytes of a file somebody is told how far it is. */
const TOLD_EVERY = 1 << 20;

/**
 * The report of an import of `files`, each `{ name, size, chunks }` with the bytes as an iterable, or `{ name, bytes }`.
 * `progress` is told after every file, and on the way through a large one; a `signal` that is aborted ends it between
 * two pieces.
 */
export async function importStream(files, { progress, signal } = {}) {
  await readyWith("import");
  const entropy = crypto.getRandomValues(new Uint8Array(32));
  const stream = new Resident("import", enter((core) => new core.ImportStream(entropy)));
  const budget = { left: MOST };
  const counts = { files: 0, bytes: 0, requests: 0 };
  let told = 0;
  const tell = (name) => {
    told = counts.bytes;
    progress?.({ name, ...counts });
  };
  const begin = (name, size) => enter(() => stream.object.begin(name, Math.min(size, 2 ** 32 - 1)));
  const push = (bytes) => {
    counts.requests = enter(() => stream.object.push(bytes));
  };
  const end = (name) => {
    counts.requests = enter(() => stream.object.end());
    counts.files += 1;
    tell(name);
  };
  try {
    for await (const file of files) {
      const { name, size = file.bytes?.length ?? 0, chunks = [file.bytes] } = file;
      let held;
      let first = true;
      for await (const chunk of chunks) {
        goOn(signal);
        if (first && compressed(chunk)) held = [];
        else if (first) begin(name, size);
        first = false;
        counts.bytes += chunk.length;
        if (held === undefined) push(chunk);
        else held.push(chunk.slice());
        if (counts.bytes - told >= TOLD_EVERY) tell(name);
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
    goOn(signal);
    const [around, lints] = enter(() => stream.object.finish());
    const { files: read, notes, calibration } = parseJson(around);
    // a thousand requests at a time: the text of all of them is larger than anything else here
    const sessions = [];
    const fill = filling();
    for (let text = next(stream); text !== undefined; text = next(stream)) {
      const piece = parseJson(text);
      if (Array.isArray(piece)) for (const request of fill(piece)) sessions.at(-1).requests.push(request);
      else sessions.push({ ...piece, requests: fill(piece.requests) });
    }
    stream.free();
    return new Told({ files: read, sessions, notes, calibration }, JSON.parse(lints));
  } catch (error) {
    stream.free();
    throw error;
  }
}

/** What cannot be known is nearly always what could not be known of the request before: it is sent once, and one list serves both. */
function filling() {
  let last = [];
  return (requests) => {
    for (const request of requests) {
      if (request.unknown === null) request.unknown = last;
      else last = request.unknown;
    }
    return requests;
  };
}

function next(stream) {
  return enter(() => stream.object.piece());
}

/** What an import found; its text is made when somebody asks for it. */
class Told {
  constructor(value, lints) {
    this.value = value;
    this.lints = lints;
  }

  get text() {
    return toText(this.value, "invalid_content");
  }
}

function goOn(signal) {
  if (signal?.aborted) throw new TuckboxError("aborted", "the import was ended by its caller");
}
