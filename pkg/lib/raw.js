// The parts of JSON text as text: how a store keeps what it was given, digit for digit.
// Only for text that is known to be JSON.

const [QUOTE, BRACE, BRACE_END, BRACKET, BRACKET_END] = Array.from('"{}[]', (sign) => sign.charCodeAt(0));

/** The members of an object's text: `[key, text of the value]`, in order. */
export function members(text) {
  const found = [];
  let at = space(text, after(text, "{"));
  while (text[at] !== "}") {
    const keyEnd = stringEnd(text, at);
    const start = space(text, space(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    const key = text.slice(at, keyEnd);
    found.push([key.includes("\\") ? JSON.parse(key) : key.slice(1, -1), text.slice(start, end)]);
    at = next(text, end);
  }
  return found;
}

/** The items of a list's text. */
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

/** Where the string that starts at `start` ends. */
export function stringEnd(text, start) {
  const at = closing(text, start);
  if (at < 0) throw new SyntaxError(`the string at offset ${start} has no end`);
  return at + 1;
}

/** The quote that closes the string that starts at `start`; below 0 where there is none. */
function closing(text, start) {
  let at = start;
  do {
    at = text.indexOf('"', at + 1);
  } while (at >= 0 && isEscaped(text, at));
  return at;
}

/** True where lists and objects stand in each other more than `most` levels deep; a text that is no JSON may be anything. */
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

/** An odd number of backslashes before a sign takes its meaning away. */
function isEscaped(text, at) {
  let before = at;
  while (text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

function valueEnd(text, start) {
  const sign = text[start];
  if (sign === '"') return stringEnd(text, start);
  if (sign !== "{" && sign !== "[") {
    const scalar = /[^\s,\]}]+/y;
    scalar.lastIndex = start;
    if (!scalar.test(text)) throw new SyntaxError(`expected a value at offset ${start}`);
    return scalar.lastIndex;
  }
  // sign by sign: between strings there are few, and over strings it leaps
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

function after(text, sign) {
  const at = space(text, 0);
  if (text[at] !== sign) throw new SyntaxError(`expected \`${sign}\` at offset ${at}`);
  return at + 1;
}

function next(text, end) {
  const at = space(text, end);
  return text[at] === "," ? space(text, at + 1) : at;
}

function space(text, start) {
  let at = start;
  for (let sign = text.charCodeAt(at); sign === 32 || sign === 9 || sign === 10 || sign === 13; sign = text.charCodeAt(at)) at += 1;
  return at;
}
