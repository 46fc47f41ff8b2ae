// Records the requests of a function: those of its `fetch`, of the global one, of clients and of models of the AI SDK.
/** @import { LockContext, Recorder } from "../../types/lock.js" */
import { AsyncLocalStorage } from "node:async_hooks";
import { maskJson } from "../../mask.js";
import { recordMiddleware } from "../../record.js";
import { bodyOf } from "../record.js";

/** @typedef {(request: any) => void} Add */

/**
 * What the running function records. A request that is recorded already runs without it.
 *
 * @type {AsyncLocalStorage<Add | undefined>}
 */
const recording = new AsyncLocalStorage();

/** @type {{ original: typeof fetch, replaced: typeof fetch, count: number } | undefined} */
let global;

/** Replaces the global `fetch` until the last function that records has ended. */
function replaceFetch() {
  if (global === undefined) {
    const original = globalThis.fetch;
    /** @type {typeof fetch} */
    const replaced = (input, init) => {
      const add = recording.getStore();
      return add === undefined ? original(input, init) : recordingFetch(add, original)(input, init);
    };
    globalThis.fetch = replaced;
    global = { original, replaced, count: 0 };
  }
  global.count += 1;
  return global.original;
}

function restoreFetch() {
  if (global === undefined) return;
  global.count -= 1;
  if (global.count > 0) return;
  if (globalThis.fetch === global.replaced) globalThis.fetch = global.original;
  global = undefined;
}

/**
 * Returns a `fetch` that records requests to models.
 *
 * @param {Add} add
 * @param {typeof fetch} inner
 * @returns {typeof fetch}
 */
function recordingFetch(add, inner) {
  return async (input, init) => {
    const text = await bodyOf(input, init);
    const body = text === undefined ? undefined : JSON.parse(maskJson(text));
    if (isRequest(body)) add(body);
    return recording.run(undefined, () => inner(input, init));
  };
}

/**
 * Returns true for the body of a request to a model. A function can also send other requests.
 *
 * @param {any} body
 */
const isRequest = (body) =>
  Array.isArray(body?.messages) || Array.isArray(body?.contents) || (body?.input !== undefined && typeof body.model === "string");

/**
 * Returns a middleware of the AI SDK that records calls.
 *
 * @param {Add} add
 * @param {(error: unknown) => void} onError
 * @returns {ReturnType<typeof recordMiddleware>}
 */
function recordingMiddleware(add, onError) {
  const { wrapGenerate, wrapStream, ...rest } = recordMiddleware(({ request }) => add(request), { onError });
  return {
    ...rest,
    wrapGenerate: (call) => wrapGenerate({ ...call, doGenerate: () => recording.run(undefined, () => call.doGenerate()) }),
    wrapStream: (call) => wrapStream({ ...call, doStream: () => recording.run(undefined, () => call.doStream()) }),
  };
}

/**
 * Returns a copy of a client of OpenAI or Anthropic, or of a model of the AI SDK, that records its requests.
 *
 * @param {any} given
 * @param {Add} add
 * @param {ReturnType<typeof recordMiddleware>} middleware
 */
function wrapped(given, add, middleware) {
  if (typeof given?.withOptions === "function") {
    const inner = typeof given.fetch === "function" ? given.fetch.bind(given) : globalThis.fetch;
    return given.withOptions({ fetch: recordingFetch(add, inner) });
  }
  if (typeof given?.doGenerate === "function") {
    /** @type {{ [key: string | symbol]: unknown }} */
    const own = {
      doGenerate: (/** @type {any} */ params) =>
        middleware.wrapGenerate({ doGenerate: () => given.doGenerate(params), params, model: given }),
      doStream: (/** @type {any} */ params) => middleware.wrapStream({ doStream: () => given.doStream(params), params, model: given }),
    };
    return new Proxy(given, { get: (model, key) => (Object.hasOwn(own, key) ? own[key] : Reflect.get(model, key, model)) });
  }
  throw new TypeError("`wrap` takes a client of `openai` or `@anthropic-ai/sdk`, or a model of the AI SDK; pass `fetch` to other clients");
}

/**
 * Runs a function, and returns its value and the contexts of its requests: `NAME/1`, `NAME/2`, ..
 *
 * @template Value
 * @param {string} name
 * @param {(recorder: Recorder) => Value | Promise<Value>} run
 * @param {{ fetch?: typeof fetch, volatile?: LockContext["volatile"] }} options
 * @returns {Promise<{ value: Value, contexts: (readonly [string, LockContext])[] }>}
 */
export async function recorded(name, run, { fetch, volatile = [] }) {
  /** @type {(readonly [string, LockContext])[]} */
  const contexts = [];
  /** @type {Add} */
  const add = (body) => void contexts.push([`${name}/${contexts.length + 1}`, { request: { body }, volatile }]);
  /** @type {unknown[]} */
  const errors = [];
  const middleware = recordingMiddleware(add, (error) => void errors.push(error));
  const original = replaceFetch();
  try {
    const recorder = {
      fetch: recordingFetch(add, fetch ?? original),
      middleware,
      wrap: (/** @type {any} */ given) => wrapped(given, add, middleware),
    };
    const value = await recording.run(add, () => run(recorder));
    if (errors.length > 0) throw errors[0];
    if (contexts.length === 0)
      throw new Error(
        `\`${name}\` sent no request to a model; a client that was created before needs \`wrap(client)\`, or \`fetch\` of the recorder`,
      );
    return { value, contexts };
  } finally {
    restoreFetch();
  }
}
