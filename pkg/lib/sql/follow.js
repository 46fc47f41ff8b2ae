// What follows from rows: parts of the same statement, whose keys are columns of rows that other parts found.
import { TuckboxError } from "../error.js";
import { items } from "../raw.js";
import { nameOf, tableOf } from "../rows.js";
import { DECLARED } from "./names.js";

const UUID = "^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$";

/**
 * One part for everything that is named. `foundBy(from)` is the rows of a source as an array in JSON; `targetOf(named)`
 * says by values of which types it is read, and how; nothing where the database has no such thing.
 */
export function followParts(follow, asked, foundBy, targetOf) {
  const parts = [];
  for (const { from, to } of follow) {
    const found = foundBy(from);
    const columns = tableOf(from.table, DECLARED).columns;
    for (const named of found === undefined ? [] : to) {
      const name = `follow_${parts.length}`;
      const target = targetOf(named);
      if (target === undefined) continue;
      const given = named.key ?? named.of ?? [named.box];
      const values = given.map((value, at) => {
        if (typeof value === "string") return `($1::text::json->'${name}'->>${at})`;
        const column = columns.find((known) => known.name === value.column);
        if (column === undefined) throw wrong(`\`${from.table}\` has no column \`${value.column}\``);
        if (value.inside === undefined) return `(s->'row'->>'${column.name}')`;
        if (!/^\w+$/.test(value.inside)) throw wrong(`\`${value.inside}\` is no name of a member`);
        return `(s->'row'->'${column.name}'->>'${value.inside}')`;
      });
      if (values.length !== target.types.length) throw wrong(`\`${named.table}\` is not read by ${values.length} columns`);
      asked[name] = given.map((value) => (typeof value === "string" ? value : null));
      // an index of all rows is read by no value
      const isPossible = ["true", ...values.map((value, at) => possible(value, target.types[at]))];
      const [elements, key] = named.box === undefined ? ["json_array_elements", `jsonb_build_array(${values.join(", ")})`] : ["json_array_elements_text", values[0]];
      const keys = `${elements}((select coalesce(jsonb_agg(distinct ${key}), '[]')::json from json_array_elements(${found}) s where ${isPossible.join(" and ")}))`;
      parts.push({ name, kind: target.kind, text: target.text(keys) });
    }
  }
  return { parts, finish: (answers) => finish(answers, parts) };
}

/** True for a value that a column of the target can have. */
function possible(value, type) {
  if (type === "integer") return `${value} ~ '^-?[0-9]{1,18}$'`;
  if (type === "boolean") return `${value} in ('true', 'false')`;
  return type === "uuid" ? `${value} ~* '${UUID}'` : `${value} <> ''`;
}

const NAMES = { row: ["rows", "missing_rows"], list: ["lists", undefined], box: ["boxes", "missing_boxes"] };

/** Puts what was found among the answers, each once. */
function finish(answers, parts) {
  for (const { name, kind } of parts) {
    const [found, missing] = NAMES[kind];
    for (const [from, to] of [[name, found], [`missing_${name}`, missing]]) {
      if (to !== undefined) answers.set(to, merged(items(answers.get(to) ?? "[]"), items(answers.get(from))));
      answers.delete(from);
    }
  }
  return answers;
}

function merged(before, more) {
  const all = new Map();
  for (const text of [...before, ...more]) {
    const name = nameOf(JSON.parse(text));
    if (!all.has(name)) all.set(name, text);
  }
  return `[${[...all.values()].join(",")}]`;
}

function wrong(message) {
  return new TuckboxError("bad_request", message, { path: "follow" });
}
