// Columns of declared tables as SQL: how they are made, read, and told apart by a version.
import { literal } from "./names.js";

/** The type of a column that a migration makes. */
export const TYPES = { text: "text", integer: "bigint", boolean: "boolean", time: "timestamptz", json: "jsonb" };

/** A moment as the core writes it. */
export function moment(column) {
  return `case when isfinite(${column}) then to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end`;
}

/** The value of a column of `r` as JSON; text columns may be uuids in a database of other software. */
export function value({ name, type }, from = "r") {
  const column = `${from}.${name}`;
  if (type === "time") return moment(column);
  return type === "text" ? `${column}::text` : column;
}

/** The row `r` of a table as a JSON object with the columns that are there. */
export function rowObject(columns, from = "r") {
  const parts = columns.map((column) => `${literal(column.name)}, ${value(column, from)}`);
  // no function takes more than a hundred arguments
  const groups = Array.from({ length: Math.ceil(parts.length / 40) }, (_, at) => parts.slice(at * 40, at * 40 + 40));
  return groups.map((group) => `jsonb_build_object(${group.join(", ")})`).join(" || ");
}

/** What tells the states of the row `r` apart: the operation that wrote it, or a hash of it. */
export function rowVersion(hasVersion, from = "r") {
  const hash = `md5(to_jsonb(${from})::text)`;
  return hasVersion ? `coalesce(${from}.tuckbox_version, ${hash})` : hash;
}

/** The key of the row `r` as a JSON list of texts. */
export function keyList(table, from = "r") {
  return `jsonb_build_array(${table.key.map((name) => `${from}.${name}::text`).join(", ")})`;
}

/** An agent as the core sees it, from `a` (the registry), `h` (its turn) and `p` (its pointers). */
export function agentObject({ key, has }) {
  const own = (name, absent) => (has("project_agents", name) ? `a.${name}` : absent);
  const state = has("heads")
    ? `case when h.agent_id is null then ${own("state", "null::jsonb")} else jsonb_build_object('status', coalesce(h.status, ''), 'profile_box_id', h.profile_box_id::text, 'context_box_id', h.context_box_id::text, 'output_box_id', h.output_box_id::text) end`
    : own("state", "null::jsonb");
  const pointers = has("pointers")
    ? `case when p.agent_id is null then ${own("pointers", "null::jsonb")} else jsonb_build_object('last_output_box_id', p.last_output_box_id::text, 'memory_context_box_id', p.memory_context_box_id::text) end`
    : own("pointers", "null::jsonb");
  return `jsonb_build_object('agent_id', ${key}, 'in_roster', a.agent_id is not null and ${has("project_agents", "in_roster") ? "coalesce(a.in_roster, true)" : "true"}, 'profile_box_id', a.profile_box_id::text, 'display_name', a.display_name, 'tags', coalesce(a.tags, '[]'), 'worker_target', a.worker_target, 'state', ${state}, 'pointers', ${pointers})`;
}

/** A profile as the core sees it, from `r`. */
export function profileObject({ has }) {
  const policy = has("project_profiles", "delegation_policy") ? "r.delegation_policy" : "null::jsonb";
  return `jsonb_build_object('name', r.name, 'profile_box_id', r.profile_box_id::text, 'tags', coalesce(r.tags, '[]'), 'worker_target', r.worker_target, 'delegation_policy', ${policy})`;
}

/** True for the profile whose name folds to `key`. Other software does not keep the folded name. */
export function isProfile({ has }, key) {
  return has("project_profiles", "name_key") ? `coalesce(r.name_key, lower(r.name)) = ${key}` : `lower(r.name) = ${key}`;
}

/** The version that the core gives a row of the registry: a hash of what can be seen of it. */
export function impliedVersion(object) {
  return `encode(substr(sha256(convert_to((${object})::text, 'UTF8')), 1, 16), 'hex')`;
}
