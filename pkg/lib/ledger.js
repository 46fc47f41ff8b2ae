// The ledger of a preview: the core shows it as columns, one text and one list of numbers in its own memory, and objects
// are made here when they are looked at. `pkg/binding/src/columns.rs` writes the columns.
import { TuckboxError } from "./error.js";
import { parseJson, small } from "./json.js";
import { decoder } from "./text.js";

/** A ledger over `enter`, which asks the run of a preview; what it does not show at once is asked for when it is looked at. */
export class Ledger {
  #enter;
  #dropped;
  #audit;
  #transitions;

  constructor(enter) {
    const entries = (index, from, to) => {
      const reader = { read: (numbers, bytes) => entriesOf(numbers, strings.decode(bytes), from) };
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

/** Long texts are made by what is quickest here. */
const strings = decoder ?? new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads the heads of accounts: a box, how long it is, and how many ids were swallowed. */
const HEADS = {
  read: (numbers, bytes) => {
    const text = strings.decode(bytes);
    const heads = [];
    for (let at = 0, start = 0; at < numbers.length; at += 3) {
      const end = start + numbers[at];
      heads.push({ box_id: text.slice(start, end), length: numbers[at + 1], swallowed: numbers[at + 2] });
      start = end;
    }
    return heads;
  },
};

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

/** What makes the cause of an entry, by the number of its kind. */
const KINDS = [
  (arg_key, path) => () => ({ kind: "argument", arg_key, path }),
  (box_id, path) => (position) => ({ kind: "inherited", box_id, position, path }),
  (_, path) => () => ({ kind: "parent", path }),
  (file, pointer) => (line) => ({ kind: "imported", file, ...(line > 0 ? { line } : {}), ...(pointer === "" ? {} : { pointer }) }),
];

/** Entries from their columns; `first` is the position of the first. */
function entriesOf(numbers, text, first) {
  const sources = numbers[0];
  const cards = numbers[1];
  const duplicates = numbers[2];
  let at = 3;
  let start = 0;
  const next = () => {
    const from = start;
    start += numbers[at];
    at += 1;
    return text.slice(from, start);
  };
  const causes = [];
  for (let count = sources; count > 0; count -= 1) {
    const kind = KINDS[numbers[at]];
    at += 1;
    const name = next();
    causes.push(kind(name, next()));
  }
  const cause = () => {
    const made = causes[numbers[at]](numbers[at + 1]);
    at += 2;
    return made;
  };
  const entries = [];
  for (let position = first; position < first + cards; position += 1) {
    const card_id = next();
    entries.push({ position, card_id, cause: cause() });
  }
  for (let count = duplicates; count > 0; count -= 1) {
    const entry = entries[numbers[at]];
    at += 1;
    (entry.swallowed ??= []).push(cause());
  }
  return entries;
}
