// Resources: sessions, requests, boxes and cards as `tuckbox://` URIs; and prompts for three questions.
/** @import { Questions } from "./sessions.js" */
import { given, text } from "../cli/calls.js";
import { codeOf } from "../error.js";
import { cleaned, fenced } from "./answers.js";
import { pageAt } from "./app.js";
import { CODES, clipped, isObject, RpcError } from "./protocol.js";

const SCHEME = "tuckbox://";
/** The maximum size of a resource in tokens. */
const MAX_TOKENS = 20_000;
/** The maximum number of boxes in a list. */
const MAX_BOXES = 500;
/** The time between two looks for changes, in milliseconds. */
const LOOK_EVERY = 1_000;

const TEMPLATES = [
  ["session/{session}", "session", "The newest request of a session"],
  ["session/{session}/request/{request}", "request", "A request of a session"],
  ["box/{box_id}", "box", "The cards of a box"],
  ["card/{card_id}", "card", "A card"],
].map(([path, name, description]) => ({ uriTemplate: SCHEME + path, name, description, mimeType: "text/plain" }));

/**
 * Returns the methods of the resources.
 *
 * @param {Questions} questions
 * @param {{ showsSecrets: boolean }} options
 */
export function resourceMethods(questions, { showsSecrets }) {
  /** @param {any} params */
  const list = async ({ cursor }) => {
    const from = cursor === undefined ? 0 : Number(/^s_(\d{1,15})$/.exec(cursor)?.[1] ?? Number.NaN);
    if (Number.isNaN(from)) throw new RpcError(CODES.params, `unknown cursor: ${clipped(cursor)}`);
    const { text: page, next } = await questions.list(
      given([
        ["from", from],
        ["max_tokens", 8_000],
      ]),
    );
    const sessions = cleaned(page, showsSecrets).sessions.map((/** @type {any} */ { session, source, requests, at }) => ({
      uri: `${SCHEME}session/${encodeURIComponent(session)}`,
      name: session,
      description: `${source}, ${requests} requests${at === undefined ? "" : `, ${at}`}`,
      mimeType: "text/plain",
    }));
    const boxes = from > 0 ? [] : (await questions.boxes()).slice(0, MAX_BOXES);
    const shown = boxes.map((id) => ({ uri: `${SCHEME}box/${encodeURIComponent(id)}`, name: id, mimeType: "text/plain" }));
    return { resources: [...shown, ...sessions], ...(next === undefined ? {} : { nextCursor: `s_${next}` }) };
  };

  /** @param {any} params */
  const read = async ({ uri }) => {
    const page = pageAt(uri);
    if (page !== undefined) return page;
    const unknown = () => new RpcError(CODES.params, `resource not found: ${clipped(uri)}`, { data: { uri: clipped(uri) } });
    const asked = typeof uri === "string" ? question(uri) : undefined;
    if (asked === undefined) throw unknown();
    const { text: found } = await asked(questions).catch((/** @type {unknown} */ error) => {
      if (codeOf(error) === "not_found" || codeOf(error) === "bad_request") throw unknown();
      throw error;
    });
    const body = fenced(`The resource ${clipped(uri)}.`, cleaned(found, showsSecrets));
    return { contents: [{ uri, mimeType: "text/plain", text: body }] };
  };

  return {
    "resources/list": list,
    "resources/templates/list": () => ({ resourceTemplates: TEMPLATES }),
    "resources/read": read,
  };
}

