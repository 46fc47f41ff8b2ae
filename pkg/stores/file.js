// Cards and boxes in a JSON file, for tools and small projects; what `memoryStore().export()` writes.
//
//   const store = fileStore("project.json");
//
// Whoever commits holds `project.json.lock`, reads the file again, and puts a whole new file in its
// place: a reader sees the old one or the new one, and two processes never lose each other's changes.
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { TuckboxError, messageOf } from "../lib/error.js";
import { memoryStore } from "../lib/memory.js";

/** A store in the file at `path`, which is made by the first commit. */
export function fileStore(path, { wait_ms = 10_000 } = {}) {
  if (typeof path !== "string" || path === "") {
    throw new TuckboxError("bad_request", "`path` is where the file is", { path: "path" });
  }
  return new FileStore(path, wait_ms);
}

class FileStore {
  #path;
  #wait_ms;
  /** Commits of this process wait here, without asking the disk. */
  #last = Promise.resolve();
  #seen = { mark: undefined, tables: undefined };

  constructor(path, wait_ms) {
    this.#path = path;
    this.#wait_ms = wait_ms;
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
    const lock = await this.#lock(method, signal);
    try {
      // not the tables that others read: when the file cannot be written, nothing has happened
      const tables = await this.#fresh(method, await this.#mark(method));
      const before = tables.export();
      const done = await work(tables);
      const after = tables.export();
      if (after !== before) await this.#replace(method, after);
      return done;
    } finally {
      await lock.close();
      await rm(this.#lockPath, { force: true });
    }
  }

  get #lockPath() {
    return `${this.#path}.lock`;
  }

  async #lock(method, signal) {
    const until = Date.now() + this.#wait_ms;
    for (;;) {
      try {
        const lock = await open(this.#lockPath, "wx");
        await lock.writeFile(`${process.pid}\n`);
        return lock;
      } catch (error) {
        if (error.code !== "EEXIST") throw failure(method, this.#path, error);
        if (signal?.aborted || Date.now() > until) throw await held(method, this.#path, this.#lockPath);
      }
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20));
    }
  }

  async #replace(method, text) {
    const next = `${this.#path}.${process.pid}.new`;
    try {
      const file = await open(next, "w");
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(next, this.#path);
    } catch (error) {
      await rm(next, { force: true });
      throw failure(method, this.#path, error);
    }
  }
}

async function held(method, path, lockPath) {
  const holder = await readFile(lockPath, "utf8").catch(() => "");
  const who = holder.trim() === "" ? "another process" : `process ${holder.trim()}`;
  const message = `\`${path}\` is locked by ${who}; if that no longer runs, delete \`${lockPath}\``;
  return new TuckboxError("store", message, { path: `store.${method}` });
}

function failure(method, path, error) {
  const more = { path: `store.${method}`, cause: error };
  if (error instanceof TuckboxError) return new TuckboxError("store", `\`${path}\` is not a store: ${error.message}`, more);
  return new TuckboxError("store", `\`${path}\` could not be used: ${messageOf(error)}`, more);
}
