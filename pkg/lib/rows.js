// Rows of a store as JSON text, column by column: no number in them passes through JavaScript.
//
// A store that keeps rows itself has shelves: `cards`, `boxes` and `files` by their ids, and one shelf for each
// table that the core declares, whose rows stand there as `{"key", "version", "row"}`. Profiles and agents are
// read from tables: this is the one place in JavaScript that says from which.
import TABLES from "../generated/keys.js";
import { TuckboxError } from "./error.js";
import { toText } from "./json.js";
import { items, members } from "./raw.js";

/** What has a shelf of its own beside the tables, and the column that the key stands in. */
export const KEYS = { boxes: "box_id", cards: "card_id", files: "path" };

/** What can be read by key. */
export const KINDS = ["profiles", "boxes", "cards", "agents", "files", "profiles_by_box", "directories"];

/** Every shelf. */
export const SHELVES = [...Object.keys(KEYS), ...TABLES.map(({ name }) => name)];

/** The tables that an agent is read from. */
const AGENT = { registry: "project_agents", state: "heads", pointers: "pointers" };

const PROFILES = "project_profiles";

/** A row as its columns: name to JSON text. */
export function columns(row) {
  return rowOf(toText(row, "bad_request"));
}

/** The same from the text of a row that is known to be JSON. */
export function rowOf(text) {
  if (!text.trimStart().startsWith("{")) throw wrong("", "a row is an object");
  return new Map(members(text));
}

export function rowText(row) {
  return `{${Array.from(row, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** The text in a column that every row of its kind has. */
export function idOf(row, column) {
  return key(JSON.parse(row.get(column) ?? "null"), column);
}

/** The same from the text of a row that is known to be JSON. */
export function keyOf(text, column) {
  const row = JSON.parse(text);
  if (typeof row !== "object" || row === null || Array.isArray(row)) throw wrong("", "a row is an object");
  return key(row[column], column);
}

function key(id, column) {
  if (typeof id !== "string") throw wrong(column, `the row has no \`${column}\``);
  return id;
}

/** Two keys with the same fold are one: profiles are found by name in any case. */
export function fold(kind, key) {
  return kind === "profiles" || kind === PROFILES ? key.toLowerCase() : key;
}

/** The declared table of a name: its key, or whatever else a list of tables says of it. */
export function tableOf(name, tables = TABLES) {
  const found = tables.find((table) => table.name === name);
  if (found === undefined) throw new TuckboxError("bad_request", `\`${name}\` is not a table`, { path: "table" });
  return found;
}

/** The key of a row of a table as one text. */
export function keyText(table, key) {
  return JSON.stringify(key.map((part) => fold(table, part)));
}

/** The text of a row of a table, as it stands on its shelf. */
export function tableRow(key, version, row) {
  return `{"key":${JSON.stringify(key)},"version":${JSON.stringify(version)},"row":${row}}`;
}

/** The place of a row of a table and its text, from its columns and what the row is called. */
export function placed(table, row, version) {
  const { key, integers } = tableOf(table);
  const values = key.map((column) => {
    const value = JSON.parse(row.get(column) ?? "null");
    const isText = !integers.includes(column);
    if (isText ? typeof value !== "string" : !Number.isInteger(value)) throw wrong(column, `the row has no \`${column}\` that is ${isText ? "a text" : "a whole number"}`);
    return String(value);
  });
  return { shelf: table, key: keyText(table, values), text: tableRow(values, version, rowText(row)) };
}

/** The columns of a row of a table, from the text on its shelf. */
export function columnsOf(text) {
  return new Map(members(new Map(members(text)).get("row")));
}

/** The row of a directory with files, at any depth; nothing where there are none. */
export function directoryRow(directory, paths) {
  if (paths.length === 0) return undefined;
  const sorted = [...paths].sort(byCodePoint);
  return `{"directory":${JSON.stringify(directory)},"paths":${JSON.stringify(sorted)}}`;
}

/** True when a file at `path` is inside `directory`. */
export function isInside(directory, path) {
  return path.startsWith(`${directory}/`);
}

/** The order of a database's bytes, which is not that of JavaScript's signs beyond U+D7FF. */
function byCodePoint(a, b) {
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((sign, index) => sign !== right[index]);
  if (at < 0) return left.length - right.length;
  return at >= right.length ? 1 : left[at].codePointAt(0) - right[at].codePointAt(0);
}

