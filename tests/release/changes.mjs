// What callers notice between two versions: the Rust API, the TypeScript types, and the schema of the operations.

/** The recorded API of Rust. */
export const RUST = "tests/public_api.txt";
/** The schema of the operations. */
export const SCHEMA = "pkg/schema/operations.json";

/** Returns the section of a version in the changelog: its heading, its date and its text. */
export function section(changelog, version) {
  const parts = changelog.split(/^## /m).slice(1);
  const found = parts.find((part) => part.startsWith(`[${version}]`));
  if (found === undefined) return undefined;
  const [heading] = found.split("\n", 1);
  return { date: /^\[.+?\] - (\d{4}-\d{2}-\d{2})$/.exec(heading)?.[1], text: found.slice(heading.length).trim() };
}

/**
 * Returns `{ breaking, added, operations }`: the names that callers use, as a changelog writes them. `operations` are
 * those of `added` that are operations. `before` and `after` are functions from a path to a text, and `types` are the
 * paths of the declarations.
 */
export function changes(before, after, types) {
  const breaking = new Set();
  const added = new Set();
  compareLines(lines(before(RUST)), lines(after(RUST)), { breaking, added, nameOf: rustName });
  for (const file of types) compareLines(declared(before(file)), declared(after(file)), { breaking, added, nameOf: ([name]) => name });
  const operations = new Set();
  compareSchemas(JSON.parse(before(SCHEMA) || "{}"), JSON.parse(after(SCHEMA) || "{}"), { breaking, added: operations });
  const sorted = (names) => [...names].filter((name) => !breaking.has(name)).sort();
  return { breaking: [...breaking].sort(), added: sorted([...new Set([...added, ...operations])]), operations: sorted(operations) };
}

const lines = (text) => new Map(text.split("\n").flatMap((line) => (line === "" ? [] : [[line, line]])));

/** Returns the name of the item in a line of the recorded API. */
function rustName([line]) {
  const words = line.split(/[ (<:{,]+/).filter((word) => /^\w+$/.test(word));
  const at = words.findIndex((word) => /^(fn|struct|enum|trait|type|const|static|mod|use|macro)$/.test(word));
  return words[at + 1] ?? words.at(-1);
}

/** Returns the exported declarations of a file by name. */
function declared(text) {
  const found = text.matchAll(
    /^export (?:declare )?(?:abstract )?(?:interface|type|class|function|const) (\w+)[\s\S]*?(?=^export |^\/\*\*|$(?![\s\S]))/gm,
  );
  return new Map(Array.from(found, ([whole, name]) => [name, whole.replace(/\/\*\*[\s\S]*?\*\//g, "").replace(/\s+/g, " ")]));
}

function compareLines(before, after, { breaking, added, nameOf }) {
  for (const entry of before) if (after.get(entry[0]) !== entry[1] && !isWider(entry[1], after.get(entry[0]))) breaking.add(nameOf(entry));
  for (const entry of after) if (!before.has(entry[0])) added.add(nameOf(entry));
}

/** Returns true if an interface only gained members. */
function isWider(before, after) {
  if (after === undefined || !before.includes("{")) return false;
  const members = (text) => text.split(/[;{}]/).map((part) => part.trim());
  const there = new Set(members(after));
  return members(before).every((member) => there.has(member));
}

function compareSchemas({ operations: old = {}, $defs: oldTypes = {} }, { operations = {}, $defs = {} }, { breaking, added }) {
  const argumentsOf = ({ arguments: shape }, types) => (shape.$ref === undefined ? shape : (types[shape.$ref.split("/").at(-1)] ?? {}));
  for (const [op, was] of Object.entries(old)) {
    const now = operations[op];
    if (now === undefined) {
      breaking.add(op);
      continue;
    }
    const [{ properties: had = {} }, { properties: has = {}, required = [] }] = [argumentsOf(was, oldTypes), argumentsOf(now, $defs)];
    const isNarrower = Object.keys(had).some((name) => !(name in has)) || required.some((name) => !(name in had));
    if (isNarrower || was.method !== now.method) breaking.add(op);
    else if (Object.keys(has).some((name) => !(name in had))) added.add(op);
  }
  for (const op of Object.keys(operations)) if (!(op in old)) added.add(op);
}

/** Returns the sentences for changes that the version or the changelog does not show. */
export function wrongChanges({ breaking, operations }, { from, to, text }) {
  const [[major, minor], [oldMajor, oldMinor]] = [to, from].map((version) => version.split(".").map(Number));
  const raised = major > oldMajor || (major === 0 && oldMajor === 0 && minor > oldMinor);
  const wrong = [];
  if (breaking.length > 0 && !raised)
    wrong.push(`${breaking.length} changes break callers (\`${breaking.slice(0, 5).join("`, `")}\`), but \`${to}\` follows \`${from}\``);
  const unnamed = breaking.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  if (unnamed.length > 0) wrong.push(`the changelog does not name what breaks: \`${unnamed.join("`, `")}\``);
  const silent = operations.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  if (silent.length > 0) wrong.push(`the changelog does not name what is new: \`${silent.join("`, `")}\``);
  return wrong;
}
