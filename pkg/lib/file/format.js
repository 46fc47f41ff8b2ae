// The text of a project file: an export of `memoryStore()`, and members of other software.
/** @import { MemoryStore } from "../../types/store.js" */
import { TuckboxError } from "../error.js";
import { JsonText } from "../json.js";
import { memoryStore } from "../memory.js";
import { members } from "../raw.js";

/** The format of project files. A file without `format` has format 1. */
const FORMAT = 1;

/** @typedef {[name: string, text: string][]} Members */

/**
 * Reads a project file: its members, verbatim, and the tables in them. Refuses a file of a newer version of this
 * package.
 *
 * @param {string} text
 */
export function readProjects(text) {
  const json = new JsonText(text);
  const found = /** @type {Members} */ (members(json.toString()));
  checkFormat(found.findLast(([name]) => name === "format")?.[1] ?? String(FORMAT));
  return { members: found, tables: memoryStore(/** @type {any} */ (json)) };
}

/** @param {string} format */
function checkFormat(format) {
  if (!/^[1-9]\d*$/.test(format)) {
    throw new TuckboxError("bad_request", `\`format\` must be a whole number, found \`${format.slice(0, 80)}\``);
  }
  if (Number(format) > FORMAT) {
    const message = `it has format ${format}, made by a newer version of this package; expected format ${FORMAT}: use a newer version`;
    throw new TuckboxError("bad_request", message);
  }
}

/**
 * Returns the text of a project file with the projects of `tables`. All other members stay as they are.
 *
 * @param {Members} before
 * @param {MemoryStore} tables
 */
export function fileText(before, tables) {
  const exported = members(tables.export());
  const others = before.filter(([name]) => !exported.some(([own]) => own === name));
  return `{${[...others, ...exported].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}
