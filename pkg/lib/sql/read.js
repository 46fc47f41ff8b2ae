// A batch of reads is one statement, however many kinds and keys: its answer is one JSON text that
// goes to the core as it stands.
import { TuckboxError } from "../error.js";
import { items, members } from "../raw.js";
import { KINDS, fold, rowText, tableOf } from "../rows.js";
import { agentObject, isProfile, keyList, moment, profileObject, rowObject, rowVersion } from "./columns.js";
import { followParts } from "./follow.js";
import { DECLARED, OLD_TABLES } from "./names.js";

/** What a table of a migrated database looks like, as far as reading cares. */
export const MIGRATED = { isMigrated: true, box_id: "text", card_id: "text", has: () => true };

const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** The statement, its parameters, and how its answer becomes that of the store. */
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
    parts.push({ name: kind, text: PARTS[kind](t, shape, type) });
  }
  if (reads.operations?.length > 0) {
    asked.operations = reads.operations.filter((id) => !id.includes("\u0000"));
    parts.push({ name: "operations", text: part({
      keys: "json_array_elements_text($1::text::json->'operations')",
      rows: table(shape, t, "tuckbox_operations"), on: "r.operation_id = k.key", there: "r.operation_id",
      object: "json_build_object('operation_id', k.key, 'batch_hash', r.batch_hash, 'receipt', json_build_object('operation_id', k.key, 'repeated', false, 'boxes', r.boxes))",
    }) });
  }
  const rows = rowParts(t, shape, reads.rows ?? [], asked);
  const lists = listParts(t, shape, reads.lists ?? [], asked);
  const foundBy = (from) => (from.key === undefined ? lists.foundBy(from) : rows.foundBy(from));
  const follows = followParts(reads.follow ?? [], asked, foundBy, (named) => target(t, shape, named));
  parts.push(...rows.parts, ...lists.parts, ...follows.parts);
  const columns = parts.map(({ name, text }) => `${name} as (${text})`);
  // no function takes more than a hundred arguments, and a read may have as many parts
  const wholes = parts.map(({ name }) => `'"${name}":' || ${name}.found::text || ',"missing_${name}":' || ${name}.missing::text`);
  const text = `with ${columns.join(",\n")}\nselect '{' || ${wholes.join(" || ',' || ")} || '}' as answers from ${parts.map(({ name }) => name).join(", ")}`;
  const finish = (answers) => rowText(follows.finish(lists.finish(rows.finish(withMissing(new Map(members(answers)), impossible, reads)))));
  return { text, params: [JSON.stringify(asked), reads.project_id], finish: parts.length === 0 ? () => finish("{}") : finish, isEmpty: parts.length === 0 };
}

/** Puts the keys that no database can hold among the missing ones, where they were asked for. */
function withMissing(parts, impossible, reads) {
  for (const kind of Object.keys(impossible).filter((name) => impossible[name].length > 0)) {
    const missing = new Set([...items(parts.get(`missing_${kind}`)).map((key) => JSON.parse(key)), ...impossible[kind]]);
    parts.set(`missing_${kind}`, JSON.stringify(reads[kind].filter((key) => missing.has(key))));
  }
  return parts;
}

/** True when a text can be the value of a column. */
function isValue({ type }, text) {
  if (type === "integer") return /^-?\d{1,18}$/.test(text);
  return type === "boolean" ? text === "true" || text === "false" : !text.includes("\u0000");
}

const CASTS = { integer: "::bigint", boolean: "::boolean" };

/** A column that must have a value which stands in the parameters. */
function equals({ name, type }, given) {
  return type === "text" ? `r.${name}::text = ${given}` : `r.${name} = (${given})${CASTS[type] ?? ""}`;
}

