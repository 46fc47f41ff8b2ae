// The description of the routes in OpenAPI 3.1, generated from the routes.
/** @import { Route } from "./routes.js" */
import { version } from "../version.js";
import { ROUTES } from "./routes.js";
import { SCHEMAS } from "./schemas.js";

/**
 * Returns the description. With the schema of the operations, each operation has paths of its own with its arguments
 * and its result.
 *
 * @param {readonly string[]} operations
 * @param {{ base?: string, schema?: typeof import("../../types/schema.js").default }} [options]
 */
export function describe(operations, { base = "", schema } = {}) {
  const paths = /** @type {{ [path: string]: { [method: string]: object } }} */ ({});
  const schemas = /** @type {{ [name: string]: object }} */ ({ ...SCHEMAS });
  for (const route of ROUTES) {
    const path = `${base}${route.path}`;
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route, operations);
    if (schema === undefined || !path.includes("{op}")) continue;
    for (const [op, { description, arguments: body, result, writes }] of Object.entries(schema.operations)) {
      if (route.action === "commit" && !writes) continue;
      const answer = { allOf: [ref(route.answer), { type: "object", properties: { value: placed(result) } }] };
      const own = operationOf({ ...route, path: route.path.replace("{op}", op) }, operations, { body: placed(body), answer });
      paths[path.replace("{op}", op)] = { post: { ...own, operationId: `${route.name}_${op}`, summary: description } };
    }
  }
  for (const [name, shape] of Object.entries(schema?.$defs ?? {})) schemas[`${DEFINED}${name}`] = placed(shape);
  return {
    openapi: "3.1.0",
    info: {
      title: "Tuckbox",
      version,
      description: "Cards and boxes of a project, and the requests that models receive. The host decides on access.",
    },
    paths,
    components: { schemas, responses: { Error: { description: "The error", content: json(ref("Error")) } } },
  };
}

/** The start of the names of schemas that operations use. */
const DEFINED = "operation.";

/**
 * Returns a schema of an operation with references to this description.
 *
 * @param {object} schema
 */
function placed(schema) {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"#/components/schemas/${DEFINED}`));
}

/** @param {string} name */
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });

/**
 * @param {Route} route
 * @param {readonly string[]} operations
 * @param {{ body?: object, answer?: object }} [own]
 */
function operationOf({ path, name, summary, body, answer, query = {}, action }, operations, own = {}) {
  const segments = Array.from(path.matchAll(/\{(\w+)\}/g), ([, segment]) => segment);
  const parameters = [
    ...segments.map((segment) => ({
      name: segment,
      in: "path",
      required: true,
      schema: segment === "op" ? { type: "string", enum: operations } : { type: "string" },
    })),
    ...Object.entries(query).map(([key, description]) => ({
      name: key,
      in: "query",
      required: false,
      description,
      schema: { type: "string" },
    })),
  ];
  const failures = [
    "400",
    "403",
    "404",
    ...(body === undefined ? [] : ["413", "415", "422"]),
    ...(action.endsWith("commit") ? ["409"] : []),
    "500",
    "502",
    "504",
  ];
  return {
    operationId: name,
    summary,
    parameters,
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(own.body ?? ref(body)) } }),
    responses: {
      200: { description: summary, content: json(own.answer ?? ref(answer)) },
      ...Object.fromEntries(failures.map((status) => [status, { $ref: "#/components/responses/Error" }])),
    },
  };
}

/** @param {object} schema */
function json(schema) {
  return { "application/json": { schema } };
}
