// The recording proxy with a real upstream server: the bytes of both sides, aborted and broken connections, and records.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { connect, createServer as createTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { open, openTimeline } from "../../pkg/index.js";
import { logSource } from "../../pkg/lib/mcp/source.js";
import { memoryStore } from "../../pkg/lib/memory.js";
import { recorder } from "../../pkg/lib/proxy/recorder.js";
import { serveProxy } from "../../pkg/lib/proxy/server.js";
import { onlyDeep, times } from "../support/deep.mjs";
import { until } from "../support/until.mjs";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-proxy-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
// split, so that secret scanners do not report it
const key = ["sk-ant-", "a1b2c3d4e5f6g7h8i9j0k1l2"].join("");
const body = (text) => JSON.stringify({ model: "claude-opus-5-5", max_tokens: 10, messages: [{ role: "user", content: text }] });
const message = JSON.stringify({
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Hi" }],
  usage: { input_tokens: 9, output_tokens: 2 },
});

/** Starts a server; the answer of a request is its own. */
async function upstream(answer) {
  const seen = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    incoming.on("error", () => {});
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      // aborted
    }
    seen.push({ method: incoming.method, url: incoming.url, raw: incoming.rawHeaders, body: Buffer.concat(chunks) });
    answer(incoming, outgoing, seen.length - 1);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { seen, url: `http://127.0.0.1:${server.address().port}`, close };
}

let folders = 0;
/** Starts a proxy before a server. */
async function proxied(target, { keep = 1_000, maxBytes = 1 << 20, prefix = "" } = {}) {
  folders += 1;
  const recording = recorder({ folder: join(folder, `r${folders}`), keep, maxBytes, maxDisk: 1 << 30 });
  const proxy = await serveProxy({
    port: 0,
    isExact: true,
    routes: new Map([[prefix, new URL(target)]]),
    maxBytes,
    record: recording.record,
  });
  const close = async () => {
    await proxy.close();
    await recording.close();
    const text = readFileSync(recording.paths[0], "utf8");
    return {
      text,
      records: text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
      ...recording.account(),
    };
  };
  return { url: proxy.origin, close };
}

/** Sends a request and returns everything that comes back. */
function sent(url, { path = "/v1/messages", method = "POST", headers = {}, data } = {}) {
  return new Promise((resolve, reject) => {
    const out = request(url + path, { method, headers, agent: false }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", (error) =>
        resolve({ status: response.statusCode, raw: response.rawHeaders, body: Buffer.concat(chunks), error }),
      );
      response.on("end", () =>
        resolve({ status: response.statusCode, raw: response.rawHeaders, body: Buffer.concat(chunks), trailers: response.trailers }),
      );
    });
    out.on("error", reject);
    out.end(data);
  });
}

/** Headers that belong to one connection. */
const own = (raw) => raw.filter((_, at) => !/^(connection|keep-alive|date|host)$/i.test(raw[at - (at % 2)]));

