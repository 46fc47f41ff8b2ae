// The files of a folder of logs. A file that cannot be read costs only itself, and no link leads out of the folder.
/** @import { FileHandle } from "node:fs/promises" */
/** @import { Session } from "./session.js" */
import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { messageOf } from "../error.js";
import { line } from "./paint.js";
import { UsageError } from "./usage.js";

/** Files that describe a test case next to its log. */
const NOT_LOGS = new Set(["truth.json", "meta.json"]);

/** Folders without logs. */
const NOT_FOLDERS = new Set(["node_modules", ".git"]);

/**
 * @typedef {{ name: string, size: number, file: FileHandle }} OpenLog
 * @typedef {{ root: string, visited: Set<string>, skip: (name: string, why: string) => void }} Walk
 */

/**
 * Returns every file below some paths, open, ordered by name. A path of the caller must be readable. What is below it
 * and cannot be read is skipped with a note.
 *
 * @param {Pick<Session, "cwd" | "note">} session
 * @param {readonly string[]} paths
 * @returns {AsyncGenerator<OpenLog>}
 */
export async function* logs(session, paths) {
  /** @param {string} name @param {string} why */
  const skip = (name, why) => session.note(`\`${line(name)}\` is skipped: ${why}`);
  for (const name of paths) {
    const path = resolve(session.cwd, name);
    try {
      const [root, kind] = [await realpath(path), await stat(path)];
      if (kind.isDirectory()) yield* below({ root, visited: new Set(), skip }, root, name);
      else if (kind.isFile()) yield* one(root, name);
      else throw new UsageError(`\`${name}\` cannot be read: it is neither a file nor a folder`);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      throw new UsageError(`\`${name}\` cannot be read: ${messageOf(error)}`);
    }
  }
}

/** @param {Walk} walk @param {string} folder @param {string} name @returns {AsyncGenerator<OpenLog>} */
async function* below(walk, folder, name) {
  // links inside of the folder can form a cycle
  if (walk.visited.has(folder)) return;
  walk.visited.add(folder);
  for (const entry of (await readdir(folder)).sort()) {
    const inner = join(name, entry);
    try {
      const path = await realpath(join(folder, entry));
      const kind = await stat(path);
      if (!isWithin(walk.root, path)) walk.skip(inner, "the link leads out of the folder");
      else if (kind.isDirectory()) {
        if (!NOT_FOLDERS.has(entry)) yield* below(walk, path, inner);
      } else if (!kind.isFile()) walk.skip(inner, "it is not a regular file");
      else if (!NOT_LOGS.has(entry)) yield* one(path, inner);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      walk.skip(inner, messageOf(error));
    }
  }
}

/**
 * Opens a file while the caller reads it. The checks are repeated on the open file: another process can replace it. A
 * pipe or a device does not block `open`.
 *
 * @param {string} path
 * @param {string} name
 * @returns {AsyncGenerator<OpenLog>}
 */
async function* one(path, name) {
  if (NOT_LOGS.has(basename(path))) return;
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const kind = await file.stat();
    if (kind.isFile()) yield { name, size: kind.size, file };
  } finally {
    await file.close();
  }
}

/** @param {string} root @param {string} path */
function isWithin(root, path) {
  const from = relative(root, path);
  return from !== ".." && !from.startsWith(`..${sep}`) && resolve(root, from) === path;
}

/** @param {unknown} error */
function isSystemError(error) {
  return error instanceof Error && "syscall" in error;
}
