// Tuckbox between a client and its provider, as a `fetch`. Every client of a provider takes one.
/** @import { AdaptOptions, AssembledRequest } from "../types/adapters/fetch.js" */
import { messageOf, TuckboxError } from "../lib/error.js";
import { knownText, parseJson, toText } from "../lib/json.js";
import { own } from "../lib/options.js";
import { members } from "../lib/raw.js";
import { bodyOf } from "../lib/record.js";
import { recordFetch, storeSink } from "../record.js";

const MODES = ["look", "assemble"];

/**
 * The providers whose requests can be assembled: the path of their route, the keys of the prompt in a body, and the
 * messages and tools of a body. Bedrock has no path: its client signs a body before it sends it.
 *
 * @type {{ provider: AssembledRequest["provider"], path?: RegExp, host?: RegExp, keys: string[], messages: (body: any) => unknown[], tools?: (body: any) => unknown[] }[]}
 */
const ROUTES = [
  {
    provider: "mistral",
    path: /\/chat\/completions$/,
    host: /(^|\.)mistral\.ai$/,
    keys: ["messages", "tools"],
    messages: ({ messages }) => messages,
  },
  { provider: "openai_chat", path: /\/chat\/completions$/, keys: ["messages", "tools"], messages: ({ messages }) => messages },
  {
    provider: "anthropic",
    path: /\/messages$/,
    keys: ["system", "messages", "tools"],
    messages: ({ system, messages }) => (system === undefined ? messages : [{ role: "system", content: system }, ...messages]),
  },
  {
    provider: "gemini",
    path: /\/models\/([^/:]+):(?:generateContent|streamGenerateContent)$/,
    keys: ["systemInstruction", "contents", "tools"],
    messages: ({ systemInstruction: system, contents }) =>
      system === undefined
        ? contents
        : [{ role: "system", ...(system.parts === undefined ? { content: system } : { parts: system.parts }) }, ...contents],
  },
  {
    provider: "bedrock",
    keys: ["system", "messages", "toolConfig"],
    messages: ({ system, messages }) => (system === undefined ? messages : [{ role: "system", content: system }, ...messages]),
    tools: ({ toolConfig }) => toolConfig?.tools ?? [],
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
    const url = new URL(typeof input === "string" ? input : (input?.url ?? String(input)), "http://localhost");
    const route = ROUTES.find(
      ({ provider, path, host = /^/ }) =>
        path?.test(url.pathname) && (options.provider === undefined ? host.test(url.hostname) : provider === options.provider),
    );
    // the libraries send text; a request that is not text is none of a model
    const given = route === undefined ? undefined : await bodyOf(input, init);
    if (route === undefined || given === undefined) return send(input, init);
    const model = route.path?.exec(url.pathname)?.[1];
    /** @type {AssembledRequest} */
    let assembled;
    try {
      assembled = await assemble({ ...options, provider: route.provider, body: given, ...(model && { model: decodeURIComponent(model) }) });
    } catch (error) {
      return refused(error);
    }
    onRequest(assembled);
    const { method, headers, signal } = init ?? input;
    return send(url.href, { method, signal, ...init, body: assembled.text, headers: withoutLength(init?.headers ?? headers) });
  };
}

/**
 * Returns the request that `adaptFetch` sends for a body, without sending it.
 *
 * @type {typeof import("../types/adapters/fetch.js").assemble}
 */
export async function assemble({ project, provider, body: given, model, limit, payload = {} }) {
  const route = ROUTES.find((known) => known.provider === provider);
  if (route === undefined) {
    const known = ROUTES.map((each) => `\`${each.provider}\``).join(", ");
    throw new TuckboxError("bad_request", `requests of \`${provider}\` cannot be assembled; expected one of ${known}`, {
      path: "provider",
    });
  }
  const body = /** @type {any} */ (typeof given === "string" ? parseJson(given) : given);
  const { tools: toolsOf = () => body.tools ?? [] } = route;
  const call = { ...payload, provider, model: model ?? body.model, messages: route.messages(body), tools: toolsOf(body) };
  const { prompt, dropped } =
    limit === undefined ? { prompt: call, dropped: [] } : await project.budget(/** @type {any} */ ({ ...call, limit }));
  const { messages, tools } = prompt;
  const preview = await project.preview("payload", /** @type {any} */ ({ ...call, messages, tools }));
  const made = new Map(members(preview.valueText));
  preview.dispose();
  // the prompt is long and stays text
  const prompts = new Map(members(made.get("body") ?? "{}"));
  // everything but the prompt stays as the caller wrote it
  const texts = new Map(Object.entries(body));
  for (const key of route.keys) {
    const text = prompts.get(key);
    if (text === undefined) texts.delete(key);
    // the choice of a tool stays
    else texts.set(key, key === "toolConfig" ? { ...body[key], ...JSON.parse(text) } : knownText(text));
  }
  const text = toText(Object.fromEntries(texts), "bad_request");
  const losses = JSON.parse(made.get("losses") ?? "[]");
  return {
    provider,
    text,
    losses,
    dropped,
    get body() {
      const value = /** @type {{ [key: string]: unknown }} */ (parseJson(text));
      Object.defineProperty(this, "body", { value });
      return value;
    },
  };
}

/** @param {AdaptOptions} options */
function checked(options) {
  const { project, mode = "look", provider } = own(options);
  if (typeof project?.payload !== "function") {
    throw new TuckboxError("bad_request", "`project` must be an open project", { path: "project" });
  }
  if (!MODES.includes(mode)) {
    throw new TuckboxError("bad_request", `unknown mode \`${mode}\`; expected one of \`look\`, \`assemble\``, { path: "mode" });
  }
  if (provider !== undefined && !ROUTES.some((route) => route.provider === provider && route.path !== undefined)) {
    throw new TuckboxError("bad_request", `requests of \`${provider}\` cannot be assembled on their way`, { path: "provider" });
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
