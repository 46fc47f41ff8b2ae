// A handler as a listener of Node's servers, which do not use `Request` and `Response`.
/** @import { IncomingMessage } from "node:http" */
import { errorResponse, HttpError } from "./responses.js";

/**
 * Returns a listener for `http.createServer(nodeListener(handler))`.
 *
 * @type {typeof import("../../types/http.js").nodeListener}
 */
export function nodeListener(handler) {
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    try {
      const response = await answered(handler, incoming, gone.signal);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
      outgoing.end();
    } catch (error) {
      if (!outgoing.headersSent) outgoing.writeHead(500, { "content-type": "application/json" });
      outgoing.end(await errorResponse(error).text());
    }
  };
}

/** Methods that the constructor of `Request` rejects. */
const FORBIDDEN = ["CONNECT", "TRACE", "TRACK"];

/** @param {(request: Request) => PromiseLike<Response>} handler @param {IncomingMessage} incoming @param {AbortSignal} signal */
async function answered(handler, incoming, signal) {
  let request;
  try {
    request = requestOf(incoming, signal);
  } catch (error) {
    return errorResponse(error);
  }
  return handler(request);
}

/** @param {IncomingMessage} incoming @param {AbortSignal} signal */
function requestOf(incoming, signal) {
  const { method = "GET", headers, url: target = "/" } = incoming;
  if (FORBIDDEN.includes(method.toUpperCase()))
    throw new HttpError(405, "bad_request", `method \`${method}\` is not allowed`, { headers: { allow: "GET, POST" } });
  const url = urlOf(target, "encrypted" in incoming.socket && incoming.socket.encrypted === true ? "https" : "http");
  const list = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // HTTP/2 has names such as `:path`
    if (!name.startsWith(":")) for (const one of [value ?? []].flat()) list.append(name, one);
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  const body = hasBody ? { body: /** @type {any} */ (ReadableStream).from(incoming), duplex: "half" } : {};
  return new Request(url, { method, headers: list, signal, ...body });
}

/**
 * Returns the URL of a request. Its target is a path or, with a proxy, a URL.
 *
 * @param {string} target
 * @param {string} scheme
 */
function urlOf(target, scheme) {
  try {
    // joined as text, because `//name/x` is a path here and not a host
    if (target.startsWith("/")) return new URL(`${scheme}://localhost${target}`);
    const { protocol, pathname, search } = new URL(target);
    if (protocol === "http:" || protocol === "https:") return new URL(`${scheme}://localhost${pathname}${search}`);
  } catch {
    // not a URL: an error below
  }
  throw new HttpError(400, "bad_request", "the target of the request must be a path or a URL");
}
