// A batch of reads is one statement for all kinds and keys. The core receives its answer, one JSON text, verbatim.
/** @import { List, Named, Reads, RowKey } from "../../types/store.js" */
/** @import { Columns } from "../rows.js" */
/** @import { Has } from "./columns.js" */
/** @import { Source, Target } from "./follow.js" */
/** @import { Column, Index, Names, Table } from "./names.js" */
import { TuckboxError } from "../error.js";
import { items, members } from "../raw.js";
import { fold, KINDS, named, nameOf, rowText } from "../rows.js";
import { agentObject, isProfile, keyList, profileObject, rowObject, rowVersion, timeText } from "./columns.js";
import { followParts } from "./follow.js";
import { columnOf, DECLARED, DOCUMENTED } from "./names.js";

/**
 * What reads need to know of the tables of a database.
 *
 * @typedef {{ isMigrated: boolean, box_id: string, card_id: string, has: Has }} Shape
 */

/**
 * A named part of the statement.
 *
 * @typedef {{ name: string, text: string }} Part
 */

/** @typedef {{ [part: string]: any[] }} Asked The keys of each part, which are a parameter of the statement. */

/**
 * The shape of a migrated database.
 *
 * @type {Shape}
 */
export const MIGRATED = { isMigrated: true, box_id: "text", card_id: "text", has: () => true };

const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/**
 * Returns the statement, its parameters, and the function that makes the answer of the store from its result.
 *
 * @param {Names} t
 * @param {Shape} shape
 * @param {Reads} reads
 */
export function readStatement(t, shape, reads) {
  const parts = /** @type {Part[]} */ ([]);
  const asked = /** @type {Asked} */ ({});
  const impossible = /** @type {{ [kind in (typeof KINDS)[number]]?: string[] }} */ ({});
  for (const kind of KINDS) {
    const keys = reads[kind] ?? [];
    if (keys.length === 0) continue;
    const type = kind === "boxes" ? shape.box_id : kind === "cards" ? shape.card_id : "text";
    /** @param {string} key */
    const isPossible = (key) => !key.includes("\u0000") && (type !== "uuid" || UUID.test(key));
    asked[kind] = keys.filter(isPossible).map((key) => (kind === "profiles" ? [key, fold(kind, key)] : key));
    impossible[kind] = keys.filter((key) => !isPossible(key));
    parts.push({ name: kind, text: PARTS[kind](t, shape, type) });
  }
  if (reads.operations?.length) {
    asked.operations = reads.operations.filter((id) => !id.includes("\u0000"));
    parts.push({
      name: "operations",
      text: part({
        keys: "json_array_elements_text($1::text::json->'operations')",
        rows: table(shape, t, "tuckbox_operations"),
        on: "r.operation_id = k.key",
        there: "r.operation_id",
        object:
          "json_build_object('operation_id', k.key, 'batch_hash', r.batch_hash, 'receipt', json_build_object('operation_id', k.key, 'repeated', false, 'boxes', r.boxes))",
      }),
    });
  }
  const rows = rowParts(t, shape, reads.rows ?? [], asked);
  const lists = listParts(t, shape, reads.lists ?? [], asked);
  /** @param {RowKey | List} from */
  const foundBy = (from) => ("key" in from ? rows.foundBy(from) : lists.foundBy(from));
  const follows = followParts(reads.follow ?? [], asked, foundBy, (to) => target(t, shape, to));
  parts.push(...rows.parts, ...lists.parts, ...follows.parts);
  const columns = parts.map(({ name, text }) => `${name} as (${text})`);
  // a function takes at most 100 arguments, and a read can have more parts
  const wholes = parts.map(({ name }) => `'"${name}":' || ${name}.found::text || ',"missing_${name}":' || ${name}.missing::text`);
  const text = `with ${columns.join(",\n")}\nselect '{' || ${wholes.join(" || ',' || ")} || '}' as answers from ${parts.map(({ name }) => name).join(", ")}`;
  /** @param {string} answers */
  const finish = (answers) => rowText(follows.finish(lists.finish(rows.finish(withMissing(new Map(members(answers)), impossible, reads)))));
  return {
    text,
    params: [JSON.stringify(asked), reads.project_id],
    finish: parts.length === 0 ? () => finish("{}") : finish,
    isEmpty: parts.length === 0,
  };
}

/**
 * Adds keys that a database cannot store to the missing ones, in the order of the reads.
 *
 * @param {Columns} parts
 * @param {{ [kind in (typeof KINDS)[number]]?: string[] }} impossible
 * @param {Reads} reads
 */
