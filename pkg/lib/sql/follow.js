// Reads that follow from rows: parts of the same statement. Their keys are columns of rows of other parts.
/** @import { Follow, List, Named, RowKey } from "../../types/store.js" */
/** @import { Columns } from "../rows.js" */
import { TuckboxError } from "../error.js";
import { items } from "../raw.js";
import { named, nameOf } from "../rows.js";
import { DECLARED } from "./names.js";

const UUID = "^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$";

/**
 * How a followed read is made: the types of its keys, and the part of the statement for some keys.
 *
 * @typedef {{ kind: keyof typeof NAMES, types: string[], text: (keys: string) => string }} Target
 */

/**
 * Where the rows of a source are found: the part of the statement and the place in it. `among` returns the rows of
 * several places as a JSON list.
 *
 * @typedef {{ part: string, place: unknown, among: (places: string) => string }} Source
 */

/**
 * Returns one part for each kind of followed read, regardless of the number of its sources. `foundBy(from)` is nothing
 * for a source that was not read; `targetOf(to)` is nothing if the database does not have the table.
 *
 * @param {readonly Follow[]} follow
 * @param {{ [part: string]: unknown }} asked
 * @param {(from: RowKey | List) => Source | undefined} foundBy
 * @param {(to: Named) => Target | undefined} targetOf
 */
export function followParts(follow, asked, foundBy, targetOf) {
  const parts = /** @type {{ name: string, kind: Target["kind"], text: string }[]} */ ([]);
  for (const { source, places, table, to } of groupsOf(follow, foundBy)) {
    const columns = named(table, DECLARED).columns;
    for (const next of to) {
      const name = `follow_${parts.length}`;
      const target = targetOf(next);
      if (target === undefined) continue;
      const given = "box" in next ? [next.box] : "key" in next ? next.key : next.of;
      const values = given.map((value, at) => {
        if (typeof value === "string") return `($1::text::json->'${name}'->>${at})`;
        const column = columns.find((known) => known.name === value.column);
        if (column === undefined) throw wrong(`\`${table}\` has no column \`${value.column}\``);
        if (value.inside === undefined) return `(s->'row'->>'${column.name}')`;
        if (!/^\w+$/.test(value.inside)) throw wrong(`\`${value.inside}\` is not the name of a member`);
        return `(s->'row'->'${column.name}'->>'${value.inside}')`;
      });
      if (values.length !== target.types.length)
        throw wrong(`\`${"box" in next ? "boxes" : next.table}\` is not read by ${values.length} columns`);
      asked[name] = given.map((value) => (typeof value === "string" ? value : null));
      asked[`${name}_from`] = places;
      const found = source.among(`$1::text::json->'${name}_from'`);
      // an index of all rows has no key
      const isPossible = ["true", ...values.map((value, at) => possible(value, target.types[at]))];
      const [elements, key] =
        "box" in next ? ["json_array_elements_text", values[0]] : ["json_array_elements", `jsonb_build_array(${values.join(", ")})`];
      const keys = `${elements}((select coalesce(jsonb_agg(distinct ${key}), '[]')::json from json_array_elements(${found}) s where ${isPossible.join(" and ")}))`;
      parts.push({ name, kind: target.kind, text: target.text(keys) });
    }
  }
  return { parts, finish: (/** @type {Columns} */ answers) => finish(answers, parts) };
}

/**
 * Groups followed reads by what they read from a part: sources of one part with the same targets are one group.
 *
 * @param {readonly Follow[]} follow
 * @param {(from: RowKey | List) => Source | undefined} foundBy
 */
function groupsOf(follow, foundBy) {
  const groups = /** @type {Map<string, { source: Source, places: unknown[], table: string, to: readonly Named[] }>} */ (new Map());
  for (const { from, to } of follow) {
    const source = foundBy(from);
    if (source === undefined) continue;
    const name = `${source.part} ${JSON.stringify(to)}`;
    const group = groups.get(name) ?? { source, places: [], table: from.table, to };
    groups.set(name, group);
    group.places.push(source.place);
  }
  return groups.values();
}

/**
 * Returns the condition for a value that the column of the target can have.
 *
 * @param {string} value
 * @param {string} type
 */
function possible(value, type) {
  if (type === "integer") return `${value} ~ '^-?[0-9]{1,18}$'`;
  if (type === "boolean") return `${value} in ('true', 'false')`;
  return type === "uuid" ? `${value} ~* '${UUID}'` : `${value} <> ''`;
}

const NAMES = { row: ["rows", "missing_rows"], list: ["lists", undefined], box: ["boxes", "missing_boxes"] };

/**
 * Adds the found rows to the answers, each once.
 *
 * @param {Columns} answers
 * @param {readonly { name: string, kind: Target["kind"] }[]} parts
 */
function finish(answers, parts) {
  for (const { name, kind } of parts) {
    const [found, missing] = NAMES[kind];
    for (const [from, to] of [
      [name, found],
      [`missing_${name}`, missing],
    ]) {
      if (to !== undefined) answers.set(to, merged(items(answers.get(to) ?? "[]"), items(answers.get(from ?? "") ?? "[]")));
      answers.delete(from ?? "");
    }
  }
  return answers;
}

/** @param {readonly string[]} before @param {readonly string[]} more */
function merged(before, more) {
  const all = /** @type {Map<string, string>} */ (new Map());
  for (const text of [...before, ...more]) {
    const name = nameOf(JSON.parse(text));
    if (!all.has(name)) all.set(name, text);
  }
  return `[${[...all.values()].join(",")}]`;
}

/** @param {string} message */
function wrong(message) {
  return new TuckboxError("bad_request", message, { path: "follow" });
}
