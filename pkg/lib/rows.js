// Rows of a store as JSON text, column by column: no number becomes a JavaScript number.
//
// A store that keeps rows has shelves: `cards`, `boxes` and `files` by their ids, and one shelf for each table that
// the core declares, with rows such as `{"key", "version", "row"}`. Profiles and agents are read from such tables.
/** @import { JsonInput } from "../types/json.js" */
/** @import { List, NamedPart, Reads, RowKey } from "../types/store.js" */
import TABLES from "../generated/keys.js";
import { TuckboxError } from "./error.js";
import { toText } from "./json.js";
import { items, members } from "./raw.js";

/**
 * The columns of a row: name to JSON text.
 *
 * @typedef {Map<string, string>} Columns
 */

/**
 * Returns the text of a row, if there is one.
 *
 * @typedef {(shelf: string, key: string) => string | undefined} Find
 */

/**
 * Selects and orders the rows of a list. `among` returns the rows that can be in one of many lists; nothing if it does not
 * know.
 *
 * @typedef {((list: string, rows: string) => string) & { among?: (list: List, all: (shelf: string) => Iterable<string>) => string[] | undefined }} Select
 */

/**
 * The rows of a store: `all` returns the texts of a whole shelf, `paths` the paths of all files.
 *
 * @typedef {{ find: Find, all?: (shelf: string) => Iterable<string>, paths?: () => Iterable<string>, select?: Select }} Shelves
 */

/**
 * A change to a shelf. Without a text, the row is deleted.
 *
 * @typedef {{ shelf: string, key: string, text: string | undefined }} Change
 */

/**
 * What a declared table is to a store.
 *
 * @typedef {{ name: string, key: string[], integers: string[] }} TableKey
 */

/**
 * The shelves that are not tables, and the column of their key.
 *
 * @type {{ [shelf: string]: "box_id" | "card_id" | "path" }}
 */
export const KEYS = { boxes: "box_id", cards: "card_id", files: "path" };

/** The kinds of data that are read by key. */
export const KINDS = /** @type {const} */ (["profiles", "boxes", "cards", "agents", "files", "profiles_by_box", "directories"]);

const SHELVES_BY_ID = /** @type {const} */ (["boxes", "cards", "files"]);

/** Every shelf. */
export const SHELVES = [...Object.keys(KEYS), ...TABLES.map(({ name }) => name)];

/** The tables that an agent is read from. */
const AGENT = { registry: "project_agents", state: "heads", pointers: "pointers" };

const PROFILES = "project_profiles";

/**
 * Returns the columns of a row.
 *
 * @param {JsonInput | object} row
 */
export function columns(row) {
  return rowOf(toText(row, "bad_request"));
}

/**
 * Returns the columns of the text of a row, which must be valid JSON.
 *
 * @param {string} text
 * @returns {Columns}
 */
export function rowOf(text) {
  if (!text.trimStart().startsWith("{")) throw wrong("", "a row must be an object");
  return new Map(members(text));
}

/** @param {Columns} row */
export function rowText(row) {
  return `{${Array.from(row, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/**
 * Returns the string in a required column.
 *
 * @param {Columns} row
 * @param {string} column
 */
export function idOf(row, column) {
  return key(JSON.parse(row.get(column) ?? "null"), column);
}

/**
 * Returns the string in a required column of the text of a row, which must be valid JSON.
 *
 * @param {string} text
 * @param {string} column
 */
export function keyOf(text, column) {
  const row = JSON.parse(text);
  if (typeof row !== "object" || row === null || Array.isArray(row)) throw wrong("", "a row must be an object");
  return key(row[column], column);
}

/** @param {unknown} id @param {string} column */
function key(id, column) {
  if (typeof id !== "string") throw wrong(column, `the row has no \`${column}\``);
  return id;
}

/**
 * Returns a key in the form in which it is compared. The names of profiles ignore case.
 *
 * @param {string} kind
 * @param {string} key
 */
export function fold(kind, key) {
  return kind === "profiles" || kind === PROFILES ? key.toLowerCase() : key;
}

/**
 * Returns a declared table by its name.
 *
 * @param {string} name
 * @returns {TableKey}
 */
export function tableOf(name) {
  return named(name, TABLES);
}

/**
 * Returns the entry of a declared table in a list.
 *
 * @template {{ name: string }} Table
 * @param {string} name
 * @param {readonly Table[]} tables
 */
export function named(name, tables) {
  const found = tables.find((table) => table.name === name);
  if (found === undefined) throw new TuckboxError("bad_request", `\`${name}\` is not a table`, { path: "table" });
  return found;
}

/**
 * Returns the key of a row of a table as one string.
 *
 * @param {string} table
 * @param {readonly string[]} key
 */
