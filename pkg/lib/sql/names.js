// The names of the tables and functions, in the schema of the host's choice.
import DECLARED from "../../generated/tables.js";

const PLAIN = ["cards", "card_boxes", "tuckbox_files", "tuckbox_operations", "tuckbox_schema"];

/** The tables that the documents name; the others are ours. */
export const OLD_TABLES = ["cards", "card_boxes"];

// the number changes with the function, so that old and new programs work side by side
const FUNCTIONS = {
  tuckbox_commit: "tuckbox_commit_4",
  tuckbox_put: "tuckbox_put_4",
  tuckbox_version: "tuckbox_version_4",
  tuckbox_box_changed: "tuckbox_box_changed",
  tuckbox_row_changed: "tuckbox_row_changed",
};

/**
 * Every name as it stands in a statement: `names.cards`, `names.tuckbox_commit`, `names.rows.heads`, .. A declared
 * table has the documents' own name, and lies in the documents' own schema unless the host chose one.
 */
export function namesIn(schema) {
  const place = schema === undefined ? "" : `${quoted(schema)}.`;
  const all = [...PLAIN.map((name) => [name, name]), ...Object.entries(FUNCTIONS)];
  const rows = DECLARED.map(({ name, documented }) => {
    if (documented === null || documented === undefined) return [name, `${place}tuckbox_${name}`];
    const [of, table] = documented.split(".");
    return [name, schema === undefined ? `${of}.${table}` : `${place}${table}`];
  });
  return { ...Object.fromEntries(all.map(([name, stored]) => [name, `${place}${stored}`])), rows: Object.fromEntries(rows) };
}

/** The schemas that the declared tables lie in. */
export function schemasOf(schema) {
  if (schema !== undefined) return [quoted(schema)];
  return [...new Set(DECLARED.flatMap(({ documented }) => (documented ? [documented.split(".")[0]] : [])))];
}

export { DECLARED };

export function quoted(name) {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Text inside a statement that takes no parameters. */
export function literal(text) {
  return `'${text.replaceAll("'", "''")}'`;
}