/** Rows by key: one part for each table that is asked. */
function rowParts(t, shape, rows, asked) {
  const tables = [...new Set(rows.map(({ table }) => table))].map((name) => tableOf(name, DECLARED)).filter((table) => !isUnmade(shape, table));
  const columnsOf = (table) => table.key.map((name) => table.columns.find((column) => column.name === name));
  const parts = tables.map((table, at) => {
    const keys = rows.filter((row) => row.table === table.name).map(({ key }) => key);
    const columns = columnsOf(table);
    // names of profiles as they are kept: a database folds some letters in its own way
    const isFolded = table.name === "project_profiles";
    asked[`rows_${at}`] = keys.filter((key) => key.every((part, index) => isValue(columns[index], part))).map((key) => (isFolded ? [...key, fold(table.name, key[0])] : key));
    const on = isFolded ? [isProfile(shape, "(k.key->>1)")] : columns.map((column, index) => equals(column, `(k.key->>${index})`));
    return { name: `rows_${at}`, text: rowPart(t, shape, table, `json_array_elements($1::text::json->'rows_${at}')`, on, "jsonb_build_object('asked', k.key)", "k.key") };
  });
  // the row under one of the keys, as an array
  const foundBy = (from) => {
    const at = tables.findIndex(({ name }) => name === from.table);
    const place = at < 0 ? -1 : asked[`rows_${at}`].findIndex((key) => from.key.every((one, index) => key[index] === one));
    return place < 0 ? undefined : `(select coalesce(json_agg(f), '[]') from rows_${at}, json_array_elements(rows_${at}.found) f where (f->'asked')::jsonb = ($1::text::json->'rows_${at}'->${place})::jsonb)`;
  };
  const finish = (answers) => {
    if (rows.length === 0) return answers;
    const texts = new Map();
    for (const [at, table] of tables.entries()) {
      for (const text of items(answers.get(`rows_${at}`))) {
        const { asked: key, ...row } = Object.fromEntries(members(text));
        texts.set(JSON.stringify([table.name, JSON.parse(key).slice(0, table.key.length)]), rowText([["table", JSON.stringify(table.name)], ...Object.entries(row)]));
      }
    }
    for (const at of tables.keys()) for (const name of [`rows_${at}`, `missing_rows_${at}`]) answers.delete(name);
    const named = ({ table, key }) => texts.get(JSON.stringify([table, key]));
    answers.set("rows", `[${rows.flatMap((row) => named(row) ?? []).join(",")}]`);
    answers.set("missing_rows", JSON.stringify(rows.filter((row) => named(row) === undefined).map(({ table, key }) => ({ table, key }))));
    return answers;
  };
  return { parts, finish, foundBy };
}

function rowPart(t, shape, table, keys, on, more, key) {
  return part({
    keys, key, rows: declared(shape, t, table.name), on: on.join(" and "), tenant: "r.project_id",
    there: `r.${table.key[0]}`, object: `${more} || ${tableObject(table, shape, keyList(table))}`,
  });
}

/** How what a row names is read: by values of which types, and the text of the part for some keys. */
function target(t, shape, named) {
  if (named.box !== undefined) return { kind: "box", types: [shape.box_id], text: (keys) => PARTS.boxes(t, shape, shape.box_id, keys) };
  const table = tableOf(named.table, DECLARED);
  const index = table.indexes.find((one) => one.name === named.index);
  const names = named.key === undefined ? index?.of : table.key;
  if (names === undefined) throw noList(named);
  if (isUnmade(shape, table) || !names.every((name) => has(shape, table, name))) return undefined;
  const columns = names.map((name) => table.columns.find((column) => column.name === name));
  const types = columns.map(({ type }) => type);
  if (named.key === undefined) return { kind: "list", types, text: (keys) => listPart(t, shape, { table, index, limit: limitOf(named), keys, isNamed: true }) };
  const of = columns.map((column, at) => equals(column, `(k.key->>${at})`));
  const which = `'table', '${table.name}'`;
  return { kind: "row", types, text: (keys) => rowPart(t, shape, table, keys, of, `jsonb_build_object(${which})`, `json_build_object(${which}, 'key', k.key)`) };
}

function noList({ table, index }) {
  return new TuckboxError("bad_request", `\`${table}\` has no list \`${index}\` of that length`, { path: "lists" });
}

function limitOf(list) {
  if (!Number.isSafeInteger(list.limit) || list.limit < 0) throw noList(list);
  return list.limit;
}