test("requests and responses pass through unchanged, and records have no header and no key", async () => {
  const answers = [
    (out) => out.writeHead(200, { "content-type": "application/json", "X-Odd-Case": "1" }).end(message),
    (out) => out.writeHead(200, "Fine", { "content-type": "application/json", "content-encoding": "gzip" }).end(gzipSync(message)),
    (out) => out.writeHead(200, { "content-type": "application/json", "content-encoding": "br" }).end(brotliCompressSync(message)),
    (out) => out.writeHead(429, { "retry-after": "7", "content-type": "application/json" }).end('{"type":"error"}'),
    (out) => {
      out.writeHead(200, { "content-type": "text/event-stream", trailer: "x-sum" });
      for (const event of ['{"type":"message_start"}', '{"type":"message_delta","usage":{"output_tokens":3}}'])
        out.write(`data: ${event}\n\n`);
      out.addTrailers({ "x-sum": "1" });
      out.end();
    },
    (out) => out.writeHead(204).end(),
  ];
  const server = await upstream((_, outgoing, at) => answers[at % answers.length](outgoing));
  const proxy = await proxied(server.url, { keep: 100_000 });
  const rounds = times(2, 1_700);
  for (let round = 0; round < rounds; round += 1)
    for (let at = 0; at < answers.length; at += 1) {
      const data = at === 2 ? gzipSync(body(`gzip ${round}`)) : Buffer.from(body(`${at} ${round} ${key}`));
      const options = {
        path: `/v1/messages?beta=true&n=${at}%2F..`,
        headers: {
          "X-Api-Key": key,
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          ...(at === 2 ? { "content-encoding": "gzip" } : {}),
        },
        data,
      };
      // alternately with a length and in chunks
      if (at % 2 === 0) options.headers["content-length"] = String(data.length);
      const count = server.seen.length;
      const through = await sent(proxy.url, options);
      const [reached] = server.seen.slice(count);
      server.seen.length = count;
      const direct = await sent(server.url, options);
      const [expected] = server.seen.slice(count);
      assert.deepEqual(
        [through.status, own(through.raw), through.body, through.trailers],
        [direct.status, own(direct.raw), direct.body, direct.trailers],
      );
      assert.deepEqual(
        [reached.method, reached.url, own(reached.raw), reached.body],
        [expected.method, expected.url, own(expected.raw), expected.body],
      );
    }
  const { text, records, recorded, skipped } = await proxy.close();
  assert.deepEqual([recorded, skipped, records.length], [rounds * answers.length, 0, rounds * answers.length]);
  assert.ok(!text.includes(key) && !/api-key|authorization/i.test(text));
  assert.deepEqual(
    records.slice(0, 6).map(({ status, response }) => [status, (response?.events?.at(-1) ?? response)?.usage?.output_tokens ?? null]),
    [
      [200, 2],
      [200, 2],
      [200, 2],
      [429, null],
      [200, 3],
      [204, null],
    ],
  );
  const project = await open(memoryStore(), { projectId: "p" });
  const file = { name: "records.jsonl", text: text.split("\n").slice(0, 6).join("\n") };
  const { sessions } = await project.import.logs({ files: [file] });
  // each question is a conversation of its own
  assert.deepEqual(
    sessions.map(({ source, requests }) => [source, requests.length]),
    Array.from({ length: 6 }, () => ["raw-requests", 1]),
  );
  assert.equal(sessions[0].requests[0].recorded.input, 9);
  server.close();
});

test("a key in a URL is passed on and not recorded, and headers for the proxy are not passed on", async () => {
  const server = await upstream((_, outgoing) => outgoing.end(message));
  const proxy = await proxied(server.url);
  const path = `/v1beta/models/m:generateContent?alt=json&key=${key}`;
  await sent(proxy.url, { path, headers: { te: "trailers", "proxy-authorization": "Basic dTpw" }, data: body("x") });
  const { text, records } = await proxy.close();
  assert.equal(server.seen[0].url, path);
  assert.deepEqual(
    server.seen[0].raw.filter((name) => /^(te|proxy-.*)$/i.test(name)),
    [],
  );
  assert.ok(records[0].url.includes("alt=json") && !text.includes(key), text);
  server.close();
});

