// A handler as a listener of Node's own servers, which know nothing of `Request` and `Response`.
import { errorResponse } from "./responses.js";

/** For `http.createServer(nodeListener(handler))`. */
export function nodeListener(handler) {
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    try {
      const response = await handler(requestOf(incoming, gone.signal));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
      outgoing.end();
    } catch (error) {
      if (!outgoing.headersSent) outgoing.writeHead(500, { "content-type": "application/json" });
      outgoing.end(await errorResponse(error).text());
    }
  };
}

function requestOf(incoming, signal) {
  const { method, headers } = incoming;
  const secure = incoming.socket?.encrypted === true;
  const url = new URL(incoming.url, `${secure ? "https" : "http"}://localhost`);
  const list = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url, { method, headers: list.filter(([name]) => !name.startsWith(":")), signal, ...(hasBody ? { body: ReadableStream.from(incoming), duplex: "half" } : {}) });
}
