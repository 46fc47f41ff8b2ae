// JSON text indented without being parsed: numbers keep every digit, keys their order.

export function pretty(text: string): string {
  let out = "";
  let indent = "\n";
  let at = 0;
  while (at < text.length) {
    const sign = text[at] ?? "";
    if (sign === '"') {
      const end = stringEnd(text, at);
      out += text.slice(at, end);
      at = end;
      continue;
    }
    at += 1;
    if (sign === "{" || sign === "[") {
      const close = skipSpace(text, at);
      if (text[close] === "}" || text[close] === "]") {
        out += sign + text[close];
        at = close + 1;
      } else {
        indent += "  ";
        out += sign + indent;
      }
    } else if (sign === "}" || sign === "]") {
      indent = indent.slice(0, -2);
      out += indent + sign;
    } else if (sign === ",") out += sign + indent;
    else if (sign === ":") out += ": ";
    else if (sign.trim() !== "") out += sign;
  }
  return out;
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
