// The tarball: its files, its dependencies, and its resolution.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { wrongContents } from "../release/contents.mjs";
import { onlyDeep, SHIPPED } from "../support/deep.mjs";
import { program, run } from "./harness/programs.mjs";
import { pack } from "./harness/tarball.mjs";

const pkgDir = fileURLToPath(new URL("../../pkg", import.meta.url));
const manifest = JSON.parse(readFileSync(`${pkgDir}/package.json`, "utf8"));
const { file, files } = await pack("checked");
/** False in a quick build, which has no inspector. */
const hasInspector = files.some((path) => path.startsWith("inspector/"));

test("the package has no dependencies and no install scripts", () => {
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.bundledDependencies ?? manifest.bundleDependencies, undefined);
  assert.equal(manifest.optionalDependencies, undefined);
  assert.equal(manifest.scripts, undefined);
  assert.ok(!files.some((path) => path.endsWith("binding.gyp")), "npm would compile it");
  for (const peer of Object.keys(manifest.peerDependencies)) assert.equal(manifest.peerDependenciesMeta[peer]?.optional, true, peer);
});

test("the tarball has all files of the manifest, and no tests, sources or maps", onlyDeep(SHIPPED), () => {
  const named = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(named));
  for (const path of [manifest.types, ...named(manifest.exports), ...named(manifest.bin ?? {})]) {
    assert.ok(files.includes(path.replace(/^\.\//, "")), path);
  }
  assert.deepEqual(wrongContents("npm package", files, statSync(file).size), []);
  assert.deepEqual(
    files.filter((path) => /(^|\/)tests?\/|\.test\.|\.rs$|\.map$/.test(path)),
    [],
  );
});

test("the licenses are those of the repository", () => {
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) {
    assert.ok(files.includes(name), name);
    assert.equal(readFileSync(`${pkgDir}/${name}`, "utf8"), readFileSync(`${pkgDir}/../${name}`, "utf8"));
  }
  assert.ok(files.includes("NOTICES.md"), "`NOTICES.md` is missing");
});

test("publint reports no problems", async () => {
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(readFileSync(file)).buffer } });
  const found = messages.filter(({ path }) => hasInspector || path.at(1) !== "./inspector");
  assert.deepEqual(
    found.map((message) => formatMessage(message, pkg, { color: false })),
    [],
  );
});

test("the types resolve for every ES module resolution", onlyDeep("compiles every entry for every resolution"), async () => {
  // attw ends with an exit code other than 0 if it finds problems
  const left = hasInspector ? [] : ["--exclude-entrypoints", "inspector"];
  await run(program("attw"), [file, "--profile", "esm-only", "--no-emoji", "--no-color", ...left]);
});