function withMissing(parts, impossible, reads) {
  for (const kind of KINDS) {
    const keys = impossible[kind] ?? [];
    if (keys.length === 0) continue;
    const missing = new Set([...items(parts.get(`missing_${kind}`) ?? "[]").map((key) => JSON.parse(key)), ...keys]);
    parts.set(`missing_${kind}`, JSON.stringify((reads[kind] ?? []).filter((key) => missing.has(key))));
  }
  return parts;
}

/**
 * Returns true if a string can be the value of a column.
 *
 * @param {Column} column
 * @param {string} text
 */
function isValue({ type }, text) {
  if (type === "integer") return /^-?\d{1,18}$/.test(text);
  return type === "boolean" ? text === "true" || text === "false" : !text.includes("\u0000");
}

/** @type {{ [type: string]: string | undefined }} */
const CASTS = { integer: "::bigint", boolean: "::boolean" };

/**
 * Returns the condition that a column has a value of the parameters.
 *
 * @param {Column} column
 * @param {string} given
 */
function equals({ name, type }, given) {
  return type === "text" ? `r.${name}::text = ${given}` : `r.${name} = (${given})${CASTS[type] ?? ""}`;
}

/**
 * Returns one part for each table with rows by key.
 *
 * @param {Names} t
 * @param {Shape} shape
 * @param {readonly RowKey[]} rows
 * @param {Asked} asked
 */
function rowParts(t, shape, rows, asked) {
  const tables = [...new Set(rows.map(({ table }) => table))]
    .map((name) => named(name, DECLARED))
    .filter((table) => !isMissing(shape, table));
  const parts = tables.map((table, at) => {
    const keys = rows.filter((row) => row.table === table.name).map(({ key }) => key);
    const columns = table.key.map((name) => columnOf(table, name));
    // folded here, because databases fold some characters differently
    const isFolded = table.name === "project_profiles";
    asked[`rows_${at}`] = keys
      .filter((key) => key.every((part, index) => isValue(columns[index], part)))
      .map((key) => (isFolded ? [...key, fold(table.name, key[0])] : key));
    const on = isFolded ? [isProfile(shape, "(k.key->>1)")] : columns.map((column, index) => equals(column, `(k.key->>${index})`));
    return {
      name: `rows_${at}`,
      text: rowPart(
        t,
        shape,
        table,
        `json_array_elements($1::text::json->'rows_${at}')`,
        on,
        "jsonb_build_object('asked', k.key)",
        "k.key",
      ),
    };
  });
  const sources = /** @type {Map<string, Source>} */ (new Map());
  for (const [at, { name, key: names }] of tables.entries()) {
    /** @param {string} given */
    const among = (given) =>
      `(select coalesce(json_agg(f), '[]') from rows_${at}, json_array_elements(rows_${at}.found) f where (f->'asked')::jsonb in (select g.value::jsonb from json_array_elements(${given}) g))`;
    for (const key of asked[`rows_${at}`])
      sources.set(JSON.stringify([name, key.slice(0, names.length)]), { part: `rows_${at}`, place: key, among });
  }
  /**
   * Returns where the row of one of the keys is found.
   *
   * @param {RowKey} from
   */
  const foundBy = ({ table, key }) => sources.get(JSON.stringify([table, key]));
  /** @param {Columns} answers */
  const finish = (answers) => {
    if (rows.length === 0) return answers;
    const texts = /** @type {Map<string, string>} */ (new Map());
    for (const [at, table] of tables.entries()) {
      for (const text of items(answers.get(`rows_${at}`) ?? "[]")) {
        const { asked: key, ...row } = Object.fromEntries(members(text));
        texts.set(
          JSON.stringify([table.name, JSON.parse(key).slice(0, table.key.length)]),
          rowText(new Map(Object.entries({ table: JSON.stringify(table.name), ...row }))),
        );
      }
    }
    for (const at of tables.keys()) for (const name of [`rows_${at}`, `missing_rows_${at}`]) answers.delete(name);
    /** @param {RowKey} row */
    const textOf = ({ table, key }) => texts.get(JSON.stringify([table, key]));
    answers.set("rows", `[${rows.flatMap((row) => textOf(row) ?? []).join(",")}]`);
    answers.set("missing_rows", JSON.stringify(rows.filter((row) => textOf(row) === undefined).map(({ table, key }) => ({ table, key }))));
    return answers;
  };
  return { parts, finish, foundBy };
}

/**
 * @param {Names} t
 * @param {Shape} shape
 * @param {Table} table
 * @param {string} keys
 * @param {readonly string[]} on
 * @param {string} more
 * @param {string} key
 */
