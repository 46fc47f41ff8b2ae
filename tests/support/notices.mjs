// Writes the notices of other projects whose code is in the npm package: npm packages in the inspector, and crates in
// the WebAssembly modules.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Packages that the inspector loads from the project of the user. */
const NOT_BUNDLED = ["gpt-tokenizer"];

/**
 * Returns `[{ name, version, license, text }]` of the npm packages in the inspector. `text` requires an installed
 * `www`.
 */
export function bundledPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, "www/package-lock.json"), "utf8"));
  const found = new Map();
  const add = (name) => {
    if (found.has(name) || NOT_BUNDLED.includes(name)) return;
    const { version, license, dependencies = {} } = packages[`node_modules/${name}`];
    found.set(name, { name, version, license, text: licenseIn(join(root, "www/node_modules", name)) });
    for (const needed of Object.keys(dependencies)) add(needed);
  };
  for (const name of Object.keys(packages[""].dependencies)) add(name);
  return sorted(found.values());
}

let crates;

/** Returns `[{ name, version, license, text }]` of the crates in the WebAssembly modules. */
export function bundledCrates() {
  crates ??= readCrates();
  return crates;
}

function readCrates() {
  // not offline: `cargo metadata` downloads crates that only the long tests compile
  const cargo = (...args) => execFileSync("cargo", [...args, "--locked"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  const target = "wasm32-unknown-unknown";
  const tree = cargo(
    "tree",
    "-p",
    "tuckbox-binding",
    "--target",
    target,
    "-e",
    "normal,no-proc-macro",
    "--prefix",
    "none",
    "--format",
    "{p}",
  );
  const used = new Set(tree.split("\n").map((line) => line.split(" ").slice(0, 2).join(" ")));
  const { packages } = JSON.parse(cargo("metadata", "--format-version", "1", "--filter-platform", target));
  const others = packages.filter(({ name, version, source }) => source !== null && used.has(`${name} v${version}`));
  return sorted(
    others.map(({ name, version, license, manifest_path }) => ({ name, version, license, text: licenseIn(dirname(manifest_path)) })),
  );
}

/** Returns the text of the license in a folder, preferably of the MIT license. */
function licenseIn(folder) {
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying)/i.test(name))
    .sort();
  const file = files.find((name) => /mit/i.test(name)) ?? files[0];
  return file === undefined ? "" : readFileSync(join(folder, file), "utf8").replace(/\r/g, "").trim();
}

const sorted = (list) => [...list].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Returns the same for the table of models, whose data comes from another project. */
export function bundledData() {
  const folder = join(root, "src/prompt/provider");
  const [, name, version] = /"name":"([^"]+)","version":"([^"]+)"/.exec(readFileSync(join(folder, "models.json"), "utf8"));
  return [{ name, version, license: "MIT", text: readFileSync(join(folder, "models.LICENSE"), "utf8").trim() }];
}

/** Returns the text of the notices file. Each license appears once, after the names of its projects. */
export function noticesText() {
  const section = (title, list) => {
    const texts = new Map();
    for (const { name, version, license, text } of list) {
      const key = text === "" ? `License: ${license}` : text;
      texts.set(key, [...(texts.get(key) ?? []), `- ${name} ${version} (${license})`]);
    }
    return [`## ${title}`, ...Array.from(texts, ([text, names]) => `${names.join("\n")}\n\n\`\`\`text\n${text}\n\`\`\``)];
  };
  const parts = [
    "# Notices of other projects",
    "This package contains code and data of the following projects, under their licenses. `TUCKBOX_BLESS=1 node --test tests/node/notices.test.mjs` writes this file.",
    ...section("In `inspector`", bundledPackages()),
    ...section("In `generated/*.wasm`", bundledCrates()),
    ...section("Data of the table of models", bundledData()),
  ];
  return `${parts.join("\n\n")}\n`;
}
