// The members of JSON text as text. `JSON.parse` rounds large numbers and reorders keys that look
// like integers, so the cases reach the core as the text they were recorded in.

/** The members of an object's text: `[key, text of the value]`, in order. */
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

/** The items of a list's text. */
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

function expect(text, at, sign) {
  if (text[at] !== sign) throw new SyntaxError(`expected \`${sign}\` at offset ${at}`);
  return at + 1;
}

/** Where the value that starts at `start` ends. */
function valueEnd(text, start) {
  let at = start;
  let depth = 0;
  do {
    const sign = text[at];
    if (sign === undefined) throw new SyntaxError(`the value at offset ${start} has no end`);
    if (sign === '"') {
      at = stringEnd(text, at);
    } else if (sign === "{" || sign === "[") {
      depth += 1;
      at += 1;
    } else if (sign === "}" || sign === "]") {
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
