// Reads a lockfile, and replaces it in one step. Processes that update it wait for each other.
import { readFileSync } from "node:fs";
import { sep } from "node:path";
import { systemClock } from "../clock.js";
import { codeOf, messageOf } from "../error.js";
import { Lock } from "../file/lock.js";

/**
 * Returns a relative path as lockfiles and reports have it on every system.
 *
 * @param {string} path
 * @param {string} [separator]
 */
export const slashed = (path, separator = sep) => path.split(separator).join("/");

/** How long an update waits for other processes. */
const MAX_WAIT_MS = 60_000;

/**
 * Returns the text of a lockfile. Returns nothing if there is none.
 *
 * @param {string} path
 */
export function readLock(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Error(`\`${path}\` cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Replaces a lockfile by what `change` makes of it. Nothing is written if the text stays the same.
 *
 * @template Value
 * @param {string} path
 * @param {(text: string | undefined) => Promise<{ text: string, value: Value }>} change
 * @returns {Promise<Value>}
 */
export async function changeLock(path, change) {
  const lock = new Lock(path, systemClock);
  for (let waited = 0; ; ) {
    const held = await lock.take();
    if (held === undefined) {
      if (waited > MAX_WAIT_MS) throw new Error(`\`${path}\` is locked by ${await lock.holder()}`);
      waited += await lock.pause();
      continue;
    }
    try {
      const before = readLock(path);
      const { text, value } = await change(before);
      if (text === before || (await held.replace(text))) return value;
    } finally {
      await held.release();
    }
  }
}
