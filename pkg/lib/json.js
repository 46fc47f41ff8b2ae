// Lossless JSON. The core reads and writes text: JavaScript numbers are exact only up to 2^53, and
// JavaScript objects put keys that look like numbers first.
/** @import { Code } from "../types/error.js" */
import { messageOf, TuckboxError } from "./error.js";
import { isDeeper, stringEnd } from "./raw.js";

/** Only this file can skip the check of a text. */
const KNOWN = Symbol("known");

/** JSON text that the core receives verbatim: every digit, and every key in its order. */
export class JsonText {
  #text;

  /**
   * @param {string} text
   * @param {symbol} [known]
   */
  constructor(text, known) {
    this.#text = text;
    if (known === KNOWN) return;
    if (typeof text !== "string") throw refusal("invalid_content", "JSON text must be a string");
    if (!isWellFormed(text)) throw refusal("invalid_content", "the JSON text contains a lone surrogate");
    notTooDeep(text);
    try {
      // other text will surround it
      JSON.parse(text);
    } catch (cause) {
      throw refusal("invalid_content", `not JSON: ${messageOf(cause)}`, { cause });
    }
  }

  toString() {
    return this.#text;
  }
}

/**
 * Marks JSON text that the core receives verbatim.
 *
 * @param {string} text
 */
export function jsonText(text) {
  return new JsonText(text);
}

/**
 * Rejects text that is nested too deep, before it is parsed.
 *
 * @param {string} text
 */
export function notTooDeep(text) {
  if (isDeeper(text, MAX_DEPTH)) throw refusal("limit", `the JSON is nested more than ${MAX_DEPTH} levels deep`);
}

/**
 * Marks text that needs no check: the core wrote it, it was parsed before, or only the core reads it, which rejects
 * invalid JSON.
 *
 * @param {string} text
 */
export function knownText(text) {
  return new JsonText(text, KNOWN);
}

/**
 * Parses JSON as `JSON.parse` does, except that an integer beyond 2^53 becomes a BigInt.
 *
 * @param {string} text
 */
export function parseJson(text) {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  // random, so that no string of the text can start with it
  const mark = `integer ${globalThis.crypto.randomUUID()} `;
  return JSON.parse(withMarks(text, mark), (_, value) => {
    return typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  });
}

/**
 * Returns a small value of the core. The core passes text if the value has an integer beyond 2^53.
 *
 * @param {any} value
 */
export function small(value) {
  return typeof value === "string" ? parseJson(value) : value;
}

/** Matches every text that has an integer beyond 2^53, and few others. */
const LONG_INTEGER = /(?:^|[[:,\s])-?\d{16}/;

/**
 * Returns the text with each integer beyond 2^53 as a string that starts with `mark`.
 *
 * @param {string} text
 * @param {string} mark
 */
function withMarks(text, mark) {
  const quoted = JSON.stringify(mark).slice(0, -1);
  const token = /"|-?\d[\d.eE+-]*/g;
  const parts = [];
  let from = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [number] = found;
    if (number === '"') {
      token.lastIndex = stringEnd(text, found.index);
    } else if (/^-?[1-9]\d{15,}$/.test(number) && !Number.isSafeInteger(Number(number))) {
      parts.push(text.slice(from, found.index), quoted, number, '"');
      from = token.lastIndex;
    }
  }
  parts.push(text.slice(from));
  return parts.join("");
}

/** The maximum depth of a value. The limit of the core is lower. */
const MAX_DEPTH = 600;

/**
 * Returns a JavaScript value as JSON text. Values that `JSON.stringify` would change or drop (`NaN`, a `Date`, a
 * cycle, ..) are errors with `code` and the path below `root`.
 *
 * @param {unknown} value
 * @param {Code} code
 * @param {readonly (string | number)[]} [root]
 */
export function toText(value, code, root = []) {
  return quickly(value) ?? new Writer(code, root).write(value);
}

/**
 * Returns the text of `JSON.stringify` for a value that it neither changes nor drops parts of; otherwise nothing.
 *
 * @param {unknown} value
 */
function quickly(value) {
  if (writesItself()) return undefined;
  try {
    return isPlain(value, 0) ? JSON.stringify(value) : undefined;
  } catch {
    // the writer finds the same value again, with its path
    return undefined;
  }
}

/** Returns true if a page gave all objects or lists a `toJSON`. */
export function writesItself() {
  return "toJSON" in Object.prototype || "toJSON" in Array.prototype;
}

/**
 * Returns true for lists and plain objects of strings, finite numbers, booleans and `null` that are not too deep.
 *
 * @param {any} value
 * @param {number} depth
 * @returns {boolean}
 */
function isPlain(value, depth) {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      if (!isPlain(value[index], depth + 1)) return false;
    }
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined && !isPlain(member, depth + 1)) return false;
  }
  return true;
}

class Writer {
  #code;
  #steps;
  /** The objects and lists around the current value. */
  #open = new Set();

