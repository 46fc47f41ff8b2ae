// Runs the examples of all pages and compares their output with the pages. A section whose example is a part of another
// program is in `PARTS` of `tests/support/pages.mjs`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { onlyDeep } from "../support/deep.mjs";
import { CALLS, examples } from "../support/pages.mjs";
import { startProviders } from "../support/providers.mjs";
import { home } from "./installed.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

test("each example of a page is a program of this test, or a part of one", () => {
  for (const { page, section, part, isProgram } of examples()) {
    const place = `${page}: ${section}`;
    assert.ok((part !== undefined || page === CALLS) !== isProgram, place);
    assert.ok(part?.runs === undefined || existsSync(`${root}${part.runs}`), place);
    assert.ok(part === undefined || part.runs !== undefined || part.prints !== undefined, place);
  }
});

for (const { page, section, code, prints, isProgram } of examples()) {
  if (!isProgram) continue;
  test(`${page}: ${section}`, async (t) => {
    const folder = `${root}tests/.cache/readme`;
    mkdirSync(folder, { recursive: true });
    const file = `${folder}/${`${page} ${section}`.replace(/\W+/g, "_")}.mjs`;
    const found = code
      .replaceAll('from "tuckbox/counters/openai"', `from "${new URL("counters/openai.js", home)}"`)
      .replace(/from "tuckbox(\/[\w/]+)?"/g, (_, path = "/index") => `from "${pathToFileURL(`${root}pkg${path}.js`)}"`);
    writeFileSync(file, found);
    const printed = [];
    t.mock.method(console, "log", (...values) => printed.push(values.map(shown).join(" ")));
    await import(pathToFileURL(file));
    assert.deepEqual(printed, prints);
  });
}

for (const { page, section, code, part } of examples()) {
  if (part?.prints === undefined || part.isFramework) continue;
  test(`${page}: ${section}, as a part of a program`, onlyDeep("each part starts a process"), async () => {
    assert.deepEqual(await outputOf(code, part), part.prints instanceof RegExp ? [] : part.prints);
  });
}

/** Runs a part of a program in a folder of its own. Returns the lines that it prints and are not promised by a pattern. */
async function outputOf(code, { files = {}, replace, libraries, prints }) {
  const cwd = mkdtempSync(join(linked(`${root}tests/.cache/pages`), "part-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  if (replace !== undefined) assert.ok(code.includes(replace[0]), replace[0]);
  const { outputText } = ts.transpileModule(replace === undefined ? code : code.replace(...replace), {
    compilerOptions: { target: "ES2022", module: "ES2022" },
  });
  writeFileSync(join(cwd, "main.mjs"), outputText);
  const server = libraries ? await startProviders() : undefined;
  try {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    if (server) Object.assign(env, { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${server.url}/openai/v1`, AI_GATEWAY_API_KEY: "k" });
    const { stdout } = await promisify(execFile)(process.execPath, ["main.mjs"], { cwd, env });
    if (!(prints instanceof RegExp)) return stdout.split("\n").slice(0, -1);
    assert.match(stdout, prints);
    return [];
  } finally {
    await server?.close();
  }
}

/** Returns a folder whose programs import the package by its name. */
function linked(folder) {
  mkdirSync(`${folder}/node_modules`, { recursive: true });
  if (!existsSync(`${folder}/node_modules/tuckbox`)) symlinkSync(`${root}pkg`, `${folder}/node_modules/tuckbox`, "junction");
  return folder;
}

test("pkg/README.md: the lines of the command line run in an empty folder", onlyDeep("each line starts a process"), async () => {
  const text = readFileSync(`${root}pkg/README.md`, "utf8");
  const [, script] = text.slice(text.indexOf("## Command line\n")).match(/```sh\n(.*?)```/s);
  // the last line shows another store, which needs a server
  const lines = script.split("\n").filter((line) => !line.includes("postgres://"));
  const command = lines.join("\n").replaceAll("npx tuckbox", `"${process.execPath}" "${root}pkg/bin/tuckbox.js"`);
  const { stdout } = await promisify(execFile)("sh", ["-e", "-c", command], { cwd: mkdtempSync(join(tmpdir(), "tuckbox-readme-")) });
  assert.match(stdout, /committed 1 card, 1 box/);
});
