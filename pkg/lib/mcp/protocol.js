// The Model Context Protocol over any transport: revision 2026-07-28, which is stateless, and 2025-11-25, which starts
// with a handshake. It routes JSON-RPC messages to the methods of a server, and contains no rules of the server.
import { messageOf } from "../error.js";

/** The supported revisions, the newest first. */
export const VERSIONS = ["2026-07-28", "2025-11-25"];
const [MODERN, LEGACY] = VERSIONS;

const META = "io.modelcontextprotocol/";
/** Keys of `_meta` in revision 2026-07-28. */
export const KEYS = {
  version: `${META}protocolVersion`,
  capabilities: `${META}clientCapabilities`,
  logLevel: `${META}logLevel`,
  server: `${META}serverInfo`,
  subscription: `${META}subscriptionId`,
};

/** The codes of errors. */
export const CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  header: -32020,
  capability: -32021,
  version: -32022,
};

/** How long a client can keep a result, in milliseconds. Results of other methods are not kept. */
const LIFETIMES = /** @type {{ [method: string]: number }} */ ({
  "server/discover": 3_600_000,
  "tools/list": 3_600_000,
  "prompts/list": 3_600_000,
  "resources/templates/list": 3_600_000,
  "resources/list": 0,
  "resources/read": 0,
});

