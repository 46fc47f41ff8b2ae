// A page in real Chromium that can import the package.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

/** Serves the package under `/pkg/`, and an empty page at `/`. */
export async function servePackage() {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname === "/") return response.setHeader("content-type", "text/html").end("<!doctype html><title>tests</title>");
    const path = normalize(pathname);
    try {
      if (!path.startsWith("/pkg/")) throw new Error("outside");
      const bytes = await readFile(join(ROOT, path));
      response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream").end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => new Promise((resolve) => server.close(resolve)) };
}
