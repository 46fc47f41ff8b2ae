// Opens files of SQLite with a driver of this runtime. Node before 22.5 has none; the deep tests install `libsql`.
import { createRequire } from "node:module";
import { deep } from "./deep.mjs";

/** The reason for which a fast test is skipped without a driver. */
export const NO_DRIVER = "needs Node 22.5 or newer, or the package `libsql`";

/** A function that opens a file, or nothing without a driver. */
export const openDatabase = await driver();

async function driver() {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    return (path) => new DatabaseSync(path);
  } catch {
    if (!deep) return undefined;
  }
  const Database = createRequire(new URL("../consumers/deep/package.json", import.meta.url))("libsql");
  return (path) => new Database(path);
}
