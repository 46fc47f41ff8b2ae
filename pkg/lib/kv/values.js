// Rows in a key-value database whose values and commits have limits.
//
// A value has one of three forms: the text of a row; `#` and the place of the parts of a long text; `~` and a staged
// row. A staged row is valid once its operation is stored, for batches that are larger than one commit.

/**
 * Returns an upper bound of the bytes of a string, in UTF-8 or UTF-16.
 *
 * @param {string} text
 */
export function sizeOf(text) {
  return text.length * widthOf(text);
}

/**
 * Splits text into chunks of at most `bytes`, never inside a surrogate pair.
 *
 * @param {string} text
 * @param {number} bytes
 */
export function pieces(text, bytes) {
  const length = Math.max(2, Math.floor(bytes / widthOf(text)));
  const found = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + length, text.length);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    found.push(text.slice(from, to));
    from = to;
  }
  return found;
}

/**
 * Returns the value for a text that is stored in parts.
 *
 * @param {string} name
 * @param {number} count
 */
export function pointer(name, count) {
  return `#${count} ${name}`;
}

/**
 * Returns the place of the parts of a text; nothing for other values.
 *
 * @param {string | undefined} value
 */
export function partsOf(value) {
  const found = /^#(\d+) (.*)$/s.exec(value ?? "");
  return found === null ? undefined : { count: Number(found[1]), name: found[2] };
}

/**
 * Returns a value that is valid once the operation is stored with this attempt.
 *
 * @param {string} operation_id
 * @param {string} attempt
 * @param {string} value
 */
export function staged(operation_id, attempt, value) {
  const mark = JSON.stringify([operation_id, attempt]);
  return `~${mark.length} ${mark}${value}`;
}

/**
 * Returns what a staged value waits for; nothing for other values.
 *
 * @param {string | undefined} value
 */
export function stageOf(value) {
  const found = /^~(\d+) /.exec(value ?? "");
  if (found === null || value === undefined) return undefined;
  const [from, to] = [found[0].length, found[0].length + Number(found[1])];
  const [operation_id, attempt] = JSON.parse(value.slice(from, to));
  return { operation_id, attempt, value: value.slice(to) };
}

/** @param {string} text */
function widthOf(text) {
  return /[^\u0000-\u007f]/.test(text) ? 3 : 2;
}

/** @param {number} unit */
function isHighSurrogate(unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}