/** The first rows of selections, in the order of an index: one part for each index and length, however many selections. */
function listParts(t, shape, lists, asked) {
  const groups = new Map();
  const places = lists.map(({ table: name, index: wanted, of, limit, skip_locked: skipsLocked = false }) => {
    const table = tableOf(name, DECLARED);
    const index = table.indexes.find((one) => one.name === wanted);
    if (index === undefined) throw noList({ table: name, index: wanted });
    limitOf({ table: name, index: wanted, limit });
    const column = (one) => table.columns.find((known) => known.name === one);
    const isPossible = of.every((value, place) => isValue(column(index.of[place]), value));
    if (!isPossible || isUnmade(shape, table)) return undefined;
    const id = `${name} ${wanted} ${limit} ${skipsLocked}`;
    if (!groups.has(id)) groups.set(id, { part: `list_${groups.size}`, table, index, limit, skipsLocked, keys: [] });
    const group = groups.get(id);
    return { part: group.part, at: group.keys.push(of) - 1 };
  });
  const parts = [...groups.values()].map(({ part, keys, ...list }) => {
    asked[part] = keys;
    return { name: part, text: listPart(t, shape, { ...list, keys: `json_array_elements($1::text::json->'${part}')` }) };
  });
  // the rows of one of the lists
  const foundBy = ({ table, index, of, limit }) => {
    const at = lists.findIndex((list) => list.table === table && list.index === index && list.limit === limit && JSON.stringify(list.of) === JSON.stringify(of));
    return places[at] === undefined ? undefined : `(select ${places[at].part}.found->${places[at].at} from ${places[at].part})`;
  };
  const finish = (answers) => {
    if (lists.length === 0) return answers;
    const found = new Map(parts.map(({ name }) => [name, items(answers.get(name))]));
    const texts = lists.map(({ table, index, of, limit }, at) => {
      const place = places[at];
      return `${JSON.stringify({ table, index, of, limit }).slice(0, -1)},"rows":${place === undefined ? "[]" : found.get(place.part)[place.at]}}`;
    });
    for (const { name: part } of parts) for (const name of [part, `missing_${part}`]) answers.delete(name);
    answers.set("lists", `[${texts.join(",")}]`);
    return answers;
  };
  return { parts, finish, foundBy };
}

function listPart(t, shape, { table, index, limit, skipsLocked = false, keys, isNamed = false }) {
  const column = (one) => table.columns.find((known) => known.name === one);
  const on = index.of.map((one, place) => equals(column(one), `(k.key->>${place})`));
  const order = [...index.order, ...table.key].filter((one) => has(shape, table, one)).map((one) => `r.${one}${column(one).type === "text" ? "::text collate \"C\"" : ""} asc nulls last`);
  const found = isNamed ? `json_build_object('table', '${table.name}', 'index', '${index.name}', 'of', k.key, 'limit', ${limit}, 'rows', y.found)` : "y.found";
  return `
  select coalesce(json_agg(${found} order by k.n), '[]') as found, '[]'::json as missing
  from ${keys} with ordinality k (key, n) cross join lateral (
    select coalesce(json_agg(x.found), '[]') as found from (
      select ${tableObject(table, shape, keyList(table))} as found from ${declared(shape, t, table.name)} r
      where ${["r.project_id = $2::text", ...on].join(" and ")} order by ${order.join(", ")} limit ${limit}${skipsLocked ? " for share skip locked" : ""}) x) y`;
}

/** A table of ours that nobody made yet holds no rows; the tables of the documents are asked for. */
function isUnmade(shape, table) {
  return !table.documented && !shape.has(table.name);
}

function tableObject(table, shape, key) {
  const columns = table.columns.filter(({ name }) => has(shape, table, name));
  return `jsonb_build_object('key', ${key}, 'version', ${rowVersion(has(shape, table, "tuckbox_version"))}, 'row', ${rowObject(columns)})`;
}

function has(shape, table, column) {
  return shape.has(table.name, column);
}

