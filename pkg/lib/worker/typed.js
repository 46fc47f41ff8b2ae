// Tools whose arguments a schema describes and checks.
/** @import { NamedTool, StandardSchema } from "../../types/worker.js" */
import { TuckboxError } from "../error.js";
import { only, own, wrong } from "../options.js";

const KEYS = ["name", "description", "schema", "parameters", "run", "timeoutMs", "idempotent"];

/**
 * Returns a tool with a schema: one of Zod, Valibot or any other library with Standard Schema, or a JSON Schema.
 *
 * @param {any} definition
 * @returns {NamedTool}
 */
export function tool(definition) {
  const { name, schema, parameters, run, ...more } = own(definition ?? {});
  only(definition, KEYS, { what: "key" });
  if (typeof name !== "string" || name === "") throw wrong("name", "`name` must be a string that is not empty");
  if (typeof run !== "function") throw wrong("run", `\`run\` of \`${name}\` must be a function`);
  const isSchema = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  if (!isSchema) throw wrong("schema", `\`schema\` of \`${name}\` must be a Standard Schema or a JSON Schema`);
  if (schema["~standard"] === undefined) return /** @type {any} */ ({ ...more, name, parameters: schema, run });
  const described = parameters ?? jsonSchema(schema, name);
  return /** @type {any} */ ({
    ...more,
    name,
    parameters: described,
    run: async (/** @type {unknown} */ args, /** @type {any} */ call) => run(await checked(schema, args), call),
  });
}

/**
 * Returns the JSON Schema of a Standard Schema, if its library writes one.
 *
 * @param {any} schema
 * @param {string} name
 */
function jsonSchema(schema, name) {
  const { jsonSchema: writer, vendor } = schema["~standard"];
  if (typeof writer?.input !== "function")
    throw wrong("parameters", `\`${vendor}\` writes no JSON Schema for \`${name}\`; pass one as \`parameters\``);
  const { $schema, ...written } = writer.input({ target: "draft-2020-12" });
  return written;
}

/**
 * Returns the arguments as the schema reads them. The model receives the message of the error.
 *
 * @param {StandardSchema} schema
 * @param {unknown} args
 */
async function checked(schema, args) {
  const read = await schema["~standard"].validate(args);
  if (read.issues === undefined) return read.value;
  const list = read.issues.map(({ path = [], message }) => {
    const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
    return keys.length === 0 ? message : `\`${keys.join(".")}\`: ${message}`;
  });
  throw new TuckboxError("bad_request", `the arguments do not match the schema: ${list.join("; ")}`, { path: "arguments" });
}
