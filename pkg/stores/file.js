// Cards and boxes in a JSON file, for tools and small projects; what `memoryStore().export()` writes.
//
//   const store = fileStore("project.json");
//
// Whoever commits holds `project.json.lock`, reads the file again, and puts a whole new file in its
// place: a reader sees the old one or the new one, and two processes never lose each other's changes.
// A link stays a link and the file keeps its mode; what a process that was killed left behind is cleared away.
import { open, readFile, readdir, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { decode } from "../lib/base64.js";
import { checkClock, sleep, systemClock } from "../lib/clock.js";
import { offer } from "../lib/core.js";
import { TuckboxError, messageOf } from "../lib/error.js";
import { holderOf, tryLock } from "../lib/file/lock.js";
import { memoryStore } from "../lib/memory.js";

// whoever uses a file has Node's own way to the core
offer((part) => import(`../generated/${part}.inline.js`).then(({ default: text }) => decode(text)));

/** A store in the file at `path`, which is made by the first commit. */
export function fileStore(path, { wait_ms = 10_000, clock = systemClock } = {}) {
  if (typeof path !== "string" || path === "") {
    throw new TuckboxError("bad_request", "`path` is where the file is", { path: "path" });
  }
  return new FileStore(path, { wait_ms, clock: checkClock(clock) });
}

class FileStore {
  #path;
  #wait_ms;
  #clock;
  /** Commits of this process wait here, without asking the disk. */
  #last = Promise.resolve();
  #seen = { mark: undefined, tables: undefined };

  constructor(path, { wait_ms, clock }) {
    this.#path = path;
    this.#wait_ms = wait_ms;
    this.#clock = clock;
  }

  async read(reads) {
    return (await this.#tables("read")).read(reads);
  }

  async commit(writes, { text, signal } = {}) {
    return this.#alone("commit", signal, (tables) => tables.commit(writes, { text }));
  }

  /** Registers profiles; one with the same name in any case is replaced. */
  async addProfiles(project_id, rows) {
    return this.#alone("addProfiles", undefined, (tables) => {
      for (const row of rows) tables.project(project_id).addProfile(row);
    });
  }

  /** What is in the file now, read only when it is another one than last time. */
  async #tables(method) {
    const mark = await this.#mark(method);
    if (mark !== this.#seen.mark) this.#seen = { mark, tables: await this.#fresh(method, mark) };
    return this.#seen.tables;
  }

  async #mark(method) {
    try {
      const { ino, mtimeNs, size } = await stat(this.#path, { bigint: true });
      return `${ino} ${mtimeNs} ${size}`;
    } catch (error) {
      if (error.code === "ENOENT") return "absent";
      throw failure(method, this.#path, error);
    }
  }

  async #fresh(method, mark) {
    if (mark === "absent") return memoryStore();
    try {
      return memoryStore(await readFile(this.#path, "utf8"));
    } catch (error) {
      throw failure(method, this.#path, error);
    }
  }

  #alone(method, signal, work) {
    const mine = this.#last.then(() => this.#locked(method, signal, work));
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #locked(method, signal, work) {
    const place = await this.#place(method);
    const lock = await this.#lock(method, place, signal);
    try {
      if (lock.isTakenOver) await clear(place);
      // not the tables that others read: when the file cannot be written, nothing has happened
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

  /** Where the file itself is, which may be another place than the one that links to it. */
  async #place(method) {
    try {
      return await target(resolve(this.#path));
    } catch (error) {
      throw failure(method, this.#path, error);
    }
  }

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
        const message = `\`${this.#path}\` is locked by ${await holderOf(path)}; if that no longer runs, delete \`${path}\``;
        throw new TuckboxError("store", message, { path: `store.${method}` });
      }
      await sleep(this.#clock, 5 + Math.random() * 20);
    }
  }

  async #replace(method, place, text) {
    const next = `${place}.${globalThis.crypto.randomUUID()}.new`;
    try {
      const old = await stat(place).catch(() => undefined);
      // exclusively: what somebody else put there is not written through
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

/** Follows links, also one to a file that is not there yet. */
async function target(path) {
  try {
    return await realpath(path);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? path : target(resolve(dirname(path), link));
}

/** The mode of the file before, and its owner where we may say so. */
async function keep(file, { mode, uid, gid }) {
  const made = await file.stat();
  if (made.uid !== uid || made.gid !== gid) await file.chown(uid, gid).catch(() => {});
  await file.chmod(mode & 0o7777);
}

/** Removes half-written files; they belong to whoever held the lock, and now nobody does. */
async function clear(place) {
  const names = await readdir(dirname(place));
  const left = names.filter((name) => name.startsWith(`${basename(place)}.`) && /\.[0-9a-f-]{36}\.new$/.test(name));
  for (const name of left) await rm(join(dirname(place), name), { force: true });
}

function failure(method, path, error) {
  const more = { path: `store.${method}`, cause: error };
  if (error instanceof TuckboxError) return new TuckboxError("store", `\`${path}\` is not a store: ${error.message}`, more);
  return new TuckboxError("store", `\`${path}\` could not be used: ${messageOf(error)}`, more);
}
