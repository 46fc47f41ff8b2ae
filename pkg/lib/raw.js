// Splits JSON text into the text of its parts, so that a store keeps every digit. The text must be valid JSON.

const [QUOTE, BRACE, BRACE_END, BRACKET, BRACKET_END] = Array.from('"{}[]', (character) => character.charCodeAt(0));

/**
 * Returns the members of an object, in order: `[key, text of the value]`.
 *
 * @param {string} text
 */
export function members(text) {
  return placed(text).map(({ key, value }) => /** @type {[key: string, text: string]} */ ([key, value]));
}

/**
 * Returns the members of an object, in order: the key, the text of the value and where it starts.
 *
 * @param {string} text
 */
export function placed(text) {
  /** @type {{ key: string, value: string, start: number }[]} */
  const found = [];
  let at = space(text, after(text, "{"));
  while (text[at] !== "}") {
    const keyEnd = stringEnd(text, at);
    const start = space(text, space(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    const key = text.slice(at, keyEnd);
    found.push({ key: key.includes("\\") ? JSON.parse(key) : key.slice(1, -1), value: text.slice(start, end), start });
    at = next(text, end);
  }
  return found;
}

/**
 * Returns the text of each item of a list.
 *
 * @param {string} text
 */
export function items(text) {
  const found = [];
  let at = space(text, after(text, "["));
  while (text[at] !== "]") {
    const end = valueEnd(text, at);
    found.push(text.slice(at, end));
    at = next(text, end);
  }
  return found;
}

/**
 * Returns the end of the string that starts at `start`.
 *
 * @param {string} text
 * @param {number} start
 */
export function stringEnd(text, start) {
  const at = closing(text, start);
  if (at < 0) throw new SyntaxError(`the string at offset ${start} has no end`);
  return at + 1;
}

/**
 * Returns the position of the quote that closes the string that starts at `start`, or -1.
 *
 * @param {string} text
 * @param {number} start
 */
function closing(text, start) {
  let at = start;
  do {
    at = text.indexOf('"', at + 1);
  } while (at >= 0 && isEscaped(text, at));
  return at;
}

/**
 * Returns true if lists and objects are nested more than `most` levels deep. Invalid JSON can give either answer.
 *
 * @param {string} text
 * @param {number} most
 */
export function isDeeper(text, most) {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = closing(text, at);
        if (end < 0) return false;
        at = end;
        break;
      }
      case BRACE:
      case BRACKET:
        depth += 1;
        if (depth > most) return true;
        break;
      case BRACE_END:
      case BRACKET_END:
        depth -= 1;
    }
  }
  return false;
}

/**
 * Returns true after an odd number of backslashes.
 *
 * @param {string} text
 * @param {number} at
 */
function isEscaped(text, at) {
  let before = at;
  while (text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

/** @param {string} text @param {number} start */
function valueEnd(text, start) {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  if (first !== "{" && first !== "[") {
    const scalar = /[^\s,\]}]+/y;
    scalar.lastIndex = start;
    if (!scalar.test(text)) throw new SyntaxError(`expected a value at offset ${start}`);
    return scalar.lastIndex;
  }
  // character by character between strings; a string is one step
  let depth = 0;
  for (let at = start; at < text.length; ) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = stringEnd(text, at);
        continue;
      case BRACE:
      case BRACKET:
        depth += 1;
        break;
      case BRACE_END:
      case BRACKET_END:
        depth -= 1;
        if (depth === 0) return at + 1;
    }
    at += 1;
  }
  throw new SyntaxError(`the value at offset ${start} has no end`);
}

/** @param {string} text @param {string} first */
function after(text, first) {
  const at = space(text, 0);
  if (text[at] !== first) throw new SyntaxError(`expected \`${first}\` at offset ${at}`);
  return at + 1;
}

/** @param {string} text @param {number} end */
function next(text, end) {
  const at = space(text, end);
  return text[at] === "," ? space(text, at + 1) : at;
}

/** @param {string} text @param {number} start */
function space(text, start) {
  let at = start;
  for (let unit = text.charCodeAt(at); unit === 32 || unit === 9 || unit === 10 || unit === 13; unit = text.charCodeAt(at)) at += 1;
  return at;
}
