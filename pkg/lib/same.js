// Comparison of values with copies of them, faster than that of their JSON texts.

/** The maximum depth of a copy. */
const MAX_DEPTH = 100;

/** The members of an object, in their order. */
class Members {
  /** @param {string[]} keys @param {unknown[]} values */
  constructor(keys, values) {
    this.keys = keys;
    this.values = values;
  }
}

/**
 * Returns a copy of plain data, for `isSame`. Returns nothing for other values.
 *
 * @param {any} value
 * @param {number} [depth]
 * @returns {unknown}
 */
export function copyOf(value, depth = 0) {
  if (typeof value !== "object" || value === null) return isLeaf(value) ? value : undefined;
  if (depth >= MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    const items = [];
    for (let at = 0; at < value.length; at += 1) {
      const item = copyOf(value[at], depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  }
  if (!isPlainObject(value)) return undefined;
  const keys = Object.keys(value);
  const values = [];
  for (const key of keys) {
    const member = copyOf(value[key], depth + 1);
    if (member === undefined) return undefined;
    values.push(member);
  }
  return new Members(keys, values);
}

/**
 * Returns true if a value has the JSON text of the value that was copied.
 *
 * @param {any} value
 * @param {any} copy
 * @returns {boolean}
 */
export function isSame(value, copy) {
  if (typeof value !== "object" || value === null) return value === copy;
  if (Array.isArray(value)) {
    if (!Array.isArray(copy) || copy.length !== value.length) return false;
    for (let at = 0; at < copy.length; at += 1) if (!isSame(value[at], copy[at])) return false;
    return true;
  }
  if (!(copy instanceof Members) || !isPlainObject(value)) return false;
  const { keys, values } = copy;
  let at = 0;
  // unlike `Object.keys`, allocates nothing
  for (const key in value) {
    if (key !== keys[at]) return false;
    const member = value[key];
    const known = values[at];
    // a copy is never the object itself
    if (member !== known && !isSame(member, known)) return false;
    at += 1;
  }
  return at === keys.length;
}

/** @param {unknown} value */
function isLeaf(value) {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** @param {object} value */
function isPlainObject(value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
