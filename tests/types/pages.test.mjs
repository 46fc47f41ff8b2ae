// Every block of JavaScript and TypeScript of every page compiles, with TypeScript as `www` uses it and with the newest.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { deep } from "../support/deep.mjs";
import { examples } from "../support/pages.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = here("../.cache/pages/compiled");
const COMPILERS = ["typescript", "typescript-newest"];

const compilerOptions = {
  target: "ES2022",
  module: "NodeNext",
  moduleResolution: "NodeNext",
  lib: ["ES2022", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
  types: ["node"],
  typeRoots: [here("../node_modules/@types")],
  jsx: "react-jsx",
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/**
 * Errors that a checker reports in JavaScript only because it has no annotations. Examples are a constant that is any
 * string, a parameter without a type, JSON without members, and a member of one part of a union.
 */
const UNANNOTATED = [
  /error TS2339: Property '\w+' does not exist on type/,
  /error TS2769: No overload matches this call/,
  /error TS(2322|2345): .*'\{? ?.*string/,
  /error TS2345: Argument of type 'JsonObject'/,
];

/** Writes the programs and their projects: TypeScript is strict, JavaScript has no annotations. */
function write() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const modules = here("../.cache/pages/node_modules");
  mkdirSync(modules, { recursive: true });
  if (!existsSync(`${modules}/tuckbox`)) symlinkSync(here("../../pkg"), `${modules}/tuckbox`, "junction");
  const include = { ts: [], js: [] };
  for (const [at, { page, section, language, code, part }] of examples().entries()) {
    // these need packages that only the deep tests of apps and frameworks install
    if (part?.isFramework || language === "jsx") continue;
    const name = `${at}_${`${page} ${section}`.replace(/\W+/g, "_")}.${language === "ts" ? "ts" : "mjs"}`;
    include[language === "ts" ? "ts" : "js"].push(name);
    writeFileSync(`${folder}/${name}`, code);
    for (const [path, text] of Object.entries(part?.files ?? {})) {
      mkdirSync(`${folder}/src`, { recursive: true });
      writeFileSync(`${folder}/${path}`, text);
    }
  }
  const loose = { allowJs: true, checkJs: true, noImplicitAny: false, strictNullChecks: false };
  writeFileSync(`${folder}/ts.json`, JSON.stringify({ compilerOptions, files: include.ts }));
  writeFileSync(`${folder}/js.json`, JSON.stringify({ compilerOptions: { ...compilerOptions, ...loose }, files: include.js }));
}

/** Returns a hash of everything that decides the outcome. */
function hashOfInputs() {
  const hash = createHash("sha256");
  const types = here("../../pkg/types");
  const files = readdirSync(types, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  for (const name of files.sort()) hash.update(readFileSync(`${types}/${name}`));
  for (const { code } of examples()) hash.update(code);
  for (const name of [here("pages.test.mjs"), here("../package-lock.json")]) hash.update(readFileSync(name));
  return hash.digest("hex");
}

test("the examples of all pages compile with both compilers", async (t) => {
  const stamp = here("../.cache/pages/.compiled");
  const wanted = hashOfInputs();
  // fast tests skip what compiled before
  if (!deep && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  write();
  for (const compiler of COMPILERS) {
    for (const language of ["ts", "js"]) {
      const args = [here(`../node_modules/${compiler}/bin/tsc`), "--pretty", "false", "--project", `${folder}/${language}.json`];
      const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 24 }).catch((failed) => failed);
      const errors = stdout.split("\n").filter((line) => /error TS\d+/.test(line));
      const kept = errors.filter((error) => language === "ts" || !UNANNOTATED.some((pattern) => pattern.test(error)));
      assert.deepEqual(kept, [], `${compiler}, ${language}`);
      t.diagnostic(`${compiler}: ${language}, ${errors.length} reports that need an annotation`);
    }
  }
  writeFileSync(stamp, wanted);
});