function rowPart(t, shape, table, keys, on, more, key) {
  return part({
    keys,
    key,
    rows: declared(shape, t, table.name),
    on: on.join(" and "),
    tenant: "r.project_id",
    there: `r.${table.key[0]}`,
    object: `${more} || ${tableObject(table, shape, keyList(table))}`,
  });
}

/**
 * Returns how a followed read is made; nothing if the database does not have the table.
 *
 * @param {Names} t
 * @param {Shape} shape
 * @param {Named} to
 * @returns {Target | undefined}
 */
function target(t, shape, to) {
  if ("box" in to) return { kind: "box", types: [shape.box_id], text: (keys) => PARTS.boxes(t, shape, shape.box_id, keys) };
  const table = named(to.table, DECLARED);
  const index = "key" in to ? undefined : indexOf(table, to.index);
  const names = index === undefined ? table.key : index.of;
  if (isMissing(shape, table) || !names.every((name) => has(shape, table, name))) return undefined;
  const columns = names.map((name) => columnOf(table, name));
  const types = columns.map(({ type }) => type);
  if (index !== undefined && "limit" in to)
    return { kind: "list", types, text: (keys) => listPart(t, shape, { table, index, limit: limitOf(to), keys, isNamed: true }) };
  const of = columns.map((column, at) => equals(column, `(k.key->>${at})`));
  const which = `'table', '${table.name}'`;
  return {
    kind: "row",
    types,
    text: (keys) => rowPart(t, shape, table, keys, of, `jsonb_build_object(${which})`, `json_build_object(${which}, 'key', k.key)`),
  };
}

/** @param {Table} table @param {string} name */
function indexOf(table, name) {
  const found = table.indexes.find((index) => index.name === name);
  if (found === undefined) throw noList({ table: table.name, index: name });
  return found;
}

/** @param {{ table: string, index: string }} list */
function noList({ table, index }) {
  return new TuckboxError("bad_request", `\`${table}\` has no list \`${index}\` of that length`, { path: "lists" });
}

/** @param {{ table: string, index: string, limit: number }} list */
function limitOf(list) {
  if (!Number.isSafeInteger(list.limit) || list.limit < 0) throw noList(list);
  return list.limit;
}

/**
 * Returns the parts for lists: one for each index. The limit of a list is a parameter.
 *
 * @param {Names} t
 * @param {Shape} shape
 * @param {readonly List[]} lists
 * @param {Asked} asked
 */
function listParts(t, shape, lists, asked) {
  /** @type {Map<string, { part: string, table: Table, index: Index, skipsLocked: boolean, keys: any[] }>} */
  const groups = new Map();
  const places = lists.map(({ table: name, index: wanted, of, limit, skip_locked: skipsLocked = false }) => {
    const table = named(name, DECLARED);
    const index = indexOf(table, wanted);
    limitOf({ table: name, index: wanted, limit });
    const isPossible = of.every((value, place) => isValue(columnOf(table, index.of[place]), value));
    if (!isPossible || isMissing(shape, table)) return undefined;
    const id = `${name} ${wanted} ${skipsLocked}`;
    const group = groups.get(id) ?? { part: `list_${groups.size}`, table, index, skipsLocked, keys: [] };
    groups.set(id, group);
    return { part: group.part, at: group.keys.push([...of, limit]) - 1 };
  });
  const parts = [...groups.values()].map(({ part, keys, ...list }) => {
    asked[part] = keys;
    return { name: part, text: listPart(t, shape, { ...list, keys: `json_array_elements($1::text::json->'${part}')` }) };
  });
  const sources = /** @type {Map<string, Source>} */ (new Map());
  for (const [at, place] of places.entries()) {
    if (place === undefined) continue;
    const { part } = place;
    /** @param {string} given */
    const among = (given) =>
      `(select coalesce(json_agg(f), '[]') from ${part}, json_array_elements_text(${given}) g, json_array_elements(${part}.found->(g.value::integer)) f)`;
    const name = nameOf(lists[at]);
    if (!sources.has(name)) sources.set(name, { part, place: place.at, among });
  }
  /**
   * Returns where the rows of one of the lists are found.
   *
   * @param {List} from
   */
  const foundBy = (from) => sources.get(nameOf(from));
  /** @param {Columns} answers */
  const finish = (answers) => {
    if (lists.length === 0) return answers;
    const found = new Map(parts.map(({ name }) => [name, items(answers.get(name) ?? "[]")]));
    const texts = lists.map(({ table, index, of, limit }, at) => {
      const place = places[at];
      return `${JSON.stringify({ table, index, of, limit }).slice(0, -1)},"rows":${place === undefined ? "[]" : found.get(place.part)?.[place.at]}}`;
    });
    for (const { name: part } of parts) for (const name of [part, `missing_${part}`]) answers.delete(name);
    answers.set("lists", `[${texts.join(",")}]`);
    return answers;
  };
  return { parts, finish, foundBy };
}

