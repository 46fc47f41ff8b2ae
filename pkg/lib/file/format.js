// The text of a project file: an export of `memoryStore()`, and members of other software.
/** @import { MemoryStore } from "../../types/store.js" */
import { JsonText } from "../json.js";
import { memoryStore } from "../memory.js";
import { members } from "../raw.js";

/** @typedef {[name: string, text: string][]} Members */

/**
 * Reads a project file: its members, verbatim, and the tables in them. `memoryStore` refuses a newer format.
 *
 * @param {string} text
 */
export function readProjects(text) {
  const json = new JsonText(text);
  const found = /** @type {Members} */ (members(json.toString()));
  return { members: found, tables: memoryStore(/** @type {any} */ (json)) };
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
