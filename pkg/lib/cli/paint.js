// Text for people: colours where somebody looks, and nothing that a terminal would obey.

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 };

/** Functions that colour text, or leave it as it is. */
export function palette(isColoured) {
  const paint = (code) => (text) => (isColoured && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  return Object.fromEntries(Object.entries(STYLES).map(([name, code]) => [name, paint(code)]));
}

/** True where colours are wanted: on a terminal, unless somebody says otherwise. */
export function wantsColours(stream, env, option) {
  if (option === true || (env.NO_COLOR ?? "") !== "") return false;
  if ((env.FORCE_COLOR ?? "") !== "") return env.FORCE_COLOR !== "0";
  return stream.isTTY === true && env.TERM !== "dumb";
}

/** Signs that move the cursor, change colours or turn the direction of what follows. */
const COMMANDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text of somebody else, safe to print: line breaks and tabs stay, what a terminal would obey is written out. */
export function shown(text) {
  return String(text).replaceAll("\r\n", "\n").replace(COMMANDS, escaped);
}

/** JSON text, safe to print: the same value, with what a terminal would obey as escapes. */
export function shownJson(text) {
  return text.replace(COMMANDS, escaped);
}

function escaped(sign) {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The same on one line. */
export function line(text) {
  return shown(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** Signs of Chinese, Japanese and Korean, and most pictures. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** How many columns of a terminal a text takes. */
export function widthOf(text) {
  let width = 0;
  for (const sign of text) width += WIDE.test(sign) ? 2 : 1;
  return width;
}

/** Cut to a width, with a sign that something is missing. */
export function cut(text, width) {
  if (widthOf(text) <= width) return text;
  let [kept, left] = ["", width - 1];
  for (const sign of text) {
    left -= WIDE.test(sign) ? 2 : 1;
    if (left < 0) break;
    kept += sign;
  }
  return `${kept}…`;
}

/**
 * Rows of plain text as lines in columns. `columns` say how each is coloured and aligned; the last
 * one is cut where the line would be longer than `width`.
 */
export function table(rows, columns, width) {
  const widths = columns.map((_, index) => Math.max(0, ...rows.map((row) => widthOf(row[index]))));
  return rows.map((row) => {
    let left = width;
    const cells = row.map((cell, index) => {
      const { right = false, paint = (text) => text } = columns[index];
      const isLast = index === row.length - 1;
      const text = isLast ? cut(cell, Math.max(left, 20)) : cell;
      const space = " ".repeat(isLast && !right ? 0 : Math.max(widths[index] - widthOf(text), 0));
      left -= widths[index] + 2;
      return right ? `${space}${paint(text)}` : `${paint(text)}${space}`;
    });
    return cells.join("  ").trimEnd();
  });
}
