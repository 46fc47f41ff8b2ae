// The server of `tuckbox ui`, for this machine only: the inspector, the files of the package that it loads, and the
// routes of one project.
/** @import { IncomingMessage, Server, ServerResponse } from "node:http" */

import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf, messageOf } from "../error.js";
import { nodeListener } from "../http/node.js";
import { version } from "../version.js";
import { UsageError } from "./usage.js";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));
/** The files of the package that the page can load. */
const SHARED = /^\/(?:(?:inspector|lib|generated|stores|counters)\/[\w./-]+|[\w-]+\.js)$/;
/** @type {{ [extension: string]: string | undefined }} */
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
const GUARDS = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};
/** The number of ports to try after the first. */
const MAX_TRIES = 20;

/**
 * Serves on `port`, or on the next free one unless `isExact`.
 *
 * @param {object} options
 * @param {number} options.port
 * @param {boolean} options.isExact
 * @param {object | null} options.start What the page opens first.
 * @param {(request: Request) => Promise<Response>} options.api Answers requests below `/api/`.
 * @param {() => Promise<object>} options.listing Returns what the page lists.
 * @param {readonly string[]} options.files The paths of files by number.
 * @param {string} options.token
 * @param {string} options.cwd
 */
export async function serveUi({ port, isExact, start, api, listing, files, token, cwd }) {
  const routes = nodeListener(api);
  const vocabulary = vocabularyFolder(cwd);
  const server = createServer(async (incoming, outgoing) => {
    const own = portOf(server);
    // another name can resolve to this machine
    if (![`127.0.0.1:${own}`, `localhost:${own}`].includes(incoming.headers.host ?? ""))
      return refuse(outgoing, 403, "the host of the request must be this server");
    const { pathname } = new URL(incoming.url ?? "/", "http://localhost");
    if (pathname.startsWith("/api/")) return routes(incoming, outgoing);
    try {
      if (pathname === "/") return outgoing.writeHead(302, { location: "/inspector/" }).end();
      if (pathname === "/inspector/") return send(outgoing, ".html", await page(start));
      if (pathname === "/listing") {
        if (incoming.headers.authorization !== `Bearer ${token}`) return refuse(outgoing, 403, "access denied");
        return send(outgoing, ".json", JSON.stringify(await listing()));
      }
      const file = files[Number(/^\/files\/(\d+)$/.exec(pathname)?.[1] ?? -1)];
      if (file !== undefined) return send(outgoing, ".bin", await readFile(file));
      if (pathname === "/counters/openai.js") return send(outgoing, ".js", await counters(vocabulary));
      const found = placeOf(decodeURIComponent(pathname), vocabulary);
      if (found !== undefined) return await sendFile(incoming, outgoing, found);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" && codeOf(error) !== "EISDIR") return refuse(outgoing, 500, messageOf(error));
    }
    refuse(outgoing, 404, "no file matches this path");
  });
  await listen(server, port, isExact);
  return { url: `http://127.0.0.1:${portOf(server)}/`, close: () => new Promise((done) => server.close(done)) };
}

/** @param {Server} server */
function portOf(server) {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** @param {string} path @param {string | undefined} vocabulary */
function placeOf(path, vocabulary) {
  if (path.split("/").includes("..")) return undefined;
  /** @param {string} folder @param {string} rest */
  const inside = (folder, rest) => {
    const place = join(folder, rest);
    return place.startsWith(folder.endsWith(sep) ? folder : folder + sep) ? place : undefined;
  };
  if (SHARED.test(path)) return inside(PACKAGE, path.slice(1));
  if (vocabulary !== undefined && path.startsWith("/gpt-tokenizer/")) return inside(vocabulary, path.slice("/gpt-tokenizer/".length));
  return undefined;
}

/**
 * Returns the page, with what it opens first.
 *
 * @param {object | null} start
 */
async function page(start) {
  const html = await readFile(join(PACKAGE, "inspector/index.html"), "utf8").catch((error) => {
    if (codeOf(error) === "ENOENT") throw new Error("this copy of the package was built without the inspector");
    throw error;
  });
  if (start === null) return html;
  const content = JSON.stringify(start).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return html.replace('<meta charset="utf-8" />', (charset) => `${charset}\n    <meta name="tuckbox-start" content="${content}" />`);
}

/**
 * Returns the module of counters with URLs of the vocabularies: a browser cannot resolve the name of a package.
 *
 * @param {string | undefined} vocabulary
 */
async function counters(vocabulary) {
  const text = await readFile(join(PACKAGE, "counters/openai.js"), "utf8");
  return vocabulary === undefined ? text : text.replaceAll(/"gpt-tokenizer\/([\w/]+)"/g, '"/gpt-tokenizer/$1.js"');
}

/**
 * Returns the folder of the modules of `gpt-tokenizer`, if it is installed.
 *
 * @param {string} cwd
 */
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
      if (codeOf(error) !== "EADDRINUSE") throw error;
      if (isExact || next >= port + MAX_TRIES) throw new UsageError(`port ${next} is in use: pass another one with \`--port\``);
    }
  }
}

/**
 * Sends a file of the package. A file with a hash in its name never changes; the browser revalidates the others. So the
 * browser can reuse the compiled module.
 *
 * @param {IncomingMessage} incoming
 * @param {ServerResponse} outgoing
 * @param {string} path
 */
async function sendFile(incoming, outgoing, path) {
  // the version of this package does not identify files of another package
  if (!path.startsWith(PACKAGE)) return send(outgoing, extname(path), await readFile(path));
  const { size, mtimeMs } = await stat(path);
  // all files of a tarball have the same time
  const etag = `"${version}-${size}-${Math.round(mtimeMs)}"`;
  const caching = {
    "cache-control": /[\\/]inspector[\\/][\w-]+-[\w-]{8}\.\w+$/.test(path) ? "max-age=31536000, immutable" : "no-cache",
    etag,
  };
  if (incoming.headers["if-none-match"] === etag) return outgoing.writeHead(304, { ...GUARDS, ...caching }).end();
  send(outgoing, extname(path), await readFile(path), caching);
}

/** @param {ServerResponse} outgoing @param {string} extension @param {string | Uint8Array} body @param {{ [name: string]: string }} [more] */
function send(outgoing, extension, body, more = {}) {
  outgoing
    .writeHead(200, {
      ...GUARDS,
      "content-type": TYPES[extension] ?? (extension === ".json" ? "application/json" : "application/octet-stream"),
      ...(extension === ".html" ? { "content-security-policy": "frame-ancestors 'none'" } : {}),
      ...more,
    })
    .end(body);
}

/** @param {ServerResponse} outgoing @param {number} status @param {string} message */
function refuse(outgoing, status, message) {
  outgoing.writeHead(status, { ...GUARDS, "content-type": "text/plain; charset=utf-8" }).end(`${message}\n`);
}
