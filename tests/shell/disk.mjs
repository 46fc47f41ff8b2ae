// A file system of a simulated machine in place of `node:fs/promises`. Accesses are slow and can fail. A crash of the
// machine loses what was not synced: contents of files are truncated, and entries of folders are lost in any
// combination.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname } from "node:path";
import { hostOf } from "./world.mjs";

const NAMES = ["chmod", "mkdir", "open", "readFile", "readdir", "readlink", "realpath", "rename", "rm", "rmdir", "stat", "utimes"];

/** Lets hosts use the disk of their machine. Other code uses the real disk. */
export function installDisk() {
  for (const name of NAMES) {
    const known = fs.promises[name];
    fs.promises[name] = (...args) => {
      const host = hostOf();
      // the package reads its own module from the real disk
      const isReal = host === undefined || typeof args[0] !== "string";
      return isReal ? known.apply(fs.promises, args) : host.machine.disk[name](host, ...args);
    };
  }
  syncBuiltinESMExports();
}

function failure(code, path) {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}

let inodes = 0;

class Folder {
  ino = (inodes += 1);
  entries = new Map();
  durable = new Map();
  mode = 0o755;
  changed = 0;
}

class File {
  ino = (inodes += 1);
  text = "";
  durable = "";
  mode = 0o644;
  changed = 0;
}

export class Disk {
  #root = new Folder();
  /** Changes of entries that no sync made durable, in order. Those of one group happen together. */
  #pending = [];
  #changes = 0;
  /** True while the disk is full. */
  isFull = false;
  /** The probability that an access fails. */
  errors = 0;
  /** The longest time of an access in milliseconds. */
  longestMs = 3;

  constructor(world) {
    this.world = world;
  }

  /** Loses what was not synced. Open files are closed. */
  lose() {
    const { dice } = this.world;
    for (const group of this.#pending) if (dice.is(0.5)) for (const one of group) one.apply();
    this.#pending = [];
    this.#recover(this.#root);
  }

  /** Makes everything durable, as an orderly shutdown does. */
  settle() {
    for (const group of this.#pending) for (const one of group) one.apply();
    this.#pending = [];
  }

  #recover(folder) {
    folder.entries = new Map(folder.durable);
    for (const node of folder.entries.values()) {
      if (node instanceof Folder) this.#recover(node);
      else if (node.text !== node.durable) {
        const { dice } = this.world;
        // the old content, the new one, or a part of it
        const torn = node.text.slice(0, Math.floor(dice.next() * node.text.length));
        node.text = dice.of([node.durable, node.text, torn]);
        node.durable = node.text;
      }
    }
  }

  /** One access: it takes time, and can fail. */
  #access(host, what, path, work) {
    const { dice, isCalm } = this.world;
    return host.outside(`${what} ${path}`, dice.next() * this.longestMs, () => {
      if (!isCalm && this.errors > 0 && dice.is(this.errors)) throw failure("EIO", path);
      return work();
    });
  }

