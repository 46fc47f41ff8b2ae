// `wit/tuckbox.wit` follows the declarations of the operations.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const wit = read("wit/tuckbox.wit").replace(/^\s*\/\/\/.*$/gm, "");
const schema = JSON.parse(read("pkg/schema/operations.json"));

/** Returns the names in a block: `[name, type]` of a record or a variant. */
function block(kind, name) {
  const found = new RegExp(`${kind} ${name} \\{([^}]*)\\}`).exec(wit);
  assert.ok(found, `${kind} ${name}`);
  return Array.from(found[1].matchAll(/%?([a-z-]+)(?::\s*([^,]+)|\(([^)]*)\))?,/g), ([, key, type, inner]) => [
    key.replaceAll("-", "_"),
    type ?? inner,
  ]);
}

/** Returns the schemas of objects that a schema allows. */
function objects(of) {
  if (of.$ref !== undefined) return objects(schema.$defs[of.$ref.split("/").at(-1)]);
  return (of.anyOf ?? of.oneOf)?.flatMap(objects) ?? (of.properties === undefined ? [] : [of]);
}

/** Checks that every field is declared, and that every field that all objects require is required. */
function follows(record, of, except = []) {
  const known = new Set(of.flatMap(({ properties }) => Object.keys(properties)));
  const fields = new Map(block("record", record));
  for (const name of fields.keys()) if (!except.includes(name)) assert.ok(known.has(name), `${record} has \`${name}\``);
  for (const name of known) {
    if (!of.every(({ required = [] }) => required.includes(name))) continue;
    assert.ok(fields.has(name), `${record} lacks \`${name}\``);
  }
}

const RECORDS = { new_card: "NewCard", card_row: "CardRow", box_row: "BoxRow", missing: "Missing" };
const OPERATIONS = [
  "put_cards",
  "get_cards",
  "create_box",
  "append_to_box",
  "fork_box",
  "get_boxes",
  "pack_context",
  "render",
  "compose",
  "payload",
];

test("the records of the component have the fields of the operations", () => {
  for (const [record, name] of Object.entries(RECORDS)) follows(record.replaceAll("_", "-"), objects(schema.$defs[name]));
  const functions = Array.from(wit.matchAll(/^ {2}([a-z-]+): func\(project: borrow<project>/gm), ([, name]) => name.replaceAll("-", "_"));
  assert.deepEqual(functions, OPERATIONS);
  for (const name of OPERATIONS) {
    const { arguments: taken, result } = schema.operations[name];
    const kebab = name.replaceAll("_", "-");
    if (wit.includes(`record ${kebab}-arguments `)) follows(`${kebab}-arguments`, sources(objects(taken)), ["options"]);
    if (wit.includes(`record ${kebab}-result `)) follows(`${kebab}-result`, objects(result));
  }
});

/** Returns the forms of arguments that take messages, if there are several forms. */
function sources(forms) {
  const taken = forms.filter(({ properties }) => properties.messages !== undefined);
  return taken.length > 0 ? taken : forms;
}

test("the component has the codes and the version of the package", () => {
  const codes = block("enum", "code").map(([name]) => name);
  const declared = /export type Code =([^;]*);/.exec(read("pkg/types/error.d.ts"))[1].match(/\w+(?=")/g);
  assert.deepEqual(codes, declared.slice(0, codes.length));
  assert.match(wit, new RegExp(`package tuckbox:core@${JSON.parse(read("pkg/package.json")).version.replaceAll(".", "\\.")};`));
});
