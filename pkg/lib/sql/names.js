// The names of tables and functions, in the schema that the host chose.
import TABLES from "../../generated/tables.js";
import { TuckboxError } from "../error.js";

/**
 * @typedef {"text" | "integer" | "boolean" | "time" | "json"} Type
 * @typedef {{ name: string, type: Type }} Column
 * @typedef {{ name: string, of: string[], order: string[], unique?: boolean }} Index
 */

/**
 * A table that the core declares. `documented` is its name in the documents, if it has one.
 *
 * @typedef {{ name: string, key: string[], columns: Column[], indexes: Index[], documented?: string | null }} Table
 */

/** @typedef {(typeof PLAIN)[number] | keyof typeof FUNCTIONS} Name */

/**
 * Names in statements: `names.cards`, `names.tuckbox_commit`, `names.rows.heads`, ..
 *
 * @typedef {{ [name in Name]: string } & { rows: { [table: string]: string } }} Names
 */

/** The declared tables. */
export const DECLARED = /** @type {Table[]} */ (TABLES);

const PLAIN = /** @type {const} */ (["cards", "card_boxes", "tuckbox_files", "tuckbox_operations", "tuckbox_schema"]);

/** The tables that the documents define. */
export const DOCUMENTED = /** @type {const} */ (["cards", "card_boxes"]);

// the number changes with the function, so that old and new programs can use one database
const FUNCTIONS = {
  tuckbox_commit: "tuckbox_commit_5",
  tuckbox_put: "tuckbox_put_5",
  tuckbox_version: "tuckbox_version_5",
  tuckbox_box_changed: "tuckbox_box_changed",
  tuckbox_row_changed: "tuckbox_row_changed",
};

/**
 * Returns all names. A declared table has the name and the schema of the documents, unless the host chose a schema.
 *
 * @param {string | undefined} schema
 * @returns {Names}
 */
export function namesIn(schema) {
  const place = schema === undefined ? "" : `${quoted(schema)}.`;
  const all = { ...Object.fromEntries(PLAIN.map((name) => [name, name])), ...FUNCTIONS };
  const rows = DECLARED.map(({ name, documented }) => {
    if (documented === null || documented === undefined) return [name, `${place}tuckbox_${name}`];
    const [of, table] = documented.split(".");
    return [name, schema === undefined ? `${of}.${table}` : `${place}${table}`];
  });
  const names = Object.entries(all).map(([name, stored]) => [name, `${place}${stored}`]);
  return { ...Object.fromEntries(names), rows: Object.fromEntries(rows) };
}

/**
 * Returns the schemas of the declared tables.
 *
 * @param {string | undefined} schema
 */
export function schemasOf(schema) {
  if (schema !== undefined) return [quoted(schema)];
  return [...new Set(DECLARED.flatMap(({ documented }) => (documented ? [documented.split(".")[0]] : [])))];
}

/**
 * Returns a column of a table.
 *
 * @param {Table} table
 * @param {string} name
 */
export function columnOf(table, name) {
  const found = table.columns.find((column) => column.name === name);
  if (found === undefined) throw new TuckboxError("bad_request", `\`${table.name}\` has no column \`${name}\``, { path: "column" });
  return found;
}

/** @param {string} name */
export function quoted(name) {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Returns text as a literal, for statements without parameters.
 *
 * @param {string} text
 */
export function literal(text) {
  return `'${text.replaceAll("'", "''")}'`;
}
