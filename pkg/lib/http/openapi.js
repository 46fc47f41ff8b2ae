// The description of the routes in OpenAPI 3.1, generated from the routes.
/** @import { Route } from "./routes.js" */
import { version } from "../version.js";
import { ROUTES } from "./routes.js";
import { SCHEMAS } from "./schemas.js";

/**
 * Returns the description.
 *
 * @param {readonly string[]} operations
 * @param {string} [base]
 */
export function describe(operations, base = "") {
  const paths = /** @type {{ [path: string]: { [method: string]: object } }} */ ({});
  for (const route of ROUTES) {
    const path = `${base}${route.path}`;
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route, operations);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tuckbox",
      version,
      description: "Cards and boxes of a project, and the requests that models receive. The host decides on access.",
    },
    paths,
    components: { schemas: SCHEMAS, responses: { Error: { description: "The error", content: json("Error") } } },
  };
}

/** @param {Route} route @param {readonly string[]} operations */
function operationOf({ path, name, summary, body, answer, query = {}, action }, operations) {
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
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: { description: summary, content: json(answer) },
      ...Object.fromEntries(failures.map((status) => [status, { $ref: "#/components/responses/Error" }])),
    },
  };
}

/** @param {string} schema */
function json(schema) {
  return { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } };
}
