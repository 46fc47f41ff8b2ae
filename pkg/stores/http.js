// A store over HTTP: a handler of this package, or any server with its routes.
//
//   const store = httpStore("https://example.org/api", { headers: { authorization: `Bearer ${token}` } });
/** @import { Reads, Writes } from "../types/store.js" */
/** @import { HeadersOf } from "../types/stores/http.js" */
/** @import { Code } from "../types/error.js" */
/** @import { Receipt } from "../types/results.js" */
import { messageOf, TuckboxError } from "../lib/error.js";
import { toText } from "../lib/json.js";
import { limitedBytes } from "../lib/limited.js";
import { only, own, wrong } from "../lib/options.js";
import { items, members } from "../lib/raw.js";
import { KINDS } from "../lib/rows.js";

/** @typedef {any} Signal The signal of a host, which `fetch` takes. */

/** @typedef {{ left: number, max: number }} Budget The bytes that the answers to one read can still have. */

/**
 * @typedef {object} Routes
 * @property {(reads: Reads, signal: Signal, budget: Budget) => Promise<string | Uint8Array>} read
 * @property {(writes: Writes, text: string, signal: Signal) => Promise<Receipt>} commit
 */

/** What is read in addition to the kinds. */
const OTHERS = /** @type {const} */ (["rows", "lists", "operations"]);

/** The maximum size of the answers to one read: that of a project by default. */
const MAX_READ_BYTES = 32 << 20;

/** The maximum size of receipts and errors. */
const MAX_OTHER_BYTES = 8 << 20;

const CODES = ["bad_request", "not_found", "invalid_content", "auth_failed", "conflict", "limit", "store"];

/** @type {typeof import("../types/stores/http.js").httpStore} */
export function httpStore(url, options) {
  const { headers = {}, fetch = globalThis.fetch, routes = "store", maxIds = 10_000, maxReadBytes = MAX_READ_BYTES } = own(options);
  only(options, ["headers", "fetch", "routes", "maxIds", "maxReadBytes"]);
  if (typeof fetch !== "function") throw wrong("fetch", "this runtime has no `fetch`; pass one");
  if (routes !== "store" && routes !== "cards") throw wrong("routes", "`routes` must be `store` or `cards`");
  if (!Number.isSafeInteger(maxIds) || maxIds < 1) throw wrong("maxIds", "`maxIds` must be a whole number greater than 0");
  if (!(maxReadBytes > 0)) throw wrong("maxReadBytes", "`maxReadBytes` must be a number greater than 0");
  const wire = new Wire(baseOf(url), headers, fetch);
  return new HttpStore(routes === "store" ? new StoreRoutes(wire) : new CardRoutes(wire), wire, maxIds, maxReadBytes);
}

class HttpStore {
  #routes;
  #wire;
  #maxIds;
  #maxReadBytes;

  /** @param {Routes} routes @param {Wire} wire @param {number} maxIds @param {number} maxReadBytes */
  constructor(routes, wire, maxIds, maxReadBytes) {
    this.#routes = routes;
    this.#wire = wire;
    this.#maxIds = maxIds;
    this.#maxReadBytes = maxReadBytes;
  }

