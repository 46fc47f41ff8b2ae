// The server of `tuckbox ui` answers only its own page. It refuses other pages and processes, and no request stops it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serveLocal } from "../../pkg/lib/local/server.js";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-local-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Sends a request with the exact `path`. */
function asked(url, path, { method = "GET", headers = {}, body } = {}) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      response.once("error", reject).once("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.once("error", reject).end(body);
  });
}

const tokenOf = (url) => new URL(url).hash.slice(1);

/** Exchanges the token of a URL, like the first page. */
function exchanged(url, body = tokenOf(url), headers = {}) {
  return asked(url, "/session", { method: "POST", body, headers: { origin: new URL(url).origin, ...headers } });
}

/** Starts a server that returns the path of each request. */
async function served(options = {}) {
  const seen = [];
  const handler = (incoming, outgoing, path) => {
    seen.push(`${incoming.method} ${path}`);
    if (path === "/throws") throw new Error("no");
    if (path === "/rejects") return Promise.reject(new Error("rejected later"));
    if (path === "/breaks") {
      outgoing.writeHead(200).write("half");
      throw new Error("too late");
    }
    outgoing.writeHead(200).end(path);
  };
  const server = await serveLocal({ port: 0, isExact: true, home: "/home", handler, ...options });
  return { ...server, seen };
}

test("the token is exchanged once for a cookie that scripts and other sites cannot use", async () => {
  const server = await served();
  const { url, origin, seen } = server;
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{32}$/);
  for (const wrong of ["", "x", tokenOf(url).slice(1), `${tokenOf(url)}x`, "x".repeat(100_000)]) {
    const { status, headers } = await exchanged(url, wrong).catch(() => ({ status: 403, headers: {} }));
    assert.deepEqual([status, headers["set-cookie"]], [403, undefined]);
  }
  const first = await exchanged(url);
  assert.equal(first.status, 204);
  const [cookie] = first.headers["set-cookie"];
  assert.match(cookie, new RegExp(`^tuckbox_${new URL(url).port}=[\\w-]{32}; Path=/; HttpOnly; SameSite=Strict$`));
  assert.ok(!cookie.includes(tokenOf(url)), "the cookie is not the token");
  assert.equal((await exchanged(url)).status, 403, "a token is valid once");
  const headers = { cookie: `other=1; ${cookie.split(";")[0]}` };
  assert.equal((await exchanged(url, "", headers)).status, 204, "the page can be opened again");
  assert.equal((await asked(url, "/data", { headers })).text, "/data");
  assert.equal((await asked(url, "/data", { method: "POST", headers: { ...headers, origin } })).text, "/data");
  for (const bad of [
    "",
    "tuckbox=x",
    `${cookie.split(";")[0]}x`,
    `x${cookie.split(";")[0]}`,
    `tuckbox_${new URL(url).port}=${tokenOf(url)}`,
  ]) {
    assert.equal((await asked(url, "/data", { headers: { cookie: bad } })).status, 403, bad);
  }
  assert.deepEqual(seen, ["GET /data", "POST /data"]);
  await server.close();
});

test("the first page has no data and no token", async () => {
  const server = await served();
  const page = await asked(server.url, "/");
  assert.equal(page.status, 200);
  assert.match(page.text, /data-home="\/home"/);
  assert.match(page.headers["content-security-policy"], /frame-ancestors 'none'/);
  const script = await asked(server.url, "/entrance.js");
  for (const { text } of [page, script]) assert.ok(!text.includes(tokenOf(server.url)));
  await server.close();
});