/**
 * What a store must have at hand to answer `reads`: `keys` as `[shelf, key]`, each once; shelves that are needed
 * as a `whole`, and whether the `paths` of all files are.
 */
export function wanted(reads) {
  const keys = new Map();
  const want = (shelf, key) => keys.set(`${shelf} ${key}`, [shelf, key]);
  for (const kind of Object.keys(KEYS)) for (const key of reads[kind] ?? []) want(kind, key);
  for (const name of reads.profiles ?? []) want(PROFILES, keyText(PROFILES, [name]));
  for (const agent_id of reads.agents ?? []) for (const table of Object.values(AGENT)) want(table, keyText(table, [agent_id]));
  for (const operation_id of reads.operations ?? []) want("operations", operation_id);
  for (const { table, key } of reads.rows ?? []) want(tableOf(table).name, keyText(table, key));
  const whole = new Set((reads.lists ?? []).map(({ table }) => tableOf(table).name));
  if (reads.profiles_by_box?.length > 0) whole.add(PROFILES);
  return { keys: [...keys.values()], whole: [...whole], paths: reads.directories?.length > 0 };
}

/**
 * The reads with everything that follows from the rows they name: for each row of `from`, what its columns name in
 * `to`. The store is as for {@link answersText}.
 */
export function withFollowed({ follow, ...reads }, { find, all, select }) {
  if (follow === undefined) return reads;
  const asked = Object.fromEntries(["rows", "lists", "boxes"].map((kind) => [kind, new Map((reads[kind] ?? []).map((key) => [nameOf(key), key]))]));
  const add = (kind, key) => asked[kind].set(nameOf(key), asked[kind].get(nameOf(key)) ?? key);
  for (const { from, to } of follow) {
    const texts = from.key === undefined ? items(selected(from, all, select)) : [find(from.table, keyText(from.table, from.key)) ?? []].flat();
    for (const row of texts.map(columnsOf)) {
      for (const { box, key, of, ...named } of to) {
        const parts = (key ?? of ?? [box]).map((part) => (typeof part === "string" ? part : valueIn(row, part.column, part.inside)));
        if (parts.includes("")) continue;
        if (box !== undefined) add("boxes", parts[0]);
        else if (key !== undefined) add("rows", { ...named, key: parts });
        else add("lists", { ...named, of: parts });
      }
    }
  }
  return { ...reads, ...Object.fromEntries(Object.entries(asked).map(([kind, keys]) => [kind, [...keys.values()]])) };
}

/** Rows, lists and boxes with the same name are one. */
export function nameOf(key) {
  return typeof key === "string" ? key : JSON.stringify([key.table, key.key, key.index, key.of, key.limit, key.box_id]);
}

/** A value of a column as keys name it, or of a member of the object in it; empty where there is none. */
function valueIn(row, column, inside) {
  const text = row.get(column) ?? "null";
  if (inside !== undefined) return text.startsWith("{") ? valueIn(new Map(members(text)), inside) : "";
  return text.startsWith('"') ? JSON.parse(text) : /^[n[{]/.test(text) ? "" : text;
}

/**
 * The text of the rows of a list, in order. The core reads only rows that may be of it: a text that selects stands in
 * their text as JSON writes it, unless something in there is escaped or the text may be a number.
 */
function selected({ table, index, of, limit }, all, select) {
  const texts = of.filter((part) => !/^[-\d]|^(true|false)$/.test(part)).map((part) => JSON.stringify(part));
  const may = (row) => row.includes("\\") || texts.every((text) => row.includes(text));
  const rows = Array.from(all(table));
  return select(JSON.stringify({ table, index, of, limit }), `[${(texts.length === 0 ? rows : rows.filter(may)).join(",")}]`);
}

/**
 * The text of the answers to `reads`. `find(shelf, key)` gives the text of a row or nothing, `all(shelf)` the
 * texts of a whole shelf, `paths()` the paths of all files, `select` picks and orders the rows of a list.
 */
export function answersText(reads, { find, all = () => [], paths = () => [], select }) {
  const parts = [];
  const looks = lookups({ find, all, paths });
  for (const kind of KINDS) {
    const keys = reads[kind] ?? [];
    if (keys.length === 0) continue;
    const [found, missing] = [[], []];
    for (const key of keys) {
      const row = looks[kind](key);
      if (row === undefined) missing.push(key);
      else found.push(row);
    }
    parts.push(`"${kind}":[${found.join(",")}]`, `"missing_${kind}":${JSON.stringify(missing)}`);
  }
  parts.push(...operationParts(reads.operations ?? [], find), ...rowParts(reads.rows ?? [], find), ...listParts(reads.lists ?? [], all, select));
  return `{${parts.join(",")}}`;
}

/** How the row of each kind is found. */
function lookups({ find, all, paths }) {
  let profiles;
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
      const name = (profile) => new TextEncoder().encode(JSON.parse(profile.get("name")));
      // of several profiles on one box the first by name counts, as in a database
      const row = of.length < 2 ? of[0] : of.sort((a, b) => order(name(a), name(b)))[0];
      return row && rowText(row);
    },
    agents: (agent_id) => agentRow(agent_id, columnsAt(AGENT.registry, agent_id), columnsAt(AGENT.state, agent_id), columnsAt(AGENT.pointers, agent_id)),
    directories: (directory) => directoryRow(directory, Array.from(paths()).filter((path) => isInside(directory, path))),
  };
}

