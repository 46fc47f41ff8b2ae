// Checks whether this commit can be released: `node tests/release/check.mjs [--tag TAG] [--wheels DIR]`.
//
// `cargo xtask release check` builds what is checked and starts this program.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { changes, section, wrongChanges } from "./changes.mjs";
import { wrongContents, wrongText } from "./contents.mjs";
import { differences, stated } from "./manifests.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values: options } = parseArgs({ options: { tag: { type: "string" }, wheels: { type: "string" } } });
const { version } = stated();
const run = (program, args, cwd = root) =>
  execFileSync(program, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
const windows = process.platform === "win32";
let failed = 0;

/** Runs a check and prints its result: sentences of what is wrong, or a note. */
function check(title, work) {
  let found;
  try {
    found = work();
  } catch (error) {
    found = { wrong: [String(error.stderr ?? error.message).trim()] };
  }
  const { wrong = [], note = "" } = found;
  failed += wrong.length === 0 ? 0 : 1;
  console.log(`${wrong.length === 0 ? "ok    " : "FAILED"} ${title}${note === "" ? "" : ` (${note})`}`);
  for (const sentence of wrong.slice(0, 20)) console.log(`         ${sentence}`);
}

check("all packages have one version and one address", () => ({ wrong: differences(), note: version }));

check("the changelog has the section of the version", () => {
  const found = section(readFileSync(`${root}CHANGELOG.md`, "utf8"), version);
  if (found === undefined) return { wrong: [`\`CHANGELOG.md\` has no section \`[${version}]\``] };
  if (options.tag === undefined) return { note: found.date ?? "without a date; `--tag` requires one" };
  const wrong = found.date === undefined ? [`the section \`[${version}]\` must have a date`] : [];
  if (options.tag !== `v${version}`) wrong.push(`the tag is \`${options.tag}\`; expected \`v${version}\``);
  return { wrong };
});

check("the changelog names the changes of the API and the schema", () => {
  const tags = run("git", ["tag", "--list", "v*", "--merged", "HEAD", "--sort=-v:refname"]).split("\n");
  const last = tags.find((tag) => tag !== "" && tag !== `v${version}`);
  if (last === undefined) return { note: "there is no earlier tag" };
  const files = run("git", ["ls-files", "pkg/types"]).trim().split("\n");
  const before = (file) => {
    try {
      return run("git", ["show", `${last}:${file}`]);
    } catch {
      return "";
    }
  };
  const found = changes(before, (file) => readFileSync(`${root}${file}`, "utf8"), files);
  const text = section(readFileSync(`${root}CHANGELOG.md`, "utf8"), version)?.text ?? "";
  const note = `${found.breaking.length} breaking and ${found.added.length} new names since ${last}`;
  return { wrong: wrongChanges(found, { from: last.slice(1), to: version, text }), note };
});

check("the tests keep the stores of this version", () => ({
  wrong: existsSync(`${root}tests/upgrades/${version}`) ? [] : [`run \`node tests/upgrades/make.mjs ${version}\``],
}));

check("every file of the version is committed", () => {
  const changed = run("git", ["status", "--porcelain"]).trim();
  return { wrong: changed === "" ? [] : changed.split("\n").map((line) => `not committed: \`${line.trim()}\``) };
});

const kilobytes = (bytes) => `${Math.ceil(bytes / 1024)} KB`;

/** Checks the files of a package: `[name, path]` pairs. */
function checkFiles(name, files, bytes) {
  const wrong = wrongContents(
    name,
    files.map(([file]) => file),
    bytes,
  );
  for (const [file, path] of files) if (path !== undefined && existsSync(path)) wrong.push(...wrongText(file, readFileSync(path)));
  return { wrong, note: `${files.length} files, ${kilobytes(bytes)}` };
}

for (const [name, folder] of [
  ["crate", ""],
  ["tuckbox-sqlite crate", "sqlite/"],
]) {
  check(`the ${name} has the allowed files`, () => {
    const args = folder === "" ? ["--package", "tuckbox"] : [];
    const files = run("cargo", ["package", "--list", "--allow-dirty", ...args], `${root}${folder}`)
      .trim()
      .split("\n");
    const paths = files.map((file) => [file, `${root}${folder}${file}`]);
    const bytes = paths.reduce((sum, [, path]) => sum + (existsSync(path) ? statSync(path).size : 0), 0);
    // compressed by cargo to a quarter
    return checkFiles(name, paths, bytes / 4);
  });
}

check("the npm package has the allowed files", () => {
  const [packed] = JSON.parse(run(windows ? "npm.cmd" : "npm", ["pack", "--dry-run", "--json"], `${root}pkg`));
  const files = packed.files.map(({ path }) => [path, `${root}pkg/${path}`]);
  return checkFiles("npm package", files, packed.size);
});

check("the extension has the allowed files", () => {
  const folder = `${root}www/extension/dist`;
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
  const files = paths.map((path) => [relative(folder, path).replaceAll("\\", "/"), path]);
  const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  return checkFiles("extension", files, bytes / 3);
});

for (const name of ["tuckbox.component.wasm", "tuckbox-full.component.wasm"]) {
  const component = `${root}target/component/${name}`;
  if (!existsSync(component)) continue;
  check(`${name} has no path of this machine`, () => ({
    wrong: wrongText(name, readFileSync(component)),
    note: kilobytes(statSync(component).size),
  }));
}

if (options.wheels !== undefined) {
  check("every wheel has the allowed files", () => {
    const wheels = readdirSync(options.wheels).filter((name) => name.endsWith(".whl"));
    const folder = mkdtempSync(join(tmpdir(), "tuckbox-wheel-"));
    const results = wheels.map((wheel) => {
      run("python3", ["-m", "zipfile", "-e", join(options.wheels, wheel), join(folder, wheel)]);
      const paths = readdirSync(join(folder, wheel), { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
      );
      const files = paths.map((path) => [relative(join(folder, wheel), path), path]);
      const { wrong, note } = checkFiles("wheel", files, statSync(join(options.wheels, wheel)).size);
      if (!wheel.startsWith(`tuckbox-${version}-`)) wrong.push(`the wheel \`${wheel}\` does not have version \`${version}\``);
      return { wrong, note };
    });
    rmSync(folder, { recursive: true });
    if (wheels.length === 0) return { wrong: [`\`${options.wheels}\` has no wheel`] };
    return { wrong: results.flatMap(({ wrong }) => wrong), note: results.map(({ note }) => note).join("; ") };
  });
}

check("every package has the licenses of the repository", () => {
  const wrong = ["pkg", "python", "sqlite"].flatMap((folder) =>
    ["LICENSE-MIT", "LICENSE-APACHE"]
      .filter((name) => readFileSync(`${root}${folder}/${name}`, "utf8") !== readFileSync(`${root}${name}`, "utf8"))
      .map((name) => `\`${folder}/${name}\` differs`),
  );
  return { wrong };
});

check("the links of all pages resolve, and the notices name every license", () => {
  run(process.execPath, ["--test", "tests/node/links.test.mjs", "tests/node/notices.test.mjs"]);
  return {};
});

console.log(failed === 0 ? `${version} can be released` : `${version} cannot be released: ${failed} checks failed`);
process.exitCode = failed === 0 ? 0 : 1;