/** Methods that 2026-07-28 does not have. */
const REMOVED = new Set(["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]);

/** The maximum number of calls that run at once. Others wait. */
const MAX_RUNNING = 8;
/** The maximum number of calls that wait. */
const MAX_WAITING = 1_000;
/** The maximum time of a call in milliseconds. A store that hangs must not keep the place of other calls. */
const MAX_CALL_MS = 120_000;

/** An error of the protocol. `status` is the status of an HTTP response. */
export class RpcError extends Error {
  /** @param {number} code @param {string} message @param {{ data?: unknown, status?: number }} [more] */
  constructor(code, message, { data, status = 200 } = {}) {
    super(message);
    this.code = code;
    this.data = data;
    this.status = status;
  }
}

/**
 * What a method knows about its call.
 *
 * @typedef {object} Context
 * @property {boolean} isModern True for revision 2026-07-28.
 * @property {{ [name: string]: any }} capabilities The capabilities of the client.
 * @property {AbortSignal} signal Fires when the client cancels the call.
 * @property {(method: string, params: object) => void} notify Sends a notification about this call.
 * @property {(method: string, params: object) => Promise<any>} ask Sends a request to the client. Only in 2025-11-25.
 * @property {Peer} peer
 * @property {string | number} id
 */

/**
 * A connected client. In 2026-07-28 it has no state.
 *
 * @typedef {object} Peer
 * @property {{ [name: string]: any }} capabilities
 * @property {Set<string>} subscriptions The URIs that a client of 2025-11-25 subscribed to.
 * @property {string} [logLevel]
 * @property {boolean} [isReady] True after the handshake.
 */

/** @typedef {(params: any, context: Context) => unknown} Method */

/**
 * A server: its identity, its capabilities and its methods.
 *
 * @typedef {object} Features
 * @property {{ name: string, version: string, title?: string }} info
 * @property {string} [instructions]
 * @property {{ [name: string]: any }} capabilities
 * @property {{ [name: string]: Method }} methods
 * @property {number} [maxCallMs] The maximum time of a call in milliseconds; two minutes by default.
 * @property {(filter: any, changed: (method: string, params: object) => void) => (() => void)} [listen] Reports changes
 *   that match the filter, until the returned function is called.
 */

/** @returns {Peer} */
export function peer() {
  return { capabilities: {}, subscriptions: new Set() };
}

/** @param {string | number | undefined} id @param {unknown} error */
export function failure(id, error) {
  const { code, message, data } = error instanceof RpcError ? error : { code: CODES.internal, message: messageOf(error), data: undefined };
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error: { code, message, ...(data === undefined ? {} : { data }) } };
}

export class Protocol {
  #features;
  #running = 0;
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @param {Features} features */
  constructor(features) {
    this.#features = features;
  }

  /**
   * Answers a request. Throws `RpcError` for an invalid one.
   *
   * @param {any} message
   * @param {Peer} client
   * @param {{ signal: AbortSignal, send: (message: object) => void, ask: Context["ask"], isModern?: boolean }} channel
   *   `isModern` is true if a header names 2026-07-28.
   */
  async answer(message, client, { signal, send, ask, isModern: isNamed = false }) {
    const { id, method, params = {} } = message;
    const isModern = isNamed || isModernRequest(message);
    if (isModern) checkMeta(params);
    const known = isModern ? !REMOVED.has(method) : method !== "server/discover" && method !== "subscriptions/listen";
    const run = known ? this.#method(method, isModern) : undefined;
    if (run === undefined) throw new RpcError(CODES.method, `method not found: ${clipped(method)}`, { status: isModern ? 404 : 200 });
    const { _meta: meta } = params;
    const level = isModern ? meta?.[KEYS.logLevel] : (client.logLevel ?? "info");
    /** @type {Context} */
    const context = {
      isModern,
      id,
      peer: client,
      signal,
      capabilities: isModern ? meta[KEYS.capabilities] : client.capabilities,
      notify: (name, body) => {
        if (name === "notifications/message" && level === undefined) return;
        if (!signal.aborted) send({ jsonrpc: "2.0", method: name, params: body });
      },
      ask,
    };
    /** @param {Context["ask"]} asks */
    const work = async (asks) => {
      const result = await run(params, { ...context, ask: asks });
      return { jsonrpc: "2.0", id, result: isModern ? this.#stamped(method, result) : plain(result) };
    };
    if (method === "subscriptions/listen") return work(ask);
    await this.#enter();
    try {
      return await bounded(work, { signal, ask }, this.#features.maxCallMs ?? MAX_CALL_MS);
    } finally {
      this.#leave();
    }
  }

  /**
   * @param {string} method
   * @param {boolean} isModern
   * @returns {Method | undefined}
   */
  #method(method, isModern) {
    const { info, instructions, capabilities, methods, listen } = this.#features;
    const about = instructions === undefined ? {} : { instructions };
    switch (method) {
      case "server/discover":
        return () => ({ supportedVersions: VERSIONS, capabilities, ...about });
      case "subscriptions/listen":
        return listen === undefined ? undefined : (params, context) => this.#listen(params, context);
      case "initialize":
        return (params, { peer: client }) => {
          const { protocolVersion: asked, capabilities: own } = params;
          if (typeof asked !== "string") throw new RpcError(CODES.params, "`protocolVersion` must be a string");
          client.capabilities = isObject(own) ? own : {};
          client.isReady = true;
          return { protocolVersion: LEGACY, capabilities, serverInfo: info, ...about };
        };
      case "ping":
        return () => ({});
      case "logging/setLevel":
        if (capabilities.logging === undefined) return undefined;
        return (params, { peer: client }) => {
          client.logLevel = params.level;
          return {};
        };
      case "resources/subscribe":
      case "resources/unsubscribe":
        if (listen === undefined) return undefined;
        return ({ uri }, { peer: client }) => {
          if (typeof uri !== "string") throw new RpcError(CODES.params, "`uri` must be a string");
          if (method === "resources/subscribe") client.subscriptions.add(uri);
          else client.subscriptions.delete(uri);
          return {};
        };
      default:
        return isModern || Object.hasOwn(methods, method) ? (Object.hasOwn(methods, method) ? methods[method] : undefined) : undefined;
    }
  }

  /**
   * Sends changes until the client cancels the request or the server ends.
   *
   * @param {any} params
   * @param {Context} context
   */
  async #listen({ notifications: filter = {} }, { id, signal, notify }) {
    if (!isObject(filter)) throw new RpcError(CODES.params, "`notifications` must be an object");
    const meta = { [KEYS.subscription]: id };
    const { capabilities, listen } = this.#features;
    const accepted = /** @type {{ [name: string]: unknown }} */ ({});
    for (const kind of ["tools", "prompts", "resources"])
      if (filter[`${kind}ListChanged`] === true && capabilities[kind]?.listChanged === true) accepted[`${kind}ListChanged`] = true;
    const uris = filter.resourceSubscriptions;
    if (Array.isArray(uris) && capabilities.resources?.subscribe === true) accepted.resourceSubscriptions = uris;
    notify("notifications/subscriptions/acknowledged", { _meta: meta, notifications: accepted });
    const stop = listen?.(accepted, (method, body) => notify(method, { ...body, _meta: meta }));
    await new Promise((resolve) => {
      if (signal.aborted) resolve(undefined);
      signal.addEventListener("abort", resolve, { once: true });
    });
    stop?.();
    return { _meta: meta };
  }

  /**
   * Reports changes to a client of 2025-11-25, until the returned function is called.
   *
   * @param {Peer} client
   * @param {(message: object) => void} send
   */
  follow(client, send) {
    const { capabilities, listen } = this.#features;
    if (listen === undefined) return () => {};
    const filter = {
      toolsListChanged: capabilities.tools?.listChanged === true,
      promptsListChanged: capabilities.prompts?.listChanged === true,
      resourcesListChanged: capabilities.resources?.listChanged === true,
      get resourceSubscriptions() {
        return [...client.subscriptions];
      },
    };
    return listen(filter, (method, params) => client.isReady && send({ jsonrpc: "2.0", method, params }));
  }

  /** @param {string} method @param {any} result */
  #stamped(method, result) {
    const { _meta: meta, resultType = "complete", ...rest } = result;
    const isKept = resultType === "complete" && Object.hasOwn(LIFETIMES, method);
    return {
      resultType,
      ...rest,
      ...(isKept ? { ttlMs: LIFETIMES[method], cacheScope: "private" } : {}),
      _meta: { [KEYS.server]: this.#features.info, ...meta },
    };
  }

  async #enter() {
    if (this.#running < MAX_RUNNING) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) throw new RpcError(CODES.internal, "the server is busy: try again later", { status: 503 });
    await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
  }

  #leave() {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

/**
 * Waits for work until the client cancels it or it takes too long. Its later result is ignored. The time in which the
 * client answers a request does not count.
 *
 * @template Result
 * @param {(ask: Context["ask"]) => Promise<Result>} work
 * @param {{ signal: AbortSignal, ask: Context["ask"] }} channel
 * @param {number} maxMs
 * @returns {Promise<Result>}
 */
async function bounded(work, { signal, ask }, maxMs) {
  /** @type {(error: RpcError) => void} */
  let fail = () => {};
  const failed = /** @type {Promise<never>} */ (
    new Promise((_, reject) => {
      fail = reject;
    })
  );
  // the end of the input does not cancel a call
  const stopped = () => signal.reason !== "end" && fail(new RpcError(CODES.internal, "the client canceled the request"));
  const late = () => fail(new RpcError(CODES.internal, `the call took longer than ${maxMs / 1_000} s; its result is unknown`));
  let timer = setTimeout(late, maxMs);
  /** @type {Context["ask"]} */
  const asked = async (method, params) => {
    clearTimeout(timer);
    try {
      return await ask(method, params);
    } finally {
      timer = setTimeout(late, maxMs);
    }
  };
  signal.addEventListener("abort", stopped);
  if (signal.aborted) stopped();
  try {
    return await Promise.race([failed, work(asked)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stopped);
  }
}

/**
 * Checks that a value is a message. Throws `RpcError` with the id of an invalid request in `data`.
 *
 * @param {any} message
 * @returns {"request" | "notification" | "response"}
 */
export function kindOf(message) {
  const wrong = (/** @type {string} */ text) => new RpcError(CODES.request, text, { status: 400 });
  if (!isObject(message)) throw wrong("a message must be one JSON object");
  if (message.jsonrpc !== "2.0") throw wrong('`jsonrpc` must be "2.0"');
  const { id, method, params } = message;
  if (id !== undefined && typeof id !== "string" && !Number.isSafeInteger(id)) throw wrong("`id` must be a string or an integer");
  if (method === undefined && ("result" in message || "error" in message)) return "response";
  if (typeof method !== "string") throw wrong("`method` must be a string");
  if (params !== undefined && !isObject(params)) throw wrong("`params` must be an object");
  return id === undefined ? "notification" : "request";
}

/**
 * Returns true for a request that carries its revision.
 *
 * @param {any} message
 */
export function isModernRequest(message) {
  return isObject(message.params?._meta) && KEYS.version in message.params._meta;
}

/** @param {any} params */
function checkMeta({ _meta: meta }) {
  const wrong = (/** @type {string} */ text) => new RpcError(CODES.params, text, { status: 400 });
  if (!isObject(meta)) throw wrong("`_meta` is missing");
  const asked = meta[KEYS.version];
  if (typeof asked !== "string") throw wrong(`\`_meta\` must have \`${KEYS.version}\``);
  if (asked !== MODERN)
    throw new RpcError(CODES.version, "unsupported protocol version", { data: { supported: VERSIONS, requested: asked }, status: 400 });
  if (!isObject(meta[KEYS.capabilities])) throw wrong(`\`_meta\` must have \`${KEYS.capabilities}\``);
}

/**
 * Returns a result of 2025-11-25, which has no type.
 *
 * @param {any} result
 */
function plain({ resultType, ...rest }) {
  return rest;
}

/** @param {unknown} value @returns {value is { [name: string]: any }} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {unknown} text */
export function clipped(text) {
  const whole = String(text).replace(/[^\x20-\x7e]/g, "?");
  return whole.length > 80 ? `${whole.slice(0, 80)}…` : whole;
}
