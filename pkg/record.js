// Records requests to models in a form that `tuckbox import` reads: a wrapper of `fetch`, a middleware of the AI SDK,
// and sinks for the records.
/** @import { Recorded, RecordSink } from "./types/record.js" */
import { TuckboxError } from "./lib/error.js";

/** Names of secrets, in bodies and in URLs. */
const SECRET = /^(authorization|x-api-key|api[-_]?key|key|access[-_]?token|secret|password)$/i;
const REMOVED = "[removed]";

/**
 * Returns a `fetch` that also passes a record of every request with a JSON body to `sink`. A request never fails
 * because of its sink: `onError` receives the error.
 *
 * @type {typeof import("./types/record.js").recordFetch}
 */
export function recordFetch(sink, { fetch = globalThis.fetch, now = () => new Date(), onError = () => {} } = {}) {
  check(sink);
  return async (input, init) => {
    const at = now().toISOString();
    const request = await bodyOf(input, init);
    const response = await fetch(input, init);
    if (request !== undefined) {
      const copy = response.clone();
      received(copy)
        .then((answer) => sink({ at, url: cleanUrl(input), status: copy.status, request: clean(request), response: clean(answer) }))
        .catch(onError);
    }
    return response;
  };
}

/**
 * Returns a middleware for language models of the AI SDK that passes a record of every call to `sink`.
 *
 * @type {typeof import("./types/record.js").recordMiddleware}
 */
export function recordMiddleware(sink, { now = () => new Date(), onError = () => {} } = {}) {
  check(sink);
  /** @param {string} at @param {any} params @param {any} model @param {{ request: any, response?: any }} result */
  const record = async (at, params, model, { request, response }) => {
    const body = typeof request?.body === "string" ? parsed(request.body) : request?.body;
    const sent = body ?? { model: model?.modelId, messages: params.prompt, tools: params.tools ?? [] };
    await sink({ at, model: model?.modelId ?? null, request: clean(sent), response: clean(response?.body ?? null) });
  };
  return {
    specificationVersion: "v3",
    async wrapGenerate({ doGenerate, params, model }) {
      const at = now().toISOString();
      const result = await doGenerate();
      await record(at, params, model, result).catch(onError);
      return result;
    },
    async wrapStream({ doStream, params, model }) {
      const at = now().toISOString();
      const result = await doStream();
      await record(at, params, model, { request: result.request }).catch(onError);
      return result;
    },
  };
}

/**
 * Returns a sink that appends one line per record to a file, in order. It needs `node:fs`.
 *
 * @type {typeof import("./types/record.js").fileSink}
 */
export function fileSink(path) {
  let last = Promise.resolve();
  return (record) => {
    const write = async () => {
      const { appendFile } = await import("node:fs/promises");
      await appendFile(path, `${JSON.stringify(record)}\n`);
    };
    last = last.then(write, write);
    return last;
  };
}

/**
 * Returns a sink that imports every record into a project and commits it.
 *
 * @type {typeof import("./types/record.js").storeSink}
 */
export function storeSink(project, { name = "live" } = {}) {
  let count = 0;
  let last = Promise.resolve();
  return (record) => {
    count += 1;
    const file = { name: `${name}-${record.at}-${count}.jsonl`, text: JSON.stringify(record) };
    const write = async () => {
      const preview = await project.preview({ op: "import", files: [file] });
      await preview.commit();
    };
    last = last.then(write, write);
    return last;
  };
}

/** @param {RecordSink} sink */
function check(sink) {
  if (typeof sink !== "function") throw new TuckboxError("bad_request", "`sink` must be a function that takes a record", { path: "sink" });
}

/**
 * Returns the JSON body of a request; nothing if it cannot be read without consuming it.
 *
 * @param {any} input
 * @param {any} init
 */
async function bodyOf(input, init) {
  if (typeof init?.body === "string") return parsed(init.body);
  if (init?.body instanceof Uint8Array) return parsed(new TextDecoder().decode(init.body));
  if (init?.body === undefined && typeof Request !== "undefined" && input instanceof Request) return parsed(await input.clone().text());
  return undefined;
}

/** @param {string} text */
function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the body of a response: its JSON, or the last event of a stream that has the usage.
 *
 * @param {Response} response
 */
async function received(response) {
  const text = await response.text();
  if (!(response.headers.get("content-type") ?? "").includes("text/event-stream")) return parsed(text) ?? null;
  const events = text
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => parsed(line.slice("data:".length)))
    .filter((event) => event !== undefined);
  const whole = events.findLast(({ response: inner }) => inner?.output !== undefined)?.response;
  return whole ?? events.findLast(({ usage, usageMetadata }) => usage !== undefined || usageMetadata !== undefined) ?? null;
}

/**
 * Returns a URL without secrets.
 *
 * @param {any} input
 */
function cleanUrl(input) {
  const url = new URL(typeof input === "string" ? input : (input.url ?? String(input)), "http://localhost");
  for (const name of [...url.searchParams.keys()]) if (SECRET.test(name)) url.searchParams.set(name, REMOVED);
  url.username = "";
  url.password = "";
  return url.href;
}

/**
 * Returns a value without secrets.
 *
 * @param {unknown} value
 * @returns {unknown}
 */
function clean(value) {
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, SECRET.test(name) && typeof inner === "string" ? REMOVED : clean(inner)]),
  );
}
