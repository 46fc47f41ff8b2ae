// Runs the examples of all pages and compares their output with the pages. A section whose example is a part of another
// program is in `PARTS`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
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
  const found = sectionsOf(text).find(({ name }) => name === section);
  assert.ok(found, `${manual} has no section "${section}"`);
  const blocks = [...found.text.matchAll(/^```(js|text)\n(.*?)^```$/gms)];
  const code = blocks.flatMap(([, language, block]) => (language === "js" ? [block] : [])).join("\n");
  assert.notEqual(code, "", `"${section}" has no example`);
  const output = blocks.flatMap(([, language, block]) => (language === "text" ? block.trimEnd().split("\n") : []));
  return { code, promised: output.length > 0 ? output : promised(code) };
}

/** Returns the sections of a page: their names and texts. The first one has the name of the page. */
function sectionsOf(text) {
  return text.split(/^(?=## )/m).map((section) => ({ name: /^##? (.*)/m.exec(section)?.[1], text: section }));
}

/** Returns the text after `// → ` of each line that prints. */
function promised(code) {
  return code
    .split("\n")
    .flatMap((line) => (line.includes("console.log") && line.includes("// → ") ? [line.split("// → ")[1].trim()] : []));
}

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** The sections whose examples are whole programs. */
const PROGRAMS = [
  ["README.md", "Quick start"],
  ["README.md", "Run agents"],
  ["docs/how-to/bring-your-own.md", "Timeline"],
  ["docs/how-to/cards-to-request.md", "From cards to a provider's request"],
  ["docs/how-to/conversations.md", "Chat"],
  ["docs/how-to/conversations.md", "Without an engine"],
  ["docs/how-to/define-a-recipe.md", "Define a recipe"],
  ["docs/how-to/delegate.md", "In JavaScript"],
  ["docs/how-to/explain-the-cache.md", "Find out why the cache missed"],
  ["docs/how-to/fit-a-budget.md", "Fit a prompt into a token budget"],
  ["docs/how-to/fit-a-budget.md", "Models and prices"],
  ["docs/how-to/hand-off-files.md", "Hand off files instead of text"],
  ["docs/how-to/memory.md", "Store a conversation"],
  ["pkg/README.md", "Quick start"],
  ["pkg/README.md", "Delegate work"],
  ["pkg/README.md", "Layers and memory"],
  ["pkg/README.md", "Requests to providers"],
];

/** The sections whose examples continue another program, or need a server, a browser or a package of the reader. */
const PARTS = {
  "pkg/README.md": ["Write a store", "Delegation on PostgreSQL", "Run agents", "Stores", "Over HTTP", "DevTools"],
  "docs/how-to/add-a-store.md": ["In JavaScript"],
  "docs/how-to/adopt.md": ["Look", "Assemble", "AI SDK"],
  "docs/how-to/bring-your-own.md": ["Record requests"],
  // `tests/types/providers.test.mjs` compiles and runs these
  "docs/how-to/call-a-provider.md": /./,
  "docs/how-to/choose-a-form.md": ["Run it in JavaScript"],
  "docs/how-to/conversations.md": ["Fork", "Stream to a user interface"],
  "docs/how-to/explain-the-cache.md": ["Boxes, turns and previews"],
  "docs/how-to/lock-the-context.md": ["Config", "In tests"],
  "docs/how-to/run-agents.md": ["A worker"],
  "docs/how-to/use-the-inspector.md": ["In your own page", "In DevTools"],
};

test("each example of a page is a program of this test, or a part of one", () => {
  const pages = readdirSync(`${root}docs/how-to`).map((page) => `docs/how-to/${page}`);
  for (const page of ["README.md", "pkg/README.md", "docs/concepts.md", "docs/scale.md", ...pages]) {
    for (const { name, text } of sectionsOf(readFileSync(`${root}${page}`, "utf8"))) {
      if (!/^```(js|ts)$/m.test(text)) continue;
      const parts = PARTS[page] ?? [];
      const isPart = Array.isArray(parts) ? parts.includes(name) : parts.test(name);
      const isProgram = PROGRAMS.some(([manual, section]) => manual === page && section === name);
      assert.ok(isPart !== isProgram, `${page}: ${name}`);
    }
  }
});

for (const [manual, section] of PROGRAMS) {
  test(`${manual}: ${section}`, async (t) => {
    const { code, promised: lines } = program(manual, section);
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