export function keyText(table, key) {
  return JSON.stringify(key.map((part) => fold(table, part)));
}

/**
 * Returns the text of a row on the shelf of its table.
 *
 * @param {readonly string[]} key
 * @param {string} version
 * @param {string} row
 */
export function tableRow(key, version, row) {
  return `{"key":${JSON.stringify(key)},"version":${JSON.stringify(version)},"row":${row}}`;
}

/**
 * Returns the shelf, the key and the text of a row of a table.
 *
 * @param {string} table
 * @param {Columns} row
 * @param {string} version
 */
export function placed(table, row, version) {
  const { key, integers } = tableOf(table);
  const values = key.map((column) => {
    const value = JSON.parse(row.get(column) ?? "null");
    const isText = !integers.includes(column);
    if (isText ? typeof value !== "string" : !Number.isInteger(value))
      throw wrong(column, `\`${column}\` of the row must be ${isText ? "a string" : "a whole number"}`);
    return String(value);
  });
  return { shelf: table, key: keyText(table, values), text: tableRow(values, version, rowText(row)) };
}

/**
 * Returns the columns of a row of a table, from the text on its shelf.
 *
 * @param {string} text
 * @returns {Columns}
 */
export function columnsOf(text) {
  return new Map(members(new Map(members(text)).get("row") ?? "{}"));
}

/**
 * Returns the row of a directory with files, at any depth; nothing without files.
 *
 * @param {string} directory
 * @param {readonly string[]} paths
 */
export function directoryRow(directory, paths) {
  if (paths.length === 0) return undefined;
  const sorted = [...paths].sort(byCodePoint);
  return `{"directory":${JSON.stringify(directory)},"paths":${JSON.stringify(sorted)}}`;
}

/**
 * Returns true if a file at `path` is inside `directory`.
 *
 * @param {string} directory
 * @param {string} path
 */
export function isInside(directory, path) {
  return path.startsWith(`${directory}/`);
}

/**
 * Compares two strings by code point, as databases do. JavaScript compares UTF-16 units.
 *
 * @param {string} a
 * @param {string} b
 */
function byCodePoint(a, b) {
  const [left, right] = [a, b].map((text) => Array.from(text, (character) => character.codePointAt(0) ?? 0));
  const at = left.findIndex((point, index) => point !== right[index]);
  if (at < 0) return left.length - right.length;
  return at >= right.length ? 1 : left[at] - right[at];
}

/**
 * Returns what a store must read to answer `reads`: `keys` as `[shelf, key]`, each once; the shelves that are needed as
 * a `whole`; and whether the `paths` of all files are needed.
 *
 * @param {Reads} reads
 */
export function wanted(reads) {
  const keys = /** @type {Map<string, [shelf: string, key: string]>} */ (new Map());
  /** @param {string} shelf @param {string} key */
  const want = (shelf, key) => keys.set(`${shelf} ${key}`, [shelf, key]);
  for (const kind of SHELVES_BY_ID) for (const key of reads[kind] ?? []) want(kind, key);
  for (const name of reads.profiles ?? []) want(PROFILES, keyText(PROFILES, [name]));
  for (const agent_id of reads.agents ?? []) for (const table of Object.values(AGENT)) want(table, keyText(table, [agent_id]));
  for (const operation_id of reads.operations ?? []) want("operations", operation_id);
  for (const { table, key } of reads.rows ?? []) want(tableOf(table).name, keyText(table, key));
  const whole = new Set((reads.lists ?? []).map(({ table }) => tableOf(table).name));
  if (reads.profiles_by_box?.length) whole.add(PROFILES);
  return { keys: [...keys.values()], whole: [...whole], paths: (reads.directories?.length ?? 0) > 0 };
}

/**
 * Returns the reads with everything that follows from the rows they name: for each row of `from`, what its columns
 * name in `to`.
 *
 * @param {Reads} given
 * @param {Shelves} shelves
 * @returns {Reads}
 */
export function withFollowed({ follow, ...reads }, { find, all, select }) {
  if (follow === undefined) return reads;
  const asked = {
    rows: byName(reads.rows),
    lists: byName(reads.lists),
    boxes: byName(reads.boxes),
  };
  const sources = /** @type {Map<string, Columns[]>} */ (new Map());
  for (const { from, to } of follow) {
    const name = nameOf(from);
    let rows = sources.get(name);
    if (rows === undefined) {
      const texts = "key" in from ? [find(from.table, keyText(from.table, from.key)) ?? []].flat() : items(selected(from, all, select));
      rows = texts.map(columnsOf);
      sources.set(name, rows);
    }
    for (const row of rows) {
      for (const target of to) {
        /** @param {readonly NamedPart[]} parts */
        const values = (parts) => parts.map((part) => (typeof part === "string" ? part : valueIn(row, part.column, part.inside)));
        const parts = values("box" in target ? [target.box] : "key" in target ? target.key : target.of);
        if (parts.includes("")) continue;
        if ("box" in target) add(asked.boxes, parts[0]);
        else if ("key" in target) add(asked.rows, { ...target, key: parts });
        else add(asked.lists, { ...target, of: parts });
      }
    }
  }
  return { ...reads, rows: [...asked.rows.values()], lists: [...asked.lists.values()], boxes: [...asked.boxes.values()] };
}

