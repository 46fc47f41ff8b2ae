// A store behind HTTP: a handler of this package on the other side, or any server with its routes.
//
//   const store = httpStore("https://example.org/api", { headers: { authorization: `Bearer ${token}` } });
import { TuckboxError, messageOf } from "../lib/error.js";
import { toText } from "../lib/json.js";
import { items, members } from "../lib/raw.js";
import { KINDS } from "../lib/rows.js";

const CODES = ["bad_request", "not_found", "invalid_content", "auth_failed", "conflict", "limit", "store"];

export function httpStore(url, options = {}) {
  const { headers = {}, fetch = globalThis.fetch, routes = "store", max_ids = 10_000, ...unknown } = options;
  for (const name of Object.keys(unknown)) throw wrong(name, `unknown option \`${name}\``);
  if (typeof fetch !== "function") throw wrong("fetch", "there is no `fetch` here; pass one");
  if (routes !== "store" && routes !== "cards") throw wrong("routes", "`routes` is `store` or `cards`");
  if (!Number.isSafeInteger(max_ids) || max_ids < 1) throw wrong("max_ids", "`max_ids` is how many ids one request may hold");
  const wire = new Wire(baseOf(url), headers, fetch);
  return new HttpStore(routes === "store" ? new StoreRoutes(wire) : new CardRoutes(wire), max_ids);
}

class HttpStore {
  #routes;
  #max_ids;

  constructor(routes, max_ids) {
    this.#routes = routes;
    this.#max_ids = max_ids;
  }

