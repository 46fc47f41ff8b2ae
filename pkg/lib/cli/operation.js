// The usage of an operation, from its JSON Schema.
import schema from "../../generated/schema.js";

/** @typedef {{ [key: string]: any }} Schema A JSON Schema. */

/**
 * Returns the usage of an operation, or nothing for an unknown name.
 *
 * @param {string} name
 */
export function operationHelp(name) {
  /** @type {{ [name: string]: Schema }} */
  const operations = schema.operations;
  if (!Object.hasOwn(operations, name)) return undefined;
  const { description, arguments: args, result, errors, writes, example } = operations[name];
  const forms = formsOf(args);
  const keys = [...new Set(forms.flatMap(({ properties }) => Object.keys(properties)))];
  const members = keys.map((key) => {
    const known = forms.flatMap(({ properties }) => properties[key] ?? []);
    const member = known.find((one) => one.description !== undefined) ?? known[0];
    const isNeeded = forms.every(({ required }) => required.has(key));
    const left = `${key}${isNeeded ? "" : "?"}: ${typeText(member)}`;
    const fallback = member.default === undefined ? "" : ` Default: ${JSON.stringify(member.default)}.`;
    return `  ${left.padEnd(38)} ${plain(member.description ?? "")}${fallback}`.trimEnd();
  });
  const usage = `tuckbox call ${name} ARGUMENTS.json [OPTIONS]${writes ? " [--commit]" : ""}`;
  return `${plain(description)}

Usage: ${usage}

ARGUMENTS.json is an object; \`?\` marks a member that can be missing${forms.length > 1 ? ", some exclude each other" : ""}:
${members.join("\n")}

Answer: ${result === undefined ? "any JSON" : typeText(result)}
Errors: ${errors.join(", ")}
${example === undefined ? "" : `Example:\n  ${JSON.stringify(example)}\n`}`;
}

/** @param {string} markdown */
function plain(markdown) {
  return markdown.replaceAll("`", "").replaceAll(/\s+/g, " ");
}

/** @param {Schema} given @returns {Schema} */
function resolved(given) {
  const { $defs } = /** @type {{ $defs: { [name: string]: Schema } }} */ (schema);
  const [, name] = /^#\/\$defs\/(.+)$/.exec(given.$ref ?? "") ?? [];
  return name === undefined ? given : resolved($defs[name]);
}

/**
 * Returns the forms of an object: its members, and which of them it must have.
 *
 * @param {Schema} given
 * @returns {{ properties: { [key: string]: Schema }, required: Set<string> }[]}
 */
function formsOf(given) {
  const { anyOf, properties = {}, required = [] } = resolved(given);
  if (anyOf !== undefined) return anyOf.flatMap(formsOf);
  return [{ properties, required: new Set(required) }];
}

/**
 * Returns a type as readers see it. `null` counts as missing, so it is not shown.
 *
 * @param {Schema} given
 * @returns {string}
 */
function typeText(given) {
  const { $ref, anyOf, const: only, enum: words, type, items } = given;
  if ($ref !== undefined) return $ref.replace("#/$defs/", "");
  if (anyOf !== undefined) {
    const shown = anyOf.filter((/** @type {Schema} */ one) => one.type !== "null").map(typeText);
    return [...new Set(shown)].join(" or ");
  }
  if (only !== undefined) return JSON.stringify(only);
  if (words !== undefined) return words.map((/** @type {unknown} */ word) => JSON.stringify(word)).join(" or ");
  if (type === "array") return items === undefined ? "list" : `list of ${typeText(items)}`;
  return typeof type === "string" ? type : "JSON";
}
