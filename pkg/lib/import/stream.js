// Logs of any size: one file after the other goes into the core in pieces, and is forgotten once it is told.
import { Resident, enter, readyWith } from "../core.js";
import { TuckboxError } from "../error.js";
import { parseJson } from "../json.js";
import { members } from "../raw.js";
import { MOST, compressed, opened } from "./open.js";

/**
 * The report of an import of `files`, each `{ name, size, chunks }` with the bytes as an iterable, or `{ name, bytes }`.
 * `progress` is told after every file; a `signal` that is aborted ends it between two pieces.
 */
export async function importStream(files, { progress, signal } = {}) {
  await readyWith("import");
  const entropy = crypto.getRandomValues(new Uint8Array(32));
  const stream = new Resident("import", enter((core) => new core.ImportStream(entropy)));
  const budget = { left: MOST };
  const counts = { files: 0, bytes: 0, requests: 0 };
  const told = (name, requests) => {
    counts.files += 1;
    counts.requests = requests;
    progress?.({ name, ...counts });
  };
  try {
    for await (const file of files) {
      const { name, size = file.bytes?.length ?? 0, chunks = [file.bytes] } = file;
      let held;
      let first = true;
      for await (const chunk of chunks) {
        goOn(signal);
        if (first && compressed(chunk)) held = [];
        else if (first) enter(() => stream.object.expect(size));
        first = false;
        counts.bytes += chunk.length;
        if (held === undefined) enter(() => stream.object.push(chunk));
        else held.push(chunk.slice());
      }
      if (held === undefined) {
        told(name, enter(() => stream.object.file(name)));
        continue;
      }
      const bytes = new Uint8Array(await new Blob(held).arrayBuffer());
      for (const inner of await opened({ name, bytes }, budget)) {
        enter(() => stream.object.push(inner.bytes));
        told(inner.name, enter(() => stream.object.file(inner.name)));
      }
    }
    goOn(signal);
    const { object } = stream;
    const parts = new Map(members(enter(() => object.finish())));
    const text = parts.get("value");
    return { text, value: parseJson(text), lints: JSON.parse(parts.get("lints")) };
  } catch (error) {
    stream.free();
    throw error;
  }
}

function goOn(signal) {
  if (signal?.aborted) throw new TuckboxError("aborted", "the import was ended by its caller");
}
