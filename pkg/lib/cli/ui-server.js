// The pages of `tuckbox ui`: the inspector, the files of the package that it loads, and the routes of one project.
/** @import { IncomingMessage, ServerResponse } from "node:http" */

import { open, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf } from "../error.js";
import { nodeListener } from "../http/node.js";
import { GUARDS, refuse, secret, serveLocal } from "../local/server.js";
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

/** @typedef {{ name: string, path: string, size?: number, changed?: number }} UserFile A file, its size, and the time of its last change in milliseconds. */

/**
 * Files that grow. The page gets an event for each change: the file, its URL and its size.
 *
 * @typedef {object} Live
 * @property {UserFile[]} files The files; new ones are appended.
 * @property {(changed: (files: readonly UserFile[]) => void) => (() => void)} listen Reports changes until the returned
 *   function is called.
 * @property {() => object | undefined} [status] Returns more for the page, such as the account of a recorder.
 */

/**
 * Serves on `port`, or on the next free one unless `isExact`.
 *
 * @param {object} options
 * @param {number} options.port
 * @param {boolean} options.isExact
 * @param {object | null} options.start What the page opens first, if it opens no files.
 * @param {(request: Request) => Promise<Response>} options.api Answers requests below `/api/`.
 * @param {() => Promise<object>} options.listing Returns what the page lists.
 * @param {readonly UserFile[]} options.files The files that the page opens.
 * @param {Live} [options.live] Reports changes of the files.
 * @param {string} options.cwd
 */
export async function serveUi({ port, isExact, start, api, listing, files, live, cwd }) {
  const routes = nodeListener(api);
  const vocabulary = vocabularyFolder(cwd);
  // the page loads files without cookies, as it does from other servers: only the page knows these URLs
  const prefix = `/files/${secret()}/`;
  /** @param {UserFile} file */
  const addressed = (file) => ({ name: file.name, address: `${prefix}${files.indexOf(file)}`, size: file.size, changed: file.changed });
  /** @type {Set<ServerResponse>} */
  const streams = new Set();
  const started = () => {
    if (live !== undefined) return { kind: "live", files: files.map((file) => addressed(file)), events: "/events" };
    return files.length === 0 ? start : { kind: "addresses", files: files.map((file) => addressed(file)) };
  };
  /** @type {import("../local/server.js").Handler} */
  const handler = async (incoming, outgoing, path) => {
    if (path.startsWith("/api/")) return routes(incoming, outgoing);
    if (incoming.method !== "GET") return refuse(outgoing, 405, "the method of the request must be GET");
    try {
      if (path === "/inspector/") return send(outgoing, ".html", await page(started()));
      if (path === "/events" && live !== undefined) {
        streams.add(outgoing);
        outgoing.on("close", () => streams.delete(outgoing));
        return stream(outgoing, live, addressed);
      }
      if (path === "/listing") return send(outgoing, ".json", JSON.stringify(await listing()));
      if (path.startsWith(prefix)) {
        const file = files[Number(/^\d+$/.exec(path.slice(prefix.length))?.[0] ?? -1)];
        if (file !== undefined) return await sendFrom(incoming, outgoing, file.path);
      }
      if (path === "/counters/openai.js") return send(outgoing, ".js", await counters(vocabulary));
      const found = placeOf(path, vocabulary);
      if (found !== undefined) return await sendFile(incoming, outgoing, found);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" && codeOf(error) !== "EISDIR") throw error;
    }
    refuse(outgoing, 404, "no file matches this path");
  };
  try {
    const server = await serveLocal({ port, isExact, home: "/inspector/", handler, isOpen: (path) => path.startsWith(prefix) });
    return {
      ...server,
      close: () => {
        // a page never ends its stream of events
        for (const one of streams) one.end("event: end\ndata:\n\n");
        return server.close();
      },
    };
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw error;
    throw new UsageError(`port ${/** @type {any} */ (error).port} is in use: pass another one with \`--port\``);
  }
}

/** The time between two comments that keep the stream of events open, in milliseconds. */
const KEEP_ALIVE = 15_000;

/**
 * Sends an event for every change: first for all files, then for those that changed.
 *
 * @param {ServerResponse} outgoing
 * @param {Live} live
 * @param {(file: UserFile) => object} addressed
 */
function stream(outgoing, { files, listen, status }, addressed) {
  outgoing.writeHead(200, { ...GUARDS, "content-type": "text/event-stream", connection: "close" });
  /** @param {readonly UserFile[]} changed */
  const report = (changed) =>
    outgoing.write(`event: files\ndata: ${JSON.stringify({ files: changed.map(addressed), status: status?.() })}\n\n`);
  report(files);
  const stop = listen(report);
  const timer = setInterval(() => outgoing.write(":\n\n"), KEEP_ALIVE);
  outgoing.on("close", () => {
    clearInterval(timer);
    stop();
  });
}

/**
 * Sends a file of the user; with `?from=N`, only the bytes from N on.
 *
 * @param {IncomingMessage} incoming
 * @param {ServerResponse} outgoing
 * @param {string} path
 */
async function sendFrom({ url = "" }, outgoing, path) {
  const from = Number(/[?&]from=(\d{1,15})(?:&|$)/.exec(url)?.[1] ?? 0);
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.max(size - from, 0));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    send(outgoing, ".bin", bytes.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
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
  // the page itself, and not its worker, receives the events
  const allowed = "events" in start ? html.replace("base-uri 'none'", "connect-src 'self'; base-uri 'none'") : html;
  return allowed.replace('<meta charset="utf-8" />', (charset) => `${charset}\n    <meta name="tuckbox-start" content="${content}" />`);
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
    "cache-control": /[\\/]inspector[\\/][\w.-]+-[\w-]{8}\.\w+$/.test(path) ? "max-age=31536000, immutable" : "no-cache",
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
