// A server for the user of this machine. Every page of the web and every local process can send it requests, so:
//
// - it listens on the loopback interface, and checks `Host`, `Origin` and `Sec-Fetch-Site` of every request
// - the printed URL has a token in its fragment, which browsers do not send; the first page exchanges it once for a cookie
// - the cookie is needed for everything else, and is out of reach of scripts and of other sites
// - no request can make the listener throw
/** @import { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http" */
import { timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { codeOf, messageOf } from "../error.js";
import { ENTRANCE, ENTRANCE_SCRIPT } from "./entrance.js";

/** Headers of every response. */
export const GUARDS = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
/** The number of ports to try after the first. */
const MAX_TRIES = 20;
/** The maximum length of the body with a token. */
const MAX_TOKEN_BYTES = 200;

/**
 * Answers a request that passed the checks. What it throws becomes a response with status 500.
 *
 * @typedef {(incoming: IncomingMessage, outgoing: ServerResponse, path: string) => unknown} Handler
 */

/**
 * Listens on `port` of the loopback interface, or on the next free one unless `isExact`. The handler gets requests of
 * this machine only: none of another host or origin. Throws the error of the system if no port is free.
 *
 * @param {object} options
 * @param {number} options.port
 * @param {boolean} options.isExact
 * @param {Handler} options.handler
 * @param {(incoming: IncomingMessage, port: number, path: string) => string | undefined} [options.refusal] Returns why a
 *   request is refused.
 * @param {ServerOptions} [options.settings]
 */
export async function listenLocal({ port, isExact, handler, refusal = (incoming, own) => foreign(incoming, own), settings = {} }) {
  const server = createServer(settings, async (incoming, outgoing) => {
    try {
      const path = pathOf(incoming.url ?? "");
      if (path === undefined) return refuse(outgoing, 400, "the target of the request must be a path");
      const reason = refusal(incoming, portOf(server), path);
      if (reason !== undefined) return refuse(outgoing, 403, reason);
      await handler(incoming, outgoing, path);
    } catch (error) {
      fail(outgoing, error);
    }
  });
  await listen(server, port, isExact);
  // an error of a single connection ends only that connection
  server.on("error", () => {});
  return {
    port: portOf(server),
    origin: `http://127.0.0.1:${portOf(server)}`,
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeIdleConnections();
      }),
  };
}

/**
 * Serves the page of a user on `port`, or on the next free one unless `isExact`. Throws the error of the system if no
 * port is free.
 *
 * @param {object} options
 * @param {number} options.port
 * @param {boolean} options.isExact
 * @param {string} options.home The path that the browser opens after the exchange.
 * @param {Handler} options.handler
 * @param {(path: string) => boolean} [options.isOpen] Returns true for a path that needs no cookie, such as one with a secret.
 */
export async function serveLocal({ port, isExact, home, handler, isOpen = () => false }) {
  const secrets = { token: /** @type {string | undefined} */ (secret()), session: secret() };

  /** @param {IncomingMessage} incoming @param {ServerResponse} outgoing @param {string} path */
  const answer = async (incoming, outgoing, path) => {
    const cookie = `tuckbox_${server.port}`;
    const { method = "GET" } = incoming;
    if (isEntrance(incoming, path)) return enter(outgoing, path, home);
    const hasSession = isSame(cookieOf(incoming, cookie), secrets.session);
    if (path === "/session" && method === "POST") {
      // a page that has the cookie can be opened again
      if (!hasSession) {
        if (!isSame(await bodyOf(incoming), secrets.token)) return refuse(outgoing, 403, "the token is wrong or was used before");
        secrets.token = undefined;
      }
      const attributes = "Path=/; HttpOnly; SameSite=Strict";
      return outgoing.writeHead(204, { ...GUARDS, "set-cookie": `${cookie}=${secrets.session}; ${attributes}` }).end();
    }
    if (!hasSession && !isOpen(path)) return refuse(outgoing, 403, "access denied: open the URL that the command printed");
    await handler(incoming, outgoing, path);
  };

  /** @type {(incoming: IncomingMessage, own: number, path: string) => string | undefined} */
  const refusal = (incoming, own, path) => foreign(incoming, own, { isEntrance: isEntrance(incoming, path), needsOrigin: true });
  const server = await listenLocal({ port, isExact, handler: answer, refusal });
  return { origin: server.origin, url: `${server.origin}/#${secrets.token}`, close: server.close };
}