/** Which of two texts comes first by their bytes. */
function order(a, b) {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 ? a.length - b.length : a[at] - (b[at] ?? -1);
}

/** An agent as its rows make it: the registry, its turn and its pointers. */
function agentRow(agent_id, registry, state, pointers) {
  if (registry === undefined && state === undefined && pointers === undefined) return undefined;
  const row = new Map(registry ?? [["agent_id", JSON.stringify(agent_id)], ["in_roster", "false"]]);
  if (state !== undefined) row.set("state", rowText(some(state, ["status", "profile_box_id", "context_box_id", "output_box_id"])));
  if (pointers !== undefined) row.set("pointers", rowText(some(pointers, ["last_output_box_id", "memory_context_box_id"])));
  return rowText(row);
}

/** Some columns of a row. */
function some(row, names) {
  return new Map(names.flatMap((name) => (row.has(name) ? [[name, row.get(name)]] : [])));
}

/** What was applied under some operation ids: `{"operation_id", "batch_hash", "receipt"}`. */
function operationParts(ids, find) {
  if (ids.length === 0) return [];
  const found = ids.flatMap((id) => {
    const text = find("operations", id);
    return text === undefined ? [] : [`{"operation_id":${JSON.stringify(id)},${text.slice(1)}`];
  });
  return [`"operations":[${found.join(",")}]`, `"missing_operations":${JSON.stringify(ids.filter((id) => find("operations", id) === undefined))}`];
}

function rowParts(rows, find) {
  if (rows.length === 0) return [];
  const [found, missing] = [[], []];
  for (const { table, key } of rows) {
    const text = find(table, keyText(table, key));
    if (text === undefined) missing.push({ table, key });
    else found.push(`{"table":${JSON.stringify(table)},${text.slice(1)}`);
  }
  return [`"rows":[${found.join(",")}]`, `"missing_rows":${JSON.stringify(missing)}`];
}

function listParts(lists, all, select) {
  if (lists.length === 0) return [];
  const answers = lists.map((list) => {
    const { table, index, of, limit } = list;
    return `${JSON.stringify({ table, index, of, limit }).slice(0, -1)},"rows":${selected(list, all, select)}}`;
  });
  return [`"lists":[${answers.join(",")}]`];
}

/** The changes that a decision makes on shelves: `{ shelf, key, text }`, without a text where a row goes away. */
export function changesOf(puts, find) {
  return items(puts).map((put) => {
    const parts = new Map(members(put));
    const [name, keys] = [JSON.parse(parts.get("table")), JSON.parse(parts.get("key"))];
    if (Object.hasOwn(KEYS, name)) {
      const [key] = keys;
      const text = parts.has("set") ? rowText(new Map([...members(find(name, key)), ...members(parts.get("set"))])) : parts.get("row");
      return { shelf: name, key, text };
    }
    const shelf = name === "agents" ? AGENT.registry : name;
    const row = parts.get("row");
    return { shelf, key: keyText(shelf, keys), text: row === "null" ? undefined : tableRow(keys, JSON.parse(parts.get("version")), row) };
  });
}

function wrong(path, message) {
  return new TuckboxError("bad_request", message, { path });
}
