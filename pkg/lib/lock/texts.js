// The texts of locked positions, in a cache that is not committed. With them a check shows the words that differ.
/** @import { LockedContext } from "../../types/results.js" */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** @param {string} folder */
const cacheOf = (folder) => join(folder, "node_modules", ".cache", "tuckbox", "lock.json");

const HASH = /\b[0-9a-f]{12}\b/g;

/**
 * Returns the texts by hash. Without a cache there are none.
 *
 * @param {string} folder
 * @returns {{ [hash: string]: string }}
 */
function readAll(folder) {
  try {
    return JSON.parse(readFileSync(cacheOf(folder), "utf8"));
  } catch {
    return {};
  }
}

/**
 * Returns the texts whose hash is in a lockfile.
 *
 * @param {{ [hash: string]: string }} texts
 * @param {string} lock
 * @returns {{ [hash: string]: string }}
 */
const locked = (texts, lock) =>
  Object.fromEntries([...new Set(lock.match(HASH))].filter((hash) => Object.hasOwn(texts, hash)).map((hash) => [hash, texts[hash]]));

/**
 * Returns the texts of a lockfile.
 *
 * @param {string} folder
 * @param {string} lock
 * @returns {{ [hash: string]: string }}
 */
export const readTexts = (folder, lock) => locked(readAll(folder), lock);

/**
 * Returns true if the texts of a folder are kept: if it has installed packages.
 *
 * @param {string} folder
 */
export const hasCache = (folder) => existsSync(join(folder, "node_modules"));

/**
 * Keeps the texts of a lockfile. A cache that cannot be written is not an error.
 *
 * @param {string} folder
 * @param {readonly LockedContext[]} entries
 * @param {string} lock
 */
export function keepTexts(folder, entries, lock) {
  if (!hasCache(folder)) return;
  const known = readAll(folder);
  for (const { details } of entries) {
    for (const [at, hash] of (details?.hashes ?? []).entries()) if (hash !== "") known[hash] = details?.texts?.[at] ?? "";
  }
  try {
    mkdirSync(dirname(cacheOf(folder)), { recursive: true });
    writeFileSync(cacheOf(folder), JSON.stringify(locked(known, lock)));
  } catch {}
}
