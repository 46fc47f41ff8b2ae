// PostgreSQL inside the process. Creating an empty database takes 5 s of CPU, loading one takes 1 s. The first test
// on a machine creates it, and all others load it.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { PGlite } from "@electric-sql/pglite";

// the WebAssembly module is large: optimizing it takes longer than the tests
setFlagsFromString("--liftoff-only");

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Opens an empty database. */
export async function openPglite() {
  const db = new PGlite({ loadDataDir: await emptyDatabase() });
  await db.waitReady;
  return db;
}

/** Returns the file of an empty database. */
export async function emptyDatabase() {
  const { version } = JSON.parse(readFileSync(here("../node_modules/@electric-sql/pglite/package.json"), "utf8"));
  const folder = here("../.cache");
  const file = `${folder}/pglite-${version}.tar`;
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const db = new PGlite();
    await db.waitReady;
    const made = new Uint8Array(await (await db.dumpDataDir("none")).arrayBuffer());
    await db.close();
    // another test process can create the file at the same time, with the same bytes
    const part = `${file}.${process.pid}`;
    writeFileSync(part, made);
    renameSync(part, file);
  }
  return new Blob([readFileSync(file)]);
}
