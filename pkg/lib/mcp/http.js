// MCP over streamable HTTP at one path. In 2026-07-28 every request is independent; 2025-11-25 has sessions.
/** @import { IncomingMessage, ServerResponse } from "node:http" */
/** @import { Peer, Protocol } from "./protocol.js" */
import { GUARDS, isSame, listenLocal, secret } from "../local/server.js";
import { CODES, failure, isModernRequest, kindOf, peer, RpcError, VERSIONS } from "./protocol.js";
import { parsed } from "./stdio.js";

/** The path of the endpoint. */
export const PATH = "/mcp";
/** The maximum size of a body in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;
/** The maximum number of sessions of 2025-11-25; the oldest one ends first. */
const MAX_SESSIONS = 200;
/** The time between two comments that keep a stream open, in milliseconds. */
const KEEP_ALIVE = 15_000;
/** The header of revision 2026-07-28 that repeats a member of the parameters. */
const NAMED = /** @type {{ [method: string]: string }} */ ({ "tools/call": "name", "prompts/get": "name", "resources/read": "uri" });

/**
 * A session of 2025-11-25.
 *
 * @typedef {object} HttpSession
 * @property {Peer} client
 * @property {ServerResponse} [stream] The stream of notifications, if the client opened it.
 * @property {() => void} [unfollow]
 */

/**
 * Serves on `port` of the loopback interface. Every request needs the token, if there is one.
 *
 * @param {Protocol} protocol
 * @param {{ port: number, isExact: boolean, token?: string }} options
 */
export async function serveHttp(protocol, { port, isExact, token }) {
  const sessions = /** @type {Map<string, HttpSession>} */ (new Map());
  /** @type {Map<string, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  const asked = new Map();
  const streams = /** @type {Set<AbortController>} */ (new Set());

  /** @param {string} id */
  const end = (id) => {
    const session = sessions.get(id);
    session?.unfollow?.();
    session?.stream?.end();
    return sessions.delete(id);
  };

  /** @param {IncomingMessage} incoming @returns {HttpSession | undefined} */
  const sessionOf = ({ headers }) => {
    const id = headers["mcp-session-id"];
    return typeof id === "string" ? sessions.get(id) : undefined;
  };

  /** @param {IncomingMessage} incoming @param {ServerResponse} outgoing */
  const open = (incoming, outgoing) => {
    const session = sessionOf(incoming);
    if (session === undefined) return reply(outgoing, 405, undefined, { allow: "POST" });
    session.stream?.end();
    session.unfollow?.();
    session.stream = outgoing;
    begin(outgoing);
    session.unfollow = protocol.follow(session.client, (message) => write(outgoing, message));
    outgoing.on("close", () => {
      if (session.stream === outgoing) session.unfollow?.();
    });
  };

  /** @param {IncomingMessage} incoming @param {ServerResponse} outgoing */
  const post = async (incoming, outgoing) => {
    let message;
    try {
      message = parsed(await bodyOf(incoming));
      const kind = kindOf(message);
      if (kind === "request") return await request(message, incoming, outgoing);
      if (kind === "response") {
        const key = String(message.id);
        const waiting = asked.get(key);
        asked.delete(key);
        if ("error" in message) waiting?.reject(new Error(String(message.error?.message ?? "the client refused")));
        else waiting?.resolve(message.result);
      }
      reply(outgoing, 202);
    } catch (error) {
      const id = message?.id;
      if (outgoing.headersSent) return outgoing.destroy();
      const status = error instanceof RpcError ? error.status : 500;
      reply(outgoing, status, failure(typeof id === "string" || Number.isSafeInteger(id) ? id : undefined, error));
    }
  };

  /** @param {any} message @param {IncomingMessage} incoming @param {ServerResponse} outgoing */
  const request = async (message, incoming, outgoing) => {
    const isModern = checkHeaders(message, incoming);
    const stop = new AbortController();
    streams.add(stop);
    outgoing.on("close", () => stop.abort("canceled"));
    const isNew = !isModern && message.method === "initialize";
    let session = sessionOf(incoming);
    if (!isModern && !isNew && session === undefined && incoming.headers["mcp-session-id"] !== undefined)
      throw new RpcError(CODES.request, "unknown session", { status: 404 });
    const headers = /** @type {{ [name: string]: string }} */ ({});
    if (isNew) {
      const id = secret();
      session = { client: peer() };
      sessions.set(id, session);
      headers["mcp-session-id"] = id;
      for (const oldest of sessions.keys()) if (sessions.size > MAX_SESSIONS) end(oldest);
    }
    /** @param {object} event */
    const send = (event) => {
      if (!outgoing.headersSent) begin(outgoing);
      write(outgoing, event);
    };
    /** @param {string} method @param {object} params */
    const ask = (method, params) =>
      new Promise((resolve, reject) => {
        const id = secret();
        asked.set(id, { resolve, reject });
        stop.signal.addEventListener("abort", () => {
          asked.delete(id);
          reject(new Error("the client ended the connection"));
        });
        send({ jsonrpc: "2.0", id, method, params });
      });
    try {
      const answer = await protocol.answer(message, session?.client ?? peer(), { signal: stop.signal, send, ask, isModern });
      if (!outgoing.headersSent) return reply(outgoing, 200, answer, headers);
      write(outgoing, answer);
      outgoing.end();
    } catch (error) {
      if (!outgoing.headersSent) throw error;
      write(outgoing, failure(message.id, error));
      outgoing.end();
    } finally {
      streams.delete(stop);
    }
  };

  const server = await listenLocal({
    port,
    isExact,
    handler: async (incoming, outgoing, path) => {
      const bearer = /^Bearer +(\S+)$/i.exec(incoming.headers.authorization ?? "")?.[1];
      if (token !== undefined && !isSame(bearer, token))
        return reply(outgoing, 401, failure(undefined, new RpcError(CODES.request, "the token is missing or wrong")), {
          "www-authenticate": "Bearer",
        });
      if (path !== PATH) return reply(outgoing, 404, failure(undefined, new RpcError(CODES.request, `the endpoint is ${PATH}`)));
      if (incoming.method === "POST") return post(incoming, outgoing);
      if (incoming.method === "GET") return open(incoming, outgoing);
      if (incoming.method === "DELETE" && end(String(incoming.headers["mcp-session-id"]))) return reply(outgoing, 200);
      reply(outgoing, 405, undefined, { allow: "POST" });
    },
  });
  return {
    url: `${server.origin}${PATH}`,
    close: () => {
      for (const id of [...sessions.keys()]) end(id);
      for (const stop of streams) stop.abort("end");
      return server.close();
    },
  };
}

