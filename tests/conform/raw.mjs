// Reads the members of JSON text as text. `JSON.parse` rounds large numbers and reorders integer-like keys, so the
// core gets the recorded text.

/** Returns the members of an object's text: `[key, text of the value]`, in order. */
export function members(text) {
  const found = [];
  let at = space(text, expect(text, space(text, 0), "{"));
  while (text[at] !== "}") {
    const keyEnd = valueEnd(text, at);
    const key = JSON.parse(text.slice(at, keyEnd));
    const start = space(text, expect(text, space(text, keyEnd), ":"));
    const end = valueEnd(text, start);
    found.push([key, text.slice(start, end)]);
    at = space(text, end);
    if (text[at] === ",") at = space(text, at + 1);
  }
  return found;
}

/** Returns the items of a list's text. */
export function items(text) {
  const found = [];
  let at = space(text, expect(text, space(text, 0), "["));
  while (text[at] !== "]") {
    const end = valueEnd(text, at);
    found.push(text.slice(at, end));
    at = space(text, end);
    if (text[at] === ",") at = space(text, at + 1);
  }
  return found;
}

function space(text, at) {
  while (at < text.length && " \t\r\n".includes(text[at])) at += 1;
  return at;
}

function expect(text, at, character) {
  if (text[at] !== character) throw new SyntaxError(`expected \`${character}\` at offset ${at}`);
  return at + 1;
}

/** Returns the end of the value that starts at `start`. */
function valueEnd(text, start) {
  let at = start;
  let depth = 0;
  do {
    const character = text[at];
    if (character === undefined) throw new SyntaxError(`the value at offset ${start} has no end`);
    if (character === '"') {
      at = stringEnd(text, at);
    } else if (character === "{" || character === "[") {
      depth += 1;
      at += 1;
    } else if (character === "}" || character === "]") {
      depth -= 1;
      at += 1;
    } else if (depth === 0) {
      const scalar = /[^\s,:[\]{}"]+/y;
      scalar.lastIndex = at;
      if (!scalar.test(text)) throw new SyntaxError(`expected a value at offset ${at}`);
      at = scalar.lastIndex;
    } else {
      at += 1;
    }
  } while (depth > 0);
  return at;
}

function stringEnd(text, start) {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  throw new SyntaxError(`the string at offset ${start} has no end`);
}
