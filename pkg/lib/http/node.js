// A handler as a listener of Node's own servers, which know nothing of `Request` and `Response`.
import { HttpError, errorResponse } from "./responses.js";

/** For `http.createServer(nodeListener(handler))`. */
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

/** Methods that `Request` refuses to be made with. */
const FORBIDDEN = ["CONNECT", "TRACE", "TRACK"];

async function answered(handler, incoming, signal) {
  let request;
  try {
    request = requestOf(incoming, signal);
  } catch (error) {
    return errorResponse(error);
  }
  return handler(request);
}

function requestOf(incoming, signal) {
  const { method, headers } = incoming;
  if (FORBIDDEN.includes(method.toUpperCase())) throw new HttpError(405, "bad_request", `\`${method}\` is not possible here`, { headers: { allow: "GET, POST" } });
  const url = urlOf(incoming.url, incoming.socket?.encrypted === true ? "https" : "http");
  const list = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url, { method, headers: list.filter(([name]) => !name.startsWith(":")), signal, ...(hasBody ? { body: ReadableStream.from(incoming), duplex: "half" } : {}) });
}

/** The address of a request, whose target is a path or, over a proxy, a whole address. */
function urlOf(target, scheme) {
  try {
    // joined as text: `//name/x` is a path here, and not a host
    if (target.startsWith("/")) return new URL(`${scheme}://localhost${target}`);
    const { protocol, pathname, search } = new URL(target);
    if (protocol === "http:" || protocol === "https:") return new URL(`${scheme}://localhost${pathname}${search}`);
  } catch {
    // said below
  }
  throw new HttpError(400, "bad_request", "the target of the request is neither a path nor an address");
}