test("a recorded stream has its whole answer, and a failed request its reason", async () => {
  const events = [
    { type: "message_start", message: { id: "m1", role: "assistant", usage: { input_tokens: 40, cache_read_input_tokens: 8 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "At 23:40." } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  const server = await upstream((incoming, outgoing) => {
    if (incoming.url === "/v1/messages") {
      outgoing.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      return outgoing.end(events.map((event) => `event: ${event.type}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join(""));
    }
    outgoing
      .writeHead(529, { "content-type": "application/json" })
      .end('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}');
  });
  const proxy = await proxied(server.url);
  await sent(proxy.url, { data: body("When does the boat leave?") });
  await sent(proxy.url, { path: "/v1/messages?retry=1", data: body("And then?") });
  const { text } = await proxy.close();
  const timeline = await openTimeline([{ name: "records.jsonl", bytes: new TextEncoder().encode(text) }]);
  const steps = [0, 1].map((session) => timeline.ask({ session }).steps[0]);
  timeline.dispose();
  assert.deepEqual(
    steps.map(({ provider, did, recorded, error, failed }) => [
      provider,
      did[0]?.target ?? null,
      recorded.input,
      recorded.output,
      error,
      failed,
    ]),
    [
      ["anthropic", "At 23:40.", 48, 5, null, false],
      ["anthropic", null, null, null, "Overloaded", true],
    ],
  );
  server.close();
});

test("a stream reaches the client as it comes", async () => {
  let release;
  const server = await upstream((_, outgoing) => {
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write("data: first\n\n");
    release = () => outgoing.end("data: last\n\n");
  });
  const proxy = await proxied(server.url);
  const out = request(`${proxy.url}/v1/messages`, { method: "POST", agent: false });
  out.end(body("stream"));
  const [response] = await once(out, "response");
  const [first] = await once(response, "data");
  assert.equal(String(first), "data: first\n\n");
  const ended = once(response, "end");
  release();
  const [last] = await once(response, "data");
  assert.equal(String(last), "data: last\n\n");
  await ended;
  await proxy.close();
  server.close();
});

test("a recording is exported as HAR and as JSONL, and read again", async () => {
  const server = await upstream((incoming, outgoing) => {
    const isStream = incoming.url === "/v1/messages?stream=1";
    outgoing.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    outgoing.end(isStream ? 'data: {"type":"message_delta","delta":{},"usage":{"output_tokens":7}}\n\n' : message);
  });
  const proxy = await proxied(server.url);
  await sent(proxy.url, { data: body("first") });
  await sent(proxy.url, { path: "/v1/messages?stream=1", data: body("second").replace('"max_tokens":10', '"max_tokens":10.0') });
  await proxy.close();
  const run = async (shape) => {
    const child = spawn(process.execPath, [program, "import", `r${folders}`, "--shape", shape], { cwd: folder });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (more) => (text += more));
    const [code] = await once(child, "close");
    assert.equal(code, 0);
    return text;
  };
  const har = JSON.parse(await run("har"));
  assert.deepEqual(
    har.log.entries.map(({ request: { url }, response: { content } }) => [new URL(url).search, content.mimeType]),
    [
      ["", "application/json"],
      ["?stream=1", "text/event-stream"],
    ],
  );
  assert.match(har.log.entries[1].request.postData.text, /"max_tokens":10\.0/);
  const bytes = new TextEncoder().encode(JSON.stringify(har));
  const timeline = await openTimeline([{ name: "capture.har", bytes }]);
  assert.deepEqual(
    timeline.ask().steps.map(({ recorded }) => recorded.output),
    [2, 7],
  );
  timeline.dispose();
  assert.equal((await run("jsonl")).trim().split("\n").length, 2);
  server.close();
});

test("a client that hangs up, and a server that resets, end only their exchange", async () => {
  let gone;
  const server = await upstream((incoming, outgoing) => {
    if (incoming.url === "/reset") {
      outgoing.writeHead(200, { "content-length": "100" }).write("half");
      setImmediate(() => outgoing.destroy());
    } else if (incoming.url === "/slow") {
      outgoing.writeHead(200).write("some");
      gone = once(outgoing, "close");
    } else outgoing.end(message);
  });
  const proxy = await proxied(server.url);
  const out = request(`${proxy.url}/slow`, { method: "POST", agent: false });
  out.on("error", () => {});
  out.end(body("slow"));
  const [response] = await once(out, "response");
  await once(response, "data");
  response.on("error", () => {});
  out.destroy();
  await gone;
  const reset = await sent(proxy.url, { path: "/reset", data: body("reset") });
  assert.ok(reset.error !== undefined && String(reset.body) === "half");
  assert.equal((await sent(proxy.url, { path: "/fine", data: body("fine") })).status, 200);
  const { records } = await proxy.close();
  assert.deepEqual(records.map(({ aborted = false }) => aborted).sort(), [false, true, true]);
  server.close();
});

test("a server that is missing or answers nonsense is an error of that request", async () => {
  const tcp = createTcp((socket) => socket.on("error", () => {}).end("nonsense\r\n\r\n"));
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const nonsense = await proxied(`http://127.0.0.1:${tcp.address().port}`);
  const wrong = await sent(nonsense.url, { data: body("x") });
  assert.deepEqual([wrong.status, JSON.parse(wrong.body).error.type], [502, "proxy_error"]);
  await nonsense.close();
  tcp.close();
  const missing = await proxied(`http://127.0.0.1:${tcp.address()?.port ?? 9}`);
  assert.equal((await sent(missing.url, { data: body("x") })).status, 502);
  assert.equal((await missing.close()).records[0].aborted, true);
});

test("a server that closes a connection closes the client's, and no request is sent twice", async () => {
  const seen = [];
  const server = createTcp((socket) => {
    let count = 0;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      count += 1;
      const path = String(data).split(" ")[1];
      seen.push(`${path} ${count}`);
      if (path === "/reset") return socket.resetAndDestroy();
      const hint = path === "/hint" ? "keep-alive: timeout=77\r\n" : "";
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${hint}content-length: 2\r\n\r\n{}`);
      if (path === "/last") socket.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const recording = [];
  const proxy = await serveProxy({
    port: 0,
    isExact: true,
    routes: new Map([["", new URL(`http://127.0.0.1:${server.address().port}`)]]),
    maxBytes: 1_000,
    record: async (exchange) => void recording.push(exchange),
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (path) =>
    new Promise((resolve) => {
      const out = request(proxy.origin + path, { method: "POST", agent }, (response) => {
        response
          .resume()
          .on("end", () => resolve({ status: response.statusCode, hint: response.headers["keep-alive"], socket: out.socket }));
      });
      out.on("error", ({ code }) => resolve({ code }));
      out.end("{}");
    });
  try {
    const first = await ask("/hint");
    assert.deepEqual([first.status, first.hint], [200, "timeout=77"]);
    // an idle connection that the server closes
    const closed = once(first.socket, "close");
    assert.equal((await ask("/last")).socket, first.socket);
    await closed;
    assert.equal((await ask("/a")).status, 200);
    // a connection that the server resets when it is used again
    assert.equal((await ask("/reset")).code, "ECONNRESET");
    assert.deepEqual(seen, ["/hint 1", "/last 2", "/a 1", "/reset 2"]);
    assert.deepEqual(
      recording.map(({ status, isAborted }) => [status, isAborted]),
      [
        [200, false],
        [200, false],
        [200, false],
        [null, true],
      ],
    );
  } finally {
    agent.destroy();
    await proxy.close();
    server.close();
  }
});

test("limits stop the recording, never the requests", async () => {
  const server = await upstream((_, outgoing) => outgoing.end(message));
  const proxy = await proxied(server.url, { keep: 1, maxBytes: 1_000 });
  const long = body("x".repeat(5_000_000));
  assert.equal((await sent(proxy.url, { data: long })).status, 200);
  assert.equal(server.seen[0].body.length, long.length);
  for (let count = 0; count < 3; count += 1) assert.equal((await sent(proxy.url, { data: body("x") })).status, 200);
  assert.equal((await sent(proxy.url, { method: "GET", path: "/v1/models" })).status, 200);
  const { records, skipped, reason } = await proxy.close();
  assert.deepEqual([records.length, skipped, reason], [1, 4, "the limit of 1 exchanges is reached (--keep)"]);
  server.close();
});

test("a body that is too long when it is decoded is not recorded", async () => {
  const long = gzipSync(JSON.stringify({ messages: [], note: "x".repeat(5_000) }));
  const headers = { "content-encoding": "gzip", "content-type": "application/json" };
  const server = await upstream((incoming, outgoing) =>
    incoming.url.endsWith("long") ? outgoing.writeHead(200, headers).end(long) : outgoing.end(message),
  );
  const proxy = await proxied(server.url, { maxBytes: 1_000 });
  assert.equal((await sent(proxy.url, { headers, data: long })).status, 200);
  assert.deepEqual((await sent(proxy.url, { path: "/long", data: body("x") })).body, long);
  assert.equal((await sent(proxy.url, { headers, data: gzipSync(body("short")) })).status, 200);
  const { records, skipped, reason } = await proxy.close();
  assert.deepEqual([records.length, skipped, reason], [1, 2, "a body has more than 1000 bytes"]);
  server.close();
});

test("an MCP server sees each exchange while the proxy records", async () => {
  const server = await upstream((_, outgoing) => outgoing.writeHead(200, { "content-type": "application/json" }).end(message));
  const proxy = await proxied(server.url);
  const source = logSource({ cwd: folder }, [`r${folders}`]);
  let revision;
  for (const count of [1, 2, 3]) {
    await sent(proxy.url, { data: body(`question ${count}`) });
    // the recorder writes after the answer
    const look = async () => JSON.parse(await source.report()).sessions.flatMap((session) => session.requests).length;
    const requests = await until(`the source has ${count} requests`, look, (found) => found >= count);
    assert.equal(requests, count);
    const next = await source.revision();
    assert.notEqual(next, revision);
    revision = next;
  }
  await proxy.close();
  server.close();
});

test("pages and other hosts are refused", async () => {
  const server = await upstream((_, outgoing) => outgoing.end(message));
  const proxy = await proxied(server.url, { prefix: "/secret/anthropic" });
  const path = "/secret/anthropic/v1/messages";
  const status = async (headers, at = path) => (await sent(proxy.url, { path: at, headers, data: body("x") })).status;
  assert.equal(await status({}), 200);
  assert.equal(server.seen[0].url, "/v1/messages");
  assert.equal(await status({ origin: "https://evil.example" }), 403);
  assert.equal(await status({ host: "evil.example" }), 403);
  assert.equal(await status({ "sec-fetch-site": "cross-site" }), 403);
  assert.equal(await status({}, "/v1/messages"), 404);
  assert.equal(await status({}, "/secret/anthropicx/v1"), 404);
  assert.equal(server.seen.length, 1);
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.end("GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  await once(socket.resume(), "close");
  await proxy.close();
  server.close();
});

test("a proxy that is killed loses no exchange that ended", onlyDeep("starts one more process"), async () => {
  const server = await upstream((_, outgoing) => outgoing.writeHead(200, { "content-type": "application/json" }).end(message));
  const args = [program, "proxy", "--port", "0", "--upstream", server.url, "--record", "killed"];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const [first] = await once(child.stdout.setEncoding("utf8"), "data");
  const url = /http:\S+/.exec(first)[0];
  for (let count = 0; count < 5; count += 1) await sent(url, { data: body(`${count} ${"word ".repeat(20_000)}`) });
  child.kill("SIGKILL");
  await once(child, "exit");
  const [name] = readdirSync(join(folder, "killed"));
  assert.equal(readFileSync(join(folder, "killed", name), "utf8").split("\n").length, 6);
  server.close();
});

/** Makes the thread of the recorder throw when it gets a body with this text. */
const BREAKS = `
const { isMainThread, parentPort } = require("node:worker_threads");
if (!isMainThread) parentPort.on("message", ({ exchange }) => {
  if (exchange !== undefined && Buffer.from(exchange.request[0]).includes("broken")) throw new Error("out of memory");
});`;

test("a recorder that fails ends the recording, never the requests", async () => {
  const server = await upstream((_, outgoing) => outgoing.writeHead(200, { "content-type": "application/json" }).end(message));
  const preload = join(folder, "breaks.cjs");
  writeFileSync(preload, BREAKS);
  const args = ["--require", preload, program, "proxy", "--port", "0", "--no-open", "--upstream", server.url, "--record", "fails"];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    shown += text;
  });
  await until("the address of the proxy", () => /the inspector is at/.test(shown));
  const url = /http:\S+/.exec(shown)[0];
  for (const text of ["first", "broken", "after it", "the last"]) {
    assert.equal((await sent(url, { data: body(text) })).body.toString(), message);
  }
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
  assert.match(shown, /1 exchanges recorded/);
  assert.match(shown, /3 exchanges were not recorded: out of memory/);
  server.close();
});

test("`watch -- COMMAND` sets the base URLs, records the requests, and returns the code of the command", async () => {
  const server = await upstream((_, outgoing) => outgoing.writeHead(200, { "content-type": "application/json" }).end(message));
  const client = `
    const { ANTHROPIC_BASE_URL: url, ENABLE_TOOL_SEARCH: keeper } = process.env;
    const response = await fetch(url + "/v1/messages", { method: "POST", headers: { "x-api-key": "k" }, body: ${JSON.stringify(body("hello"))} });
    console.log((await response.json()).role, keeper);
    process.exit(3);`;
  const child = spawn(
    process.execPath,
    [program, "watch", "--no-open", "--record", "records", "--", process.execPath, "--input-type=module", "-e", client],
    {
      cwd: folder,
      env: { ...process.env, ANTHROPIC_BASE_URL: server.url },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (output[name] += text));
  const [code] = await once(child, "close");
  assert.deepEqual([code, output.stdout], [3, "assistant true\n"], output.stderr);
  assert.match(output.stderr, /^the inspector is at http:\/\/127\.0\.0\.1:\d+\/#[\w-]+\n1 exchanges recorded in /);
  const [name] = readdirSync(join(folder, "records"));
  assert.ok(existsSync(join(folder, "records", name)));
  assert.match(readFileSync(join(folder, "records", name), "utf8"), /"content":"hello"/);
  assert.equal(server.seen[0].url, "/v1/messages");
  server.close();
});