/** @param {string} uri @returns {((questions: Questions) => Promise<{ text: string }>) | undefined} */
function question(uri) {
  if (!uri.startsWith(SCHEME)) return undefined;
  let parts;
  try {
    parts = uri.slice(SCHEME.length).split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
  const [kind, id, more, number, ...rest] = parts;
  if (id === undefined || id === "" || rest.length > 0) return undefined;
  if (kind === "session" && (more === undefined || (more === "request" && /^\d{1,9}$/.test(number ?? ""))))
    return (questions) =>
      questions.about(
        "explain_request",
        given([
          ["session", id],
          ["request", number === undefined ? undefined : Number(number)],
          ["max_tokens", MAX_TOKENS],
        ]),
      );
  if (more !== undefined) return undefined;
  if (kind === "box") return (questions) => questions.read("inspect", given([["box_id", id]]));
  if (kind === "card") return (questions) => questions.read("get_cards", given([["card_ids", [id]]]));
  return undefined;
}

/**
 * Looks for changes while a client listens.
 *
 * @param {Questions} questions
 * @returns {import("./protocol.js").Features["listen"]}
 */
export function listener(questions) {
  return (filter, changed) => {
    let last = /** @type {string | undefined} */ (undefined);
    let isStopped = false;
    const look = async () => {
      const wants = filter.resourcesListChanged === true || filter.resourceSubscriptions?.length > 0;
      // a source that cannot be read now can be read later
      const revision = wants ? await questions.revision().catch(() => last) : undefined;
      if (isStopped) return;
      if (last !== undefined && revision !== undefined && revision !== last) {
        if (filter.resourcesListChanged === true) changed("notifications/resources/list_changed", {});
        for (const uri of filter.resourceSubscriptions ?? []) changed("notifications/resources/updated", { uri });
      }
      last = revision;
      timer = setTimeout(look, LOOK_EVERY);
      timer.unref();
    };
    let timer = setTimeout(look, 0);
    timer.unref();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  };
}

const SESSION = { name: "session", description: "The session; the newest one by default", required: false };

const PROMPTS = [
  {
    name: "why-this-card",
    description: "Why is this card or message in the context?",
    arguments: [{ name: "card", description: "A card, or words of a message", required: true }, SESSION],
    ask: (/** @type {any} */ { card, session }) =>
      `Why is ${quoted(card)} in the context${of(session)}? Call the tool explain, page with more until you find it, then diff on the requests around its first appearance. Name the request that brought it and the tokens that it cost since.`,
  },
  {
    name: "why-the-cache-missed",
    description: "Why did the prompt cache miss?",
    arguments: [SESSION],
    ask: (/** @type {any} */ { session }) =>
      `Why did the prompt cache miss${of(session)}? Call the tool cache. For the most expensive misses call diff on the request and the one before. Answer with cause, place, lost tokens and the fix.`,
  },
  {
    name: "what-the-sub-agent-saw",
    description: "What did the sub-agent see?",
    arguments: [{ name: "agent", description: "The sub-agent", required: false }, SESSION],
    ask: (/** @type {any} */ { agent, session }) =>
      `What did the sub-agent${agent === undefined ? "" : ` ${quoted(agent)}`} see${of(session)}? Call the tool sessions to find its session, then explain on its request 0. List the instruction, the system prompt, the tools and what it did not get.`,
  },
];

/** @param {string | undefined} session */
const of = (session) => (session === undefined ? "" : ` in the session ${quoted(session)}`);

/** @param {unknown} value */
const quoted = (value) => text(clipped(value));

/** The methods of the prompts. */
export const promptMethods = {
  "prompts/list": () => ({ prompts: PROMPTS.map(({ ask, ...prompt }) => prompt) }),
  "prompts/get": (/** @type {any} */ { name, arguments: values = {} }) => {
    const prompt = PROMPTS.find((known) => known.name === name);
    if (prompt === undefined) throw new RpcError(CODES.params, `unknown prompt: ${clipped(name)}`);
    const missing = prompt.arguments.find(
      (argument) => argument.required && !(isObject(values) && typeof values[argument.name] === "string"),
    );
    if (missing !== undefined) throw new RpcError(CODES.params, `the argument ${missing.name} is missing`);
    const content = { type: "text", text: prompt.ask(isObject(values) ? values : {}) };
    return { description: prompt.description, messages: [{ role: "user", content }] };
  },
};
