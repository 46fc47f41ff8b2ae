// The ledger of a preview: the core shows it as columns, one text and one list of numbers in its own memory, and objects
// are made here when they are looked at. `pkg/binding/src/columns.rs` writes the columns.
import { views } from "./core.js";
import { TuckboxError } from "./error.js";
import { parseJson, small } from "./json.js";
import { decoded } from "./text.js";

/** A ledger over `enter`, which asks the run of a preview; what it does not show at once is asked for when it is looked at. */
export class Ledger {
  #enter;
  #dropped;
  #audit;
  #transitions;

  constructor(enter) {
    const entries = (index, from, to) => {
      const reader = new EntryReader(from);
      return enter((run) => run.entries(index, from, to, reader));
    };
    this.#enter = enter;
    this.boxes = enter((run) => run.accounts(HEADS)).map((head, index) => new BoxLedger(head, index, entries));
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

/** Reads the heads of accounts: a box, how long it is, and how many ids were swallowed. */
const HEADS = {
  read(place, count, from, length, isAscii) {
    const { bytes, words } = views();
    const text = decoded(bytes, from, from + length, isAscii);
    const heads = [];
    const first = place / 4;
    for (let at = first, start = 0; at < first + count; at += 3) {
      const end = start + words[at];
      heads.push({ box_id: text.slice(start, end), length: words[at + 1], swallowed: words[at + 2] });
      start = end;
    }
    return heads;
  },
};

/** Reads the entries of an account from the position `first` on. */
class EntryReader {
  #first;

  constructor(first) {
    this.#first = first;
  }

  read(place, _, from, length, isAscii) {
    const { bytes, words } = views();
    return entriesOf(words, place / 4, decoded(bytes, from, from + length, isAscii), this.#first);
  }
}

/** The account of one box; its entries are made when they are asked for. */
class BoxLedger {
  #index;
  #entries;

  constructor({ box_id, length, swallowed }, index, entries) {
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

function checkPosition(name, position) {
  if (!Number.isInteger(position) || position < 0) {
    throw new TuckboxError("bad_request", `\`${name}\` is a position, counted from 0`, { path: name });
  }
}

/** What makes the cause of an entry, by the number of its kind, from two texts of its source and its position there. */
const KINDS = [
  (arg_key, path) => ({ kind: "argument", arg_key, path }),
  (box_id, path, position) => ({ kind: "inherited", box_id, position, path }),
  (_, path) => ({ kind: "parent", path }),
  (file, pointer, line) => ({ kind: "imported", file, ...(line > 0 ? { line } : {}), ...(pointer === "" ? {} : { pointer }) }),
];

/** Entries from their columns, which begin at the word `at`; `first` is the position of the first. */
function entriesOf(words, at, text, first) {
  const sources = words[at];
  const cards = words[at + 1];
  const duplicates = words[at + 2];
  at += 3;
  let start = 0;
  const kinds = [];
  const names = [];
  const paths = [];
  for (let count = sources; count > 0; count -= 1, at += 3) {
    kinds.push(KINDS[words[at]]);
    names.push(text.slice(start, (start += words[at + 1])));
    paths.push(text.slice(start, (start += words[at + 2])));
  }
  const cause = (source, position) => kinds[source](names[source], paths[source], position);
  const entries = [];
  for (let position = first; position < first + cards; position += 1, at += 3) {
    const card_id = text.slice(start, (start += words[at]));
    entries.push({ position, card_id, cause: cause(words[at + 1], words[at + 2]) });
  }
  for (let count = duplicates; count > 0; count -= 1, at += 3) {
    (entries[words[at]].swallowed ??= []).push(cause(words[at + 1], words[at + 2]));
  }
  return entries;
}
