// The rules of `cargo xtask release check`.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { changes, RUST, SCHEMA, section, wrongChanges } from "../release/changes.mjs";
import { wrongContents, wrongText } from "../release/contents.mjs";
import { differences, stated, write } from "../release/manifests.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("all packages have the version and the address of `Cargo.toml`", () => {
  assert.deepEqual(differences(), []);
});

test("`release set` writes every manifest, and a file that differs is named", (t) => {
  const copy = mkdtempSync(join(tmpdir(), "tuckbox-release-"));
  t.after(() => rmSync(copy, { recursive: true }));
  const files = [
    "Cargo.toml",
    "README.md",
    "wit/tuckbox.wit",
    "docs/how-to/choose-a-form.md",
    "tests/component/component.test.mjs",
    "sqlite/Cargo.toml",
    "pkg/package.json",
    "pkg/lib/version.js",
    "pkg/README.md",
  ];
  files.push(
    "python/tuckbox/__init__.py",
    "python/pyproject.toml",
    "www/extension/manifest.json",
    "examples/react/package.json",
    "tests/consumers/vite/package.json",
  );
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  const changed = write({ version: "7.8.9", repository: "https://example.org/a/b" }, copy);
  assert.ok(changed.includes("pkg/README.md") && changed.includes("tests/consumers/vite/package.json"), changed.join(" "));
  assert.deepEqual(stated(copy), { version: "7.8.9", repository: "https://example.org/a/b" });
  assert.deepEqual(differences(copy), []);
  assert.doesNotMatch(readFileSync(join(copy, "docs/how-to/choose-a-form.md"), "utf8"), /@0\./);
  cpSync(`${root}python/tuckbox/__init__.py`, join(copy, "python/tuckbox/__init__.py"));
  assert.deepEqual(differences(copy), [`\`python/tuckbox/__init__.py\` has \`${stated().version}\`; expected \`7.8.9\``]);
});

test("the changelog has a section for the version", () => {
  assert.ok(section(readFileSync(`${root}CHANGELOG.md`, "utf8"), stated().version).text.includes("### Added"));
  assert.deepEqual(section("# C\n## [1.2.3] - 2026-01-02\nText.\n\n## [1.2.2] - unreleased\nOld.\n", "1.2.3"), {
    date: "2026-01-02",
    text: "Text.",
  });
  assert.equal(section("## [1.2.3] - unreleased\nText.", "1.2.3").date, undefined);
  assert.equal(section("## [1.2.3]\nText.", "1.2.4"), undefined);
});

test("removed and changed items break callers, new ones do not", () => {
  const before = {
    [RUST]: "tuckbox pub fn a ( )\ntuckbox pub fn b ( x : u8 )\n",
    "t.d.ts": "export interface Kept {\n  readonly a: string;\n}\nexport type Gone = string;\n",
    [SCHEMA]: JSON.stringify({
      operations: { fork_box: op("F"), delete_box: op("D"), get_boxes: op("G") },
      $defs: { F: has("x"), D: has("x"), G: has("x", "y") },
    }),
  };
  const after = {
    [RUST]: "tuckbox pub fn a ( )\ntuckbox pub fn b ( x : u16 )\ntuckbox pub fn new_function ( )\n",
    "t.d.ts": "export interface Kept {\n  readonly a: string;\n  readonly b?: string;\n}\n",
    [SCHEMA]: JSON.stringify({
      operations: { fork_box: op("F"), get_boxes: op("G"), new_box: op("F") },
      $defs: { F: has("x", "z"), G: has("x") },
    }),
  };
  const found = changes(
    (file) => before[file],
    (file) => after[file],
    ["t.d.ts"],
  );
  assert.deepEqual(found, {
    breaking: ["Gone", "b", "delete_box", "get_boxes"],
    added: ["new_function", "fork_box", "new_box"].sort(),
    operations: ["fork_box", "new_box"],
  });
  const text = "Removes `Gone` and `delete_box`; `b` and `get_boxes` change. Adds `new_box`, and `z` of `fork_box`.";
  assert.deepEqual(wrongChanges(found, { from: "0.1.0", to: "0.2.0", text }), []);
  assert.equal(wrongChanges(found, { from: "0.1.0", to: "0.1.1", text }).length, 1);
  assert.deepEqual(
    wrongChanges(found, { from: "1.1.0", to: "2.0.0", text: "Removes `Gone`. `b` and `get_boxes` change. Adds `fork_box`." }),
    ["the changelog does not name what breaks: `delete_box`", "the changelog does not name what is new: `new_box`"],
  );
});

const op = (name) => ({ method: "m", arguments: { $ref: `#/$defs/${name}` } });
const has = (...names) => ({ properties: Object.fromEntries(names.map((name) => [name, {}])) });

test("a file that is not on the list, a missing file and a large package are named", () => {
  const files = ["Cargo.toml", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs"];
  assert.deepEqual(wrongContents("crate", files, 10), []);
  const wrong = wrongContents("crate", [...files.slice(1), "www/node_modules/x/README.md", ".env"], 10 ** 9);
  assert.match(wrong.join("\n"), /must not contain `www\/node_modules\/x\/README\.md`\n.*`\.env`\n.*1000000000 bytes; at most/);
  assert.match(wrongContents("crate", files.slice(1, 4), 10).join(), /lacks `LICENSE-APACHE`/);
});

test("secrets and absolute paths in a published file are named", () => {
  const key = ["sk", "ant", "api03", "a1b2c3d4e5f6a7b8c9d0"].join("-");
  assert.deepEqual(wrongText("a.js", Buffer.from(`ok\nconst key = "${key}";`)), ["`a.js:2` looks like a secret"]);
  for (const name of ["src/a/tests.rs", "src/a/tests/b.rs"]) assert.deepEqual(wrongText(name, Buffer.from(`let key = "${key}";`)), []);
  const path = ["", "home", "ann", "x.rs"].join("/");
  assert.deepEqual(wrongText("core.wasm", Buffer.from(`\0${path}\0`)), [`\`core.wasm\` has the absolute path \`${path}\``]);
  assert.deepEqual(wrongText("a.md", Buffer.from("see https://example.org/home/ann and ~/tmp/x")), []);
});
