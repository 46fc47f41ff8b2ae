// What a command shows or serves: a store, or logs.
/** @import { Session } from "./session.js" */
/** @import { Values } from "./usage.js" */
import { closeSync, openSync, readSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isSqliteStore } from "./stores.js";
import { UsageError } from "./usage.js";

const IS_URL = /^[a-z][a-z0-9+.-]+:\/\//i;

/**
 * Returns whether the targets of a command are logs, a store, or missing. A target that is a store becomes `--store`.
 *
 * @param {Pick<Session, "cwd">} session
 * @param {readonly string[]} targets
 * @param {Values} values
 * @returns {Promise<"logs" | "store" | "nothing">}
 */
export async function subjectOf({ cwd }, targets, values) {
  const [only, ...more] = targets;
  if (only === undefined) return values.store === undefined && process.env.TUCKBOX_STORE === undefined ? "nothing" : "store";
  if (more.length === 0 && (IS_URL.test(only) || (await isProject(resolve(cwd, only))))) {
    values.store = only;
    return "store";
  }
  if (targets.some((target) => IS_URL.test(target))) throw new UsageError("pass one URL, or files");
  return "logs";
}

/** The start of a lockfile. */
const LOCKFILE = "# tuckbox.lock ";

/**
 * Returns true for a lockfile.
 *
 * @param {string} path
 */
export function isLockfile(path) {
  const start = Buffer.alloc(LOCKFILE.length);
  try {
    const file = openSync(path, "r");
    try {
      readSync(file, start);
    } finally {
      closeSync(file);
    }
  } catch {
    // read as a log, or rejected later
    return false;
  }
  return start.toString("latin1") === LOCKFILE;
}

/**
 * Returns true for a file with projects.
 *
 * @param {string} path
 */
async function isProject(path) {
  try {
    if (!(await stat(path)).isFile()) return false;
    if (isSqliteStore(path)) return true;
    return Array.isArray(JSON.parse(await readFile(path, "utf8")).projects);
  } catch {
    // read as a log, or rejected later
    return false;
  }
}