/**
 * @template {string | RowKey | List} Key
 * @param {readonly Key[] | undefined} keys
 */
function byName(keys = []) {
  return new Map(keys.map((key) => [nameOf(key), key]));
}

/**
 * @template {string | RowKey | List} Key
 * @param {Map<string, Key>} to
 * @param {Key} key
 */
function add(to, key) {
  const name = nameOf(key);
  if (!to.has(name)) to.set(name, key);
}

/**
 * Returns the name of a row, a list or a box: two with the same name are one.
 *
 * @param {string | Partial<RowKey & List & { box_id: string }>} key
 */
export function nameOf(key) {
  return typeof key === "string" ? key : JSON.stringify([key.table, key.key, key.index, key.of, key.limit, key.box_id]);
}

/**
 * Returns the value of a column, or of a member of the object in it, as in keys; empty without a value.
 *
 * @param {Columns} row
 * @param {string} column
 * @param {string} [inside]
 * @returns {string}
 */
export function valueIn(row, column, inside) {
  const text = row.get(column) ?? "null";
  if (inside !== undefined) return text.startsWith("{") ? valueIn(new Map(members(text)), inside) : "";
  return text.startsWith('"') ? JSON.parse(text) : /^[n[{]/.test(text) ? "" : text;
}

/**
 * Returns the text of the rows of a list, in order. The core reads only rows that can be in the list. The text of such
 * a row contains each selecting string as JSON. Rows with escapes, and strings that can be numbers, are always read.
 *
 * @param {List} list
 * @param {Shelves["all"]} all
 * @param {Select | undefined} select
 */
function selected(list, all, select) {
  const { table, index, of, limit } = list;
  if (all === undefined || select === undefined) throw new TuckboxError("store", "the store cannot read lists", { path: "lists" });
  const texts = of.filter((part) => !/^[-\d]|^(true|false)$/.test(part)).map((part) => JSON.stringify(part));
  /** @param {string} row */
  const may = (row) => row.includes("\\") || texts.every((text) => row.includes(text));
  const rows = select.among?.(list, all) ?? Array.from(all(table)).filter(may);
  return select(JSON.stringify({ table, index, of, limit }), `[${rows.join(",")}]`);
}

/**
 * Returns the text of the answers to `reads`.
 *
 * @param {Reads} reads
 * @param {Shelves} shelves
 */
export function answersText(reads, { find, all = () => [], paths = () => [], select }) {
  const parts = [];
  const looks = lookups({ find, all, paths });
  for (const kind of KINDS) {
    const keys = reads[kind] ?? [];
    if (keys.length === 0) continue;
    const found = /** @type {string[]} */ ([]);
    const missing = /** @type {string[]} */ ([]);
    for (const key of keys) {
      const row = looks[kind](key);
      if (row === undefined) missing.push(key);
      else found.push(row);
    }
    parts.push(`"${kind}":[${found.join(",")}]`, `"missing_${kind}":${JSON.stringify(missing)}`);
  }
  parts.push(
    ...operationParts(reads.operations ?? [], find),
    ...rowParts(reads.rows ?? [], find),
    ...listParts(reads.lists ?? [], all, select),
  );
  return `{${parts.join(",")}}`;
}

/**
 * Returns the lookup of each kind.
 *
 * @param {Required<Omit<Shelves, "select">>} shelves
 * @returns {{ [kind in (typeof KINDS)[number]]: (key: string) => string | undefined }}
 */
function lookups({ find, all, paths }) {
  /** @type {Columns[] | undefined} */
  let profiles;
  /** @param {string} shelf @param {string} key */
  const columnsAt = (shelf, key) => {
    const text = find(shelf, keyText(shelf, [key]));
    return text === undefined ? undefined : columnsOf(text);
  };
  return {
    boxes: (key) => find("boxes", key),
    cards: (key) => find("cards", key),
    files: (key) => find("files", key),
    profiles: (name) => {
      const row = columnsAt(PROFILES, name);
      return row && rowText(row);
    },
    profiles_by_box: (box_id) => {
      profiles ??= Array.from(all(PROFILES), columnsOf);
      const of = profiles.filter((profile) => JSON.parse(profile.get("profile_box_id") ?? "null") === box_id);
      /** @param {Columns} profile */
      const name = (profile) => new TextEncoder().encode(JSON.parse(profile.get("name") ?? '""'));
      // of several profiles with the box, the first by name is used, as in a database
      const row = of.length < 2 ? of[0] : of.sort((a, b) => order(name(a), name(b)))[0];
      return row && rowText(row);
    },
    agents: (agent_id) =>
      agentRow(agent_id, columnsAt(AGENT.registry, agent_id), columnsAt(AGENT.state, agent_id), columnsAt(AGENT.pointers, agent_id)),
    directories: (directory) =>
      directoryRow(
        directory,
        Array.from(paths()).filter((path) => isInside(directory, path)),
      ),
  };
}

/**
 * Compares two lists of bytes.
 *
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 */
function order(a, b) {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 ? a.length - b.length : a[at] - (b[at] ?? -1);
}

/**
 * Returns an agent from its rows in the registry, the heads and the pointers.
 *
 * @param {string} agent_id
 * @param {Columns | undefined} registry
 * @param {Columns | undefined} state
 * @param {Columns | undefined} pointers
 */
function agentRow(agent_id, registry, state, pointers) {
  if (registry === undefined && state === undefined && pointers === undefined) return undefined;
  const unknown = /** @type {[string, string][]} */ ([
    ["agent_id", JSON.stringify(agent_id)],
    ["in_roster", "false"],
  ]);
  const row = new Map(registry ?? unknown);
  if (state !== undefined) row.set("state", rowText(some(state, ["status", "profile_box_id", "context_box_id", "output_box_id"])));
  if (pointers !== undefined) row.set("pointers", rowText(some(pointers, ["last_output_box_id", "memory_context_box_id"])));
  return rowText(row);
}

/**
 * Returns some columns of a row.
 *
 * @param {Columns} row
 * @param {readonly string[]} names
 * @returns {Columns}
 */
function some(row, names) {
  const chosen = /** @type {Columns} */ (new Map());
  for (const name of names) {
    const text = row.get(name);
    if (text !== undefined) chosen.set(name, text);
  }
  return chosen;
}

/**
 * Returns the applied operations: `{"operation_id", "batch_hash", "receipt"}`.
 *
 * @param {readonly string[]} ids
 * @param {Find} find
 */
function operationParts(ids, find) {
  if (ids.length === 0) return [];
  const found = ids.flatMap((id) => {
    const text = find("operations", id);
    return text === undefined ? [] : [`{"operation_id":${JSON.stringify(id)},${text.slice(1)}`];
  });
  return [
    `"operations":[${found.join(",")}]`,
    `"missing_operations":${JSON.stringify(ids.filter((id) => find("operations", id) === undefined))}`,
  ];
}

/** @param {readonly RowKey[]} rows @param {Find} find */
function rowParts(rows, find) {
  if (rows.length === 0) return [];
  const found = /** @type {string[]} */ ([]);
  const missing = /** @type {RowKey[]} */ ([]);
  for (const { table, key } of rows) {
    const text = find(table, keyText(table, key));
    if (text === undefined) missing.push({ table, key });
    else found.push(`{"table":${JSON.stringify(table)},${text.slice(1)}`);
  }
  return [`"rows":[${found.join(",")}]`, `"missing_rows":${JSON.stringify(missing)}`];
}

/** @param {readonly List[]} lists @param {Shelves["all"]} all @param {Select | undefined} select */
function listParts(lists, all, select) {
  if (lists.length === 0) return [];
  const answers = lists.map((list) => {
    const { table, index, of, limit } = list;
    return `${JSON.stringify({ table, index, of, limit }).slice(0, -1)},"rows":${selected(list, all, select)}}`;
  });
  return [`"lists":[${answers.join(",")}]`];
}

/**
 * Returns the changes that a decision makes on shelves.
 *
 * @param {string} puts
 * @param {Find} find
 * @returns {Change[]}
 */
export function changesOf(puts, find) {
  return items(puts).map((put) => {
    const parts = new Map(members(put));
    /** @param {string} name */
    const part = (name) => parts.get(name) ?? "null";
    const [name, keys] = [JSON.parse(part("table")), JSON.parse(part("key"))];
    if (Object.hasOwn(KEYS, name)) {
      const [key] = keys;
      const set = parts.get("set");
      const text = set === undefined ? parts.get("row") : rowText(new Map([...members(find(name, key) ?? "{}"), ...members(set)]));
      return { shelf: name, key, text };
    }
    const shelf = name === "agents" ? AGENT.registry : name;
    const row = part("row");
    return { shelf, key: keyText(shelf, keys), text: row === "null" ? undefined : tableRow(keys, JSON.parse(part("version")), row) };
  });
}

/** @param {string} path @param {string} message */
function wrong(path, message) {
  return new TuckboxError("bad_request", message, { path });
}
