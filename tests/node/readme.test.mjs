// The examples of the manuals run, and print what they say they print.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { home } from "./installed.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The JavaScript of one section, all of its blocks as one program. */
function program(manual, section) {
  const text = readFileSync(`${root}${manual}`, "utf8");
  const from = text.indexOf(`## ${section}\n`);
  assert.notEqual(from, -1, `${manual} has no section "${section}"`);
  const end = text.indexOf("\n## ", from);
  const blocks = [...text.slice(from, end === -1 ? undefined : end).matchAll(/^```js\n(.*?)^```$/gms)];
  assert.notEqual(blocks.length, 0, `"${section}" has no example`);
  return blocks.map(([, block]) => block).join("\n");
}

/** What a program promises to print: what stands behind `// → ` on a line that prints. */
function promised(code) {
  return code.split("\n").flatMap((line) => (line.includes("console.log") && line.includes("// → ") ? [line.split("// → ")[1].trim()] : []));
}

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

for (const [manual, section] of [
  ["README.md", "First example, in JavaScript"],
  ["pkg/README.md", "A first example"],
  ["pkg/README.md", "Handing work over"],
  ["pkg/README.md", "Layers and memory"],
  ["pkg/README.md", "What a provider gets"],
]) {
  test(`${manual}: ${section}`, async (t) => {
    const code = program(manual, section);
    const folder = `${root}tests/.cache/readme`;
    mkdirSync(folder, { recursive: true });
    const file = `${folder}/${section.replace(/\W+/g, "_")}.mjs`;
    const found = code
      .replaceAll('from "tuckbox"', `from "${pathToFileURL(`${root}pkg/index.js`)}"`)
      .replaceAll('from "tuckbox/counters/openai"', `from "${new URL("counters/openai.js", home)}"`);
    writeFileSync(file, found);
    const printed = [];
    t.mock.method(console, "log", (...values) => printed.push(values.map(shown).join(" ")));
    await import(pathToFileURL(file));
    const lines = promised(code);
    if (lines.length > 0) assert.deepEqual(printed, lines);
  });
}
