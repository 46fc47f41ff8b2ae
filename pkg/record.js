// Records of requests to models as they happen, in a form that `tuckbox import` reads: a wrapper
// of `fetch`, a middleware of the AI SDK, and sinks that take the records.
import { TuckboxError } from "./lib/error.js";

/** Names of values that are secrets, in bodies and in addresses. */
const SECRET = /^(authorization|x-api-key|api[-_]?key|key|access[-_]?token|secret|password)$/i;
const REMOVED = "[removed]";

/**
 * A `fetch` that does what `fetch` does and hands a record of every request with a JSON body to
 * `sink`. A sink that fails never fails a request; `onError` hears of it.
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
        .then((answer) => sink({ at, url: address(input), status: copy.status, request: clean(request), response: clean(answer) }))
        .catch(onError);
    }
    return response;
  };
}

/** A middleware for language models of the AI SDK that hands a record of every call to `sink`. */
export function recordMiddleware(sink, { now = () => new Date(), onError = () => {} } = {}) {
  check(sink);
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

/** A sink that adds one line a record to a file, in the order the records come. Only where there are files. */
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

/** A sink that imports every record into a project, and commits it. */
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

function check(sink) {
  if (typeof sink !== "function") throw new TuckboxError("bad_request", "a sink is a function that takes a record", { path: "sink" });
}

/** The JSON body of a request; nothing where it has none that can be read without consuming it. */
async function bodyOf(input, init) {
  if (typeof init?.body === "string") return parsed(init.body);
  if (init?.body instanceof Uint8Array) return parsed(new TextDecoder().decode(init.body));
  if (init?.body === undefined && typeof Request !== "undefined" && input instanceof Request) return parsed(await input.clone().text());
  return undefined;
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What came back: JSON as it stands; of a stream of events, the last one that tells the usage. */
async function received(response) {
  const text = await response.text();
  if (!(response.headers.get("content-type") ?? "").includes("text/event-stream")) return parsed(text) ?? null;
  const events = text.split("\n").filter((line) => line.startsWith("data:")).map((line) => parsed(line.slice("data:".length))).filter((event) => event !== undefined);
  const whole = events.findLast(({ response: inner }) => inner?.output !== undefined)?.response;
  return whole ?? events.findLast(({ usage, usageMetadata }) => usage !== undefined || usageMetadata !== undefined) ?? null;
}

/** An address without what may be a secret in it. */
function address(input) {
  const url = new URL(typeof input === "string" ? input : (input.url ?? String(input)), "http://localhost");
  for (const name of [...url.searchParams.keys()]) if (SECRET.test(name)) url.searchParams.set(name, REMOVED);
  url.username = "";
  url.password = "";
  return url.href;
}

/** A value without secrets. */
function clean(value) {
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, SECRET.test(name) && typeof inner === "string" ? REMOVED : clean(inner)]));
}
