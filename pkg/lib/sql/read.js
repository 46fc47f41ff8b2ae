// A batch of reads is one statement, however many kinds and keys: its answer is one JSON text that
// goes to the core as it stands.
import { TuckboxError } from "../error.js";
import { KINDS, fold } from "../rows.js";
import { OLD_TABLES } from "./names.js";

/** What a table of a migrated database looks like, as far as reading cares. */
export const MIGRATED = { isMigrated: true, box_id: "text", card_id: "text", has: () => true };

const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** The statement, its parameters, and the keys that no database can hold. */
export function readStatement(t, shape, reads) {
  const parts = [];
  const asked = {};
  const impossible = {};
  for (const kind of KINDS) {
    const keys = reads[kind] ?? [];
    if (keys.length === 0) continue;
    const type = kind === "boxes" ? shape.box_id : kind === "cards" ? shape.card_id : "text";
    const isPossible = (key) => !key.includes("\u0000") && (type !== "uuid" || UUID.test(key));
    asked[kind] = keys.filter(isPossible).map((key) => (kind === "profiles" ? [key, fold(kind, key)] : key));
    impossible[kind] = keys.filter((key) => !isPossible(key));
    parts.push({ kind, text: PARTS[kind](t, shape, type) });
  }
  const columns = parts.map(({ kind, text }) => `${kind} as (${text})`);
  const wholes = parts.map(({ kind }) => `'"${kind}":', ${kind}.found::text, ',"missing_${kind}":', ${kind}.missing::text`);
  const text = `with ${columns.join(",\n")}\nselect concat('{', ${wholes.join(", ',', ")}, '}') as answers from ${parts.map(({ kind }) => kind).join(", ")}`;
  return { text, params: [JSON.stringify(asked), reads.project_id], impossible, isEmpty: parts.length === 0 };
}

const PROFILE = {
  name: "r.name", profile_box_id: "r.profile_box_id", tags: "coalesce(r.tags, '[]')", worker_target: "r.worker_target", delegation_policy: "r.delegation_policy",
};

const PARTS = {
  profiles: (t, shape) => part({
    keys: "json_array_elements($1::text::json->'profiles')",
    key: "k.key->>0",
    rows: table(shape, t, "tuckbox_profiles"),
    on: "r.name_key = k.key->>1",
    there: "r.name_key",
    row: PROFILE,
  }),
  profiles_by_box: (t, shape) => part({
    keys: "json_array_elements_text($1::text::json->'profiles_by_box')",
    rows: `lateral (
      select p.* from ${table(shape, t, "tuckbox_profiles")} p
      where p.tenant_id = $2::text and p.profile_box_id = k.key order by p.name_key limit 1)`,
    on: "true",
    there: "r.name_key",
    row: PROFILE,
  }),
  boxes: (t, shape, type) => part({
    keys: "json_array_elements_text($1::text::json->'boxes')",
    rows: table(shape, t, "card_boxes"),
    on: `r.box_id = k.key${type === "uuid" ? "::uuid" : ""}`,
    there: "r.box_id",
    row: {
      tenant_id: "r.tenant_id",
      // as it was asked for: a uuid can be written in several ways
      box_id: "k.key",
      card_ids: "coalesce(to_json(r.card_ids), '[]')",
      parent_ids: column(shape, "card_boxes", "parent_ids", "coalesce(to_json(r.parent_ids), '[]')", "'[]'::json"),
      version: column(shape, "card_boxes", "version", "r.version", "0"),
      deleted_at: column(shape, "card_boxes", "deleted_at", moment("r.deleted_at"), "null"),
    },
  }),
  cards: (t, shape, type) => part({
    keys: "json_array_elements_text($1::text::json->'cards')",
    rows: table(shape, t, "cards"),
    on: `r.card_id = k.key${type === "uuid" ? "::uuid" : ""}`,
    there: "r.card_id",
    row: {
      tenant_id: "r.tenant_id",
      card_id: "k.key",
      content: "r.content",
      metadata: "r.metadata",
      tool_calls: column(shape, "cards", "tool_calls", "r.tool_calls", "null"),
      tool_call_id: column(shape, "cards", "tool_call_id", "r.tool_call_id", "null"),
      ttl_seconds: column(shape, "cards", "ttl_seconds", "r.ttl_seconds", "null"),
      expires_at: column(shape, "cards", "expires_at", moment("r.expires_at"), "null"),
      deleted_at: column(shape, "cards", "deleted_at", moment("r.deleted_at"), "null"),
    },
  }),
  agents: (t, shape) => part({
    keys: "json_array_elements_text($1::text::json->'agents')",
    rows: table(shape, t, "tuckbox_agents"),
    on: "r.agent_id = k.key",
    there: "r.agent_id",
    row: {
      tenant_id: "r.tenant_id", agent_id: "k.key", in_roster: "r.in_roster", profile_box_id: "r.profile_box_id", display_name: "r.display_name",
      tags: "coalesce(r.tags, '[]')", worker_target: "r.worker_target", state: "r.state", pointers: "r.pointers",
    },
  }),
  files: (t, shape) => part({
    keys: "json_array_elements_text($1::text::json->'files')",
    rows: table(shape, t, "tuckbox_files"),
    on: "r.path = k.key",
    there: "r.path",
    row: { path: "k.key", text: "r.text" },
  }),
  directories: (t, shape) => part({
    keys: "json_array_elements_text($1::text::json->'directories')",
    // in byte order everything that starts with \`a/\` stands between \`a/\` and \`a0\`
    rows: `lateral (
      select json_agg(f.path order by f.path) as paths from ${table(shape, t, "tuckbox_files")} f
      where f.tenant_id = $2::text and f.path > k.key || '/' and f.path < k.key || '0')`,
    on: "true",
    there: "r.paths",
    row: { directory: "k.key", paths: "r.paths" },
  }),
};

