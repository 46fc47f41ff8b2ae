// Calls from options and files, as members of exact text.
import { UsageError } from "./usage.js";

/** @typedef {Map<string, string>} Args The arguments of a call: name to JSON text. */

/**
 * Returns a value as JSON text.
 *
 * @param {unknown} value
 */
export const text = (value) => JSON.stringify(value);

/**
 * Returns the arguments that have a value.
 *
 * @param {readonly (readonly [name: string, value: unknown])[]} pairs
 * @returns {Args}
 */
export function given(pairs) {
  return new Map(pairs.filter(([, value]) => value !== undefined).map(([name, value]) => [name, text(value)]));
}

/**
 * Returns the text of an object from its members.
 *
 * @param {Args} members
 */
export function objectText(members) {
  return `{${Array.from(members, ([key, value]) => `${text(key)}:${value}`).join(",")}}`;
}

/**
 * Returns a required value.
 *
 * @template Value
 * @param {Value | undefined} value
 * @param {string} name
 */
export function needed(value, name) {
  if (value === undefined) throw new UsageError(`${name} is missing`);
  return value;
}

/**
 * Reads a number.
 *
 * @param {string} typed
 * @param {string} option
 */
export function number(typed, option) {
  const value = Number(typed);
  if (typed.trim() === "" || !Number.isSafeInteger(value) || value < 0)
    throw new UsageError(`\`${option}\` must be a whole number, found \`${typed}\``);
  return value;
}
