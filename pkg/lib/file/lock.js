// A lock between processes: the folder `FILE.lock` with one file, whose name identifies the owner.
//
// The owner writes the new content of FILE into that file, and renames it to FILE. This one step commits and ends the
// lock. Another process takes the lock over by deleting the file, and then the rename of the former owner fails. So an
// owner that was paused at any step cannot overwrite a later commit. Time decides only how long others wait.
/** @import { FileHandle } from "node:fs/promises" */
/** @import { Clock } from "../../types/engine.js" */
import { chmod, mkdir, open, readdir, rename, rm, rmdir, stat, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sleep } from "../clock.js";
import { codeOf } from "../error.js";
import { hasEnded, nameOf, processOf } from "./owner.js";

/** The time between two heartbeats of an owner. */
const BEAT_MS = 1_000;
/** The time after which another process takes over a lock that it saw unchanged. */
export const TAKE_OVER_MS = 5_000;

/** The lock of the file at `place`, as one process uses it. */
export class Lock {
  #place;
  #clock;
  /** What this process saw in the lock last, and for how long. It counts only the time that it slept itself. */
  #seen = { mark: "", ms: 0 };
  /** False if a process that ended can have left files. */
  #isClear = false;

  /** @param {string} place @param {Clock} clock */
  constructor(place, clock) {
    this.#place = place;
    this.#clock = clock;
  }

  get path() {
    return `${this.#place}.lock`;
  }

  /** Tries to take the lock. Returns nothing while another process has it. */
  async take() {
    if ((await this.#owners()).length > 0 && !(await this.#takeOver())) return undefined;
    const held = await this.#create();
    if (held !== undefined && !this.#isClear) await this.#clear();
    return held;
  }

  /** Waits before another try, and returns the waited time. */
  async pause() {
    const ms = 5 + Math.random() * 20;
    await sleep(this.#clock, ms);
    this.#seen.ms += ms;
    return ms;
  }

  /** Returns a description of the owner. */
  async holder() {
    const [name = ""] = await this.#owners();
    const pid = await processOf(name);
    return pid === undefined ? "another process" : `process ${pid}`;
  }

  /** Returns the names of the files in the lock: one, or none if it is free. */
  async #owners() {
    try {
      return (await readdir(this.path)).sort();
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      if (codeOf(error) !== "ENOTDIR") throw error;
      throw new Error(`\`${this.path}\` is not the folder of a lock; delete it`);
    }
  }

  /** Removes owners that ended, and owners without a heartbeat. Returns true if the lock is free then. */
  async #takeOver() {
    const names = await this.#owners();
    const marks = await Promise.all(names.map((name) => markOf(join(this.path, name))));
    const mark = names.map((name, at) => `${name} ${marks[at]}`).join("\n");
    if (mark !== this.#seen.mark) this.#seen = { mark, ms: 0 };
    const isOver = this.#seen.ms >= TAKE_OVER_MS;
    for (const name of names) {
      if (!isOver && !(await hasEnded(name))) return false;
      // the name is unique: this deletes nothing of a process that has the lock meanwhile
      await rm(join(this.path, name), { recursive: true, force: true });
    }
    this.#isClear = false;
    return true;
  }

  /** Removes what processes left that ended before they had the lock. A running process tries again. */
  async #clear() {
    this.#isClear = true;
    const folder = dirname(this.#place);
    const isLeft = (/** @type {string} */ name) => name.startsWith(`${basename(this.#place)}.`) && /\.[0-9a-f-]{36}\.new$/.test(name);
    for (const name of (await readdir(folder)).filter(isLeft)) await rm(join(folder, name), { recursive: true, force: true });
  }

  /** Creates the lock with its owner in one step, unless another process is first. */
  async #create() {
    const name = await nameOf(globalThis.crypto.randomUUID());
    const early = `${this.#place}.${globalThis.crypto.randomUUID()}.new`;
    await mkdir(early);
    try {
      // other users of the folder can take the lock over
      await chmod(early, (await stat(dirname(this.#place))).mode & 0o1777).catch(() => {});
      const isNew = (await stat(this.#place).catch(() => undefined)) === undefined;
      await (await open(join(early, name), "wx", isNew ? 0o666 : 0o600)).close();
      // fails if the lock has an owner; an empty folder is replaced
      await rename(early, this.path);
      return new Held(this.#place, this.path, name);
    } catch (error) {
      await rm(early, { recursive: true, force: true });
      const code = String(codeOf(error));
      // Windows does not replace an empty folder
      if (["EPERM", "EACCES"].includes(code) && (await removeEmpty(this.path))) return undefined;
      if (["EEXIST", "ENOTEMPTY"].includes(code) || (code === "ENOENT" && (await markOf(dirname(this.#place))) !== "none"))
        return undefined;
      if (["EPERM", "EACCES"].includes(code) && (await this.#owners()).length > 0) return undefined;
      throw error;
    }
  }
}

/** A lock that this process has, until another process takes it over. */
class Held {
  #place;
  #folder;
  #file;
  #timer;

  /** @param {string} place @param {string} folder @param {string} name */
  constructor(place, folder, name) {
    this.#place = place;
    this.#folder = folder;
    this.#file = join(folder, name);
    this.#timer = setInterval(() => {
      const now = new Date();
      utimes(this.#file, now, now).catch(() => {});
    }, BEAT_MS);
    this.#timer.unref();
  }

  /**
   * Replaces the content of the place and ends the lock. Returns false if another process took the lock over: then
   * nothing changed.
   *
   * @param {string} text
   */
  async replace(text) {
    try {
      const old = await stat(this.#place).catch(() => undefined);
      // `r+`: never creates a file
      const file = await open(this.#file, "r+");
      try {
        await file.writeFile(text);
        if (old !== undefined) await keep(file, old);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(this.#file, this.#place);
      return true;
    } catch (error) {
      if (codeOf(error) === "ENOENT" && (await markOf(this.#file)) === "none") return false;
      throw error;
    }
  }

  /** Ends the lock. */
  async release() {
    clearInterval(this.#timer);
    await rm(this.#file, { force: true });
    await removeEmpty(this.#folder);
  }
}

/**
 * Makes the entries of the folder of `place` durable.
 *
 * @param {string} place
 */
export async function syncFolder(place) {
  // Windows cannot open a folder
  if (process.platform === "win32") return;
  const folder = await open(dirname(place), "r");
  try {
    await folder.sync();
  } catch (error) {
    // some network folders have no such request
    if (!["EINVAL", "ENOTSUP", "EOPNOTSUPP"].includes(String(codeOf(error)))) throw error;
  } finally {
    await folder.close();
  }
}

/**
 * Returns what identifies a version of a file, or `none`.
 *
 * @param {string} path
 */
export async function markOf(path) {
  try {
    const { ino, mtimeNs, ctimeNs, size } = await stat(path, { bigint: true });
    return `${ino} ${mtimeNs} ${ctimeNs} ${size}`;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "none";
    throw error;
  }
}

/**
 * Removes a folder without entries. Returns false if there is none.
 *
 * @param {string} folder
 */
async function removeEmpty(folder) {
  try {
    await rmdir(folder);
    return true;
  } catch {
    // another process has the lock, or removed the folder
    return false;
  }
}

/**
 * Sets the mode of the old file, and its owner if that is permitted.
 *
 * @param {FileHandle} file
 * @param {import("node:fs").Stats} old
 */
async function keep(file, { mode, uid, gid }) {
  const made = await file.stat();
  if (made.uid !== uid || made.gid !== gid) await file.chown(uid, gid).catch(() => {});
  await file.chmod(mode & 0o7777);
}
