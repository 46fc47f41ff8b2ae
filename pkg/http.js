// The routes of a project over HTTP, as one web-standard `fetch` handler.
//
//   import { open } from "tuckbox";
//   import { fetchHandler } from "tuckbox/http";
//
//   export default { fetch: fetchHandler({ open, store, authorize: ({ request }) => isMine(request) }) };
//
// Invariant: the handler reads nothing, not even the body, before the host allows it.
/** @import { Route } from "./lib/http/routes.js" */
/** @import { HandlerOptions } from "./types/http.js" */
/** @import { Store } from "./types/store.js" */
/** @import { OpenOptions, Workspace } from "./types/workspace.js" */
import operations from "./generated/operations.js";
import { codeOf, TuckboxError } from "./lib/error.js";
import { bodyText, checkJson } from "./lib/http/body.js";
import { describe } from "./lib/http/openapi.js";
import { errorResponse, HttpError, isInside, jsonResponse } from "./lib/http/responses.js";
import { ROUTES } from "./lib/http/routes.js";
import { Tokens } from "./lib/http/token.js";
import { toText } from "./lib/json.js";
import { checkStore, only, own, wrong } from "./lib/options.js";

export { nodeListener } from "./lib/http/node.js";

const DEFAULTS = {
  base: "",
  maxBodyBytes: 8 * 1024 * 1024,
  maxIds: 10_000,
  timeoutMs: 30_000,
  previewSeconds: 3600,
  secret: undefined,
  caller: bearer,
  settings: {},
  schema: undefined,
  onError: (/** @type {unknown} */ error) => console.error("tuckbox:", error),
};
const NEEDED = {
  open: "the function `open` of this package",
  store: "a store, or a function that returns one",
  authorize: "a function that resolves with `true` to allow a request",
};

/**
 * The options of a handler, each with a value, and its routes.
 *
 * @typedef {Required<Omit<HandlerOptions<any>, "secret" | "schema">> & Pick<HandlerOptions, "schema"> & { routes: (Route & { segments: string[] })[], tokens: Tokens }} Host
 */

/**
 * Returns a handler for requests. The host decides on access.
 *
 * @type {typeof import("./types/http.js").fetchHandler}
 */
export function fetchHandler(options) {
  const given = /** @type {any} */ (own({ ...DEFAULTS, ...options }));
  for (const [name, what] of Object.entries(NEEDED)) {
    if (given[name] === undefined) throw wrong(name, `\`${name}\` is missing: pass ${what}`);
  }
  for (const name of ["open", "authorize", "caller", "onError"])
    if (typeof given[name] !== "function") throw wrong(name, `\`${name}\` must be a function`);
  if (typeof given.store !== "function") checkStore(given.store);
  only(given, [...Object.keys(NEEDED), ...Object.keys(DEFAULTS)]);
  for (const name of ["maxBodyBytes", "maxIds", "timeoutMs", "previewSeconds"]) {
    if (!(given[name] >= 0)) throw wrong(name, `\`${name}\` must be a number, 0 or greater`);
  }
  const { secret } = given;
  if (secret !== undefined && !((typeof secret === "string" || secret instanceof Uint8Array) && secret.length >= 16)) {
    throw wrong("secret", "`secret` must have at least 16 random bytes or characters");
  }
  const base = given.base.replace(/\/+$/, "");
  const routes = ROUTES.map((route) => ({ ...route, segments: `${base}${route.path}`.split("/") }));
  const host = { ...given, base, routes, tokens: new Tokens(secret) };
  return async (request, ...more) => {
    try {
      return await answer(host, request, more);
    } catch (error) {
      if (isInside(error)) await report(host, error, request);
      return errorResponse(error);
    }
  };
}

/**
 * Returns the default name of a caller: its authorization.
 *
 * @param {{ request: Request }} asked
 */
function bearer({ request }) {
  return request.headers.get("authorization") ?? "";
}

/**
 * Reports an error to the host. An error of the host does not change the answer.
 *
 * @param {Host} host
 * @param {unknown} error
 * @param {Request} request
 */
async function report({ onError }, error, request) {
  try {
    await onError(error, request);
  } catch {
    // ignored
  }
}

