// Values of client libraries that JSON cannot represent. The core lists where they are.
import { decode } from "./base64.js";

/** The marks of a schema of the AI SDK: of all versions, and of those before 6. */
const [SCHEMA, VALIDATOR] = [Symbol.for("vercel.ai.schema"), Symbol.for("vercel.ai.validator")];

const CONVERSIONS = /** @type {{ [kind: string]: (value: any) => unknown }} */ ({
  bytes: (text) => new Uint8Array(decode(text)),
  schema: sdkSchema,
});

/**
 * Replaces the values of a payload that its library does not take as JSON.
 *
 * @param {any} payload
 */
export function withNative(payload) {
  for (const { pointer, kind } of payload.native ?? []) {
    const steps = pointer
      .slice(1)
      .split("/")
      .map((/** @type {string} */ step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const key = steps.pop();
    const parent = steps.reduce((/** @type {any} */ value, /** @type {string} */ step) => value[step], payload.body);
    parent[key] = CONVERSIONS[kind]?.(parent[key]) ?? parent[key];
  }
  return payload;
}

/**
 * Returns a schema for the AI SDK, which sends it verbatim. TypeScript knows it as a Standard Schema.
 *
 * @param {{ [key: string]: unknown }} jsonSchema
 */
function sdkSchema(jsonSchema) {
  const standard = {
    version: 1,
    vendor: "tuckbox",
    validate: (/** @type {unknown} */ value) => ({ value }),
    jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
  };
  return { [SCHEMA]: true, [VALIDATOR]: true, jsonSchema, validate: undefined, "~standard": standard };
}
