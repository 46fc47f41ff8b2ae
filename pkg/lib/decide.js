// The core decides what a commit does. A store reads the rows, and stores the result.
//
//   const commit = await deciding(writes);
//   const { keys, whole } = wanted(commit.reads);        // read inside the store's own transaction
//   const { receipt, changes, operation } = commit.decide({ find, all, paths }, applied);
/** @import { Receipt } from "../types/results.js" */
/** @import { Reads, Writes } from "../types/store.js" */
/** @import { Select, Shelves } from "./rows.js" */
import { enter, readyWith } from "./core.js";
import { toText } from "./json.js";
import { members } from "./raw.js";
import { answersText, changesOf } from "./rows.js";

/**
 * Prepares the decision of a batch: `reads` is what the store must look up. `decide` then runs synchronously.
 *
 * @param {Writes} writes
 * @param {string} [text]
 */
export async function deciding(writes, text = toText(writes, "store", ["writes"])) {
  await readyWith("commit");
  const reads = /** @type {Reads} */ (JSON.parse(enter((core) => core.touched(text))));
  return {
    reads,
    /** @param {Shelves} rows @param {string} [applied] */
    decide: (rows, applied) => decide(text, reads, rows, applied),
  };
}

/** @type {typeof import("./groups.js") | undefined} */
let groups;

/**
 * Returns the function that selects and orders the rows of lists, after the core is loaded.
 *
 * @param {Reads} reads
 * @returns {Promise<Select | undefined>}
 */
export async function selecting(reads) {
  if (!reads.lists?.length && reads.follow === undefined) return undefined;
  await readyWith("commit");
  if (reads.follow === undefined && (reads.lists?.length ?? 0) < 4) return select;
  groups ??= await import("./groups.js");
  /** @type {Select} */
  const grouped = (list, rows) => select(list, rows);
  grouped.among = groups.grouping();
  return grouped;
}

/** @param {string} list @param {string} rows */
function select(list, rows) {
  return enter((core) => core.select_rows(list, rows));
}

/**
 * Decides a batch. `applied` is what the store has of the operation, if it was applied before. Throws a conflict; the
 * store then writes nothing.
 *
 * @param {string} text
 * @param {Reads} reads
 * @param {Shelves} rows
 * @param {string} [applied]
 */
function decide(text, reads, rows, applied) {
  const answers = answersText(reads, { ...rows, select });
  const known = applied === undefined ? answers : `${answers.slice(0, -1)}${answers === "{}" ? "" : ","}"operation":${applied}}`;
  const decision = new Map(members(enter((core) => core.decide(text, known))));
  const receipt = /** @type {Receipt} */ (JSON.parse(decision.get("receipt") ?? "null"));
  return {
    receipt,
    changes: changesOf(decision.get("puts") ?? "[]", rows.find),
    // a repeated operation is stored already
    operation: receipt.repeated ? undefined : `{"batch_hash":${decision.get("batch_hash")},"receipt":${decision.get("receipt")}}`,
  };
}
