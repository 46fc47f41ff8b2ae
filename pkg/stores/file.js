// Cards and boxes in a JSON file, for tools and small projects. The file is an export of `memoryStore()`. It can have
// members of other software, which stay as they are.
//
//   const store = fileStore("project.json");
//
// A commit locks `project.json.lock`, reads the file again and replaces it. So a reader sees the old file or the new
// one. Processes do not lose changes of each other, also in several containers and on network folders. A link stays a
// link, and the file keeps its mode. The next commit removes the files of a process that was killed.
/** @import { Clock } from "../types/engine.js" */
/** @import { ModulePart } from "../types/slim.js" */
/** @import { ProfileRow } from "../types/cards.js" */
/** @import { JsonText } from "../types/json.js" */
/** @import { AbortSignalLike, MemoryStore, Reads, Writes } from "../types/store.js" */
import { readFile, readlink, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { decode } from "../lib/base64.js";
import { checkClock, systemClock } from "../lib/clock.js";
import { offer } from "../lib/core.js";
import { codeOf, messageOf, TuckboxError } from "../lib/error.js";
import { fileText, readProjects } from "../lib/file/format.js";
import { Lock, markOf, syncFolder } from "../lib/file/lock.js";
import { memoryStore } from "../lib/memory.js";
import { own } from "../lib/options.js";

// a store in a file runs in Node, which can import the core
offer((/** @type {ModulePart} */ part) => import(`../generated/${part}.inline.js`).then(({ default: text }) => decode(text)));

/** The maximum number of times that a commit starts again after another process took its lock over. */
const MAX_TRIES = 5;

/**
 * Returns a store in the file at `path`. The first commit creates the file.
 *
 * @type {typeof import("../types/stores/file.js").fileStore}
 */
export function fileStore(path, options) {
  const { waitMs = 10_000, clock = systemClock } = own(options);
  if (typeof path !== "string" || path === "") {
    throw new TuckboxError("bad_request", "`path` must be the path of a file", { path: "path" });
  }
  return new FileStore(path, { waitMs, clock: checkClock(clock) });
}

class FileStore {
  #path;
  #waitMs;
  #clock;
  /** Commits of this process wait for the one before. */
  #last = /** @type {Promise<unknown>} */ (Promise.resolve());
  /** The lock that was used last: it keeps what this process saw. */
  #lock = /** @type {Lock | undefined} */ (undefined);
  /** The tables that were read last, and what identifies their file. */
  #seen = { mark: "", tables: memoryStore() };

  /** @param {string} path @param {{ waitMs: number, clock: Clock }} options */
  constructor(path, { waitMs, clock }) {
    this.#path = path;
    this.#waitMs = waitMs;
    this.#clock = clock;
  }

  /** @param {Reads} reads */
  async read(reads) {
    return (await this.#tables("read")).read(reads);
  }

  /** @param {Writes} writes @param {{ text?: string, signal?: AbortSignalLike }} [more] */
  async commit(writes, { text, signal } = {}) {
    return this.#alone("commit", signal, (tables) => tables.commit(writes, { text }));
  }

  /**
   * Registers profiles. A profile replaces one with the same name; case is ignored.
   *
   * @param {string} project_id
   * @param {readonly (ProfileRow | JsonText)[]} rows
   */
  async addProfiles(project_id, rows) {
    return this.#alone("addProfiles", undefined, (tables) => {
      for (const row of rows) tables.project(project_id).addProfile(row);
    });
  }

  /**
   * Returns the tables of the file, which is read only if it changed.
   *
   * @param {string} method
   */
  async #tables(method) {
    try {
      const mark = await markOf(this.#path);
      if (mark !== this.#seen.mark) this.#seen = { mark, tables: (await this.#fresh()).tables };
      return this.#seen.tables;
    } catch (error) {
      throw failure(method, this.#path, error);
    }
  }

  /** Reads the file: its members, and the tables in them. */
  async #fresh() {
    let text;
    try {
      text = await readFile(this.#path, "utf8");
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      return { members: [], tables: memoryStore() };
    }
    return readProjects(text);
  }

  /**
   * @template Result
   * @param {string} method
   * @param {AbortSignalLike | undefined} signal
   * @param {(tables: MemoryStore) => Result | Promise<Result>} work
   */
  #alone(method, signal, work) {
    const mine = this.#last.then(() => this.#locked(method, signal, work));
    this.#last = mine.catch(() => {});
    return mine;
  }

  /**
   * @template Result
   * @param {string} method
   * @param {AbortSignalLike | undefined} signal
   * @param {(tables: MemoryStore) => Result | Promise<Result>} work
   */
  async #locked(method, signal, work) {
    const place = await this.#place(method);
    for (let tried = 1; tried <= MAX_TRIES; tried += 1) {
      const lock = await this.#take(method, place, signal);
      try {
        // tables of its own: if the file cannot be written, readers see no change
        const { members, tables } = await this.#io(method, this.#fresh());
        const before = tables.export();
        const done = await work(tables);
        const isSame = tables.export() === before;
        // an operation that is in the file already can be one whose process ended before it was durable
        if (isSame || (await this.#io(method, lock.replace(fileText(members, tables))))) {
          await this.#io(method, syncFolder(place));
          return done;
        }
      } finally {
        await this.#io(method, lock.release());
      }
    }
    const message = `\`${this.#path}\`: other processes took the lock over ${MAX_TRIES} times, because this process was too slow`;
    throw new TuckboxError("store", message, { path: `store.${method}` });
  }

  /**
   * Returns the path of the file. The given path can be a link to it.
   *
   * @param {string} method
   */
  #place(method) {
    return this.#io(method, target(resolve(this.#path)));
  }

  /** @param {string} method @param {string} place @param {AbortSignalLike | undefined} signal */
  async #take(method, place, signal) {
    if (this.#lock?.path !== `${place}.lock`) this.#lock = new Lock(place, this.#clock);
    const lock = this.#lock;
    for (let waited = 0; ; waited += await lock.pause()) {
      const held = await this.#io(method, lock.take());
      if (held !== undefined) return held;
      if (signal?.aborted || waited > this.#waitMs) {
        const message = `\`${this.#path}\` is locked by ${await this.#io(method, lock.holder())}; try again later, or wait longer with \`waitMs\``;
        throw new TuckboxError("store", message, { path: `store.${method}` });
      }
    }
  }

  /**
   * Names the file in the error of an operation.
   *
   * @template Value
   * @param {string} method
   * @param {Promise<Value>} work
   */
  async #io(method, work) {
    try {
      return await work;
    } catch (error) {
      throw failure(method, this.#path, error);
    }
  }
}

/**
 * Follows links, also one to a file that does not exist yet.
 *
 * @param {string} path
 * @returns {Promise<string>}
 */
async function target(path) {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? path : target(resolve(dirname(path), link));
}

/** @param {string} method @param {string} path @param {unknown} error */
function failure(method, path, error) {
  const more = { path: `store.${method}`, cause: error };
  if (error instanceof TuckboxError) return new TuckboxError("store", `\`${path}\` is not a store: ${error.message}`, more);
  return new TuckboxError("store", `\`${path}\` could not be used: ${messageOf(error)}`, more);
}
