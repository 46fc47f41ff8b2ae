// The names of the tables and functions, in the schema of the host's choice.

export const TABLES = ["cards", "card_boxes", "tuckbox_profiles", "tuckbox_agents", "tuckbox_files", "tuckbox_operations", "tuckbox_schema"];

/** The tables that the documents name; the others are ours. */
export const OLD_TABLES = ["cards", "card_boxes"];

/** Every name as it stands in a statement: `names.cards`, `names.tuckbox_commit`, .. */
export function namesIn(schema) {
  const place = schema === undefined ? "" : `${quoted(schema)}.`;
  // the number changes with the function, so that old and new programs work side by side
  const functions = { tuckbox_commit: "tuckbox_commit_1", tuckbox_box_changed: "tuckbox_box_changed" };
  const all = [...TABLES.map((name) => [name, name]), ...Object.entries(functions)];
  return Object.fromEntries(all.map(([name, stored]) => [name, `${place}${stored}`]));
}

export function quoted(name) {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Text inside a statement that takes no parameters. */
export function literal(text) {
  return `'${text.replaceAll("'", "''")}'`;
}