/** @param {IncomingMessage} incoming @param {string} path */
function isEntrance({ method = "GET" }, path) {
  return method === "GET" && (path === "/" || path === "/entrance.js");
}

/**
 * Sends a short text.
 *
 * @param {ServerResponse} outgoing
 * @param {number} status
 * @param {string} message
 */
export function refuse(outgoing, status, message) {
  outgoing.writeHead(status, { ...GUARDS, "content-type": "text/plain; charset=utf-8" }).end(`${message}\n`);
}

/** @param {ServerResponse} outgoing @param {unknown} error */
function fail(outgoing, error) {
  try {
    if (outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, 500, messageOf(error));
  } catch {
    outgoing.destroy();
  }
}

/** @param {ServerResponse} outgoing @param {string} path @param {string} home */
function enter(outgoing, path, home) {
  const isPage = path === "/";
  const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  const type = isPage ? "text/html; charset=utf-8" : "text/javascript; charset=utf-8";
  const body = isPage ? ENTRANCE.replace("{home}", () => home) : ENTRANCE_SCRIPT;
  outgoing.writeHead(200, { ...GUARDS, "content-type": type, "content-security-policy": policy }).end(body);
}

/**
 * Returns why a request does not come from a page of this server or from the user; nothing if it can.
 *
 * @param {IncomingMessage} incoming
 * @param {number} port
 * @param {{ isEntrance?: boolean, needsOrigin?: boolean }} [options]
 */
function foreign({ headers, method = "GET" }, port, { isEntrance: isFirst = false, needsOrigin = false } = {}) {
  const { host, origin } = headers;
  // another name can resolve to this machine
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return "the host of the request must be this server";
  if (origin !== undefined && origin !== `http://${host}`) return "the origin of the request must be this server";
  if (needsOrigin && origin === undefined && method !== "GET" && method !== "HEAD") return "the request must have an origin";
  // browsers send it; a link of any page can lead to the entrance, which has no data
  const site = headers["sec-fetch-site"];
  const isNavigation = isFirst && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  if (site !== undefined && site !== "same-origin" && site !== "none" && !isNavigation) return "the request must come from this server";
  return undefined;
}

/**
 * Returns the path of a request, decoded; nothing if its target is not a path.
 *
 * @param {string} target
 */
function pathOf(target) {
  if (!target.startsWith("/")) return undefined;
  try {
    // joined as text, because `//name/x` is a path here and not a host
    return decodeURIComponent(new URL(`http://localhost${target}`).pathname);
  } catch {
    return undefined;
  }
}

/** @param {IncomingMessage} incoming @param {string} name */
function cookieOf({ headers }, name) {
  const parts = (headers.cookie ?? "").split(";").map((part) => part.trim());
  return parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
}

/**
 * Returns the body of a request; nothing for a long one.
 *
 * @param {IncomingMessage} incoming
 */
async function bodyOf(incoming) {
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MAX_TOKEN_BYTES) return undefined;
  }
  return text;
}

/**
 * Compares secrets in constant time.
 *
 * @param {string | undefined} given
 * @param {string | undefined} expected
 */
export function isSame(given, expected) {
  if (given === undefined || expected === undefined) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Returns 192 random bits. */
export function secret() {
  return Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(24))).toString("base64url");
}

/** @param {Server} server */
function portOf(server) {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** @param {Server} server @param {number} port @param {boolean} isExact */
async function listen(server, port, isExact) {
  for (let next = port; ; next += 1) {
    try {
      await new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(next, "127.0.0.1", () => {
          server.off("error", reject);
          resolve(undefined);
        });
      });
      return;
    } catch (error) {
      if (codeOf(error) !== "EADDRINUSE" || isExact || next >= port + MAX_TRIES) throw error;
    }
  }
}
