// Writes small plain values directly as the bytes of their JSON. `toText` and an encoder take twice as long for the
// arguments of a usual call: without this file a small pack takes 9 % longer.
import { writesItself } from "./json.js";

const room = new Uint8Array(64 * 1024);
/** The maximum depth; deeper values are rarely small. */
const MAX_DEPTH = 32;
const DECLINED = -1;
/** The characters that text often has and JSON escapes. */
const [LINE_FEED, LETTER_N, QUOTE, BACKSLASH] = [0x0a, 0x6e, 0x22, 0x5c];

/** True while a value is written: a getter of the value can call this module again. */
let isBusy = false;

/**
 * Returns the bytes of an object's JSON, valid until the next call. Returns nothing for a large or unreadable object,
 * and for values other than strings, numbers, booleans, `null`, lists and plain objects. Strings must be ASCII, without
 * control characters except line feeds.
 *
 * @param {unknown} value
 */
export function quickBytes(value) {
  if (isBusy || typeof value !== "object" || value === null || isChanged()) return undefined;
  isBusy = true;
  try {
    const end = writeObject(value, 0, 0);
    return end === DECLINED || end > room.length ? undefined : room.subarray(0, end);
  } catch {
    return undefined;
  } finally {
    isBusy = false;
  }
}

/** Returns true if a page gave all objects more keys, or a `toJSON`. */
function isChanged() {
  for (const _ in Object.prototype) return true;
  return writesItself();
}

// each function writes from `at` on and returns where it ended; a typed array ignores writes beyond its end

/**
 * @param {unknown} value
 * @param {number} at
 * @param {number} depth
 * @returns {number}
 */
function writeValue(value, at, depth) {
  switch (typeof value) {
    case "string":
      return writeText(value, at);
    case "number":
      return Number.isFinite(value) ? writeWord(String(value), at) : DECLINED;
    case "boolean":
      return writeWord(value ? "true" : "false", at);
    case "object":
      if (value === null) return writeWord("null", at);
      if (depth > MAX_DEPTH || at > room.length) return DECLINED;
      return Array.isArray(value) ? writeList(value, at, depth) : writeObject(value, at, depth);
    default:
      return DECLINED;
  }
}

/**
 * @param {string} text
 * @param {number} at
 */
function writeText(text, at) {
  const { length } = text;
  if (at + length + 2 > room.length) return DECLINED;
  room[at] = 0x22;
  at += 1;
  for (let index = 0; index < length; index += 1, at += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7e || (unit < 0x20 && unit !== LINE_FEED)) return DECLINED;
    if (unit === QUOTE || unit === BACKSLASH || unit === LINE_FEED) {
      room[at] = BACKSLASH;
      at += 1;
    }
    room[at] = unit === LINE_FEED ? LETTER_N : unit;
  }
  room[at] = 0x22;
  return at + 1;
}

/**
 * @param {string} word
 * @param {number} at
 */
function writeWord(word, at) {
  if (at + word.length > room.length) return DECLINED;
  for (let index = 0; index < word.length; index += 1) room[at + index] = word.charCodeAt(index);
  return at + word.length;
}

/**
 * @param {readonly unknown[]} list
 * @param {number} at
 * @param {number} depth
 */
function writeList(list, at, depth) {
  room[at] = 0x5b;
  at += 1;
  for (let index = 0; index < list.length; index += 1) {
    if (index > 0) {
      room[at] = 0x2c;
      at += 1;
    }
    at = writeValue(list[index], at, depth + 1);
    if (at === DECLINED) return DECLINED;
  }
  room[at] = 0x5d;
  return at + 1;
}

/**
 * @param {any} object
 * @param {number} at
 * @param {number} depth
 */
function writeObject(object, at, depth) {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return DECLINED;
  let isFirst = true;
  room[at] = 0x7b;
  at += 1;
  for (const key in object) {
    const member = object[key];
    if (member === undefined) continue;
    if (!isFirst) {
      room[at] = 0x2c;
      at += 1;
    }
    isFirst = false;
    at = writeText(key, at);
    if (at === DECLINED) return DECLINED;
    room[at] = 0x3a;
    at = writeValue(member, at + 1, depth + 1);
    if (at === DECLINED) return DECLINED;
  }
  room[at] = 0x7d;
  return at + 1;
}
