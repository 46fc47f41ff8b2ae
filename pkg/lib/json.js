// JSON text that loses nothing. The core reads and writes text; JavaScript's own numbers hold
// integers only up to 2^53, and its objects put keys that look like numbers first.
import { TuckboxError, messageOf } from "./error.js";
import { isDeeper, stringEnd } from "./raw.js";

/** Only this file can say that a text need not be checked. */
const KNOWN = Symbol("known");

/** JSON text that goes to the core as it stands, digit for digit and key for key. */
export class JsonText {
  #text;

  constructor(text, known) {
    this.#text = text;
    if (known === KNOWN) return;
    if (typeof text !== "string") throw refusal("invalid_content", "JSON text is a string");
    if (!isWellFormed(text)) throw refusal("invalid_content", "the JSON text holds a lone surrogate");
    notTooDeep(text);
    try {
      // checked here, because it will stand in the middle of other text
      JSON.parse(text);
    } catch (cause) {
      throw refusal("invalid_content", `not JSON: ${messageOf(cause)}`, { cause });
    }
  }

  toString() {
    return this.#text;
  }
}

/** Marks JSON text that goes to the core as it stands. */
export function jsonText(text) {
  return new JsonText(text);
}

/** Refuses text that is nested too deep, before anything is made of it: a million brackets are a million lists. */
export function notTooDeep(text) {
  if (isDeeper(text, MAX_DEPTH)) throw refusal("limit", `the JSON is nested more than ${MAX_DEPTH} levels deep`);
}

/** Marks text that was written by the core, has been parsed before, or is read by nobody but the core, which refuses what is no JSON. */
export function knownText(text) {
  return new JsonText(text, KNOWN);
}

/** As `JSON.parse`, but an integer beyond 2^53 becomes a BigInt instead of another number. */
export function parseJson(text) {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  // no string that is there already can start with it: nobody can guess it
  const mark = `integer ${globalThis.crypto.randomUUID()} `;
  return JSON.parse(withMarks(text, mark), (_, value) => {
    return typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  });
}

/** A small value from the core: itself, or text where it holds an integer beyond 2^53. */
export function small(value) {
  return typeof value === "string" ? parseJson(value) : value;
}

/** True somewhere in every text that holds an integer beyond 2^53, and seldom elsewhere. */
const LONG_INTEGER = /(?:^|[[:,\s])-?\d{16}/;

/** The text with every integer beyond 2^53 as a string that starts with `mark`. */
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

/** The deepest nesting that is written; the core's own limit is lower. */
const MAX_DEPTH = 600;

/**
 * A JavaScript value as JSON text. Refuses what JSON cannot hold (`NaN`, a `Date`, a cycle, ..)
 * with `code` and the path below `root`, where `JSON.stringify` would change or drop it.
 */
export function toText(value, code, root = []) {
  return quickly(value) ?? new Writer(code, root).write(value);
}

/** What JavaScript's own writer makes of a value that it neither changes nor drops anything of; nothing for others. */
function quickly(value) {
  // a page may have given every object a way to write itself
  if (Object.prototype.toJSON !== undefined || Array.prototype.toJSON !== undefined) return undefined;
  try {
    return isPlain(value, 0) ? JSON.stringify(value) : undefined;
  } catch {
    // the writer meets the same value again, and knows where it is
    return undefined;
  }
}

/** True for lists and plain objects of text, finite numbers, booleans and `null`, not too deep. */
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
  #open = new Set();

  constructor(code, root) {
    this.#code = code;
    this.#steps = [...root];
  }

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

  #writeObject(value) {
    if (this.#looked(() => value instanceof JsonText)) return value.toString();
    if (this.#open.has(value)) throw this.#refuse("the value contains itself");
    if (this.#open.size >= MAX_DEPTH) {
      const message = `the value is nested more than ${MAX_DEPTH} levels deep`;
      throw refusal("limit", message, { path: pathText(this.#steps.slice(0, 8)) });
    }
    this.#open.add(value);
    const text = this.#looked(() => (Array.isArray(value) ? this.#writeList(value) : this.#writeMembers(value)));
    this.#open.delete(value);
    return text;
  }

  /** A Proxy may refuse to say what it is. */
  #looked(work) {
    try {
      return work();
    } catch (thrown) {
      if (thrown instanceof TuckboxError) throw thrown;
      throw this.#refuse(`the value cannot be read: ${messageOf(thrown)}`, thrown);
    }
  }

  #writeList(value) {
    const items = Array.from(value);
    // long lists of ids are the only thing here that is ever large
    if (items.every((item) => typeof item === "string")) return JSON.stringify(items);
    const texts = items.map((item, index) => this.#within(index, item));
    return `[${texts.join(",")}]`;
  }

  #writeMembers(value) {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw this.#refuse(`${described(value)} is not JSON; pass plain objects, lists, text and numbers`);
    }
    const texts = [];
    for (const key of Object.keys(value)) {
      const member = this.#read(value, key);
      if (member !== undefined) texts.push(`${JSON.stringify(key)}:${this.#within(key, member)}`);
    }
    return `{${texts.join(",")}}`;
  }

  #read(value, key) {
    try {
      return value[key];
    } catch (cause) {
      this.#steps.push(key);
      throw this.#refuse(`the value cannot be read: ${messageOf(cause)}`, cause);
    }
  }

  #within(step, value) {
    this.#steps.push(step);
    const text = this.write(value);
    this.#steps.pop();
    return text;
  }

  #refuse(message, cause) {
    return refusal(this.#code, message, { path: pathText(this.#steps), cause });
  }
}

function refusal(code, message, more) {
  return new TuckboxError(code, message, more);
}

function described(value) {
  const name = value.constructor?.name;
  return typeof name === "string" && name !== "" ? `a \`${name}\`` : "an object of a class";
}

/** Where in a value something is, written like `tasks[3].target_ref`. */
function pathText(steps) {
  let text = "";
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`;
    else if (!/^[\p{Alphabetic}\p{N}_-]+$/u.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}

/** True for bytes; a Proxy that refuses to say what it is holds none. */
export function isBytes(value) {
  try {
    return value instanceof Uint8Array;
  } catch {
    return false;
  }
}

/** True without lone surrogates, which no encoder can write. */
export function isWellFormed(text) {
  if (typeof text.isWellFormed === "function") return text.isWellFormed();
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}