  /** @param {Reads} reads @param {{ signal?: Signal, maxBytes?: number }} [more] */
  async read(reads, { signal, maxBytes = this.#maxReadBytes } = {}) {
    const batches = batchesOf(reads, this.#maxIds);
    const budget = { left: maxBytes, max: maxBytes };
    if (batches.length === 1) return this.#routes.read(batches[0], signal, budget);
    const answers = /** @type {(string | Uint8Array)[]} */ ([]);
    // one at a time, because the server limits requests
    for (const batch of batches) answers.push(await this.#routes.read(batch, signal, budget));
    return joined(answers);
  }

  /** @param {Writes} writes @param {{ text?: string, signal?: Signal }} [more] */
  async commit(writes, { text = toText(writes, "store", ["writes"]), signal } = {}) {
    return this.#routes.commit(writes, text, signal);
  }

  /** Returns the time of the server in milliseconds since 1970. The header `date` of its last answer reports it. */
  async now() {
    const { seen } = this.#wire;
    if (seen === undefined) throw new TuckboxError("store", "no answer of the server has reported its time", { path: "store.now" });
    return Math.round(seen.time + performance.now() - seen.at);
  }
}

/**
 * The routes of a store.
 *
 * @implements {Routes}
 */
class StoreRoutes {
  #wire;

  /** @param {Wire} wire */
  constructor(wire) {
    this.#wire = wire;
  }

  /**
   * Returns the bytes of the answer, which the core reads.
   *
   * @param {Reads} reads
   * @param {Signal} signal
   * @param {Budget} budget
   */
  async read(reads, signal, budget) {
    const response = await this.#wire.send("read", reads.project_id, "store/read", toText(reads, "bad_request"), signal);
    return answerBytes(response, budget);
  }

  /** @param {Writes} writes @param {string} text @param {Signal} signal */
  async commit(writes, text, signal) {
    const response = await this.#wire.send("commit", writes.project_id, "store/commit", text, signal);
    const bytes = await received("commit", limitedBytes(response, MAX_OTHER_BYTES));
    return received("commit", (async () => JSON.parse(decoded(bytes)))());
  }
}

/**
 * Boxes and cards over the routes of the documents, which only read.
 *
 * @implements {Routes}
 */
class CardRoutes {
  #wire;

  /** @param {Wire} wire */
  constructor(wire) {
    this.#wire = wire;
  }

  /** @param {Reads} reads @param {Signal} signal @param {Budget} budget */
  async read(reads, signal, budget) {
    /** @param {"boxes" | "cards"} kind @param {string} name @param {string} column */
    const rows = async (kind, name, column) => {
      const asked = reads[kind] ?? [];
      if (asked.length === 0) return [];
      const response = await this.#wire.send("read", reads.project_id, `${kind}/batch`, JSON.stringify({ [name]: asked }), signal);
      const texts = items(new Map(members(decoded(await answerBytes(response, budget)))).get(kind) ?? "[]");
      const found = new Map(texts.map((text) => [JSON.parse(text)[column], text]));
      const missing = asked.filter((key) => !found.has(key));
      return [`"${kind}":[${asked.flatMap((key) => found.get(key) ?? []).join(",")}]`, `"missing_${kind}":${JSON.stringify(missing)}`];
    };
    const parts = await Promise.all([rows("boxes", "box_ids", "box_id"), rows("cards", "card_ids", "card_id")]);
    const failed = /** @type {object[]} */ ([]);
    for (const kind of KINDS) {
      if (kind === "boxes" || kind === "cards") continue;
      for (const key of reads[kind] ?? []) failed.push({ kind, key, message: `the server has no route for ${kind}` });
    }
    for (const row of [...(reads.rows ?? []), ...(reads.lists ?? [])]) failed.push({ ...row, error: "the server has no route for rows" });
    return `{${[...parts.flat(), `"failed":${JSON.stringify(failed)}`].join(",")}}`;
  }

  /** @returns {Promise<never>} */
  async commit() {
    throw new TuckboxError("store", "the server has no route for commits", { path: "store.commit" });
  }
}

/** Requests to one server. */
class Wire {
  #base;
  #headers;
  #fetch;
  /** The time of the server at its last answer, and when it arrived on a clock that never jumps. */
  seen = /** @type {{ time: number, at: number } | undefined} */ (undefined);

  /** @param {string} base @param {HeadersOf} headers @param {(url: string, init: any) => PromiseLike<any>} fetch */
  constructor(base, headers, fetch) {
    this.#base = base;
    this.#headers = headers;
    this.#fetch = fetch;
  }

  /**
   * @param {"read" | "commit"} method
   * @param {string} project_id
   * @param {string} path
   * @param {string} body
   * @param {Signal} signal
   * @returns {Promise<Response>}
   */
  async send(method, project_id, path, body, signal) {
    const url = `${this.#base}/projects/${encoded(project_id)}/${path}`;
    const own = typeof this.#headers === "function" ? await this.#headers() : this.#headers;
    let response;
    try {
      const { "content-type": _, ...rest } = Object.fromEntries(new Headers(own));
      // a redirect could send the headers to another server
      const init = {
        method: "POST",
        headers: { accept: "application/json", ...rest, "content-type": "application/json" },
        body,
        redirect: "manual",
        signal,
      };
      const fetch = this.#fetch;
      response = await fetch(url, init);
      this.#note(response);
    } catch (cause) {
      const unknown = method === "commit" ? "; the server may have applied it, and committing again is safe" : "";
      throw new TuckboxError("store", `the server could not be reached: ${messageOf(cause)}${unknown}`, { path: `store.${method}`, cause });
    }
    if (response.ok && (response.headers.get("content-type") ?? "").includes("json")) return response;
    throw await refusal(method, url, response);
  }

  /** @param {Response} response */
  #note({ headers }) {
    // the header has whole seconds
    const time = Date.parse(headers.get("date") ?? "") + 500;
    if (Number.isFinite(time)) this.seen = { time, at: performance.now() };
  }
}

/**
 * Splits reads into batches of at most `maxIds` keys.
 *
 * @param {Reads} reads
 * @param {number} maxIds
 */
function batchesOf({ project_id, follow, ...reads }, maxIds) {
  const kinds = [...KINDS, ...OTHERS];
  const keys = kinds.flatMap((kind) => (reads[kind] ?? []).map((/** @type {unknown} */ key) => ({ kind, key })));
  const batches = /** @type {Reads[]} */ ([]);
  for (let from = 0; from === 0 || from < keys.length; from += maxIds) {
    const batch = /** @type {{ [kind: string]: unknown[] }} */ ({});
    for (const { kind, key } of keys.slice(from, from + maxIds)) (batch[kind] ??= []).push(key);
    batches.push({ project_id, ...batch });
  }
  // if a read takes several requests, the core reads what follows from rows next
  return batches.length === 1 && follow !== undefined ? [{ ...batches[0], follow }] : batches;
}

/**
 * Joins several answers. All their members are lists.
 *
 * @param {readonly (string | Uint8Array)[]} answers
 */
function joined(answers) {
  const lists = /** @type {Map<string, string[]>} */ (new Map());
  for (const answer of answers) {
    const text = typeof answer === "string" ? answer : new TextDecoder().decode(answer);
    for (const [name, list] of members(text)) lists.set(name, [...(lists.get(name) ?? []), ...items(list)]);
  }
  return `{${Array.from(lists, ([name, list]) => `${JSON.stringify(name)}:[${list.join(",")}]`).join(",")}}`;
}

/**
 * Returns the bytes of an answer to a read. They are taken from the budget while they arrive.
 *
 * @param {Response} response
 * @param {Budget} budget
 */
async function answerBytes(response, budget) {
  const bytes = await received("read", limitedBytes(response, budget.left));
  if (bytes === undefined) {
    const message = `the server's answer is longer than ${budget.max} bytes, the limit \`max_read_bytes\``;
    throw new TuckboxError("limit", message, { path: "store.read", details: { max_read_bytes: budget.max } });
  }
  budget.left -= bytes.length;
  return bytes;
}

/** @param {Uint8Array | undefined} bytes */
function decoded(bytes) {
  return new TextDecoder().decode(bytes);
}

/**
 * @template Body
 * @param {string} method
 * @param {Promise<Body>} body
 */
async function received(method, body) {
  try {
    return await body;
  } catch (cause) {
    throw new TuckboxError("store", `the server's answer is incomplete or not JSON: ${messageOf(cause)}`, {
      path: `store.${method}`,
      cause,
    });
  }
}

/**
 * Returns the error of the server, if it is a server with these routes.
 *
 * @param {string} method
 * @param {string} url
 * @param {Response} response
 */
async function refusal(method, url, response) {
  const where = { path: `store.${method}`, details: { status: response.status } };
  /** @type {{ code: Code, message: string, path?: string, details?: object } | undefined} */
  let error;
  try {
    ({ error } = JSON.parse(decoded(await limitedBytes(response, MAX_OTHER_BYTES))));
  } catch {
    // not JSON: another kind of server
  }
  if (error !== undefined && CODES.includes(error?.code) && typeof error.message === "string") {
    const { code, message, path = "", details = {} } = error;
    if (code === "store") return new TuckboxError(code, `the server failed: ${message}`, where);
    return new TuckboxError(code, message, { path, details });
  }
  if (response.ok) return new TuckboxError("store", `the answer of \`${url}\` is not JSON; is it the URL of a Tuckbox server?`, where);
  return new TuckboxError("store", `\`${url}\` answered with status ${response.status}; is it the URL of a Tuckbox server?`, where);
}

/** @param {string | { readonly href: string }} url */
function baseOf(url) {
  /** @type {URL} */
  let parsed;
  try {
    parsed = new URL(String(url));
  } catch {
    throw wrong("url", "the URL of a server must start with `https://` or `http://`");
  }
  if (!["http:", "https:"].includes(parsed.protocol)) throw wrong("url", "the URL of a server must start with `https://` or `http://`");
  if (parsed.username !== "" || parsed.password !== "" || parsed.search !== "" || parsed.hash !== "") {
    throw wrong("url", "the URL must not have a user, a query or a fragment; pass credentials in `headers`");
  }
  return parsed.href.replace(/\/+$/, "");
}

/** @param {string} project_id */
function encoded(project_id) {
  // a URL reads these two as steps in its path, in any encoding
  if (project_id === "." || project_id === "..") throw wrong("project_id", `a project named \`${project_id}\` cannot be reached over HTTP`);
  try {
    return encodeURIComponent(project_id);
  } catch {
    throw wrong("project_id", "the id of the project contains a lone surrogate");
  }
}