/**
 * Checks the headers of a request against its body. Returns true for 2026-07-28.
 *
 * @param {any} message
 * @param {IncomingMessage} incoming
 */
function checkHeaders(message, { headers }) {
  const version = one(headers["mcp-protocol-version"]);
  const isModern = version === VERSIONS[0] || isModernRequest(message);
  if (!isModern) {
    // every revision with a handshake is answered in 2025-11-25
    if (version !== undefined && !/^202[45]-\d\d-\d\d$/.test(version))
      throw new RpcError(CODES.version, "unsupported protocol version", { data: { supported: VERSIONS, requested: version }, status: 400 });
    return false;
  }
  const { method, params = {} } = message;
  /** @param {string} name @param {string | undefined} found @param {unknown} expected */
  const check = (name, found, expected) => {
    if (found === undefined) throw new RpcError(CODES.header, `the header ${name} is missing`, { status: 400 });
    if (found !== expected) throw new RpcError(CODES.header, `the header ${name} does not match the body`, { status: 400 });
  };
  // a body without a revision is an error of its own
  if (isModernRequest(message)) check("MCP-Protocol-Version", version, params._meta["io.modelcontextprotocol/protocolVersion"]);
  check("Mcp-Method", one(headers["mcp-method"]), method);
  if (Object.hasOwn(NAMED, method)) check("Mcp-Name", decoded(one(headers["mcp-name"])), params[NAMED[method]]);
  return true;
}

/** @param {string | string[] | undefined} header */
function one(header) {
  return (Array.isArray(header) ? header[0] : header)?.trim();
}

/**
 * Decodes a header value that is not ASCII: `=?base64?..?=`.
 *
 * @param {string | undefined} value
 */
function decoded(value) {
  const [, text] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value ?? "") ?? [];
  return text === undefined ? value : Buffer.from(text, "base64").toString("utf8");
}

/** @param {IncomingMessage} incoming */
async function bodyOf(incoming) {
  const chunks = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new RpcError(CODES.request, `a message must have at most ${MAX_BYTES} bytes`, { status: 413 });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** @param {ServerResponse} outgoing */
function begin(outgoing) {
  outgoing.writeHead(200, { ...GUARDS, "content-type": "text/event-stream", "x-accel-buffering": "no" });
  outgoing.flushHeaders();
  const timer = setInterval(() => outgoing.write(":\n\n"), KEEP_ALIVE);
  timer.unref();
  outgoing.on("close", () => clearInterval(timer));
}

/** @param {ServerResponse} outgoing @param {object} message */
function write(outgoing, message) {
  if (!outgoing.writableEnded) outgoing.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** @param {ServerResponse} outgoing @param {number} status @param {object} [body] @param {{ [name: string]: string }} [headers] */
function reply(outgoing, status, body, headers = {}) {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  outgoing.writeHead(status, { ...GUARDS, ...type, ...headers }).end(body === undefined ? undefined : JSON.stringify(body));
}