  /**
   * @param {Code} code
   * @param {readonly (string | number)[]} root
   */
  constructor(code, root) {
    this.#code = code;
    this.#steps = [...root];
  }

  /**
   * @param {unknown} value
   * @returns {string}
   */
  write(value) {
    switch (typeof value) {
      case "string":
        return JSON.stringify(value);
      case "boolean":
        return value ? "true" : "false";
      case "bigint":
        return value.toString();
      case "number":
        if (!Number.isFinite(value)) throw this.#refuse(`\`${value}\` is not a number in JSON`);
        return JSON.stringify(value);
      case "object":
        return value === null ? "null" : this.#writeObject(value);
      default:
        throw this.#refuse(`${typeof value === "undefined" ? "`undefined`" : `a ${typeof value}`} is not JSON`);
    }
  }

  /** @param {object} value */
  #writeObject(value) {
    if (this.#readable(() => value instanceof JsonText)) return value.toString();
    if (this.#open.has(value)) throw this.#refuse("the value contains itself");
    if (this.#open.size >= MAX_DEPTH) {
      const message = `the value is nested more than ${MAX_DEPTH} levels deep`;
      throw refusal("limit", message, { path: pathText(this.#steps.slice(0, 8)) });
    }
    this.#open.add(value);
    const text = this.#readable(() => (Array.isArray(value) ? this.#writeList(value) : this.#writeMembers(value)));
    this.#open.delete(value);
    return text;
  }

  /**
   * Does work that reads a value, which can be a Proxy that throws.
   *
   * @template Result
   * @param {() => Result} work
   */
  #readable(work) {
    try {
      return work();
    } catch (thrown) {
      if (thrown instanceof TuckboxError) throw thrown;
      throw this.#refuse(`the value cannot be read: ${messageOf(thrown)}`, thrown);
    }
  }

  /** @param {readonly unknown[]} value */
  #writeList(value) {
    const items = Array.from(value);
    // long lists of ids are the only large values here
    if (items.every((item) => typeof item === "string")) return JSON.stringify(items);
    const texts = items.map((item, index) => this.#within(index, item));
    return `[${texts.join(",")}]`;
  }

  /** @param {object} value */
  #writeMembers(value) {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      if (isLangChain(value)) return this.write(value.toJSON());
      throw this.#refuse(`${described(value)} is not JSON; pass plain objects, lists, text and numbers`);
    }
    const texts = [];
    for (const key of Object.keys(value)) {
      const member = this.#read(value, key);
      if (member !== undefined) texts.push(`${JSON.stringify(key)}:${this.#within(key, member)}`);
    }
    return `{${texts.join(",")}}`;
  }

  /**
   * @param {object} value
   * @param {string} key
   * @returns {unknown}
   */
  #read(value, key) {
    try {
      return /** @type {any} */ (value)[key];
    } catch (cause) {
      this.#steps.push(key);
      throw this.#refuse(`the value cannot be read: ${messageOf(cause)}`, cause);
    }
  }

  /**
   * @param {string | number} step
   * @param {unknown} value
   */
  #within(step, value) {
    this.#steps.push(step);
    const text = this.write(value);
    this.#steps.pop();
    return text;
  }

  /**
   * @param {string} message
   * @param {unknown} [cause]
   */
  #refuse(message, cause) {
    return refusal(this.#code, message, { path: pathText(this.#steps), cause });
  }
}

/**
 * Returns true for a message of LangChain, which writes itself as JSON.
 *
 * @param {object} value
 * @returns {value is { toJSON(): unknown }}
 */
function isLangChain(value) {
  const { lc_serializable, toJSON } = /** @type {any} */ (value);
  return lc_serializable === true && typeof toJSON === "function";
}

/**
 * @param {Code} code
 * @param {string} message
 * @param {{ path?: string, cause?: unknown }} [more]
 */
function refusal(code, message, more) {
  return new TuckboxError(code, message, more);
}

/** @param {object} value */
function described(value) {
  const name = value.constructor?.name;
  return typeof name === "string" && name !== "" ? `a \`${name}\`` : "an object of a class";
}

/**
 * Returns a path such as `tasks[3].target_ref`.
 *
 * @param {readonly (string | number)[]} steps
 */
function pathText(steps) {
  let text = "";
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`;
    else if (!/^[\p{Alphabetic}\p{N}_-]+$/u.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}

/**
 * Returns true for bytes, false for a Proxy that cannot be read.
 *
 * @param {unknown} value
 * @returns {value is Uint8Array}
 */
export function isBytes(value) {
  try {
    return value instanceof Uint8Array;
  } catch {
    return false;
  }
}

/**
 * Returns true for text without lone surrogates, which UTF-8 cannot represent.
 *
 * @param {string} text
 */
export function isWellFormed(text) {
  if (typeof text.isWellFormed === "function") return text.isWellFormed();
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}