  async read(reads, { signal } = {}) {
    const batches = batchesOf(reads, this.#max_ids);
    if (batches.length === 1) return this.#routes.read(batches[0], signal);
    const answers = [];
    // one after the other: a server that limits a request would not want them all at once
    for (const batch of batches) answers.push(await this.#routes.read(batch, signal));
    return joined(answers);
  }

  async commit(writes, { text = toText(writes, "store", ["writes"]), signal } = {}) {
    return this.#routes.commit(writes, text, signal);
  }
}

/** The routes that are made for a store. */
class StoreRoutes {
  #wire;

  constructor(wire) {
    this.#wire = wire;
  }

  /** The bytes go to the core as they came. */
  async read(reads, signal) {
    const response = await this.#wire.send("read", reads.project_id, "store/read", toText(reads, "bad_request"), signal);
    return new Uint8Array(await received("read", response.arrayBuffer()));
  }

  async commit(writes, text, signal) {
    const response = await this.#wire.send("commit", writes.project_id, "store/commit", text, signal);
    return received("commit", response.json());
  }
}

/** Boxes and cards over the routes of the documents, to look at; these routes write nothing. */
class CardRoutes {
  #wire;

  constructor(wire) {
    this.#wire = wire;
  }

  async read(reads, signal) {
    const rows = async (kind, name, column) => {
      const asked = reads[kind] ?? [];
      if (asked.length === 0) return [];
      const response = await this.#wire.send("read", reads.project_id, `${kind}/batch`, JSON.stringify({ [name]: asked }), signal);
      const texts = items(new Map(members(await received("read", response.text()))).get(kind) ?? "[]");
      const found = new Map(texts.map((text) => [JSON.parse(text)[column], text]));
      const missing = asked.filter((key) => !found.has(key));
      return [`"${kind}":[${asked.flatMap((key) => found.get(key) ?? []).join(",")}]`, `"missing_${kind}":${JSON.stringify(missing)}`];
    };
    const parts = await Promise.all([rows("boxes", "box_ids", "box_id"), rows("cards", "card_ids", "card_id")]);
    const failed = KINDS.filter((kind) => kind !== "boxes" && kind !== "cards").flatMap((kind) => {
      return (reads[kind] ?? []).map((key) => ({ kind, key, message: `the server has no route for ${kind}` }));
    });
    for (const row of [...(reads.rows ?? []), ...(reads.lists ?? [])]) failed.push({ ...row, error: "the server has no route for rows" });
    return `{${[...parts.flat(), `"failed":${JSON.stringify(failed)}`].join(",")}}`;
  }

  async commit() {
    throw new TuckboxError("store", "the server has no route for commits", { path: "store.commit" });
  }
}

/** Requests to one server. */
class Wire {
  #base;
  #headers;
  #fetch;

  constructor(base, headers, fetch) {
    this.#base = base;
    this.#headers = headers;
    this.#fetch = fetch;
  }

  async send(method, project_id, path, body, signal) {
    const url = `${this.#base}/projects/${encoded(project_id)}/${path}`;
    const own = typeof this.#headers === "function" ? await this.#headers() : this.#headers;
    let response;
    try {
      const { "content-type": _, ...rest } = Object.fromEntries(new Headers(own));
      // a redirect could take the headers somewhere else
      const init = { method: "POST", headers: { accept: "application/json", ...rest, "content-type": "application/json" }, body, redirect: "manual", signal };
      const fetch = this.#fetch;
      response = await fetch(url, init);
    } catch (cause) {
      const unknown = method === "commit" ? "; it may have been applied, and committing again is safe" : "";
      throw new TuckboxError("store", `the server could not be reached: ${messageOf(cause)}${unknown}`, { path: `store.${method}`, cause });
    }
    if (response.ok && (response.headers.get("content-type") ?? "").includes("json")) return response;
    throw await refusal(method, url, response);
  }
}

/** The keys in batches of at most `max_ids`. */
function batchesOf({ project_id, ...reads }, max_ids) {
  const keys = [...KINDS, "rows", "lists", "operations"].flatMap((kind) => (reads[kind] ?? []).map((key) => [kind, key]));
  const batches = [];
  for (let from = 0; from === 0 || from < keys.length; from += max_ids) {
    const batch = { project_id };
    for (const [kind, key] of keys.slice(from, from + max_ids)) (batch[kind] ??= []).push(key);
    batches.push(batch);
  }
  // where a read takes several requests, what follows from rows is asked for in the next read
  if (batches.length === 1 && reads.follow !== undefined) batches[0].follow = reads.follow;
  return batches;
}

/** Several answers as one; all their members are lists. */
function joined(answers) {
  const lists = new Map();
  for (const answer of answers) {
    const text = typeof answer === "string" ? answer : new TextDecoder().decode(answer);
    for (const [name, list] of members(text)) lists.set(name, [...(lists.get(name) ?? []), ...items(list)]);
  }
  return `{${Array.from(lists, ([name, list]) => `${JSON.stringify(name)}:[${list.join(",")}]`).join(",")}}`;
}

async function received(method, body) {
  try {
    return await body;
  } catch (cause) {
    throw new TuckboxError("store", `the server's answer broke off or is not JSON: ${messageOf(cause)}`, { path: `store.${method}`, cause });
  }
}

/** What the server says went wrong, if it is one that talks like ours. */
async function refusal(method, url, response) {
  const where = { path: `store.${method}`, details: { status: response.status } };
  let error;
  try {
    ({ error } = JSON.parse(await response.text()));
  } catch {
    // not JSON: not ours
  }
  if (CODES.includes(error?.code) && typeof error.message === "string") {
    const { code, message, path = "", details = {} } = error;
    if (code === "store") return new TuckboxError(code, `the server says: ${message}`, where);
    return new TuckboxError(code, message, { path, details });
  }
  if (response.ok) return new TuckboxError("store", `\`${url}\` answered with something else than JSON; is it the address of such a server?`, where);
  return new TuckboxError("store", `\`${url}\` answered with status ${response.status}; is it the address of such a server?`, where);
}

function baseOf(url) {
  let parsed;
  try {
    parsed = new URL(url);
  } catch {
    throw wrong("url", "the address of a server starts with `https://` or `http://`");
  }
  if (!["http:", "https:"].includes(parsed.protocol)) throw wrong("url", "the address of a server starts with `https://` or `http://`");
  if (parsed.username !== "" || parsed.password !== "" || parsed.search !== "" || parsed.hash !== "") {
    throw wrong("url", "the address has no user, question or place in it; credentials go into `headers`");
  }
  return parsed.href.replace(/\/+$/, "");
}

function encoded(project_id) {
  // every address reads these two as a step in its path, however they are written
  if (project_id === "." || project_id === "..") throw wrong("project_id", `a project named \`${project_id}\` cannot be reached over HTTP`);
  try {
    return encodeURIComponent(project_id);
  } catch {
    throw wrong("project_id", "the project's id holds a lone surrogate");
  }
}

function wrong(path, message) {
  return new TuckboxError("bad_request", message, { path });
}