/** @param {Host} host @param {Request} request @param {unknown[]} more */
async function answer(host, request, more) {
  const url = new URL(request.url);
  if (url.pathname === `${host.base}/openapi.json`) return description(host, request);
  const { route, params } = matched(host, request.method, url.pathname);
  const { project_id, op } = params;
  const { action } = route;
  const verdict = await host.authorize({ request, projectId: project_id, action, ...(op === undefined ? {} : { op }) }, ...more);
  if (verdict instanceof Response) return verdict;
  // only `true` allows, so that a function without a result denies
  if (verdict !== true) throw new TuckboxError("auth_failed", "access denied");

  const body = route.body === undefined ? "" : await bodyText(request, host.maxBodyBytes, op !== undefined);
  const store = typeof host.store === "function" ? await host.store({ request, projectId: project_id, action }, ...more) : host.store;
  checkStore(store);
  const { timeoutMs, maxIds, previewSeconds, settings, tokens } = host;
  const caller = op === undefined ? "" : await host.caller({ request, projectId: project_id, action, op }, ...more);
  if (typeof caller !== "string") throw new TypeError("`caller` must resolve with a string");
  const subject = { project_id, op, body, caller };
  const options = { timeoutMs, signal: request.signal };
  const opened = /** @type {Workspace[]} */ ([]);
  /** @param {Store} on @param {OpenOptions} given */
  const open = async (on, given) => {
    const project = await host.open(on, { ...settings, ...given, ...options });
    opened.push(project);
    return project;
  };
  const clock = Date.now();
  const env = { now: clock, entropy: globalThis.crypto.getRandomValues(new Uint8Array(32)) };
  try {
    const workspace = () => open(store, { projectId: project_id });
    const text = await route.run({
      workspace,
      tokens,
      subject,
      open,
      store,
      project_id,
      op,
      params,
      body,
      url,
      env,
      clock,
      maxIds,
      previewSeconds,
      options,
    });
    return jsonResponse(text);
  } catch (error) {
    if (op !== undefined && codeOf(error) === "invalid_content") checkJson(body);
    throw unknownOperation(error, op);
  } finally {
    for (const project of opened) project.dispose();
  }
}

/**
 * Returns the error for an unknown operation, which is a part of the URL.
 *
 * @param {unknown} error
 * @param {string | undefined} op
 */
function unknownOperation(error, op) {
  if (op === undefined || !(error instanceof TuckboxError) || error.code !== "bad_request" || error.path !== "op") return error;
  return new HttpError(404, "not_found", error.message, { path: "op" });
}

/** @param {Host} host @param {string} method @param {string} pathname */
function matched({ routes }, method, pathname) {
  const parts = pathname.split("/");
  const found = routes.flatMap((route) => {
    const params = paramsOf(route.segments, parts);
    return params === undefined ? [] : [{ route, params }];
  });
  const match = found.find(({ route }) => route.method === method);
  if (match !== undefined) return { route: match.route, params: decoded(match.params) };
  if (found.length === 0) throw new HttpError(404, "not_found", "no route matches this path");
  const allow = [...new Set(found.map(({ route }) => route.method))].join(", ");
  throw new HttpError(405, "bad_request", `method \`${method}\` is not allowed`, { headers: { allow } });
}

/** @param {readonly string[]} segments @param {readonly string[]} parts */
function paramsOf(segments, parts) {
  if (segments.length !== parts.length) return undefined;
  const params = /** @type {{ [name: string]: string }} */ ({});
  for (const [index, segment] of segments.entries()) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined ? segment !== parts[index] : parts[index] === "") return undefined;
    if (name !== undefined) params[name] = parts[index];
  }
  return params;
}

/** @param {{ [name: string]: string }} params */
function decoded(params) {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, part]) => [name, decodeURIComponent(part)]));
  } catch {
    throw new HttpError(400, "bad_request", "the URL is not valid UTF-8");
  }
}

/** @param {Host} host @param {Request} request */
async function description({ base, settings, schema }, { method }) {
  if (method !== "GET") throw new HttpError(405, "bad_request", `method \`${method}\` is not allowed`, { headers: { allow: "GET" } });
  const { recipes = [] } = own(JSON.parse(toText(settings, "bad_request")));
  return jsonResponse(
    JSON.stringify(describe([...operations, ...recipes.map((/** @type {{ name: string }} */ { name }) => name)], { base, schema })),
  );
}
