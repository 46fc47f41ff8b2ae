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

/** The columns at a place in the memory of the core: its words, where those of the columns begin, and their text. */
function columns(place) {
  const { bytes, words } = views();
  const at = place / 4;
  const from = words[at];
  return { words, at: at + 3, text: decoded(bytes, from, from + words[at + 1], words[at + 2] === 1) };
}

/** Accounts from the columns of their heads: a box, how long it is, and how many ids were swallowed. */
function accountsOf({ words, at, text }, entries) {
  const accounts = [];
  const count = words[at];
  for (let index = 0, start = 0; index < count; index += 1) {
    at += 3;
    const box_id = text.slice(start, (start += words[at]));
    accounts.push(new BoxLedger(box_id, words[at + 1], words[at + 2], index, entries));
  }
  return accounts;
}

/** The account of one box; its entries are made when they are asked for. */
class BoxLedger {
  #index;
  #entries;

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

function checkPosition(name, position) {
  if (!Number.isInteger(position) || position < 0) {
    throw new TuckboxError("bad_request", `\`${name}\` is a position, counted from 0`, { path: name });
  }
}

/** The kinds of causes, as the core numbers them. */
const ARGUMENT = 0;
const INHERITED = 1;
const PARENT = 2;

/** Entries from their columns; `first` is the position of the first. */
function entriesOf({ words, at, text }, first) {
  const sources = words[at];
  const cards = words[at + 1];
  const duplicates = words[at + 2];
  at += 3;
  let start = 0;
  const kinds = [];
  const names = [];
  const paths = [];
  for (let count = sources; count > 0; count -= 1, at += 3) {
    kinds.push(words[at]);
    names.push(text.slice(start, (start += words[at + 1])));
    paths.push(text.slice(start, (start += words[at + 2])));
  }
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
  const entries = new Array(cards);
  for (let index = 0; index < cards; index += 1, at += 3) {
    const card_id = text.slice(start, (start += words[at]));
    entries[index] = { position: first + index, card_id, cause: cause(words[at + 1], words[at + 2]) };
  }
  for (let count = duplicates; count > 0; count -= 1, at += 3) {
    (entries[words[at]].swallowed ??= []).push(cause(words[at + 1], words[at + 2]));
  }
  return entries;
}

/** Where something was read: a line counts from 1, and a file that is one value has none. */
function imported(file, pointer, line) {
  return { kind: "imported", file, ...(line > 0 ? { line } : {}), ...(pointer === "" ? {} : { pointer }) };
}
