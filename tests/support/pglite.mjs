// PostgreSQL inside the process. Making an empty database takes it 5 s of the processor, loading one takes 1 s: the
// first test of a machine makes it, and all others load it.
import { PGlite } from "@electric-sql/pglite";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

// its module is large: to optimise it while the tests run takes longer than the tests
setFlagsFromString("--liftoff-only");

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Opens a database with nothing in it. */
export async function openPglite() {
  const db = new PGlite({ loadDataDir: await emptyDatabase() });
  await db.waitReady;
  return db;
}

/** What an empty database is loaded from. */
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
    // another test may make it at the same time: whichever ends last replaces the same bytes
    const part = `${file}.${process.pid}`;
    writeFileSync(part, made);
    renameSync(part, file);
  }
  return new Blob([readFileSync(file)]);
}
