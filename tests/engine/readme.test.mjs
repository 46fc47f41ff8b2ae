// The team of the package's manual runs as it stands there.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("a team of agents in one file", async (t) => {
  const manual = readFileSync(`${root}pkg/README.md`, "utf8");
  const from = manual.indexOf("## Run a team of agents in one file\n");
  assert.notEqual(from, -1);
  const [, code] = /^```js\n(.*?)^```$/ms.exec(manual.slice(from));
  const folder = `${root}tests/.cache/readme`;
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/team.mjs`;
  writeFileSync(file, code.replace(/from "tuckbox(\/[\w/]+)?"/g, (_, path = "/index") => `from "${pathToFileURL(`${root}pkg${path}.js`)}"`));
  const printed = [];
  t.mock.method(console, "log", (text) => printed.push(text));
  await import(pathToFileURL(file));
  assert.deepEqual(printed, [/\/\/ → (.*)$/m.exec(code)[1]]);
});
