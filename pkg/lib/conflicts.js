// The conflicts of a commit, with the same messages in every store.
import { TuckboxError } from "./error.js";

/**
 * A box changed or was deleted. Without an expected version, the box only has to exist.
 *
 * @param {string} box_id
 * @param {string | number | null} [expected]
 * @param {string | number | null} [found]
 */
export function stale(box_id, expected = null, found = null) {
  const now = found === null ? "is missing" : `is at version ${found}`;
  const read = expected === null ? "" : ` was read at version ${expected} and now`;
  return conflict(`box \`${box_id}\`${read} ${now}`, { box_id, expected, found });
}

/**
 * A row changed since it was read.
 *
 * @param {string} table
 * @param {readonly string[]} key
 * @param {string | number | null} expected
 * @param {string | number | null} found
 */
export function staleRow(table, key, expected, found) {
  if (table === "boxes") return stale(key[0], expected, found);
  const name = `${table} \`${key.join("`, `")}\``;
  /** @param {string | number | null} version @param {string} gone */
  const state = (version, gone) => (version === null ? gone : `at version ${typeof version === "number" ? version : `\`${version}\``}`);
  return conflict(`${name} was ${state(expected, "absent")} when it was read and now is ${state(found, "missing")}`, {
    table,
    key,
    expected,
    found,
  });
}

/**
 * A row cannot be stored: another row has its key or a unique value.
 *
 * @param {string} table
 * @param {readonly string[]} key
 */
export function rowTaken(table, key) {
  return conflict(`the row \`${key.join("`, `")}\` of \`${table}\` cannot be kept: its key or a value in it is taken`, { table, key });
}

/** @param {string} table */
export function notUnique(table) {
  return conflict(`a row of \`${table}\` already has the same value in a unique index`, { table });
}

/**
 * Another batch was applied under the operation id.
 *
 * @param {string} operation_id
 */
export function otherBatch(operation_id) {
  return conflict(`operation \`${operation_id}\` was already applied with another batch`, { operation_id });
}

/** @param {string} box_id */
export function exists(box_id) {
  return conflict(`box \`${box_id}\` already exists`, { box_id });
}

/** @param {string} card_id */
export function taken(card_id) {
  return conflict(`card \`${card_id}\` exists with other content; cards are immutable, create a new one`, { card_id });
}

/** @param {string} path */
export function otherText(path) {
  return conflict(`file \`${path}\` already exists with other text`, { path });
}

/** @param {string} message @param {object} details */
function conflict(message, details) {
  return new TuckboxError("conflict", message, { details });
}
