// Tuckbox between a client and its provider, as a `fetch`. Every client of a provider takes one.
/** @import { AdaptOptions, AssembledRequest } from "../types/adapters/fetch.js" */
import { messageOf, TuckboxError } from "../lib/error.js";
import { parseJson, toText } from "../lib/json.js";
import { own } from "../lib/options.js";
import { recordFetch, storeSink } from "../record.js";

const MODES = ["look", "assemble"];

/**
 * The providers whose requests can be assembled: the path of their route, the keys of the prompt in a body, and the
 * messages of a body.
 *
 * @type {{ provider: "openai_chat" | "anthropic", path: RegExp, keys: string[], messages: (body: any) => unknown[] }[]}
 */
const ROUTES = [
  { provider: "openai_chat", path: /\/chat\/completions$/, keys: ["messages", "tools"], messages: ({ messages }) => messages },
  {
    provider: "anthropic",
    path: /\/messages$/,
    keys: ["system", "messages", "tools"],
    messages: ({ system, messages }) => (system === undefined ? messages : [{ role: "system", content: system }, ...messages]),
  },
];

/**
 * Returns a `fetch` that records every request in a project. In the mode `assemble` it also replaces the prompt of a
 * request with the one that the project assembles.
 *
 * @type {typeof import("../types/adapters/fetch.js").adaptFetch}
 */
export function adaptFetch(options) {
  const { project, mode, fetch = globalThis.fetch, sink = storeSink(project), onRequest = () => {}, onError } = checked(options);
  const send = recordFetch(sink, { fetch: /** @type {any} */ (fetch), ...(onError && { onError }) });
  if (mode === "look") return send;
  return async (input, init) => {
    const path = new URL(typeof input === "string" ? input : (input?.url ?? String(input)), "http://localhost").pathname;
    const route = ROUTES.find((known) => known.path.test(path));
    // the libraries send text; a request that is not text is none of a model
    if (route === undefined || typeof init?.body !== "string") return send(input, init);
    /** @type {AssembledRequest} */
    let assembled;
    try {
      assembled = await assemble({ ...options, provider: route.provider, body: init.body });
    } catch (error) {
      return refused(error);
    }
    onRequest(assembled);
    return send(input, { ...init, body: assembled.text, headers: withoutLength(init.headers) });
  };
}

/**
 * Returns the request that `adaptFetch` sends for a body, without sending it.
 *
 * @type {typeof import("../types/adapters/fetch.js").assemble}
 */
export async function assemble({ project, provider, body: given, limit, payload = {} }) {
  const route = ROUTES.find((known) => known.provider === provider);
  if (route === undefined) {
    const known = ROUTES.map((each) => `\`${each.provider}\``).join(" or ");
    throw new TuckboxError("bad_request", `requests of \`${provider}\` cannot be assembled; expected ${known}`, { path: "provider" });
  }
  const body = /** @type {any} */ (typeof given === "string" ? parseJson(given) : given);
  const call = { ...payload, provider, model: body.model, messages: route.messages(body), tools: body.tools ?? [] };
  const { prompt, dropped } =
    limit === undefined ? { prompt: call, dropped: [] } : await project.budget(/** @type {any} */ ({ ...call, limit }));
  const { messages, tools } = prompt;
  const made = await project.payload(/** @type {any} */ ({ ...call, messages, tools }));
  // everything but the prompt stays as the caller wrote it
  const written = /** @type {{ [key: string]: unknown }} */ ({ ...body });
  for (const key of route.keys) {
    if (made.body[key] === undefined) delete written[key];
    else written[key] = made.body[key];
  }
  return { provider, body: written, text: toText(written, "bad_request"), losses: made.losses, dropped };
}

/** @param {AdaptOptions} options */
function checked(options) {
  const { project, mode = "look" } = own(options);
  if (typeof project?.payload !== "function") {
    throw new TuckboxError("bad_request", "`project` must be an open project", { path: "project" });
  }
  if (!MODES.includes(mode)) {
    throw new TuckboxError("bad_request", `unknown mode \`${mode}\`; expected one of \`look\`, \`assemble\``, { path: "mode" });
  }
  return { ...options, mode };
}

/**
 * Returns a refusal as a response. The libraries report it with its message and do not repeat the request.
 *
 * @param {unknown} error
 */
function refused(error) {
  const { code = "bad_request", path = "", details = {} } = error instanceof TuckboxError ? error : {};
  const body = { type: "error", error: { type: "tuckbox", code, path, details, message: messageOf(error) } };
  const headers = { "content-type": "application/json", "x-should-retry": "false" };
  return new Response(JSON.stringify(body), { status: 400, headers });
}

/**
 * Returns the headers without the length of the replaced body.
 *
 * @param {any} headers
 */
function withoutLength(headers) {
  const copy = new Headers(headers);
  copy.delete("content-length");
  return copy;
}

/**
 * Returns a client whose requests go through `adaptFetch`.
 *
 * @param {any} client
 * @param {AdaptOptions} options
 * @param {string} library
 */
export function wrapClient(client, options, library) {
  if (typeof client?.withOptions !== "function") {
    const message = `this version of \`${library}\` cannot be wrapped: the client has no \`withOptions\`; pass \`fetch: adaptFetch(..)\` to its constructor`;
    throw new TuckboxError("bad_request", message, { path: "client" });
  }
  return client.withOptions({ fetch: adaptFetch({ ...(client.fetch && { fetch: client.fetch.bind(client) }), ...options }) });
}
