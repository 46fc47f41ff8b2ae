// Rows of a store as JSON text, column by column: no number in them passes through JavaScript.
import { TuckboxError } from "./error.js";
import { toText } from "./json.js";
import { members } from "./raw.js";

/** The tables, and the column that the key stands in. */
export const KEYS = { profiles: "name", boxes: "box_id", cards: "card_id", agents: "agent_id", files: "path" };

/** What can be read by key. */
export const KINDS = [...Object.keys(KEYS), "profiles_by_box", "directories"];

/** A row as its columns: name to JSON text. */
export function columns(row) {
  const text = toText(row, "bad_request");
  if (!text.trimStart().startsWith("{")) throw wrong("", "a row is an object");
  return new Map(members(text));
}

export function rowText(row) {
  return `{${Array.from(row, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** The text in a column that every row of its kind has. */
export function idOf(row, column) {
  const id = JSON.parse(row.get(column) ?? "null");
  if (typeof id !== "string") throw wrong(column, `the row has no \`${column}\``);
  return id;
}

export function versionOf(row) {
  return JSON.parse(row.get("version") ?? "0");
}

/** Two keys of a kind with the same fold are one: profiles are found by name in any case. */
export function fold(kind, key) {
  return kind === "profiles" ? key.toLowerCase() : key;
}

/** The box that a profile is in, from the text of its row. */
export function profileBoxOf(text) {
  return JSON.parse(new Map(members(text)).get("profile_box_id") ?? "null");
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

/** The text of the answers to `reads`; `find` gives the text of a row, or nothing. */
export function answersText(reads, find) {
  const parts = [];
  for (const kind of KINDS) {
    const keys = reads[kind] ?? [];
    if (keys.length === 0) continue;
    const [found, missing] = [[], []];
    for (const key of keys) {
      const row = find(kind, key);
      if (row === undefined) missing.push(key);
      else found.push(row);
    }
    parts.push(`"${kind}":[${found.join(",")}]`, `"missing_${kind}":${JSON.stringify(missing)}`);
  }
  return `{${parts.join(",")}}`;
}

function wrong(path, message) {
  return new TuckboxError("bad_request", message, { path });
}
