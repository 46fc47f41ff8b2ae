// The texts of locked positions, in a cache that is not committed. With them a check shows the words that differ.
/** @import { LockedContext } from "../../types/results.js" */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** @param {string} folder */
const cacheOf = (folder) => join(folder, "node_modules", ".cache", "tuckbox", "lock.json");

/**
 * Returns the texts by hash. Without a cache there are none.
 *
 * @param {string} folder
 * @returns {{ [hash: string]: string }}
 */
export function readTexts(folder) {
  try {
    return JSON.parse(readFileSync(cacheOf(folder), "utf8"));
  } catch {
    return {};
  }
}

/**
 * Keeps the texts of entries, if the folder has installed packages. A cache that cannot be written is not an error.
 *
 * @param {string} folder
 * @param {readonly LockedContext[]} entries
 */
export function keepTexts(folder, entries) {
  if (!existsSync(join(folder, "node_modules"))) return;
  const known = readTexts(folder);
  for (const { details } of entries) {
    for (const [at, hash] of (details?.hashes ?? []).entries()) if (hash !== "") known[hash] = details?.texts?.[at] ?? "";
  }
  try {
    mkdirSync(dirname(cacheOf(folder)), { recursive: true });
    writeFileSync(cacheOf(folder), JSON.stringify(known));
  } catch {}
}
