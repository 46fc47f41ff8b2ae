// The rows of tables by what lists select, for reads with many lists. It is loaded for such reads only.
/** @import { List } from "../types/store.js" */
/** @import { Index } from "./sql/names.js" */
import TABLES from "../generated/tables.js";
import { columnsOf, valueIn } from "./rows.js";

/** The number of lists of one index for which all rows are looked at. More of them share groups of the rows. */
const MAX_SCANS = 3;

/** @typedef {(shelf: string) => Iterable<string>} All */

/**
 * Returns a function from a list to the rows that can be in it: one look at all rows for any number of lists. It returns
 * nothing for the first lists of an index.
 *
 * @returns {(list: List, all: All) => string[] | undefined}
 */
export function grouping() {
  const indexes = /** @type {WeakMap<All, Map<string, { scans: number, groups?: ReturnType<typeof grouped> }>>} */ (new WeakMap());
  return ({ table, index, of }, all) => {
    const own = indexes.get(all) ?? new Map();
    indexes.set(all, own);
    const name = `${table} ${index}`;
    const known = own.get(name) ?? { scans: 0 };
    own.set(name, known);
    known.scans += 1;
    const declared = /** @type {{ name: string, indexes: Index[] }[]} */ (TABLES).find((one) => one.name === table);
    const columns = declared?.indexes.find((one) => one.name === index)?.of;
    if (known.scans <= MAX_SCANS || columns === undefined) return undefined;
    known.groups ??= grouped(all(table), columns);
    return known.groups(of);
  };
}

/**
 * Returns a function from the values of a list to the rows that can have them. The core compares numbers by their text,
 * which has several forms, so a row with another number can be in any list.
 *
 * @param {Iterable<string>} rows
 * @param {readonly string[]} columns
 */
function grouped(rows, columns) {
  const groups = /** @type {Map<string, string[]>} */ (new Map());
  const others = /** @type {string[]} */ ([]);
  for (const row of rows) {
    const own = columnsOf(row);
    if (!columns.every((column) => /^(?:"|(?:0|-?[1-9]\d*|true|false|null|)$)/.test(own.get(column) ?? ""))) {
      others.push(row);
      continue;
    }
    const name = JSON.stringify(columns.map((column) => valueIn(own, column)));
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(row);
  }
  return (/** @type {readonly string[]} */ of) => [...(groups.get(JSON.stringify(of)) ?? []), ...others];
}
