// Indents JSON text without parsing it: numbers keep all digits, keys their order.

export function indentJson(text: string): string {
  let out = "";
  let indent = "\n";
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? "";
    if (char === '"') {
      const end = stringEnd(text, at);
      out += text.slice(at, end);
      at = end;
      continue;
    }
    at += 1;
    if (char === "{" || char === "[") {
      const close = skipSpace(text, at);
      if (text[close] === "}" || text[close] === "]") {
        out += char + text[close];
        at = close + 1;
      } else {
        indent += "  ";
        out += char + indent;
      }
    } else if (char === "}" || char === "]") {
      indent = indent.slice(0, -2);
      out += indent + char;
    } else if (char === ",") out += char + indent;
    else if (char === ":") out += ": ";
    else if (char.trim() !== "") out += char;
  }
  return out;
}

/** Returns the JSON text of one member, verbatim; the text must be an object. */
export function member(text: string, key: string): string {
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] === '"') {
    const keyEnd = stringEnd(text, at);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    if (JSON.parse(text.slice(at, keyEnd)) === key) return text.slice(start, end);
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return "null";
}

/** Returns the JSON texts of a list's items, verbatim; empty if the text is not a list. */
export function items(text: string): string[] {
  const found: string[] = [];
  let at = skipSpace(text, 0);
  if (text[at] !== "[") return found;
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] !== "]") {
    const end = valueEnd(text, at);
    found.push(text.slice(at, end).trimEnd());
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return found;
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const char = text[at] ?? "";
    if (char === '"') at = stringEnd(text, at);
    else {
      if (depth === 0 && (char === "," || char === "}" || char === "]")) return at;
      if (char === "{" || char === "[") depth += 1;
      else if (char === "}" || char === "]") depth -= 1;
      at += 1;
    }
    if (depth === 0 && at > start && (text[start] === '"' || text[start] === "{" || text[start] === "[")) return at;
  }
  return at;
}

function skipSpace(text: string, at: number): number {
  while (/\s/.test(text[at] ?? "")) at += 1;
  return at;
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
