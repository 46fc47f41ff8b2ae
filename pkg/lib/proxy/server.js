// A recording reverse proxy on the loopback interface. It passes the bytes of requests and responses through unchanged,
// as they arrive, and passes a copy of both to a recorder.
/** @import { IncomingMessage, ServerResponse } from "node:http" */
/** @import { Socket } from "node:net" */
import http from "node:http";
import https from "node:https";
import { messageOf } from "../error.js";
import { listenLocal } from "../local/server.js";
import { isExport } from "./otlp.js";

/** Headers of one connection, which a proxy does not pass on. */
const HOP = new Set(["connection", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "upgrade", "expect"]);

/** The maximum time that the end of a response waits for its record, in milliseconds. */
const MAX_WAIT = 1_000;

/**
 * One request and its response, as far as they were seen.
 *
 * @typedef {object} Exchange
 * @property {string} at The time of the request.
 * @property {string} url The URL of the upstream server.
 * @property {string} method
 * @property {number | null} status `null` without a response.
 * @property {{ type: string, encoding: string }} sent
 * @property {{ type: string, encoding: string }} received
 * @property {boolean} isExport True for an export of OpenTelemetry, which goes to no upstream server.
 * @property {Uint8Array[]} request
 * @property {Uint8Array[]} response
 * @property {boolean} isWhole False if the body of the request or the response is longer than the limit.
 * @property {boolean} isAborted True if one side ended the connection early.
 * @property {number} firstByteMs The time to the first byte of the response, in milliseconds.
 * @property {number} ms The whole time.
 */

/**
 * Starts the proxy. `routes` maps the first part of a path to an upstream URL; the longest one that fits is used.
 *
 * @param {object} options
 * @param {number} options.port
 * @param {boolean} options.isExact
 * @param {ReadonlyMap<string, URL>} options.routes
 * @param {string} [options.otlp] The first part of the paths of exports of OpenTelemetry, which are recorded.
 * @param {number} options.maxBytes The maximum number of bytes of a body that are recorded.
 * @param {(exchange: Exchange) => Promise<void>} options.record
 */
export async function serveProxy({ port, isExact, routes, otlp, maxBytes, record }) {
  const prefixes = [...routes.keys()].sort((a, b) => b.length - a.length);
  return listenLocal({
    port,
    isExact,
    handler: (incoming, outgoing) => {
      const target = incoming.url ?? "/";
      if (otlp !== undefined && target.startsWith(otlp) && isExport(incoming.method ?? "", target.slice(otlp.length)))
        return receive(incoming, outgoing, { path: target.slice(otlp.length), maxBytes, record });
      const prefix = prefixes.find((one) => target === one || target.startsWith(`${one}/`) || target.startsWith(`${one}?`));
      const upstream = routes.get(prefix ?? "");
      if (prefix === undefined || upstream === undefined) return refused(outgoing, 404, "no upstream server matches this path");
      // joined as text: the path of a client is passed on as it is
      const path = upstream.pathname.replace(/\/$/, "") + target.slice(prefix.length);
      pass(incoming, outgoing, { upstream, path, maxBytes, record });
    },
    // the upstream server decides how long an idle connection stays open
    settings: { keepAliveTimeout: 0 },
  });
}

/**
 * Returns what is known of an exchange when it starts.
 *
 * @param {IncomingMessage} incoming @param {string} url @param {boolean} isExported
 * @returns {Exchange}
 */
function begin(incoming, url, isExported) {
  return {
    at: new Date().toISOString(),
    url,
    method: incoming.method ?? "GET",
    status: null,
    sent: kindOf(incoming),
    received: { type: "", encoding: "" },
    isExport: isExported,
    request: [],
    response: [],
    isWhole: true,
    isAborted: false,
    firstByteMs: 0,
    ms: 0,
  };
}

/**
 * Returns a function that keeps the chunks of a body up to a limit.
 *
 * @param {Exchange} exchange @param {Uint8Array[]} chunks @param {number} maxBytes
 */
function tap(exchange, chunks, maxBytes) {
  let size = 0;
  return (/** @type {Uint8Array} */ chunk) => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else exchange.isWhole = false;
  };
}

/**
 * Receives an export of OpenTelemetry. The exporter gets the answer after the record is written.
 *
 * @param {IncomingMessage} incoming
 * @param {ServerResponse} outgoing
 * @param {{ path: string, maxBytes: number, record: (exchange: Exchange) => Promise<void> }} options
 */
function receive(incoming, outgoing, { path, maxBytes, record }) {
  const exchange = begin(incoming, path, true);
  incoming.on("data", tap(exchange, exchange.request, maxBytes));
  incoming.on("error", () => outgoing.destroy());
  incoming.on("end", async () => {
    await record(exchange);
    const isJson = exchange.sent.type.includes("json");
    outgoing.writeHead(200, { "content-type": isJson ? "application/json" : "application/x-protobuf" }).end(isJson ? "{}" : "");
  });
}

/**
 * @param {IncomingMessage} incoming
 * @param {ServerResponse} outgoing
 * @param {{ upstream: URL, path: string, maxBytes: number, record: (exchange: Exchange) => Promise<void> }} options
 */
