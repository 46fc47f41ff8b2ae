// Columns of declared tables as SQL: their types, their values and the versions of rows.
/** @import { Column, Table } from "./names.js" */
import { literal } from "./names.js";

/**
 * Returns true if a table, or a column of it, exists.
 *
 * @typedef {(table: string, column?: string) => boolean} Has
 */

/** The types of columns in a migration. */
export const TYPES = { text: "text", integer: "bigint", boolean: "boolean", time: "timestamptz", json: "jsonb" };

/**
 * Returns a time in the format of the core.
 *
 * @param {string} column
 */
export function timeText(column) {
  return `case when isfinite(${column}) then to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end`;
}

/**
 * Returns the value of a column of `r` as JSON. Text columns can be uuids in a database of other software.
 *
 * @param {Column} column
 * @param {string} [from]
 */
export function value({ name, type }, from = "r") {
  const column = `${from}.${name}`;
  if (type === "time") return timeText(column);
  return type === "text" ? `${column}::text` : column;
}

/**
 * Returns the row `r` as a JSON object with the columns that exist.
 *
 * @param {readonly Column[]} columns
 * @param {string} [from]
 */
export function rowObject(columns, from = "r") {
  const parts = columns.map((column) => `${literal(column.name)}, ${value(column, from)}`);
  // a function takes at most 100 arguments
  const groups = Array.from({ length: Math.ceil(parts.length / 40) }, (_, at) => parts.slice(at * 40, at * 40 + 40));
  return groups.map((group) => `jsonb_build_object(${group.join(", ")})`).join(" || ");
}

/**
 * Returns the version of the row `r`: the operation that wrote it, or a hash of the row.
 *
 * @param {boolean} hasVersion
 * @param {string} [from]
 */
export function rowVersion(hasVersion, from = "r") {
  const hash = `md5(to_jsonb(${from})::text)`;
  return hasVersion ? `coalesce(${from}.tuckbox_version, ${hash})` : hash;
}

/**
 * Returns the key of the row `r` as a JSON list of strings.
 *
 * @param {Table} table
 * @param {string} [from]
 */
export function keyList(table, from = "r") {
  return `jsonb_build_array(${table.key.map((name) => `${from}.${name}::text`).join(", ")})`;
}

/**
 * Returns an agent as the core reads it, from `a` (the registry), `h` (the head) and `p` (the pointers).
 *
 * @param {{ key: string, has: Has }} options
 */
export function agentObject({ key, has }) {
  /** @param {string} name @param {string} absent */
  const own = (name, absent) => (has("project_agents", name) ? `a.${name}` : absent);
  const state = has("heads")
    ? `case when h.agent_id is null then ${own("state", "null::jsonb")} else jsonb_build_object('status', coalesce(h.status, ''), 'profile_box_id', h.profile_box_id::text, 'context_box_id', h.context_box_id::text, 'output_box_id', h.output_box_id::text) end`
    : own("state", "null::jsonb");
  const pointers = has("pointers")
    ? `case when p.agent_id is null then ${own("pointers", "null::jsonb")} else jsonb_build_object('last_output_box_id', p.last_output_box_id::text, 'memory_context_box_id', p.memory_context_box_id::text) end`
    : own("pointers", "null::jsonb");
  return `jsonb_build_object('agent_id', ${key}, 'in_roster', a.agent_id is not null and ${has("project_agents", "in_roster") ? "coalesce(a.in_roster, true)" : "true"}, 'profile_box_id', a.profile_box_id::text, 'display_name', a.display_name, 'tags', coalesce(a.tags, '[]'), 'worker_target', a.worker_target, 'state', ${state}, 'pointers', ${pointers})`;
}

/**
 * Returns a profile as the core reads it, from `r`.
 *
 * @param {{ has: Has }} shape
 */
export function profileObject({ has }) {
  const policy = has("project_profiles", "delegation_policy") ? "r.delegation_policy" : "null::jsonb";
  return `jsonb_build_object('name', r.name, 'profile_box_id', r.profile_box_id::text, 'tags', coalesce(r.tags, '[]'), 'worker_target', r.worker_target, 'delegation_policy', ${policy})`;
}

/**
 * Returns the condition for the profile whose folded name is `key`. Other software does not store the folded name.
 *
 * @param {{ has: Has }} shape
 * @param {string} key
 */
export function isProfile({ has }, key) {
  return has("project_profiles", "name_key") ? `coalesce(r.name_key, lower(r.name)) = ${key}` : `lower(r.name) = ${key}`;
}

/**
 * Returns the version that the core gives a row of the registry: a hash of its values.
 *
 * @param {string} object
 */
export function impliedVersion(object) {
  return `encode(substr(sha256(convert_to((${object})::text, 'UTF8')), 1, 16), 'hex')`;
}