function part({ keys, key = "k.key", rows, on, there, row }) {
  const columns = Object.entries(row).map(([name, value]) => `'${name}', ${value}`);
  const tenant = rows.startsWith("lateral") ? "" : "r.tenant_id = $2::text and ";
  return `
  select coalesce(json_agg(json_build_object(${columns.join(", ")}) order by k.n) filter (where ${there} is not null), '[]') as found,
    coalesce(json_agg(${key} order by k.n) filter (where ${there} is null), '[]') as missing
  from ${keys} with ordinality k (key, n) left join ${rows} r on ${tenant}${on}`;
}

function table(shape, t, name) {
  if (!shape.has(name)) throw unmigrated(`the table \`${name}\``);
  return t[name];
}

function column(shape, table, name, there, absent) {
  return shape.has(table, name) ? there : absent;
}

function moment(column) {
  return `case when isfinite(${column}) then to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end`;
}

/** What the tables of a database look like that is not migrated, or not by us. */
export function shapeQuery(t) {
  const names = [...OLD_TABLES, "tuckbox_profiles", "tuckbox_agents", "tuckbox_files"];
  const text = `select coalesce(json_object_agg(s.name, s.columns), '{}')::text as answers from (
  select k.key as name, json_object_agg(a.attname, format_type(a.atttypid, null)) as columns
  from json_each_text($1::text::json) k
  join pg_attribute a on a.attrelid = to_regclass(k.value) and a.attnum > 0 and not a.attisdropped
  group by k.key) s`;
  return { text, params: [JSON.stringify(Object.fromEntries(names.map((name) => [name, t[name]])))] };
}

export function readShape(answers) {
  const tables = JSON.parse(answers);
  for (const name of OLD_TABLES) if (tables[name] === undefined) throw unmigrated(`the table \`${name}\``);
  return {
    isMigrated: tables.tuckbox_agents !== undefined,
    box_id: tables.card_boxes.box_id,
    card_id: tables.cards.card_id,
    has: (table, column) => tables[table] !== undefined && (column === undefined || tables[table][column] !== undefined),
  };
}

export function unmigrated(what, cause) {
  const message = `${what} is not in the database; run the store's \`migrate()\` once, with a role that may create tables`;
  return new TuckboxError("store", message, { path: "store", details: { reason: "not_migrated" }, cause });
}
