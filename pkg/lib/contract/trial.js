// The parts of contract cases: projects in the store under test, batches, and assertions without a test framework.
/** @import { ProfileRow } from "../../types/cards.js" */
/** @import { Store } from "../../types/store.js" */
import { knownSource } from "../core.js";
import { codeOf, messageOf } from "../error.js";
import { JsonText, parseJson, toText } from "../json.js";
import { openWith } from "../open.js";
import { items, members } from "../raw.js";
import { KINDS } from "../rows.js";

/** @typedef {(store: Store, project_id: string, rows: readonly ProfileRow[]) => unknown} Register */

/**
 * What a case of the contract works with.
 *
 * @typedef {{ project: Project, other: Project, named: (project_id: string) => Project, sizes: { cards: number, cardIds: number, text: number } }} Trial
 */

/** @typedef {readonly [name: string, check: (trial: Trial) => unknown]} Case */

/** @typedef {{ [name: string]: any[] }} Answers The answers of a store: kinds of rows, and missing keys. */

/** The default time of a batch. */
export const AT = "2026-01-04T10:30:00.000Z";

/** One project in the store under test. */
export class Project {
  #store;
  #addProfiles;

  /** @param {Store} store @param {Register} addProfiles @param {string} project_id */
  constructor(store, addProfiles, project_id) {
    this.#store = store;
    this.#addProfiles = addProfiles;
    this.project_id = project_id;
  }

  /**
   * Opens the project.
   *
   * @returns {Promise<any>}
   */
  open() {
    return openWith(knownSource(), this.#store, { projectId: this.project_id });
  }

  /**
   * Returns the answers to some keys; `texts` has the rows as the store wrote them.
   *
   * @param {object} keys
   */
  async read(keys) {
    const reads = { project_id: this.project_id, ...keys };
    const text = textOf(await this.#store.read(reads, { signal: new AbortController().signal }));
    const parts = new Map(members(text));
    const answers = /** @type {Answers} */ ({ failed: [], ...parseJson(text) });
    const texts = /** @type {{ [kind: string]: string[] }} */ ({});
    for (const kind of KINDS) {
      answers[kind] ??= [];
      answers[`missing_${kind}`] ??= [];
      texts[kind] = items(parts.get(kind) ?? "[]");
    }
    for (const name of ["rows", "missing_rows", "lists"]) answers[name] ??= [];
    return /** @type {Answers & { texts: { [kind: string]: string[] } }} */ (/** @type {unknown} */ ({ ...answers, texts }));
  }

  /**
   * Returns the box with an id.
   *
   * @param {string} box_id
   */
  async box(box_id) {
    const { boxes } = await this.read({ boxes: [box_id] });
    same(boxes.length, 1, `boxes with the id ${JSON.stringify(box_id)}`);
    return boxes[0];
  }

  /**
   * Returns the columns of the card with an id, as the store wrote them.
   *
   * @param {string} card_id
   */
  async card(card_id) {
    const { texts } = await this.read({ cards: [card_id] });
    same(texts.cards.length, 1, `cards with the id ${JSON.stringify(card_id)}`);
    return Object.fromEntries(members(texts.cards[0]));
  }

  /**
   * Commits a batch.
   *
   * @param {object} parts
   * @param {AbortSignal} [signal]
   */
  async commit(parts, signal = new AbortController().signal) {
    const whole = /** @type {any} */ ({ project_id: this.project_id, operation_id: fresh("op"), at: AT, ...parts });
    const text = toText(whole, "bad_request");
    const more = { text, signal };
    const receipt = parseJson(toText(await this.#store.commit(parseJson(text), more), "store"));
    same(receipt.operation_id, whole.operation_id, "the operation of the receipt");
    return receipt;
  }

  /**
   * Commits a batch that must be a conflict, and returns the error.
   *
   * @param {object} parts
   * @param {string} what
   * @returns {Promise<any>}
   */
  async refuses(parts, what) {
    try {
      await this.commit(parts);
    } catch (error) {
      same(codeOf(error), "conflict", `the code of the error (${messageOf(error)})`);
      return error;
    }
    throw new Error(`${what}: the batch was applied`);
  }

  /** @param {readonly ProfileRow[]} rows */
  async addProfiles(rows) {
    await this.#addProfiles(this.#store, this.project_id, rows);
  }
}

/**
 * Returns the answer of a store as text.
 *
 * @param {unknown} answers
 */
function textOf(answers) {
  if (typeof answers === "string") return answers;
  if (answers instanceof Uint8Array) return new TextDecoder("utf-8", { fatal: true }).decode(answers);
  return toText(answers, "store", ["answers"]);
}

let counted = 0;

/**
 * Returns an unused id.
 *
 * @param {string} prefix
 */
export function fresh(prefix) {
  counted += 1;
  return `${prefix}_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 10)}_${counted}`;
}

/**
 * Returns the row of a new card. `data` is the exact JSON text of its content.
 *
 * @param {{ card_id?: string, data?: string, text?: string, metadata?: object, [column: string]: unknown }} [options]
 */
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

/**
 * Returns the expectation of a box at a version.
 *
 * @param {string} box_id
 * @param {number | null} version
 */
export function boxAt(box_id, version) {
  return { table: "boxes", key: [box_id], version };
}

/**
 * Returns the change that creates a box.
 *
 * @param {string} box_id
 * @param {readonly string[]} [card_ids]
 * @param {object} [more]
 */
export function create(box_id, card_ids = [], more = {}) {
  return { change: "create", box: { box_id, card_ids, parent_ids: [], version: 1, deleted_at: null, ...more } };
}

/** @param {string} box_id @param {readonly string[]} card_ids @param {number} [version] */
export function append(box_id, card_ids, version) {
  return { change: "append", box_id, card_ids, version };
}

/** @param {string} box_id @param {readonly string[]} card_ids @param {number} [version] */
export function replace(box_id, card_ids, version) {
  return { change: "replace", box_id, card_ids, version };
}

/** @param {string} box_id @param {number} [version] */
export function remove(box_id, version) {
  return { change: "delete", box_id, version };
}

/**
 * Fails unless both are the same JSON.
 *
 * @param {unknown} actual
 * @param {unknown} expected
 * @param {string} what
 */
export function same(actual, expected, what) {
  if (!isSame(actual, expected)) throw new Error(`${what}: expected ${shown(expected)}, found ${shown(actual)}`);
}

/** @param {any} a @param {any} b @returns {boolean} */
function isSame(a, b) {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b;
  const keys = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

/** @param {unknown} condition @param {string} what */
export function holds(condition, what) {
  if (!condition) throw new Error(what);
}

/**
 * Returns a time in milliseconds.
 *
 * @param {string | number} time
 */
export function millis(time) {
  return typeof time === "number" ? time : Date.parse(time);
}

/**
 * Returns JSON text without whitespace between its parts.
 *
 * @param {string} text
 */
export function compact(text) {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}

/** @param {unknown} value */
function shown(value) {
  const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)) ?? String(value);
  return text.length > 400 ? `${text.slice(0, 400)}..` : text;
}
