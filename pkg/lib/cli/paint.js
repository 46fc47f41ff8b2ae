// Text for terminals: colors, tables, and no control characters of other software.

/** @typedef {{ [style in keyof typeof STYLES]: (text: string) => string }} Palette */

/** @typedef {{ right?: boolean, paint?: (text: string) => string }} Column */

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 };

/**
 * Returns functions that color text, or return it unchanged.
 *
 * @param {boolean} isColored
 * @returns {Palette}
 */
export function palette(isColored) {
  /** @param {number} code @returns {(text: string) => string} */
  const paint = (code) => (text) => (isColored && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  return /** @type {Palette} */ (Object.fromEntries(Object.entries(STYLES).map(([name, code]) => [name, paint(code)])));
}

/**
 * Returns true for a terminal, unless an option or the environment disables colors.
 *
 * @param {{ isTTY?: boolean }} stream
 * @param {NodeJS.ProcessEnv} env
 * @param {boolean} [option]
 */
export function wantsColors(stream, env, option) {
  if (option === true || (env.NO_COLOR ?? "") !== "") return false;
  if ((env.FORCE_COLOR ?? "") !== "") return env.FORCE_COLOR !== "0";
  return stream.isTTY === true && env.TERM !== "dumb";
}

/** Characters that move the cursor, change colors or change the direction of text. */
const COMMANDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Returns text that is safe to print. Line breaks and tabs stay; other control characters are escaped.
 *
 * @param {unknown} text
 */
export function shown(text) {
  return String(text).replaceAll("\r\n", "\n").replace(COMMANDS, escaped);
}

/**
 * Returns JSON text that is safe to print: the same value, with control characters escaped.
 *
 * @param {string} text
 */
export function shownJson(text) {
  return text.replace(COMMANDS, escaped);
}

/** @param {string} character */
function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * As `shown`, on one line.
 *
 * @param {unknown} text
 */
export function line(text) {
  return shown(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/** Characters of Chinese, Japanese and Korean, and most emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/**
 * Returns the number of columns of a text.
 *
 * @param {string} text
 */
export function widthOf(text) {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}

/**
 * Cuts text to a width, and marks the cut.
 *
 * @param {string} text
 * @param {number} width
 */
export function cut(text, width) {
  if (widthOf(text) <= width) return text;
  let [kept, left] = ["", width - 1];
  for (const character of text) {
    left -= WIDE.test(character) ? 2 : 1;
    if (left < 0) break;
    kept += character;
  }
  return `${kept}…`;
}

/**
 * Returns rows as lines in columns. `columns` has the color and the alignment of each; the last column is cut to
 * `width`.
 *
 * @param {readonly string[][]} rows
 * @param {readonly Column[]} columns
 * @param {number} width
 */
export function table(rows, columns, width) {
  const widths = columns.map((_, index) => Math.max(0, ...rows.map((row) => widthOf(row[index]))));
  return rows.map((row) => {
    let left = width;
    const cells = row.map((cell, index) => {
      const { right = false, paint = (/** @type {string} */ text) => text } = columns[index];
      const isLast = index === row.length - 1;
      const text = isLast ? cut(cell, Math.max(left, 20)) : cell;
      const space = " ".repeat(isLast && !right ? 0 : Math.max(widths[index] - widthOf(text), 0));
      left -= widths[index] + 2;
      return right ? `${space}${paint(text)}` : `${paint(text)}${space}`;
    });
    return cells.join("  ").trimEnd();
  });
}
