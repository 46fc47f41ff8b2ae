// A `fetch` that records the requests of a provider's client, or assembles their prompts.
/** @import { AdaptOptions, AssembledRequest } from "../types/adapters/fetch.js" */
import { messageOf, TuckboxError } from "../lib/error.js";
import { parseJson, toText } from "../lib/json.js";
import { own } from "../lib/options.js";
import { members, placed } from "../lib/raw.js";
import { bodyOf } from "../lib/record.js";
import { begun, continued } from "../lib/resident.js";
import { recordFetch, storeSink } from "../record.js";

const MODES = ["look", "assemble"];

/**
 * The requests of a provider: the path of their route, and where a body has its prompt. `keys` are those of the whole
 * prompt, `list` is that of the messages.
 *
 * @typedef {{ provider: AssembledRequest["provider"], path?: RegExp, host?: RegExp, keys: string[], list: string, messages: (body: any) => unknown[], tools?: (body: any) => unknown[] }} Route
 */

/**
 * The providers whose requests can be assembled. Bedrock has no path: its client signs a body before it sends it.
 *
 * @type {Route[]}
 */
const ROUTES = [
  {
    provider: "mistral",
    path: /\/chat\/completions$/,
    host: /(^|\.)mistral\.ai$/,
    keys: ["messages", "tools"],
    list: "messages",
    messages: ({ messages }) => messages,
  },
  {
    provider: "openai_chat",
    path: /\/chat\/completions$/,
    keys: ["messages", "tools"],
    list: "messages",
    messages: ({ messages }) => messages,
  },
  {
    provider: "anthropic",
    path: /\/messages$/,
    keys: ["system", "messages", "tools"],
    list: "messages",
    messages: ({ system, messages }) => (system === undefined ? messages : [{ role: "system", content: system }, ...messages]),
  },
  {
    provider: "gemini",
    path: /\/models\/([^/:]+):(?:generateContent|streamGenerateContent)$/,
    keys: ["systemInstruction", "contents", "tools"],
    list: "contents",
    messages: ({ systemInstruction: system, contents }) =>
      system === undefined
        ? contents
        : [{ role: "system", ...(system.parts === undefined ? { content: system } : { parts: system.parts }) }, ...contents],
  },
  {
    provider: "bedrock",
    keys: ["system", "messages", "toolConfig"],
    list: "messages",
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
    // a body that is not text is not a request to a model
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
  if (limit === undefined && !UNSHARED.some((key) => key in payload)) {
    const resident = await resumed(project, route, { given, model, payload });
    if (resident !== undefined) return assembledOf(provider, { ...resident, dropped: [] });
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
  const texts = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => /** @type {[string, string]} */ ([key, toText(value, "bad_request", [key])]));
  const text = objectOf(withPrompt(route, new Map(texts), prompts));
  return assembledOf(provider, { text, losses: JSON.parse(made.get("losses") ?? "[]"), dropped });
}

/** Arguments of `payload` that a resident body does not have, or that change its form. */
const UNSHARED = ["messages", "origins", "tools", "extra", "form", "cache_after"];

/**
 * Returns an assembled request.
 *
 * @param {AssembledRequest["provider"]} provider
 * @param {{ text: string, losses: AssembledRequest["losses"], dropped: AssembledRequest["dropped"] }} made
 * @returns {AssembledRequest}
 */
function assembledOf(provider, { text, losses, dropped }) {
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

/**
 * Returns the members of a request, with the prompt of the payload. Everything else stays as the caller wrote it.
 *
 * @param {Route} route
 * @param {Map<string, string>} texts
 * @param {Map<string, string>} prompts
 */
function withPrompt(route, texts, prompts) {
  for (const key of route.keys) {
    const text = prompts.get(key);
    if (text === undefined) texts.delete(key);
    // keep the caller's choice of a tool
    else if (key === "toolConfig") texts.set(key, toText({ ...parseJson(texts.get(key) ?? "{}"), ...parseJson(text) }, "bad_request"));
    else texts.set(key, text);
  }
  return texts;
}

/** @param {Iterable<[string, string]>} members */
function objectOf(members) {
  return `{${Array.from(members, ([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
}

/**
 * Assembles a request with a body that stays in memory. Returns nothing where the whole request must be read.
 *
 * @param {AdaptOptions["project"]} project
 * @param {Route} route
 * @param {{ given: string | object, model: string | undefined, payload: NonNullable<AdaptOptions["payload"]> }} request
 */
async function resumed(project, route, { given, model, payload }) {
  const { provider, list: key } = route;
  // requests of other providers and with other arguments have other bodies
  const label = `${provider} ${model ?? ""} ${toText(payload, "bad_request")} `;
  if (typeof given === "string") {
    const found = continued(project, label, given);
    if (found !== undefined) return found;
  }
  /** @type {Parts | undefined} */
  let parts;
  try {
    if (typeof given !== "string") {
      const messages = /** @type {any} */ (given)[key];
      const found = continued(project, label, { after: objectOf(aroundList(given, key)), messages });
      if (found !== undefined) return found;
    }
    parts = typeof given === "string" ? partsOf(given, key) : partsOfObject(given, key);
  } catch {
    // reading the whole request reports the error
  }
  if (parts === undefined) return undefined;
  const { small, request } = parts;
  if (typeof given !== "string") {
    const found = continued(project, label, request);
    if (found !== undefined) return found;
  }
  /** @type {any} */
  let body;
  try {
    body = parseJson(objectOf(small));
    // the rest of the request is sent verbatim, so it must be JSON
    if (typeof given === "string") JSON.parse(`${request.before}[${request.after}`);
  } catch {
    return undefined;
  }
  const { tools: toolsOf = () => body.tools ?? [] } = route;
  const terms = toText({ ...payload, provider, model: model ?? body.model, tools: toolsOf(body) }, "bad_request");
  const leading = toText(route.messages(body), "bad_request").slice(1, -1);
  /** @type {(head: string, end: string) => [string, string]} */
  const frame = (head, end) => {
    const prompts = new Map(members(head + end));
    const framed = [...withPrompt(route, new Map(small), prompts)];
    const place = framed.findIndex(([name]) => name === key);
    const [start, rest] = [framed.slice(0, place), framed.slice(place + 1)].map((part) => objectOf(part).slice(1, -1));
    return [`{${start}${start === "" ? "" : ","}${JSON.stringify(key)}:[`, `]${rest === "" ? "" : ","}${rest}}`];
  };
  return begun(project, label, request, { terms, leading, frame }).catch(() => undefined);
}

/**
 * The text of a request around its list, and its members with an empty list.
 *
 * @typedef {{ small: Map<string, string>, request: import("../lib/resident.js").Around }} Parts
 */

/** @param {string} text */
const isList = (text) => /^\[\s*\{/.test(text);

/**
 * Returns the parts of a request. Returns nothing for one without a list of messages.
 *
 * @param {string} text
 * @param {string} key
 * @returns {Parts | undefined}
 */
function partsOf(text, key) {
  const found = placed(text);
  const [whole, ...more] = found.filter((member) => member.key === key);
  // of two members with one name the last counts
  if (whole === undefined || more.length > 0 || !isList(whole.value)) return undefined;
  const { start, value } = whole;
  const list = value.slice(0, -1).trimEnd();
  const small = new Map(found.map((member) => [member.key, member === whole ? "[]" : member.value]));
  return { small, request: { before: text.slice(0, start), list, after: text.slice(start + list.length) } };
}

/**
 * Returns the parts of a request that is an object, as `partsOf`.
 *
 * @param {object} body
 * @param {string} key
 * @returns {Parts | undefined}
 */
function partsOfObject(body, key) {
  const messages = /** @type {any} */ (body)[key];
  if (messages === undefined) return undefined;
  const whole = toText(messages, "bad_request", [key]);
  if (!isList(whole)) return undefined;
  const small = aroundList(body, key);
  return { small, request: { before: "", list: whole.slice(0, -1), after: objectOf(small), messages } };
}

/**
 * Returns the members of a request that is an object, with an empty list.
 *
 * @param {object} body
 * @param {string} key
 */
function aroundList(body, key) {
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  return new Map(given.map(([name, value]) => [name, name === key ? "[]" : toText(value, "bad_request", [name])]));
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
    throw new TuckboxError("bad_request", `requests of \`${provider}\` cannot be assembled`, { path: "provider" });
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
