// The files of a growing log, as far as they were read from the page's server. Runs in the worker.
import type { NamedBytes } from "tuckbox/web";
import type { LiveFile } from "../engine/protocol.ts";
import { LARGE_BYTES } from "./files.ts";

/** Names of files that only grow. Other files are replaced. */
const GROWS = /\.(?:jsonl|ndjson|log)$/;

export class LiveLog {
  /** All files, by name. */
  #files = new Map<string, LiveFile>();
  /** What was read of the open files. */
  #bytes = new Map<string, Uint8Array>();

  /** The number of older files that are not open. */
  get omitted(): number {
    return this.#files.size - this.#bytes.size;
  }

  /** Reads what is new of files. Returns false if nothing is new. */
  async read(reported: readonly LiveFile[]): Promise<boolean> {
    const changed = new Set<string>();
    for (const file of reported) {
      const known = this.#files.get(file.name);
      if (known?.size === file.size && known.changed === file.changed) continue;
      this.#files.set(file.name, file);
      changed.add(file.name);
    }
    for (const { name, address, size } of this.#newest()) {
      const known = this.#bytes.get(name);
      if (known !== undefined && !changed.has(name)) continue;
      if (known !== undefined && GROWS.test(name) && size >= known.length)
        this.#bytes.set(name, joined(known, await bytesAt(`${address}?from=${known.length}`)));
      else this.#bytes.set(name, await bytesAt(address));
    }
    return changed.size > 0;
  }

  /** Returns the files to open: the newest ones that are not large together. An open file stays open. */
  #newest(): LiveFile[] {
    let left = LARGE_BYTES;
    const files = [...this.#files.values()].toSorted((a, b) => b.changed - a.changed);
    return files.filter(({ name, size }, at) => {
      left -= size;
      return at === 0 || left >= 0 || this.#bytes.has(name);
    });
  }

  /** Returns the bytes of the open files, in the order in which the server lists them. */
  files(): NamedBytes[] {
    return [...this.#files.keys()].flatMap((name) => {
      const bytes = this.#bytes.get(name);
      return bytes === undefined ? [] : [{ name, bytes }];
    });
  }
}

async function bytesAt(url: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(url)).arrayBuffer());
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
