// The routes of a project over HTTP, as one web-standard `fetch` handler.
//
//   import { open } from "tuckbox";
//   import { fetchHandler } from "tuckbox/http";
//
//   export default { fetch: fetchHandler({ open, store, authorize: ({ request }) => isMine(request) }) };
//
// Architecture invariant: nothing is read, and no body is looked at, before the host has allowed it.
import operations from "./generated/operations.js";
import { TuckboxError } from "./lib/error.js";
import { bodyText, checkJson } from "./lib/http/body.js";
import { describe } from "./lib/http/openapi.js";
import { HttpError, errorResponse, isInside, jsonResponse } from "./lib/http/responses.js";
import { ROUTES } from "./lib/http/routes.js";
import { Tokens } from "./lib/http/token.js";
import { toText } from "./lib/json.js";
import { checkStore, wrong } from "./lib/options.js";

export { nodeListener } from "./lib/http/node.js";

const DEFAULTS = { base: "", max_body_bytes: 8 * 1024 * 1024, max_ids: 10_000, timeout_ms: 30_000, preview_seconds: 3600, secret: undefined, caller: bearer, settings: {}, onError: (error) => console.error("tuckbox:", error) };
const NEEDED = { open: "the function `open` of this package", store: "a store, or a function that gives one", authorize: "a function that resolves with `true` for what is allowed" };

/** A handler for requests; the host says who may do what. */
export function fetchHandler(options) {
  const given = { ...DEFAULTS, ...options };
  for (const [name, what] of Object.entries(NEEDED)) {
    if (given[name] === undefined) throw wrong(name, `\`${name}\` is missing: pass ${what}`);
  }
  for (const name of ["open", "authorize", "caller", "onError"]) if (typeof given[name] !== "function") throw wrong(name, `\`${name}\` is a function`);
  if (typeof given.store !== "function") checkStore(given.store);
  for (const name of Object.keys(given)) if (!(name in NEEDED) && !(name in DEFAULTS)) throw wrong(name, `unknown option \`${name}\``);
  for (const name of ["max_body_bytes", "max_ids", "timeout_ms", "preview_seconds"]) {
    if (!(given[name] >= 0)) throw wrong(name, `\`${name}\` is a number`);
  }
  const { secret } = given;
  if (secret !== undefined && !((typeof secret === "string" || secret instanceof Uint8Array) && secret.length >= 16)) {
    throw wrong("secret", "`secret` is at least 16 bytes or characters that nobody else knows");
  }
  const base = given.base.replace(/\/+$/, "");
  const routes = ROUTES.map((route) => ({ ...route, segments: `${base}${route.path}`.split("/") }));
  const host = { ...given, base, routes, tokens: new Tokens(secret) };
  return async (request, ...more) => {
    try {
      return await answer(host, request, more);
    } catch (error) {
      if (isInside(error)) await told(host, error, request);
      return errorResponse(error);
    }
  };
}

/** Who asks, where the host does not say: whoever has this authorization. */
function bearer({ request }) {
  return request.headers.get("authorization") ?? "";
}

/** A log that fails must not change the answer. */
async function told({ onError }, error, request) {
  try {
    await onError(error, request);
  } catch {
    // nobody is left to tell
  }
}

async function answer(host, request, more) {
  const url = new URL(request.url);
  if (url.pathname === `${host.base}/openapi.json`) return description(host, request);
  const { route, params } = matched(host, request.method, url.pathname);
  const { project_id, op } = params;
  const { action } = route;
  const verdict = await host.authorize({ request, project_id, action, ...(op === undefined ? {} : { op }) }, ...more);
  if (verdict instanceof Response) return verdict;
  // only `true` lets anybody in: a hook that forgets to say something refuses
  if (verdict !== true) throw new TuckboxError("auth_failed", "this is not allowed");

  const body = route.body === undefined ? undefined : await bodyText(request, host.max_body_bytes, op !== undefined);
  const store = typeof host.store === "function" ? await host.store({ request, project_id, action }, ...more) : host.store;
  checkStore(store);
  const { timeout_ms, max_ids, preview_seconds, settings, tokens } = host;
  const subject = op === undefined ? undefined : { project_id, op, body, caller: await host.caller({ request, project_id, action, op }, ...more) };
  if (subject !== undefined && typeof subject.caller !== "string") throw new TypeError("`caller` resolves with a text that names who asks");
  const options = { timeout_ms, signal: request.signal };
  const opened = [];
  const open = async (on, given) => {
    const project = await host.open(on, { ...settings, ...given, ...options });
    opened.push(project);
    return project;
  };
  const clock = Date.now();
  const env = { now: clock, entropy: globalThis.crypto.getRandomValues(new Uint8Array(32)) };
  try {
    const workspace = () => open(store, { project_id });
    const text = await route.run({ workspace, tokens, subject, open, store, project_id, op, params, body, url, env, clock, max_ids, preview_seconds, options });
    return jsonResponse(text);
  } catch (error) {
    if (op !== undefined && error?.code === "invalid_content") checkJson(body);
    throw unknownOperation(error, op);
  } finally {
    for (const project of opened) project.dispose();
  }
}

/** An operation is part of the address: one that does not exist is not there. */
function unknownOperation(error, op) {
  if (op === undefined || error?.code !== "bad_request" || error.path !== "op") return error;
  return new HttpError(404, "not_found", error.message, { path: "op" });
}

function matched({ routes }, method, pathname) {
  const parts = pathname.split("/");
  const found = routes.flatMap((route) => {
    const params = paramsOf(route.segments, parts);
    return params === undefined ? [] : [{ route, params }];
  });
  const match = found.find(({ route }) => route.method === method);
  if (match !== undefined) return { route: match.route, params: decoded(match.params) };
  if (found.length === 0) throw new HttpError(404, "not_found", "there is nothing at this address");
  const allow = [...new Set(found.map(({ route }) => route.method))].join(", ");
  throw new HttpError(405, "bad_request", `\`${method}\` is not possible here`, { headers: { allow } });
}

function paramsOf(segments, parts) {
  if (segments.length !== parts.length) return undefined;
  const params = {};
  for (const [index, segment] of segments.entries()) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined ? segment !== parts[index] : parts[index] === "") return undefined;
    if (name !== undefined) params[name] = parts[index];
  }
  return params;
}

function decoded(params) {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, part]) => [name, decodeURIComponent(part)]));
  } catch {
    throw new HttpError(400, "bad_request", "the address is not valid UTF-8");
  }
}

async function description({ open, base, settings }, { method }) {
  if (method !== "GET") throw new HttpError(405, "bad_request", `\`${method}\` is not possible here`, { headers: { allow: "GET" } });
  const { recipes = [] } = JSON.parse(toText(settings, "bad_request"));
  return jsonResponse(JSON.stringify(describe([...operations, ...recipes.map(({ name }) => name)], base)));
}
