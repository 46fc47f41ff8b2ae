// The conflicts of a commit, the same from every store.
import { TuckboxError } from "./error.js";

/** A box that moved on, or is gone. Without an expected version it only has to be there. */
export function stale(box_id, expected = null, found = null) {
  const now = found === null ? "is missing" : `is at version ${found}`;
  const read = expected === null ? "" : ` was read at version ${expected} and now`;
  return conflict(`box \`${box_id}\`${read} ${now}`, { box_id, expected, found });
}

/** A row that is not as it was read. */
export function staleRow(table, key, expected, found) {
  if (table === "boxes") return stale(key[0], expected, found);
  const name = `${table} \`${key.join("`, `")}\``;
  const said = (version, gone) => (version === null ? gone : `at version ${typeof version === "number" ? version : `\`${version}\``}`);
  return conflict(`${name} was ${said(expected, "absent")} when it was read and now is ${said(found, "missing")}`, { table, key, expected, found });
}

/** A row that cannot be put: its key, or a value that is unique, belongs to another one. */
export function rowTaken(table, key) {
  return conflict(`the row \`${key.join("`, `")}\` of \`${table}\` cannot be kept: its key or a value in it is taken`, { table, key });
}

export function notUnique(table) {
  return conflict(`a row of \`${table}\` already has the same value in a unique index`, { table });
}

/** An operation id that another batch was applied under. */
export function otherBatch(operation_id) {
  return conflict(`operation \`${operation_id}\` was already applied with another batch`, { operation_id });
}

export function exists(box_id) {
  return conflict(`box \`${box_id}\` already exists`, { box_id });
}

export function taken(card_id) {
  return conflict(`card \`${card_id}\` exists with other content; cards are immutable, create a new one`, { card_id });
}

export function otherText(path) {
  return conflict(`file \`${path}\` already exists with other text`, { path });
}

function conflict(message, details) {
  return new TuckboxError("conflict", message, { details });
}