/**
 * @param {Names} t
 * @param {Shape} shape
 * @param {{ table: Table, index: Index, limit?: number, skipsLocked?: boolean, keys: string, isNamed?: boolean }} list Without a limit, it is the last part of each key.
 */
function listPart(t, shape, { table, index, limit, skipsLocked = false, keys, isNamed = false }) {
  const on = index.of.map((one, place) => equals(columnOf(table, one), `(k.key->>${place})`));
  const order = [...index.order, ...table.key]
    .filter((one) => has(shape, table, one))
    .map((one) => `r.${one}${columnOf(table, one).type === "text" ? '::text collate "C"' : ""} asc nulls last`);
  const found = isNamed
    ? `json_build_object('table', '${table.name}', 'index', '${index.name}', 'of', k.key, 'limit', ${limit}, 'rows', y.found)`
    : "y.found";
  return `
  select coalesce(json_agg(${found} order by k.n), '[]') as found, '[]'::json as missing
  from ${keys} with ordinality k (key, n) cross join lateral (
    select coalesce(json_agg(x.found), '[]') as found from (
      select ${tableObject(table, shape, keyList(table))} as found from ${declared(shape, t, table.name)} r
      where ${["r.project_id = $2::text", ...on].join(" and ")} order by ${order.join(", ")} limit ${limit ?? `(k.key->>${index.of.length})::bigint`}${skipsLocked ? " for share skip locked" : ""}) x) y`;
}

/**
 * Returns true for a table of this package that does not exist yet, and so has no rows.
 *
 * @param {Shape} shape
 * @param {Table} table
 */
function isMissing(shape, table) {
  return !table.documented && !shape.has(table.name);
}

/** @param {Table} table @param {Shape} shape @param {string} key */
function tableObject(table, shape, key) {
  const columns = table.columns.filter(({ name }) => has(shape, table, name));
  return `jsonb_build_object('key', ${key}, 'version', ${rowVersion(has(shape, table, "tuckbox_version"))}, 'row', ${rowObject(columns)})`;
}

/** @param {Shape} shape @param {Table} table @param {string} column */
function has(shape, table, column) {
  return shape.has(table.name, column);
}

/** @type {{ [kind in (typeof KINDS)[number]]: (t: Names, shape: Shape, type: string, keys?: string) => string }} */
const PARTS = {
  profiles: (t, shape) =>
    part({
      keys: "json_array_elements($1::text::json->'profiles')",
      key: "k.key->>0",
      // other software can store two names that differ only in case: the exact name is used
      rows: `lateral (
      select r.* from ${declared(shape, t, "project_profiles")} r
      where r.project_id = $2::text and ${isProfile(shape, "(k.key->>1)")} order by (r.name = k.key->>0) desc, r.name limit 1)`,
      on: "true",
      there: "r.name",
      object: profileObject(shape),
    }),
  profiles_by_box: (t, shape) =>
    part({
      keys: "json_array_elements_text($1::text::json->'profiles_by_box')",
      rows: `lateral (
      select r.* from ${declared(shape, t, "project_profiles")} r
      where r.project_id = $2::text and r.profile_box_id::text = k.key order by r.name collate "C" limit 1)`,
      on: "true",
      there: "r.name",
      object: profileObject(shape),
    }),
  boxes: (t, shape, type, keys = "json_array_elements_text($1::text::json->'boxes')") =>
    part({
      keys,
      rows: table(shape, t, "card_boxes"),
      on: `r.box_id = k.key${type === "uuid" ? "::uuid" : ""}`,
      there: "r.box_id",
      row: {
        tenant_id: "r.tenant_id",
        // the requested spelling: a uuid has several
        box_id: "k.key",
        card_ids: "coalesce(to_json(r.card_ids), '[]')",
        parent_ids: column(shape, "card_boxes", "parent_ids", "coalesce(to_json(r.parent_ids), '[]')", "'[]'::json"),
        version: column(shape, "card_boxes", "version", "r.version", "0"),
        deleted_at: column(shape, "card_boxes", "deleted_at", timeText("r.deleted_at"), "null"),
      },
    }),
  cards: (t, shape, type) =>
    part({
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
        expires_at: column(shape, "cards", "expires_at", timeText("r.expires_at"), "null"),
        deleted_at: column(shape, "cards", "deleted_at", timeText("r.deleted_at"), "null"),
      },
    }),
  agents: (t, shape) => {
    /** @param {string} name @param {string} as */
    const other = (name, as) =>
      shape.has(name) ? `left join ${declared(shape, t, name)} ${as} on ${as}.project_id = $2::text and ${as}.agent_id = k.key` : "";
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
  files: (t, shape) =>
    part({
      keys: "json_array_elements_text($1::text::json->'files')",
      rows: table(shape, t, "tuckbox_files"),
      on: "r.path = k.key",
      there: "r.path",
      row: { path: "k.key", text: "r.text" },
    }),
  directories: (t, shape) =>
    part({
      keys: "json_array_elements_text($1::text::json->'directories')",
      // in byte order, every path that starts with `a/` is between `a/` and `a0`
      rows: `lateral (
      select json_agg(f.path order by f.path) as paths from ${table(shape, t, "tuckbox_files")} f
      where f.tenant_id = $2::text and f.path > k.key || '/' and f.path < k.key || '0')`,
      on: "true",
      there: "r.paths",
      row: { directory: "k.key", paths: "r.paths" },
    }),
};

