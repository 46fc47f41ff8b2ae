// The version and the address of the repository. Both are one line of `Cargo.toml`; the other files repeat them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The lines of `[workspace.package]` that all others repeat. */
const SOURCES = { version: /^version = "(.+)"$/m, repository: /^repository = "(.+)"$/m };

/** The other files of the version. Each pattern has the value in its only group. */
const VERSIONS = [
  ["sqlite/Cargo.toml", /^version = "(.+)"$/m],
  ["sqlite/Cargo.toml", /^tuckbox = \{ path = "\.\.", version = "(.+?)"/m],
  ["pkg/package.json", /^ {2}"version": "(.+)",$/m],
  ["pkg/lib/version.js", /^export const version = "(.+)";$/m],
  ["python/tuckbox/__init__.py", /^__version__ = "(.+)"$/m],
  ["wit/tuckbox.wit", /^package tuckbox:core@(.+);$/m],
  ["docs/how-to/choose-a-form.md", /^version = "(.+)"$/m],
  ["www/extension/manifest.json", /^ {2}"version": "(.+)",$/m],
  ["README.md", /^Version (\d\S*)\. /m],
];

/** The other files of the address. */
const ADDRESSES = [
  ["sqlite/Cargo.toml", /^repository = "(.+)"$/m],
  ["pkg/package.json", /"url": "git\+(.+)\.git"/],
  ["python/pyproject.toml", /^Repository = "(.+)"$/m],
];

/** Pages with links to files of the repository: packages contain no other files. */
const PAGES = ["pkg/README.md", "python/README.md", "sqlite/README.md"];

const text = (root, file) => {
  try {
    return readFileSync(`${root}/${file}`, "utf8");
  } catch {
    return undefined;
  }
};

/** Returns the version and the address, from `Cargo.toml`. */
export function stated(root = ROOT) {
  const manifest = text(root, "Cargo.toml");
  return Object.fromEntries(Object.entries(SOURCES).map(([name, line]) => [name, line.exec(manifest)?.[1]]));
}

/** Returns a sentence for each file that differs from `Cargo.toml`, and for each manifest with its own version. */
export function differences(root = ROOT) {
  const { version, repository } = stated(root);
  const wrong = [];
  const compare = (list, expected) => {
    for (const [file, line] of list) {
      const found = line.exec(text(root, file) ?? "")?.[1];
      if (found !== expected) wrong.push(`\`${file}\` has \`${found ?? "no value"}\`; expected \`${expected}\``);
    }
  };
  compare(VERSIONS, version);
  compare(ADDRESSES, repository);
  for (const page of PAGES)
    for (const [, found] of (text(root, page) ?? "").matchAll(/\((https:\/\/[^)\s]+?)\/(?:blob|tree)\/main\//g))
      if (found !== repository) wrong.push(`\`${page}\` links to \`${found}\`; expected \`${repository}\``);
  // all members of the workspace, such as the binding, the Python module and a component
  const members = /^members = \[(.+)\]$/m.exec(text(root, "Cargo.toml") ?? "")?.[1] ?? "";
  for (const [, member] of members.matchAll(/"([^".]+)"/g)) {
    const own = /^version = "(.+)"$/m.exec(text(root, `${member}/Cargo.toml`) ?? "")?.[1];
    if (own !== undefined && own !== version && own !== "0.0.0")
      wrong.push(`\`${member}/Cargo.toml\` has \`${own}\`; use \`version.workspace\``);
  }
  return wrong;
}

/** Writes a version or an address into all files. Returns the names of the changed files. */
export function write({ version, repository }, root = ROOT) {
  const changed = new Set();
  const old = stated(root);
  const change = (file, edit) => {
    const before = text(root, file);
    if (before === undefined) return;
    const after = edit(before);
    if (after === before) return;
    writeFileSync(`${root}/${file}`, after);
    changed.add(file);
  };
  const put = (list, value) => {
    for (const [file, line] of list) change(file, (found) => found.replace(line, (whole, part) => whole.replace(part, () => value)));
  };
  if (version !== undefined) {
    put([["Cargo.toml", SOURCES.version], ...VERSIONS], version);
    for (const name of readdirSync(`${root}/tests/consumers`))
      change(`tests/consumers/${name}/package.json`, (found) => found.replace(/"tuckbox": "\^.+?"/, `"tuckbox": "^${version}"`));
    change("examples/react/package.json", (found) => found.replace(/"tuckbox": "\^.+?"/, `"tuckbox": "^${version}"`));
  }
  if (repository !== undefined) {
    put([["Cargo.toml", SOURCES.repository], ...ADDRESSES], repository);
    for (const page of PAGES) change(page, (found) => found.replaceAll(`(${old.repository}/`, `(${repository}/`));
  }
  return [...changed];
}
