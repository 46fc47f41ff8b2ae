// What a batch of writes makes of the rows that are there: every rule of a commit in one place.
// A store brings the rows, decides, and puts what comes out, all in one transaction of its own.
import { exists, otherText, stale, taken } from "./conflicts.js";
import { TuckboxError } from "./error.js";
import { toText } from "./json.js";
import { items, members } from "./raw.js";
import { idOf, versionOf } from "./rows.js";

/** A batch of writes, read from its exact text. */
export class Batch {
  #parts;
  #boxes;

  constructor(writes, text = toText(writes, "store", ["writes"])) {
    this.writes = writes;
    this.#parts = new Map(members(text));
    this.cards = this.#rows("cards");
    this.files = this.#rows("files");
    this.agents = this.#rows("agents");
    this.#boxes = this.#rows("boxes").map(readChange);
  }

  /** What must be looked up before `decide`: `[kind, key]`, each once. */
  get touches() {
    const { delete_cards = [] } = this.writes;
    const expects = this.#expectedBoxes();
    const keys = {
      boxes: [...expects.map(({ box_id }) => box_id), ...this.#boxes.map(({ box_id }) => box_id)],
      cards: [...this.cards.map((card) => idOf(card, "card_id")), ...delete_cards],
      files: this.files.map((file) => idOf(file, "path")),
    };
    return Object.entries(keys).flatMap(([kind, all]) => [...new Set(all)].map((key) => [kind, key]));
  }

  /**
   * The rows to put, as `[kind, key, columns]`, and the receipt. `find(kind, key)` gives the columns
   * of a row, or nothing. Throws a conflict before anything is decided.
   */
  decide(find) {
    const cards = this.#cardsAfter(find);
    const files = this.#filesAfter(find);
    const boxes = this.#boxesAfter(find);
    const puts = [];
    for (const [key, row] of cards) puts.push(["cards", key, row]);
    for (const [key, row] of files) puts.push(["files", key, row]);
    for (const row of this.agents) puts.push(["agents", idOf(row, "agent_id"), row]);
    for (const [key, row] of boxes) puts.push(["boxes", key, row]);
    const versions = Array.from(boxes, ([box_id, row]) => ({ box_id, version: versionOf(row) }));
    return { puts, receipt: { operation_id: this.writes.operation_id, repeated: false, boxes: versions } };
  }

  /** The boxes among what the batch rests on. */
  #expectedBoxes() {
    const boxes = (this.writes.expects ?? []).filter(({ table = "boxes" }) => table === "boxes");
    return boxes.map(({ box_id, key, version }) => ({ box_id: box_id ?? key[0], version }));
  }

  #rows(name) {
    return this.#parts.has(name) ? items(this.#parts.get(name)).map((row) => new Map(members(row))) : [];
  }

  #cardsAfter(find) {
    const after = new Map();
    for (const card of this.cards) {
      const card_id = idOf(card, "card_id");
      const there = after.get(card_id) ?? find("cards", card_id);
      if (there === undefined) after.set(card_id, card);
      else if (!isSameCard(there, card)) throw taken(card_id);
    }
    for (const card_id of this.writes.delete_cards ?? []) {
      const card = after.get(card_id) ?? find("cards", card_id);
      if (card !== undefined && (card.get("deleted_at") ?? "null") === "null") {
        after.set(card_id, new Map(card).set("deleted_at", JSON.stringify(this.writes.at)));
      }
    }
    return after;
  }

  #filesAfter(find) {
    const after = new Map();
    for (const file of this.files) {
      const path = idOf(file, "path");
      const there = after.get(path) ?? find("files", path);
      if (there === undefined) after.set(path, file);
      else if (JSON.parse(there.get("text")) !== JSON.parse(file.get("text"))) throw otherText(path);
    }
    return after;
  }

  #boxesAfter(find) {
    const live = (box_id) => {
      const box = find("boxes", box_id);
      return box === undefined || (box.get("deleted_at") ?? "null") !== "null" ? undefined : box;
    };
    for (const { box_id, version } of this.#expectedBoxes()) {
      const found = live(box_id);
      if (found === undefined || versionOf(found) !== version) throw stale(box_id, version, found && versionOf(found));
    }
    const after = new Map();
    for (const { box_id, kind, row } of this.#boxes) {
      if (kind === "create") {
        if (after.has(box_id) || find("boxes", box_id) !== undefined) throw exists(box_id);
        after.set(box_id, row);
        continue;
      }
      const before = after.get(box_id) ?? live(box_id);
      const expected = row.has("version") ? versionOf(row) : null;
      if (before === undefined || (before.get("deleted_at") ?? "null") !== "null") throw stale(box_id, expected);
      if (expected !== null && expected !== versionOf(before)) throw stale(box_id, expected, versionOf(before));
      after.set(box_id, changed(before, kind, row, this.writes.at));
    }
    return after;
  }
}

function readChange(change) {
  const kind = JSON.parse(change.get("change") ?? "null");
  const row = kind === "create" ? new Map(members(change.get("box"))) : change;
  return { kind, row, box_id: idOf(row, "box_id") };
}

function changed(before, kind, change, at) {
  const after = new Map(before).set("version", String(versionOf(before) + 1));
  switch (kind) {
    case "append":
      return after.set("card_ids", joined(before.get("card_ids") ?? "[]", change.get("card_ids")));
    case "replace":
      return after.set("card_ids", change.get("card_ids"));
    case "delete":
      return after.set("deleted_at", JSON.stringify(at));
    default:
      throw new TuckboxError("store", `\`${kind}\` is not a change to a box`, { path: "boxes" });
  }
}

/** Two lists as one, without reading their items. */
function joined(first, second) {
  const [head, tail] = [first, second].map((list) => list.trim().slice(1, -1).trim());
  return `[${head}${head === "" || tail === "" ? "" : ","}${tail}]`;
}

/** What must be the same for two cards to be one: not when it was made, nor what became of it. */
function isSameCard(a, b) {
  const column = (card, name) => card.get(name) ?? "null";
  const same = (name) => column(a, name) === column(b, name) || settled(column(a, name)) === settled(column(b, name));
  const [left, right] = [a, b].map((card) => settled(column(card, "metadata") === "null" ? "{}" : column(card, "metadata"), "created_at"));
  return left === right && ["content", "tool_calls", "tool_call_id", "ttl_seconds"].every(same);
}

/** JSON text in one form: the same for the same value, however its keys and numbers are written. */
function settled(text, without) {
  const [sign] = text.trimStart();
  if (sign === "{") {
    const found = new Map(members(text));
    if (without !== undefined) found.delete(without);
    const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${sorted.map(([key, value]) => `${JSON.stringify(key)}:${settled(value)}`).join(",")}}`;
  }
  if (sign === "[") return `[${items(text).map((item) => settled(item)).join(",")}]`;
  if (sign === '"') return JSON.stringify(JSON.parse(text));
  return sign === "-" || (sign >= "0" && sign <= "9") ? settledNumber(text.trim()) : text.trim();
}

/** A number as all its digits and the place of its point. */
function settledNumber(text) {
  const [, minus, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  if (short === "") return "0";
  const place = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length);
  return `${minus}${short}e${place}`;
}
