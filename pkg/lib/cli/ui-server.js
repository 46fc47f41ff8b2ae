// The server of `tuckbox ui`: the inspector's page, the package's own files that it stands on, and the routes of one
// project, for this machine only.
import { createServer } from "node:http";
import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeListener } from "../http/node.js";
import { version } from "../version.js";
import { UsageError } from "./usage.js";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));
/** What of the package the page may load. */
const SHARED = /^\/(?:(?:inspector|lib|generated|stores|counters)\/[\w./-]+|[\w-]+\.js)$/;
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".wasm": "application/wasm" };
const GUARDS = { "cache-control": "no-store", "cross-origin-resource-policy": "same-origin", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };
/** How many ports are tried after the first. */
const TRIES = 20;

/**
 * Serves on `port`, or on the next free one unless `isExact`. `start` is what the page opens first; `api` answers
 * requests below `/api/`; `listing` gives what the page may list; `files` are bytes by their number.
 */
export async function serveUi({ port, isExact, start, api, listing, files, token, cwd }) {
  const routes = nodeListener(api);
  const vocabulary = vocabularyFolder(cwd);
  const server = createServer(async (incoming, outgoing) => {
    const { port: own } = server.address();
    // a foreign name that leads to this machine is not this machine
    if (![`127.0.0.1:${own}`, `localhost:${own}`].includes(incoming.headers.host)) return refuse(outgoing, 403, "this server answers to its own address only");
    const { pathname } = new URL(incoming.url, "http://localhost");
    if (pathname.startsWith("/api/")) return routes(incoming, outgoing);
    try {
      if (pathname === "/") return outgoing.writeHead(302, { location: "/inspector/" }).end();
      if (pathname === "/inspector/") return send(outgoing, ".html", await page(start));
      if (pathname === "/listing") {
        if (incoming.headers.authorization !== `Bearer ${token}`) return refuse(outgoing, 403, "this is not allowed");
        return send(outgoing, ".json", JSON.stringify(await listing()));
      }
      const number = /^\/files\/(\d+)$/.exec(pathname)?.[1];
      if (number !== undefined && files[number] !== undefined) return send(outgoing, ".bin", await readFile(files[number]));
      if (pathname === "/counters/openai.js") return send(outgoing, ".js", await counters(vocabulary));
      const found = placeOf(decodeURIComponent(pathname), vocabulary);
      if (found !== undefined) return await sendFile(incoming, outgoing, found);
    } catch (error) {
      if (error.code !== "ENOENT" && error.code !== "EISDIR") return refuse(outgoing, 500, String(error.message));
    }
    refuse(outgoing, 404, "there is nothing at this address");
  });
  await listen(server, port, isExact);
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => new Promise((done) => server.close(done)) };
}

function placeOf(path, vocabulary) {
  if (path.split("/").includes("..")) return undefined;
  const inside = (folder, rest) => {
    const place = join(folder, rest);
    return place.startsWith(folder.endsWith(sep) ? folder : folder + sep) ? place : undefined;
  };
  if (SHARED.test(path)) return inside(PACKAGE, path.slice(1));
  if (vocabulary !== undefined && path.startsWith("/gpt-tokenizer/")) return inside(vocabulary, path.slice("/gpt-tokenizer/".length));
  return undefined;
}

/** The page, and in it what it opens first. */
async function page(start) {
  const html = await readFile(join(PACKAGE, "inspector/index.html"), "utf8").catch((error) => {
    if (error.code === "ENOENT") throw new Error("this copy of the package was built without the inspector");
    throw error;
  });
  if (start === null) return html;
  const content = JSON.stringify(start).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return html.replace('<meta charset="utf-8" />', (charset) => `${charset}\n    <meta name="tuckbox-start" content="${content}" />`);
}

/** A browser finds no package by its name: the vocabularies are named by their place. */
async function counters(vocabulary) {
  const text = await readFile(join(PACKAGE, "counters/openai.js"), "utf8");
  return vocabulary === undefined ? text : text.replaceAll(/"gpt-tokenizer\/([\w/]+)"/g, '"/gpt-tokenizer/$1.js"');
}

/** Where the modules of `gpt-tokenizer` are, if somebody installed it. */
function vocabularyFolder(cwd) {
  for (const from of [join(cwd, "any.js"), import.meta.url]) {
    try {
      const found = createRequire(from).resolve("gpt-tokenizer/encoding/o200k_base");
      return join(found.slice(0, found.lastIndexOf(`${sep}gpt-tokenizer${sep}`)), "gpt-tokenizer", "esm");
    } catch {
      // not here
    }
  }
  return undefined;
}

async function listen(server, port, isExact) {
  for (let next = port; ; next += 1) {
    try {
      await new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(next, "127.0.0.1", () => {
          server.off("error", reject);
          resolve();
        });
      });
      return;
    } catch (error) {
      if (error.code !== "EADDRINUSE") throw error;
      if (isExact || next >= port + TRIES) throw new UsageError(`the port ${next} is taken: name another with \`--port\``);
    }
  }
}

/**
 * A file of the package. What bears a hash in its name never changes; of everything else the browser asks whether it
 * did. So the page is there at once the next time, with what the browser has compiled of it.
 */
async function sendFile(incoming, outgoing, path) {
  // another package's files are not known by our version
  if (!path.startsWith(PACKAGE)) return send(outgoing, extname(path), await readFile(path));
  const { size, mtimeMs } = await stat(path);
  // everything in a tarball has the same time
  const etag = `"${version}-${size}-${Math.round(mtimeMs)}"`;
  const caching = { "cache-control": /[\\/]inspector[\\/][\w-]+-[\w-]{8}\.\w+$/.test(path) ? "max-age=31536000, immutable" : "no-cache", etag };
  if (incoming.headers["if-none-match"] === etag) return outgoing.writeHead(304, { ...GUARDS, ...caching }).end();
  send(outgoing, extname(path), await readFile(path), caching);
}

function send(outgoing, extension, body, more = {}) {
  outgoing.writeHead(200, { ...GUARDS, "content-type": TYPES[extension] ?? (extension === ".json" ? "application/json" : "application/octet-stream"), ...(extension === ".html" ? { "content-security-policy": "frame-ancestors 'none'" } : {}), ...more }).end(body);
}

function refuse(outgoing, status, message) {
  outgoing.writeHead(status, { ...GUARDS, "content-type": "text/plain; charset=utf-8" }).end(`${message}\n`);
}