test("requests of other hosts, origins and sites are refused on every route", async () => {
  const server = await served({ isOpen: (path) => path === "/open" });
  const { url, origin } = server;
  const [cookie] = (await exchanged(url)).headers["set-cookie"][0].split(";");
  server.seen.length = 0;
  const { port } = new URL(url);
  const foreign = [
    { host: "evil.example" },
    { host: `evil.example:${port}` },
    { host: `127.0.0.1:${Number(port) + 1}` },
    { host: "127.0.0.1" },
    { host: `[::1]:${port}` },
    // another name that resolves to this machine: the page of that name has its own origin
    { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
    { origin: "http://evil.example" },
    { origin: "null" },
    { origin: `http://localhost:${port}` },
    { origin: `https://127.0.0.1:${port}` },
    { origin: `http://127.0.0.1:${Number(port) + 1}` },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
  ];
  for (const headers of foreign) {
    for (const path of ["/", "/entrance.js", "/session", "/data", "/open", "/api/x"]) {
      for (const method of ["GET", "POST", "PUT", "OPTIONS"]) {
        const { status } = await asked(url, path, { method, headers: { origin, cookie, ...headers } });
        assert.equal(status, 403, `${method} ${path} ${JSON.stringify(headers)}`);
      }
    }
  }
  assert.equal(
    (await asked(url, "/data", { method: "POST", headers: { cookie } })).status,
    403,
    "a request that writes requires an origin",
  );
  assert.deepEqual(server.seen, []);
  // a user follows a link in a page or in a terminal
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  assert.equal((await asked(url, "/", { headers: link })).status, 200);
  assert.equal((await asked(url, "/", { headers: { ...link, "sec-fetch-dest": "iframe" } })).status, 403);
  assert.equal((await asked(url, "/data", { headers: { ...link, cookie } })).status, 403);
  assert.equal((await asked(url, "/open")).text, "/open");
  assert.equal((await asked(url, "/data", { headers: { cookie, host: `localhost:${port}` } })).status, 200);
  await server.close();
});

/** Sends bytes and resolves when the server closes the connection. */
async function bytes(url, text) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.end(text);
  socket.resume();
  await once(socket, "close");
}

test("no request and no handler stops the server", async () => {
  const server = await served();
  const { url } = server;
  const [cookie] = (await exchanged(url)).headers["set-cookie"][0].split(";");
  for (const headers of [{}, { cookie }]) {
    for (const path of [
      "//",
      "//x",
      "///",
      "/\\",
      "/%",
      "/%ff",
      "/%00",
      "/[",
      "//[",
      "//a:b@c:99999",
      "http://",
      "http://[",
      "x",
      "*",
      "?",
      `/${"a".repeat(8000)}`,
    ]) {
      const { status } = await asked(url, path, { headers });
      assert.ok([200, 400, 403].includes(status), `${path} ${status}`);
    }
    for (const path of ["/throws", "/rejects"]) assert.equal((await asked(url, path, { headers })).status, headers.cookie ? 500 : 403);
  }
  await assert.rejects(asked(url, "/breaks", { headers: { cookie } }), { code: "ECONNRESET" });
  const { host } = new URL(url);
  for (const text of [
    "",
    "\r\n\r\n",
    "GET",
    "GET / HTTP/9\r\n\r\n",
    "GET / HTTP/1.0\r\n\r\n",
    `GET // HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    `CONNECT x:1 HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
    `POST /session HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nContent-Length: 99\r\n\r\nshort`,
    "\u0000\u0001\u0002",
  ])
    await bytes(url, text);
  assert.equal((await asked(url, "/still", { headers: { cookie } })).text, "/still");
  await server.close();
});

test("`tuckbox ui` serves its page, files and project only after the exchange", async () => {
  const [project, log] = [join(folder, "project.json"), join(folder, "log.json")];
  writeFileSync(project, JSON.stringify({ projects: [{ project_id: "p", boxes: [{ box_id: "b", card_ids: [] }] }] }));
  writeFileSync(log, JSON.stringify({ model: "m", messages: [{ role: "user", content: "hidden" }] }));
  const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
  for (const file of [project, log]) {
    const child = spawn(process.execPath, [program, "ui", "--no-open", "--port", "0", file], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "close");
    let out = "";
    for await (const chunk of child.stdout) {
      out += chunk;
      if (out.includes("Ctrl-C")) break;
    }
    const [url] = /http:\/\/\S+/.exec(out);
    for (const path of ["/inspector/", "/listing", "/files/0", "/lib/core.js", "/generated/core.wasm", "/api/projects/p/boxes/b", "//"])
      assert.equal((await asked(url, path)).status, 403, path);
    const [cookie] = (await exchanged(url)).headers["set-cookie"][0].split(";");
    const headers = { cookie };
    assert.equal((await asked(url, "/lib/core.js", { headers })).status, 200);
    for (const path of ["/package.json", "/inspector/../package.json", "/inspector/%2e%2e/package.json", "/bin/tuckbox.js", "/files/0"])
      assert.equal((await asked(url, path, { headers })).status, 404, path);
    if (file === project) {
      assert.deepEqual(JSON.parse((await asked(url, "/listing", { headers })).text).box_ids, ["b"]);
      assert.equal((await asked(url, "/api/projects/p/boxes/b", { headers })).status, 200);
      assert.equal((await asked(url, "/listing", { method: "POST", headers: { ...headers, origin: new URL(url).origin } })).status, 405);
    }
    child.kill("SIGINT");
    assert.equal((await ended)[0], 0);
  }
});