/**
 * @param {object} options
 * @param {string} options.keys
 * @param {string} [options.key]
 * @param {string} options.rows
 * @param {string} options.on
 * @param {string} options.there
 * @param {{ [name: string]: string }} [options.row]
 * @param {string} [options.tenant]
 * @param {string} [options.object]
 */
function part({ keys, key = "k.key", rows, on, there, row = {}, tenant = "r.tenant_id", object }) {
  const columns = Object.entries(row).map(([name, value]) => `'${name}', ${value}`);
  const own = rows.startsWith("lateral") ? "" : `${tenant} = $2::text and `;
  return `
  select coalesce(json_agg(${object ?? `json_build_object(${columns.join(", ")})`} order by k.n) filter (where ${there} is not null), '[]') as found,
    coalesce(json_agg(${key} order by k.n) filter (where ${there} is null), '[]') as missing
  from ${keys} with ordinality k (key, n) left join ${rows} r on ${own}${on}`;
}

/** @param {Shape} shape @param {Names} t @param {"cards" | "card_boxes" | "tuckbox_files" | "tuckbox_operations"} name */
function table(shape, t, name) {
  if (!shape.has(name)) throw unmigrated(`the table \`${name}\``);
  return t[name];
}

/** @param {Shape} shape @param {Names} t @param {string} name */
function declared(shape, t, name) {
  if (!shape.has(name)) throw unmigrated(`the table \`${t.rows[name]}\``);
  return t.rows[name];
}

/** @param {Shape} shape @param {string} table @param {string} name @param {string} there @param {string} absent */
function column(shape, table, name, there, absent) {
  return shape.has(table, name) ? there : absent;
}

/**
 * Returns the query for the tables of a database that this package did not migrate.
 *
 * @param {Names} t
 */
export function shapeQuery(t) {
  const names = [
    ...[...DOCUMENTED, /** @type {const} */ ("tuckbox_files"), /** @type {const} */ ("tuckbox_operations")].map((name) => [name, t[name]]),
    ...DECLARED.map(({ name }) => [name, t.rows[name]]),
  ];
  const text = `select coalesce(json_object_agg(s.name, s.columns), '{}')::text as answers from (
  select k.key as name, json_object_agg(a.attname, format_type(a.atttypid, null)) as columns
  from json_each_text($1::text::json) k
  join pg_attribute a on a.attrelid = to_regclass(k.value) and a.attnum > 0 and not a.attisdropped
  group by k.key) s`;
  return { text, params: [JSON.stringify(Object.fromEntries(names))] };
}

/** @param {string} answers @returns {Shape} */
export function readShape(answers) {
  const tables = JSON.parse(answers);
  for (const name of DOCUMENTED) if (tables[name] === undefined) throw unmigrated(`the table \`${name}\``);
  return {
    isMigrated: tables.tuckbox_operations?.batch_hash !== undefined,
    box_id: tables.card_boxes.box_id,
    card_id: tables.cards.card_id,
    has: (table, column) => tables[table] !== undefined && (column === undefined || tables[table][column] !== undefined),
  };
}

/** @param {string} what @param {unknown} [cause] */
export function unmigrated(what, cause) {
  const message = `${what} does not exist in the database; run \`migrate()\` of the store once, with a role that can create tables`;
  return new TuckboxError("store", message, { path: "store", details: { reason: "not_migrated" }, cause });
}