function pass(incoming, outgoing, { upstream, path, maxBytes, record }) {
  const begun = performance.now();
  const exchange = begin(incoming, upstream.origin + path, false);
  let isDone = false;
  /** @param {boolean} isAborted */
  const done = async (isAborted) => {
    if (isDone) return;
    isDone = true;
    exchange.isAborted = isAborted;
    exchange.ms = Math.round(performance.now() - begun);
    // a slow recorder does not hold the client
    await Promise.race([record(exchange), new Promise((resolve) => setTimeout(resolve, MAX_WAIT).unref())]);
  };
  const tapRequest = tap(exchange, exchange.request, maxBytes);
  const tapResponse = tap(exchange, exchange.response, maxBytes);

  const pair = pairOf(incoming.socket);
  pair.exchanges += 1;
  const isHttps = upstream.protocol === "https:";
  const sending = (isHttps ? https : http).request({
    protocol: upstream.protocol,
    hostname: upstream.hostname.replace(/^\[|\]$/g, ""),
    port: upstream.port,
    method: incoming.method,
    path,
    agent: isHttps ? pair.https : pair.http,
    setHost: false,
    headers: /** @type {any} */ (passed(incoming.rawHeaders, upstream.host)),
  });
  sending.on("socket", (socket) => {
    if (sending.reusedSocket) return;
    socket.once("close", () => {
      pair.isClosing = true;
      closeIdle(pair);
    });
  });
  outgoing.on("close", () => {
    pair.exchanges -= 1;
    closeIdle(pair);
    if (outgoing.writableFinished) return;
    // a client that hangs up ends the request to the upstream server, too
    sending.destroy();
    done(true);
  });
  incoming.on("error", () => sending.destroy());
  outgoing.on("error", () => sending.destroy());
  sending.on("error", (error) => {
    // an error of a connection in use is one without the proxy, too
    if (outgoing.headersSent || sending.reusedSocket) outgoing.destroy();
    else if (!outgoing.destroyed) refused(outgoing, 502, `the upstream server failed: ${messageOf(error)}`);
    done(true);
  });
  sending.on("response", (response) => {
    exchange.status = response.statusCode ?? null;
    exchange.received = kindOf(response);
    exchange.firstByteMs = Math.round(performance.now() - begun);
    outgoing.sendDate = false;
    outgoing.shouldKeepAlive &&= sending.shouldKeepAlive;
    outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, /** @type {any} */ (passed(response.rawHeaders)));
    outgoing.flushHeaders();
    response.on("error", () => {
      outgoing.destroy();
      done(true);
    });
    // the client gets the end after the record is written: the end of the process loses no exchange that ended
    const length = Number(response.headers["content-length"] ?? Number.NaN);
    let size = 0;
    /** @type {Uint8Array | undefined} */
    let held;
    response.on("data", (chunk) => {
      tapResponse(chunk);
      size += chunk.length;
      if (size === length) held = chunk;
      else if (!outgoing.write(chunk)) {
        response.pause();
        outgoing.once("drain", () => response.resume());
      }
    });
    response.on("end", async () => {
      if (!response.complete) return;
      await done(false);
      if (response.rawTrailers.length > 0) outgoing.addTrailers(/** @type {any} */ (entries(response.rawTrailers)));
      outgoing.end(held);
    });
  });
  incoming.on("data", tapRequest);
  incoming.pipe(sending);
}

/**
 * A connection of a client, and the agents with its connections to upstream servers. They belong together, so the
 * client sees what it would see without the proxy. If a server closes its connection, the proxy closes the client's. No
 * request is sent twice.
 *
 * @typedef {object} Pair
 * @property {Socket} client
 * @property {http.Agent} http
 * @property {https.Agent} https
 * @property {number} exchanges The number of exchanges that have not ended.
 * @property {boolean} isClosing True if an upstream server closed its connection.
 */

/** @type {WeakMap<Socket, Pair>} */
const pairs = new WeakMap();

/** @param {Socket} client */
function pairOf(client) {
  const known = pairs.get(client);
  if (known !== undefined) return known;
  const one = { keepAlive: true, maxSockets: 1 };
  const pair = { client, http: new http.Agent(one), https: new https.Agent(one), exchanges: 0, isClosing: false };
  client.once("close", () => {
    pair.http.destroy();
    pair.https.destroy();
  });
  pairs.set(client, pair);
  return pair;
}

/** @param {Pair} pair */
function closeIdle({ client, exchanges, isClosing }) {
  if (isClosing && exchanges === 0) client.destroySoon();
}

/** @param {IncomingMessage} message */
function kindOf({ headers }) {
  return { type: headers["content-type"] ?? "", encoding: String(headers["content-encoding"] ?? "") };
}

/**
 * Returns headers in their order and spelling, without those of the connection.
 *
 * @param {readonly string[]} raw
 * @param {string} [host] The host of the upstream server.
 */
function passed(raw, host) {
  const list = /** @type {string[]} */ ([]);
  for (const [name, value] of entries(raw)) {
    const plain = name.toLowerCase();
    if (HOP.has(plain)) continue;
    list.push(name, host !== undefined && plain === "host" ? host : value);
  }
  return list;
}

/** @param {readonly string[]} raw @returns {[name: string, value: string][]} */
function entries(raw) {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at], raw[2 * at + 1]]);
}

/** @param {ServerResponse} outgoing @param {number} status @param {string} message */
function refused(outgoing, status, message) {
  const body = JSON.stringify({ error: { type: "proxy_error", message } });
  outgoing.writeHead(status, { "content-type": "application/json" }).end(body);
}
