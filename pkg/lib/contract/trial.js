// What the cases of the contract are written with: projects of their own in the store under test,
// batches made by hand, and assertions that need no test framework.
import { knownSource } from "../core.js";
import { messageOf } from "../error.js";
import { JsonText, parseJson, toText } from "../json.js";
import { openWith } from "../open.js";
import { items, members } from "../raw.js";
import { KINDS } from "../rows.js";

/** The moment of every batch that names no other. */
export const AT = "2026-01-04T10:30:00.000Z";

/** One project in the store under test. */
export class Project {
  #store;
  #addProfiles;

  constructor(store, addProfiles, project_id) {
    this.#store = store;
    this.#addProfiles = addProfiles;
    this.project_id = project_id;
  }

  /** The project, opened: what it reads stays with it. */
  open() {
    return openWith(knownSource(), this.#store, { project_id: this.project_id });
  }

  /** The answers to some keys as values; `texts` holds the rows as the store wrote them. */
  async read(keys) {
    const reads = { project_id: this.project_id, ...keys };
    const text = textOf(await this.#store.read(reads, { signal: new AbortController().signal }));
    const parts = new Map(members(text));
    const answers = { failed: [], ...parseJson(text), texts: {} };
    for (const kind of KINDS) {
      answers[kind] ??= [];
      answers[`missing_${kind}`] ??= [];
      answers.texts[kind] = items(parts.get(kind) ?? "[]");
    }
    for (const name of ["rows", "missing_rows", "lists"]) answers[name] ??= [];
    return answers;
  }

  /** The one box with this id. */
  async box(box_id) {
    const { boxes } = await this.read({ boxes: [box_id] });
    same(boxes.length, 1, `boxes with the id ${JSON.stringify(box_id)}`);
    return boxes[0];
  }

  /** The columns of the one card with this id, as the store wrote them. */
  async card(card_id) {
    const { texts } = await this.read({ cards: [card_id] });
    same(texts.cards.length, 1, `cards with the id ${JSON.stringify(card_id)}`);
    return Object.fromEntries(members(texts.cards[0]));
  }

  /** Commits a batch; what it does not say is empty. `signal` gives it up. */
  async commit(parts, signal = new AbortController().signal) {
    const whole = { project_id: this.project_id, operation_id: fresh("op"), at: AT, ...parts };
    const text = toText(whole, "bad_request");
    const more = { text, signal };
    const receipt = parseJson(toText(await this.#store.commit(parseJson(text), more), "store"));
    same(receipt.operation_id, whole.operation_id, "the operation of the receipt");
    return receipt;
  }

  /** Commits a batch that must be a conflict; gives the error. */
  async refuses(parts, what) {
    try {
      await this.commit(parts);
    } catch (error) {
      same(error?.code, "conflict", `the code of the error (${messageOf(error)})`);
      return error;
    }
    throw new Error(`${what}: the batch was applied`);
  }

  async addProfiles(rows) {
    await this.#addProfiles(this.#store, this.project_id, rows);
  }
}

/** The text of an answer, whichever way a store gives it. */
function textOf(answers) {
  if (typeof answers === "string") return answers;
  if (answers instanceof Uint8Array) return new TextDecoder("utf-8", { fatal: true }).decode(answers);
  return toText(answers, "store", ["answers"]);
}

let counted = 0;

/** An id that nobody has used. */
export function fresh(prefix) {
  counted += 1;
  return `${prefix}_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 10)}_${counted}`;
}

/** The row of a new card. `data` is JSON text for its content, digit for digit. */
export function card({ card_id = fresh("card"), data, text = "a text", metadata = {}, ...more } = {}) {
  const content = data === undefined ? { text, __type__: "TextContent" } : new JsonText(`{"data":${data},"__type__":"JsonContent"}`);
  return {
    card_id,
    content,
    metadata: { role: "user", type: "task.instruction", ...metadata },
    tool_calls: null,
    tool_call_id: null,
    ttl_seconds: null,
    expires_at: null,
    deleted_at: null,
    ...more,
  };
}

/** The expectation of a box at a version. */
export function boxAt(box_id, version) {
  return { table: "boxes", key: [box_id], version };
}

/** The change that makes a box. */
export function create(box_id, card_ids = [], more = {}) {
  return { change: "create", box: { box_id, card_ids, parent_ids: [], version: 1, deleted_at: null, ...more } };
}

export function append(box_id, card_ids, version) {
  return { change: "append", box_id, card_ids, version };
}

export function replace(box_id, card_ids, version) {
  return { change: "replace", box_id, card_ids, version };
}

export function remove(box_id, version) {
  return { change: "delete", box_id, version };
}

/** Fails unless both are the same JSON. */
export function same(actual, expected, what) {
  if (!isSame(actual, expected)) throw new Error(`${what}: expected ${shown(expected)}, found ${shown(actual)}`);
}

function isSame(a, b) {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b;
  const keys = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

export function holds(condition, what) {
  if (!condition) throw new Error(what);
}

/** A moment in milliseconds. */
export function millis(moment) {
  return typeof moment === "number" ? moment : Date.parse(moment);
}

/** JSON text without the spaces that stand between its parts. */
export function compact(text) {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}

function shown(value) {
  const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)) ?? String(value);
  return text.length > 400 ? `${text.slice(0, 400)}..` : text;
}
