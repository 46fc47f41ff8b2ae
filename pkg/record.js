// Records requests to models in a form that `tuckbox import` reads: a wrapper of `fetch`, a middleware of the AI SDK,
// and sinks for the records.
/** @import { RecordSink } from "./types/record.js" */
import { TuckboxError } from "./lib/error.js";
import { own } from "./lib/options.js";
import { bodyOf, objectText } from "./lib/record.js";
import { answerText, lineOf, recordOf, textOf } from "./lib/record-lines.js";
import { maskUrl } from "./mask.js";

/**
 * Returns a `fetch` that also passes a record of every request with a JSON body to `sink`. A request never fails
 * because of its sink: `onError` receives the error.
 *
 * @type {typeof import("./types/record.js").recordFetch}
 */
export function recordFetch(sink, options) {
  const { fetch = globalThis.fetch, now = () => new Date(), onError = () => {} } = own(options);
  check(sink);
  return async (input, init) => {
    const at = now().toISOString();
    const request = await bodyOf(input, init);
    const response = await fetch(input, init);
    if (request !== undefined) {
      const copy = response.clone();
      copy
        .text()
        .then((text) => answerText(text, copy.headers.get("content-type") ?? ""))
        .then((answer) => sink(recordOf({ at, url: cleanUrl(input), status: copy.status }, request, answer)))
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
export function recordMiddleware(sink, options) {
  const { now = () => new Date(), onError = () => {} } = own(options);
  check(sink);
  /** @param {string} at @param {any} params @param {any} model @param {{ request: any, response?: any }} result */
  const record = async (at, params, model, { request, response }) => {
    const body = typeof request?.body === "string" ? objectText(request.body) : textOf(request?.body);
    const sent = body ?? textOf({ model: model?.modelId, messages: params.prompt, tools: params.tools ?? [] }) ?? "{}";
    await sink(recordOf({ at, model: model?.modelId ?? null }, sent, textOf(response?.body) ?? "null"));
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
      await appendFile(path, `${lineOf(record)}\n`);
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
export function storeSink(project, options) {
  const { name = "live" } = own(options);
  let count = 0;
  let last = Promise.resolve();
  return (record) => {
    count += 1;
    const file = { name: `${name}-${record.at}-${count}.jsonl`, text: lineOf(record) };
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

/** @param {any} input */
function cleanUrl(input) {
  return maskUrl(new URL(typeof input === "string" ? input : (input.url ?? String(input)), "http://localhost").href);
}
