// A folder as the files of a project, so that a handoff package can refer to them.
/** @import { Store } from "../../types/store.js" */
import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { codeOf, TuckboxError } from "../error.js";
import { answersText } from "../rows.js";

/**
 * Returns a store that reads the files below `root` and writes nothing.
 *
 * @param {string} root
 * @returns {Store}
 */
export function folderStore(root) {
  return {
    async read(reads) {
      const found = /** @type {Map<string, string>} */ (new Map());
      for (const path of reads.files ?? []) {
        const text = await textOf(root, path);
        if (text !== undefined) found.set(`files ${path}`, JSON.stringify({ path, text }));
      }
      const paths = /** @type {Set<string>} */ (new Set());
      for (const path of reads.directories ?? []) for (const file of await below(root, path)) paths.add(file);
      return answersText(reads, { find: (shelf, key) => found.get(`${shelf} ${key}`), paths: () => paths, select: () => "[]" });
    },
    async commit() {
      throw new TuckboxError("store", "a folder is read only", { path: "store.commit" });
    },
  };
}

/**
 * Returns the text of a file; nothing for a missing file, or for a link to a file outside of the folder.
 *
 * @param {string} root
 * @param {string} path
 */
async function textOf(root, path) {
  const place = await placeIn(root, path);
  if (place === undefined) return undefined;
  // a pipe without a writer would block
  const file = await open(place, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error) => {
    if (codeOf(error) === "EISDIR" || codeOf(error) === "ENXIO") return undefined;
    throw error;
  });
  try {
    return (await file?.stat())?.isFile() ? await file?.readFile("utf8") : undefined;
  } finally {
    await file?.close();
  }
}

/** @param {string} root @param {string} path */
async function below(root, path) {
  const place = await placeIn(root, path);
  if (place === undefined) return [];
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => relative(place, join(entry.parentPath, entry.name)));
  return files.map((file) => `${path}/${file.split(sep).join("/")}`);
}

/** @param {string} root @param {string} path */
async function placeIn(root, path) {
  const base = await realpath(root);
  const place = await realpath(join(base, path)).catch(() => undefined);
  return place?.startsWith(`${base}${sep}`) ? place : undefined;
}
