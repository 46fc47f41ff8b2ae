// Runs the examples of both READMEs and compares their output with the pages.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { onlyDeep } from "../support/deep.mjs";
import { home } from "./installed.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the JavaScript of one section as one program, and the documented output. */
function program(manual, section) {
  const text = readFileSync(`${root}${manual}`, "utf8");
  const from = text.indexOf(`## ${section}\n`);
  assert.notEqual(from, -1, `${manual} has no section "${section}"`);
  const end = text.indexOf("\n## ", from);
  const blocks = [...text.slice(from, end === -1 ? undefined : end).matchAll(/^```(js|text)\n(.*?)^```$/gms)];
  const code = blocks.flatMap(([, language, block]) => (language === "js" ? [block] : [])).join("\n");
  assert.notEqual(code, "", `"${section}" has no example`);
  const output = blocks.flatMap(([, language, block]) => (language === "text" ? block.trimEnd().split("\n") : []));
  return { code, promised: output.length > 0 ? output : promised(code) };
}

/** Returns the text after `// → ` of each line that prints. */
function promised(code) {
  return code
    .split("\n")
    .flatMap((line) => (line.includes("console.log") && line.includes("// → ") ? [line.split("// → ")[1].trim()] : []));
}

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

for (const [manual, section] of [
  ["README.md", "Quick start"],
  ["README.md", "Run agents"],
  ["docs/how-to/conversations.md", "Chat"],
  ["docs/how-to/conversations.md", "Without an engine"],
  ["pkg/README.md", "Quick start"],
  ["pkg/README.md", "Delegate work"],
  ["pkg/README.md", "Layers and memory"],
  ["pkg/README.md", "Requests to providers"],
]) {
  test(`${manual}: ${section}`, async (t) => {
    const { code, promised: lines } = program(manual, section);
    assert.notEqual(lines.length, 0, `"${section}" has no documented output`);
    const folder = `${root}tests/.cache/readme`;
    mkdirSync(folder, { recursive: true });
    const file = `${folder}/${`${manual} ${section}`.replace(/\W+/g, "_")}.mjs`;
    const found = code
      .replaceAll('from "tuckbox/counters/openai"', `from "${new URL("counters/openai.js", home)}"`)
      .replace(/from "tuckbox(\/[\w/]+)?"/g, (_, path = "/index") => `from "${pathToFileURL(`${root}pkg${path}.js`)}"`);
    writeFileSync(file, found);
    const printed = [];
    t.mock.method(console, "log", (...values) => printed.push(values.map(shown).join(" ")));
    await import(pathToFileURL(file));
    assert.deepEqual(printed, lines);
  });
}

test("pkg/README.md: the lines of the command line run in an empty folder", onlyDeep("each line starts a process"), async () => {
  const text = readFileSync(`${root}pkg/README.md`, "utf8");
  const [, script] = text.slice(text.indexOf("## Command line\n")).match(/```sh\n(.*?)```/s);
  // the last line shows another store, which needs a server
  const lines = script.split("\n").filter((line) => !line.includes("postgres://"));
  const command = lines.join("\n").replaceAll("npx tuckbox", `"${process.execPath}" "${root}pkg/bin/tuckbox.js"`);
  const { stdout } = await promisify(execFile)("sh", ["-e", "-c", command], { cwd: mkdtempSync(join(tmpdir(), "tuckbox-readme-")) });
  assert.match(stdout, /committed 2 cards, 1 box/);
});