  #node(path) {
    let node = this.#root;
    for (const name of path.split("/").filter((part) => part !== "")) {
      if (!(node instanceof Folder)) throw failure("ENOTDIR", path);
      node = node.entries.get(name);
      if (node === undefined) throw failure("ENOENT", path);
    }
    return node;
  }

  #folder(path) {
    const node = this.#node(dirname(path));
    if (!(node instanceof Folder)) throw failure("ENOTDIR", path);
    return node;
  }

  #touch(...nodes) {
    for (const node of nodes) node.changed = this.#changes += 1;
  }

  /** Changes entries of folders, now and durably later. */
  #change(...changes) {
    this.#pending.push(
      changes.map(([folder, name, node]) => {
        const put = (entries) => (node === undefined ? entries.delete(name) : entries.set(name, node));
        put(folder.entries);
        this.#touch(folder);
        return { folder, apply: () => put(folder.durable) };
      }),
    );
  }

  #room(path) {
    if (this.isFull) throw failure("ENOSPC", path);
  }

  // ---- the functions of `node:fs/promises`

  readFile(host, path) {
    return this.#access(host, "read", path, () => {
      const node = this.#node(path);
      if (node instanceof Folder) throw failure("EISDIR", path);
      return node.text;
    });
  }

  readlink(host, path) {
    return this.#access(host, "readlink", path, () => {
      this.#node(path);
      throw failure("EINVAL", path);
    });
  }

  realpath(host, path) {
    return this.#access(host, "realpath", path, () => {
      this.#node(path);
      return path;
    });
  }

  chmod(host, path, mode) {
    return this.#access(host, "chmod", path, () => {
      const node = this.#node(path);
      node.mode = mode;
      this.#touch(node);
    });
  }

  mkdir(host, path) {
    return this.#access(host, "mkdir", path, () => {
      this.#room(path);
      const folder = this.#folder(path);
      if (folder.entries.has(basename(path))) throw failure("EEXIST", path);
      this.#change([folder, basename(path), new Folder()]);
    });
  }

  readdir(host, path) {
    return this.#access(host, "readdir", path, () => {
      const node = this.#node(path);
      if (!(node instanceof Folder)) throw failure("ENOTDIR", path);
      return [...node.entries.keys()];
    });
  }

  rename(host, from, to) {
    return this.#access(host, "rename", `${from} to ${to}`, () => {
      const node = this.#node(from);
      const [source, target] = [this.#folder(from), this.#folder(to)];
      const there = target.entries.get(basename(to));
      if (there instanceof Folder && !(node instanceof Folder)) throw failure("EISDIR", to);
      if (there instanceof Folder && there.entries.size > 0) throw failure("ENOTEMPTY", to);
      if (there instanceof File && node instanceof Folder) throw failure("ENOTDIR", to);
      this.#change([source, basename(from), undefined], [target, basename(to), node]);
      this.#touch(node);
    });
  }

  rm(host, path, { force = false } = {}) {
    return this.#access(host, "rm", path, () => {
      try {
        this.#node(path);
      } catch (error) {
        if (force && error.code === "ENOENT") return;
        throw error;
      }
      this.#change([this.#folder(path), basename(path), undefined]);
    });
  }

  rmdir(host, path) {
    return this.#access(host, "rmdir", path, () => {
      const node = this.#node(path);
      if (!(node instanceof Folder)) throw failure("ENOTDIR", path);
      if (node.entries.size > 0) throw failure("ENOTEMPTY", path);
      this.#change([this.#folder(path), basename(path), undefined]);
    });
  }

  stat(host, path, { bigint = false } = {}) {
    return this.#access(host, "stat", path, () => statOf(this.#node(path), this.world.time, bigint));
  }

  utimes(host, path) {
    return this.#access(host, "utimes", path, () => this.#touch(this.#node(path)));
  }

  open(host, path, flags = "r") {
    return this.#access(host, "open", path, () => {
      if (flags === "wx") {
        this.#room(path);
        const folder = this.#folder(path);
        if (folder.entries.has(basename(path))) throw failure("EEXIST", path);
        this.#change([folder, basename(path), new File()]);
      }
      return this.#handle(host, path, this.#node(path));
    });
  }

  #handle(host, path, node) {
    const access = (what, work) => this.#access(host, what, path, work);
    return {
      writeFile: async (text) => {
        // a reader can see the first half
        const half = text.slice(0, Math.floor(text.length / 2));
        await access("write", () => {
          this.#room(path);
          node.text = half;
          this.#touch(node);
        });
        await access("write", () => {
          this.#room(path);
          node.text = text;
          this.#touch(node);
        });
      },
      sync: () =>
        access("sync", () => {
          if (node instanceof File) {
            node.durable = node.text;
            return;
          }
          const isOf = (group) => group.some(({ folder }) => folder === node);
          for (const group of this.#pending.filter(isOf)) for (const one of group) one.apply();
          this.#pending = this.#pending.filter((group) => !isOf(group));
        }),
      stat: () => access("stat", () => statOf(node, this.world.time, false)),
      chown: () => access("chown", () => {}),
      chmod: (mode) =>
        access("chmod", () => {
          node.mode = mode;
        }),
      close: () => access("close", () => {}),
    };
  }
}

function statOf(node, time, bigint) {
  const { ino, mode, changed } = node;
  const size = node instanceof File ? node.text.length : 0;
  if (bigint) return { ino: BigInt(ino), mtimeNs: BigInt(changed), ctimeNs: BigInt(changed), size: BigInt(size) };
  return { ino, mode, uid: 0, gid: 0, size, mtimeMs: time };
}
