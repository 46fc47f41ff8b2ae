// A recording reverse proxy on the loopback interface. It passes the bytes of requests and responses through unchanged,
// as they come, and gives a copy of both to a recorder. It holds no state of a client.
/** @import { IncomingMessage, ServerResponse } from "node:http" */
import http from "node:http";
import https from "node:https";
import { codeOf, messageOf } from "../error.js";
import { listenLocal } from "../local/server.js";
import { isExport } from "./otlp.js";

/** Headers of one connection, which a proxy does not pass on. */
const HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "upgrade",
  "expect",
]);

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
  const agents = { "http:": new http.Agent({ keepAlive: true }), "https:": new https.Agent({ keepAlive: true }) };
  const prefixes = [...routes.keys()].sort((a, b) => b.length - a.length);
  const server = await listenLocal({
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
      pass(incoming, outgoing, { upstream, path, agent: agents[/** @type {"http:"} */ (upstream.protocol)], maxBytes, record });
    },
  });
  return {
    ...server,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
      return server.close();
    },
  };
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
 * @param {{ upstream: URL, path: string, agent: http.Agent, maxBytes: number, record: (exchange: Exchange) => Promise<void> }} options
 */
function pass(incoming, outgoing, { upstream, path, agent, maxBytes, record }) {
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

  const { request } = upstream.protocol === "https:" ? https : http;
  /** @param {http.Agent | false} from */
  const opened = (from) =>
    request({
      protocol: upstream.protocol,
      hostname: upstream.hostname.replace(/^\[|\]$/g, ""),
      port: upstream.port,
      method: incoming.method,
      path,
      agent: from,
      setHost: false,
      headers: /** @type {any} */ (passed(incoming.rawHeaders, upstream.host)),
    });
  let sending = opened(agent);
  // a client that hangs up ends the request to the upstream server, too
  outgoing.on("close", () => {
    if (outgoing.writableFinished) return;
    sending.destroy();
    done(true);
  });
  incoming.on("error", () => sending.destroy());
  outgoing.on("error", () => sending.destroy());
  /** @param {Error} error */
  const fail = (error) => {
    // the server closed an idle connection when the proxy used it again: a client without the proxy has no such error
    const isClosed = codeOf(error) === "ECONNRESET" || codeOf(error) === "EPIPE";
    if (sending.reusedSocket && isClosed && exchange.status === null && exchange.isWhole && !outgoing.destroyed) {
      sending = opened(false);
      attach();
      for (const chunk of exchange.request) sending.write(chunk);
      if (incoming.readableEnded) sending.end();
      else incoming.pipe(sending);
      return;
    }
    if (outgoing.headersSent) outgoing.destroy();
    else if (!outgoing.destroyed) refused(outgoing, 502, `the upstream server failed: ${messageOf(error)}`);
    done(true);
  };
  /** @param {IncomingMessage} response */
  const answer = (response) => {
    exchange.status = response.statusCode ?? null;
    exchange.received = kindOf(response);
    exchange.firstByteMs = Math.round(performance.now() - begun);
    outgoing.sendDate = false;
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
      if (response.rawTrailers.length > 0) outgoing.addTrailers(/** @type {any} */ (pairs(response.rawTrailers)));
      outgoing.end(held);
    });
  };
  const attach = () => sending.on("error", fail).on("response", answer);
  attach();
  incoming.on("data", tapRequest);
  incoming.pipe(sending);
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
  for (const [name, value] of pairs(raw)) {
    const plain = name.toLowerCase();
    if (HOP.has(plain)) continue;
    list.push(name, host !== undefined && plain === "host" ? host : value);
  }
  return list;
}

/** @param {readonly string[]} raw @returns {[name: string, value: string][]} */
function pairs(raw) {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at], raw[2 * at + 1]]);
}

/** @param {ServerResponse} outgoing @param {number} status @param {string} message */
function refused(outgoing, status, message) {
  const body = JSON.stringify({ error: { type: "proxy_error", message } });
  outgoing.writeHead(status, { "content-type": "application/json" }).end(body);
}
