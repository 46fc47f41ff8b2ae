// Runs the team example of `pkg/README.md` without changes.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { deep } from "../support/deep.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Replaces the import of PGlite in fast tests: creating an empty database takes 5 s of CPU time. */
const LOADED = `import { PGlite as Empty } from "@electric-sql/pglite";
import { emptyDatabase } from "${new URL("../support/pglite.mjs", import.meta.url)}";
const loadDataDir = await emptyDatabase();
class PGlite extends Empty {
  constructor() {
    super({ loadDataDir });
  }
}`;

test("the team example in one file prints the documented result", async (t) => {
  const manual = readFileSync(`${root}pkg/README.md`, "utf8");
  const from = manual.indexOf("## Run agents\n");
  assert.notEqual(from, -1);
  const [, code] = /^```js\n(.*?)^```$/ms.exec(manual.slice(from));
  const folder = `${root}tests/.cache/readme`;
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/team.mjs`;
  const given = deep ? code : code.replace('import { PGlite } from "@electric-sql/pglite";', LOADED);
  assert.ok(deep || given.includes("emptyDatabase"), "the import of PGlite in the example has changed");
  writeFileSync(
    file,
    given.replace(/from "tuckbox(\/[\w/]+)?"/g, (_, path = "/index") => `from "${pathToFileURL(`${root}pkg${path}.js`)}"`),
  );
  const printed = [];
  t.mock.method(console, "log", (text) => printed.push(text));
  await import(pathToFileURL(file));
  assert.deepEqual(printed, [/\/\/ → (.*)$/m.exec(code)[1]]);
});