const PARTS = {
  profiles: (t, shape) => part({
    keys: "json_array_elements($1::text::json->'profiles')",
    key: "k.key->>0",
    // other software may keep two names that differ in case only: the one that was asked for counts
    rows: `lateral (
      select r.* from ${declared(shape, t, "project_profiles")} r
      where r.project_id = $2::text and ${isProfile(shape, "(k.key->>1)")} order by (r.name = k.key->>0) desc, r.name limit 1)`,
    on: "true",
    there: "r.name",
    object: profileObject(shape),
  }),
  profiles_by_box: (t, shape) => part({
    keys: "json_array_elements_text($1::text::json->'profiles_by_box')",
    rows: `lateral (
      select r.* from ${declared(shape, t, "project_profiles")} r
      where r.project_id = $2::text and r.profile_box_id::text = k.key order by r.name collate "C" limit 1)`,
    on: "true",
    there: "r.name",
    object: profileObject(shape),
  }),
  boxes: (t, shape, type, keys = "json_array_elements_text($1::text::json->'boxes')") => part({
    keys,
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
  agents: (t, shape) => {
    const other = (name, as) => (shape.has(name) ? `left join ${declared(shape, t, name)} ${as} on ${as}.project_id = $2::text and ${as}.agent_id = k.key` : "");
    const known = ["a", ...(shape.has("heads") ? ["h"] : []), ...(shape.has("pointers") ? ["p"] : [])];
    return part({
      keys: "json_array_elements_text($1::text::json->'agents')",
      rows: `lateral (
      select ${agentObject({ key: "k.key", has: shape.has })} as agent
      from (select 1) one left join ${declared(shape, t, "project_agents")} a on a.project_id = $2::text and a.agent_id = k.key
      ${other("heads", "h")} ${other("pointers", "p")}
      where coalesce(${known.map((as) => `${as}.agent_id`).join(", ")}) is not null)`,
      on: "true",
      there: "r.agent",
      object: "r.agent",
    });
  },
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

function part({ keys, key = "k.key", rows, on, there, row = {}, tenant = "r.tenant_id", object }) {
  const columns = Object.entries(row).map(([name, value]) => `'${name}', ${value}`);
  const own = rows.startsWith("lateral") ? "" : `${tenant} = $2::text and `;
  return `
  select coalesce(json_agg(${object ?? `json_build_object(${columns.join(", ")})`} order by k.n) filter (where ${there} is not null), '[]') as found,
    coalesce(json_agg(${key} order by k.n) filter (where ${there} is null), '[]') as missing
  from ${keys} with ordinality k (key, n) left join ${rows} r on ${own}${on}`;
}

function table(shape, t, name) {
  if (!shape.has(name)) throw unmigrated(`the table \`${name}\``);
  return t[name];
}

function declared(shape, t, name) {
  if (!shape.has(name)) throw unmigrated(`the table \`${t.rows[name]}\``);
  return t.rows[name];
}

function column(shape, table, name, there, absent) {
  return shape.has(table, name) ? there : absent;
}

/** What the tables of a database look like that is not migrated, or not by us. */
export function shapeQuery(t) {
  const names = [...[...OLD_TABLES, "tuckbox_files", "tuckbox_operations"].map((name) => [name, t[name]]), ...DECLARED.map(({ name }) => [name, t.rows[name]])];
  const text = `select coalesce(json_object_agg(s.name, s.columns), '{}')::text as answers from (
  select k.key as name, json_object_agg(a.attname, format_type(a.atttypid, null)) as columns
  from json_each_text($1::text::json) k
  join pg_attribute a on a.attrelid = to_regclass(k.value) and a.attnum > 0 and not a.attisdropped
  group by k.key) s`;
  return { text, params: [JSON.stringify(Object.fromEntries(names))] };
}

export function readShape(answers) {
  const tables = JSON.parse(answers);
  for (const name of OLD_TABLES) if (tables[name] === undefined) throw unmigrated(`the table \`${name}\``);
  return {
    isMigrated: tables.tuckbox_operations?.batch_hash !== undefined,
    box_id: tables.card_boxes.box_id,
    card_id: tables.cards.card_id,
    has: (table, column) => tables[table] !== undefined && (column === undefined || tables[table][column] !== undefined),
  };
}

export function unmigrated(what, cause) {
  const message = `${what} is not in the database; run the store's \`migrate()\` once, with a role that may create tables`;
  return new TuckboxError("store", message, { path: "store", details: { reason: "not_migrated" }, cause });
}
