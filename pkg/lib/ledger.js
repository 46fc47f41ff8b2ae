// The ledger of a preview. The core writes it as columns, one string and one list of numbers in its memory
// (`pkg/binding/src/columns.rs`). Objects are created here on first use.
/** @import { Run } from "../generated/core.js" */
/** @import { Cause, LedgerEntry } from "../types/results.js" */
import { views } from "./core.js";
import { TuckboxError } from "./error.js";
import { parseJson, small } from "./json.js";
import { decoded } from "./text.js";

/**
 * @typedef {(index: number, from: number, to: number) => LedgerEntry[]} Entries
 * @typedef {{ words: Uint32Array, at: number, text: string }} Columns
 */

/** A ledger. `enter` calls the run of its preview. Every part but `boxes` is read on first use. */
export class Ledger {
  #enter;
  /** @type {any} */
  #dropped;
  /** @type {any} */
  #audit;
  /** @type {any} */
  #transitions;

  /** @param {(work: (run: Run) => any) => any} enter */
  constructor(enter) {
    /** @type {Entries} */
    const entries = (index, from, to) => entriesOf(columns(enter((run) => run.entries(index, from, to))), from);
    this.#enter = enter;
    this.boxes = accountsOf(columns(enter((run) => run.accounts())), entries);
  }

  get dropped() {
    this.#dropped ??= small(this.#enter((run) => run.dropped()));
    return this.#dropped;
  }

  get audit() {
    this.#audit ??= parseJson(this.#enter((run) => run.audit()));
    return this.#audit;
  }

  get transitions() {
    this.#transitions ??= parseJson(this.#enter((run) => run.transitions()));
    return this.#transitions;
  }
}

/**
 * Returns the columns at a place in the memory of the core: its words, the position of the first one, and the text.
 *
 * @param {number} place
 * @returns {Columns}
 */
function columns(place) {
  const { bytes, words } = views();
  const at = place / 4;
  const from = words[at];
  return { words, at: at + 3, text: decoded(bytes, from, from + words[at + 1], words[at + 2] === 1) };
}

/**
 * Returns the accounts of boxes from their columns: the id, the length, and the number of duplicates.
 *
 * @param {Columns} columns
 * @param {Entries} entries
 */
function accountsOf({ words, at: head, text }, entries) {
  const accounts = [];
  const count = words[head];
  for (let index = 0, start = 0, at = head; index < count; index += 1) {
    at += 3;
    const box_id = text.slice(start, (start += words[at]));
    accounts.push(new BoxLedger(box_id, words[at + 1], words[at + 2], index, entries));
  }
  return accounts;
}

/** The account of one box. */
class BoxLedger {
  #index;
  #entries;

  /** @param {string} box_id @param {number} length @param {number} swallowed @param {number} index @param {Entries} entries */
  constructor(box_id, length, swallowed, index, entries) {
    this.box_id = box_id;
    this.length = length;
    this.swallowed = swallowed;
    this.#index = index;
    this.#entries = entries;
  }

  entries(from = 0, to = this.length) {
    checkPosition("from", from);
    checkPosition("to", to);
    return this.#entries(this.#index, Math.min(from, this.length), Math.min(to, this.length));
  }
}

/** @param {string} name @param {number} position */
function checkPosition(name, position) {
  if (!Number.isInteger(position) || position < 0) {
    throw new TuckboxError("bad_request", `\`${name}\` must be a position, counted from 0`, { path: name });
  }
}

/** The numbers of the kinds of causes. */
const ARGUMENT = 0;
const INHERITED = 1;
const PARENT = 2;

/**
 * Returns entries from their columns. `first` is the position of the first one.
 *
 * @param {Columns} columns
 * @param {number} first
 * @returns {LedgerEntry[]}
 */
function entriesOf({ words, at: head, text }, first) {
  const sources = words[head];
  const cards = words[head + 1];
  const duplicates = words[head + 2];
  let at = head + 3;
  let start = 0;
  const kinds = /** @type {number[]} */ ([]);
  const names = /** @type {string[]} */ ([]);
  const paths = /** @type {string[]} */ ([]);
  for (let count = sources; count > 0; count -= 1, at += 3) {
    kinds.push(words[at]);
    names.push(text.slice(start, (start += words[at + 1])));
    paths.push(text.slice(start, (start += words[at + 2])));
  }
  /** @param {number} source @param {number} position @returns {Cause} */
  const cause = (source, position) => {
    const name = names[source];
    const path = paths[source];
    switch (kinds[source]) {
      case INHERITED:
        return { kind: "inherited", box_id: name, position, path };
      case ARGUMENT:
        return { kind: "argument", arg_key: name, path };
      case PARENT:
        return { kind: "parent", path };
      default:
        return imported(name, path, position);
    }
  };
  const entries = /** @type {(LedgerEntry & { swallowed?: Cause[] })[]} */ (new Array(cards));
  for (let index = 0; index < cards; index += 1, at += 3) {
    const card_id = text.slice(start, (start += words[at]));
    entries[index] = { position: first + index, card_id, cause: cause(words[at + 1], words[at + 2]) };
  }
  for (let count = duplicates; count > 0; count -= 1, at += 3) {
    (entries[words[at]].swallowed ??= []).push(cause(words[at + 1], words[at + 2]));
  }
  return entries;
}

/**
 * Returns where a card was read. Lines are counted from 1; a file that is one value has no line.
 *
 * @param {string} file
 * @param {string} pointer
 * @param {number} line
 * @returns {Cause}
 */
function imported(file, pointer, line) {
  return { kind: "imported", file, ...(line > 0 ? { line } : {}), ...(pointer === "" ? {} : { pointer }) };
}
