// Cards and boxes in a JSON file, for tools and small projects. The file is an export of `memoryStore()`.
//
//   const store = fileStore("project.json");
//
// A commit locks `project.json.lock`, reads the file again and replaces it. So a reader sees the old file or the new
// one, and processes do not lose changes of each other. A link stays a link, and the file keeps its mode. The next
// commit removes the files of a process that was killed.
/** @import { Clock } from "../types/engine.js" */
/** @import { ModulePart } from "../types/slim.js" */
/** @import { ProfileRow } from "../types/cards.js" */
/** @import { JsonText } from "../types/json.js" */
/** @import { AbortSignalLike, MemoryStore, Reads, Writes } from "../types/store.js" */
import { open, readdir, readFile, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { decode } from "../lib/base64.js";
import { checkClock, sleep, systemClock } from "../lib/clock.js";
import { offer } from "../lib/core.js";
import { codeOf, messageOf, TuckboxError } from "../lib/error.js";
import { holderOf, tryLock } from "../lib/file/lock.js";
import { memoryStore } from "../lib/memory.js";

// a store in a file runs in Node, which can import the core
offer((/** @type {ModulePart} */ part) => import(`../generated/${part}.inline.js`).then(({ default: text }) => decode(text)));

/**
 * Returns a store in the file at `path`. The first commit creates the file.
 *
 * @type {typeof import("../types/stores/file.js").fileStore}
 */
export function fileStore(path, { wait_ms = 10_000, clock = systemClock } = {}) {
  if (typeof path !== "string" || path === "") {
    throw new TuckboxError("bad_request", "`path` must be the path of a file", { path: "path" });
  }
  return new FileStore(path, { wait_ms, clock: checkClock(clock) });
}

class FileStore {
  #path;
  #wait_ms;
  #clock;
  /** Commits of this process wait for the one before. */
  #last = /** @type {Promise<unknown>} */ (Promise.resolve());
  /** The tables that were read last, and what identifies their file. */
  #seen = { mark: "", tables: memoryStore() };

  /** @param {string} path @param {{ wait_ms: number, clock: Clock }} options */
  constructor(path, { wait_ms, clock }) {
    this.#path = path;
    this.#wait_ms = wait_ms;
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
    const mark = await this.#mark(method);
    if (mark !== this.#seen.mark) this.#seen = { mark, tables: await this.#fresh(method, mark) };
    return this.#seen.tables;
  }

  /** @param {string} method */
  async #mark(method) {
    try {
      const { ino, mtimeNs, size } = await stat(this.#path, { bigint: true });
      return `${ino} ${mtimeNs} ${size}`;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return "absent";
      throw failure(method, this.#path, error);
    }
  }

  /** @param {string} method @param {string} mark */
  async #fresh(method, mark) {
    if (mark === "absent") return memoryStore();
    try {
      return memoryStore(await readFile(this.#path, "utf8"));
    } catch (error) {
      throw failure(method, this.#path, error);
    }
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
    const lock = await this.#lock(method, place, signal);
    try {
      if (lock.isTakenOver) await clear(place);
      // tables of its own: if the file cannot be written, readers see no change
      const tables = await this.#fresh(method, await this.#mark(method));
      const before = tables.export();
      const done = await work(tables);
      const after = tables.export();
      if (after !== before) await this.#replace(method, place, after);
      return done;
    } finally {
      await lock.release();
    }
  }

  /**
   * Returns the path of the file. The given path can be a link to it.
   *
   * @param {string} method
   */
  async #place(method) {
    try {
      return await target(resolve(this.#path));
    } catch (error) {
      throw failure(method, this.#path, error);
    }
  }

  /** @param {string} method @param {string} place @param {AbortSignalLike | undefined} signal */
  async #lock(method, place, signal) {
    const path = `${place}.lock`;
    const until = this.#clock.now() + this.#wait_ms;
    for (;;) {
      let lock;
      try {
        lock = await tryLock(path);
      } catch (error) {
        throw failure(method, this.#path, error);
      }
      if (lock !== undefined) return lock;
      if (signal?.aborted || this.#clock.now() > until) {
        const message = `\`${this.#path}\` is locked by ${await holderOf(path)}; if it no longer runs, delete \`${path}\``;
        throw new TuckboxError("store", message, { path: `store.${method}` });
      }
      await sleep(this.#clock, 5 + Math.random() * 20);
    }
  }

  /** @param {string} method @param {string} place @param {string} text */
  async #replace(method, place, text) {
    const next = `${place}.${globalThis.crypto.randomUUID()}.new`;
    try {
      const old = await stat(place).catch(() => undefined);
      // `x`: never writes to an existing file or through a link
      const file = await open(next, "wx", old === undefined ? 0o666 : 0o600);
      try {
        await file.writeFile(text);
        if (old !== undefined) await keep(file, old);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(next, place);
    } catch (error) {
      await rm(next, { force: true });
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

/**
 * Sets the mode of the old file, and its owner if that is permitted.
 *
 * @param {import("node:fs/promises").FileHandle} file
 * @param {import("node:fs").Stats} old
 */
async function keep(file, { mode, uid, gid }) {
  const made = await file.stat();
  if (made.uid !== uid || made.gid !== gid) await file.chown(uid, gid).catch(() => {});
  await file.chmod(mode & 0o7777);
}

/**
 * Removes incomplete files of the previous owner of the lock.
 *
 * @param {string} place
 */
async function clear(place) {
  const names = await readdir(dirname(place));
  const left = names.filter((name) => name.startsWith(`${basename(place)}.`) && /\.[0-9a-f-]{36}\.new$/.test(name));
  for (const name of left) await rm(join(dirname(place), name), { force: true });
}

/** @param {string} method @param {string} path @param {unknown} error */
function failure(method, path, error) {
  const more = { path: `store.${method}`, cause: error };
  if (error instanceof TuckboxError) return new TuckboxError("store", `\`${path}\` is not a store: ${error.message}`, more);
  return new TuckboxError("store", `\`${path}\` could not be used: ${messageOf(error)}`, more);
}
