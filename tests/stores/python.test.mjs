// The statements of the Python store in PostgreSQL are those of the JavaScript store. `TUCKBOX_BLESS=1` writes them.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { KINDS } from "../../pkg/lib/rows.js";
import { columnOf, DECLARED, namesIn, schemasOf } from "../../pkg/lib/sql/names.js";
import { MIGRATED, readStatement } from "../../pkg/lib/sql/read.js";
import { atVersion, migration } from "../../pkg/lib/sql/schema.js";

const FILE = new URL("../../python/tuckbox/stores/postgres.json", import.meta.url);
/** The schema in the written statements, which the Python store replaces. */
const PLACE = "tuckbox_place";

/** Returns the part of a statement that reads one thing. */
function part(schema, name, reads) {
  const { text } = readStatement(namesIn(schema), MIGRATED, { project_id: "p", ...reads });
  const [begin, end] = [`with ${name} as (`, `)\nselect '{' || '"${name}":'`];
  assert.ok(text.startsWith(begin), name);
  return text.slice(begin.length, text.lastIndexOf(end));
}

/** Returns a value of a type, as in keys. */
const keyPart = (type) => (type === "boolean" ? "true" : "1");

/** Returns the part of a list, with `$skip` where locked rows can be skipped. */
function list(schema, table, name, types) {
  const read = (more) => part(schema, "list_0", { lists: [{ table, index: name, of: types.map(keyPart), limit: 1, ...more }] });
  const [all, skipping] = [read({}), read({ skip_locked: true })];
  const words = " for share skip locked";
  const at = skipping.indexOf(words);
  assert.equal(skipping.slice(0, at) + skipping.slice(at + words.length), all);
  return `${skipping.slice(0, at)}$skip${skipping.slice(at + words.length)}`;
}

function statements(schema) {
  const names = namesIn(schema);
  const kinds = [...KINDS, "operations"].map((kind) => [kind, part(schema, kind, { [kind]: ["x"] })]);
  const tables = DECLARED.map((table) => {
    const type = (name) => columnOf(table, name).type;
    const row = part(schema, "rows_0", { rows: [{ table: table.name, key: table.key.map(type).map(keyPart) }] });
    const lists = table.indexes.map(({ name, of }) => {
      const types = of.map(type);
      return [name, { types, text: list(schema, table.name, name, types) }];
    });
    return [table.name, { types: table.key.map(type), text: row, lists: Object.fromEntries(lists) }];
  });
  const makes = schemasOf(schema).map((name) => `create schema if not exists ${name};`);
  return {
    migration: migration({ schema }).replace(makes.join("\n  "), "$schemas"),
    version: atVersion(names, `'{}'::text`),
    commit: atVersion(names, `${names.tuckbox_commit}($1::text, $2::text, $3::text)`),
    kinds: Object.fromEntries(kinds),
    tables: Object.fromEntries(tables),
  };
}

test("the statements of the Python store are those of this package", () => {
  const documented = DECLARED.filter((table) => table.documented).map(({ documented: name }) => [name.split(".")[1], name]);
  const made = statements(PLACE);
  const number = Number(/version = (\d+)/.exec(made.version)?.[1]);
  const plain = { number, schemas: schemasOf(undefined), documented: Object.fromEntries(documented) };
  // without a schema, a name has the schema of the documents, or none
  const bare = JSON.parse(JSON.stringify(made), (_, value) =>
    typeof value === "string" ? value.replace(/\\?"tuckbox_place\\?"\.(\w+)/g, (_all, name) => plain.documented[name] ?? name) : value,
  );
  assert.deepEqual(bare, statements(undefined));
  const text = `${JSON.stringify({ ...plain, ...made }, null, 1)}\n`;
  if (process.env.TUCKBOX_BLESS === "1") writeFileSync(FILE, text);
  assert.equal(readFileSync(FILE, "utf8"), text, "run it with TUCKBOX_BLESS=1");
});
