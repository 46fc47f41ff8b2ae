// The ledger of a preview: it crosses from the core as columns, one text and one list of numbers, and objects are made
// here when they are looked at. `pkg/binding/src/columns.rs` writes the columns.
import { TuckboxError } from "./error.js";
import { parseJson, small } from "./json.js";

/** A ledger over `enter`, which asks the run of a preview. */
export function ledgerOf(enter) {
  const boxes = accounts(enter((run) => run.accounts()), (index, from, to) => enter((run) => run.entries(index, from, to)));
  let dropped;
  let audit;
  let transitions;
  return {
    boxes,
    get dropped() {
      dropped ??= small(enter((run) => run.dropped()));
      return dropped;
    },
    get audit() {
      audit ??= parseJson(enter((run) => run.audit()));
      return audit;
    },
    get transitions() {
      transitions ??= parseJson(enter((run) => run.transitions()));
      return transitions;
    },
  };
}

function accounts(bytes, entries) {
  const [text, numbers, after] = columns(bytes);
  const found = [];
  for (let at = 1, start = 0; at < after; at += 3) {
    const end = start + numbers[at];
    found.push(new BoxLedger(text.slice(start, end), numbers[at + 1], numbers[at + 2], found.length, entries));
    start = end;
  }
  return found;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text, the numbers behind their count, and where they end: how many numbers, then the numbers, then the text. */
function columns(bytes) {
  const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  const end = 1 + numbers[0];
  return [decoder.decode(bytes.subarray(4 * end)), numbers, end];
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
    const start = Math.min(from, this.length);
    return entriesOf(this.#entries(this.#index, start, Math.min(to, this.length)), start);
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
function entriesOf(bytes, first) {
  const [text, numbers] = columns(bytes);
  const [, sources, cards, duplicates] = numbers;
  let at = 4;
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
