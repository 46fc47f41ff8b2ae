// What a commit does is decided by the core; a store brings the rows that are there and puts what comes out.
//
//   const commit = await deciding(text);
//   const { keys, whole } = wanted(commit.reads);        // looked up inside the store's own transaction
//   const { receipt, changes, operation } = commit.decide({ find, all, paths }, applied);
import { enter, readyWith } from "./core.js";
import { toText } from "./json.js";
import { members } from "./raw.js";
import { answersText, changesOf } from "./rows.js";

/** Gets ready to decide a batch: what must be looked up, and how to go on when it was. Then nothing waits any more. */
export async function deciding(writes, text = toText(writes, "store", ["writes"])) {
  await readyWith("commit");
  const reads = JSON.parse(enter((core) => core.touched(text)));
  return { reads, decide: (rows, applied) => decide(text, reads, rows, applied) };
}

/** Picks and orders the rows of lists, once the core is there. */
export async function selecting(reads) {
  if (!(reads.lists?.length > 0) && reads.follow === undefined) return undefined;
  await readyWith("commit");
  return select;
}

function select(list, rows) {
  return enter((core) => core.select_rows(list, rows));
}

/**
 * `applied` is what the store kept of the operation, if it was applied before. Throws the conflict, where there is
 * one; nothing is to be written then.
 */
function decide(text, reads, rows, applied) {
  const answers = answersText(reads, { ...rows, select });
  const known = applied === undefined ? answers : `${answers.slice(0, -1)}${answers === "{}" ? "" : ","}"operation":${applied}}`;
  const decision = new Map(members(enter((core) => core.decide(text, known))));
  const receipt = JSON.parse(decision.get("receipt"));
  return {
    receipt,
    changes: changesOf(decision.get("puts"), rows.find),
    // nothing to keep where the operation is there already
    operation: receipt.repeated ? undefined : `{"batch_hash":${decision.get("batch_hash")},"receipt":${decision.get("receipt")}}`,
  };
}
