// Calls as members of exact text, made from options and files.
import { UsageError } from "./usage.js";

/** A value as JSON text. */
export const text = (value) => JSON.stringify(value);

/** Members of a call from options that were given. */
export function given(pairs) {
  return new Map(pairs.filter(([, value]) => value !== undefined).map(([name, value]) => [name, text(value)]));
}

/** The text of an object from the texts of its members. */
export function objectText(members) {
  return `{${Array.from(members, ([key, value]) => `${text(key)}:${value}`).join(",")}}`;
}

/** A word or an option that a command cannot do without. */
export function needed(value, name) {
  if (value === undefined) throw new UsageError(`${name} is missing`);
  return value;
}

/** A number as somebody typed it. */
export function number(typed, option) {
  const value = Number(typed);
  if (typed.trim() === "" || !Number.isSafeInteger(value) || value < 0) throw new UsageError(`\`${option}\` is a whole number, not \`${typed}\``);
  return value;
}
