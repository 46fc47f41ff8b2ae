// A folder on disk as the files of a project: what a handoff package points to can be read where it lies.
import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { TuckboxError } from "../error.js";
import { answersText } from "../rows.js";

/** A store that reads the files below `root` and writes nothing. */
export function folderStore(root) {
  return {
    async read(reads) {
      const found = new Map();
      for (const path of reads.files ?? []) {
        const text = await textOf(root, path);
        if (text !== undefined) found.set(`files ${path}`, JSON.stringify({ path, text }));
      }
      const paths = new Set();
      for (const path of reads.directories ?? []) for (const file of await below(root, path)) paths.add(file);
      return answersText(reads, { find: (shelf, key) => found.get(`${shelf} ${key}`), paths: () => paths, select: () => "[]" });
    },
    async commit() {
      throw new TuckboxError("store", "a folder is only read", { path: "store.commit" });
    },
  };
}

/** The text of a file; nothing for one that is not there, or that a link leads out of the folder to. */
async function textOf(root, path) {
  const place = await placeIn(root, path);
  if (place === undefined) return undefined;
  // a pipe without a writer would keep us waiting
  const file = await open(place, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error) => {
    if (error.code === "EISDIR" || error.code === "ENXIO") return undefined;
    throw error;
  });
  try {
    return (await file?.stat())?.isFile() ? await file.readFile("utf8") : undefined;
  } finally {
    await file?.close();
  }
}

async function below(root, path) {
  const place = await placeIn(root, path);
  if (place === undefined) return [];
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => relative(place, join(entry.parentPath ?? entry.path, entry.name)));
  return files.map((file) => `${path}/${file.split(sep).join("/")}`);
}

async function placeIn(root, path) {
  const base = await realpath(root);
  const place = await realpath(join(base, path)).catch(() => undefined);
  return place?.startsWith(`${base}${sep}`) ? place : undefined;
}
