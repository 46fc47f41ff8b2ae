// `cargo xtask bench proxy` measures the recording proxy: the time that it adds to the first byte of 50 streams at
// once, and their throughput with and without it. It also checks that 10,000 exchanges are answered and recorded
// unchanged. Server, proxy and clients are processes of their own. A stream has 20 events at the pace of a model.
// Bodies at the speed of memory are printed too: there the proxy needs as much processor time as server and client
// together.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveProxy } from "../../pkg/lib/proxy/server.js";
import { threadRecorder } from "../../pkg/lib/proxy/thread.js";

const STREAMS = 50;
/** The requests of each stream, one after another. */
const ROUNDS = 8;
const EVENTS = 20;
const PACE_MS = 10;
const EXCHANGES = Number(process.env.TUCKBOX_EXCHANGES ?? 10_000);

const question = (n, size = 20) =>
  JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: `${n} ${"word ".repeat(size)}` }] });
const answer = (n) => JSON.stringify({ type: "message", content: [{ type: "text", text: `Answer ${n}` }], usage: { output_tokens: 2 } });

/** Answers as a model server: whole, in chunks, as a stream, or cut off. */
async function server() {
  const serving = http.createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const kind = incoming.url.split("/")[1];
    const n = incoming.url.split("/")[2];
    if (kind === "big") return outgoing.writeHead(200, { "content-type": "application/json" }).end(Buffer.alloc(4 << 20, "a"));
    if (kind === "stream") {
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      for (let at = 0; at < EVENTS; at += 1) {
        outgoing.write(`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${at}"}}\n\n`);
        await new Promise((resolve) => setTimeout(resolve, PACE_MS));
      }
      return outgoing.end("data: [DONE]\n\n");
    }
    if (kind === "cut") {
      outgoing.writeHead(200, { "content-length": "1000", "content-type": "application/json" });
      outgoing.write("{", () => outgoing.destroy());
      return;
    }
    outgoing.writeHead(200, {
      "content-type": "application/json",
      ...(kind === "length" ? { "content-length": Buffer.byteLength(answer(n)) } : {}),
    });
    outgoing.end(answer(n));
  });
  serving.listen(0, "127.0.0.1");
  await once(serving, "listening");
  return serving.address().port;
}

/** Starts the proxy; returns its port. */
async function proxy(target, folder) {
  const limits = { keep: 1_000_000, maxBytes: 32 << 20, maxDisk: 1 << 30 };
  const recording = await threadRecorder({ folder, otlp: false, ...limits });
  const routes = new Map([["", new URL(`http://127.0.0.1:${target}`)]]);
  const { port } = await serveProxy({ port: 0, isExact: true, routes, maxBytes: limits.maxBytes, record: recording.record });
  return { port, path: recording.paths[0] };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: STREAMS });

/** Sends a request; returns the time to the first byte, the whole time, and the body. */
function sent(port, path, body) {
  return new Promise((resolve) => {
    const begun = performance.now();
    let first;
    const out = http.request(
      { port, host: "127.0.0.1", path, method: "POST", agent, headers: { "content-type": "application/json" } },
      (response) => {
        const chunks = [];
        response.on("data", (chunk) => {
          first ??= performance.now() - begun;
          chunks.push(chunk);
        });
        const end = () =>
          resolve({ status: response.statusCode, first, body: Buffer.concat(chunks).toString(), isWhole: response.complete });
        response.on("end", end);
        response.on("error", end);
      },
    );
    out.on("error", () => resolve({ status: 0, first: 0, body: "", isWhole: false }));
    out.end(body);
  });
}

/** Returns a quantile. */
const quantile = (times, share) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)];

/** Sends 50 streams of requests at once; returns the times to the first bytes, and the events per second. */
async function streams(port) {
  const begun = performance.now();
  const each = async (n) => {
    const times = [];
    // clients do not start within one millisecond
    await new Promise((resolve) => setTimeout(resolve, (n * EVENTS * PACE_MS) / STREAMS));
    for (let round = 0; round < ROUNDS; round += 1) times.push((await sent(port, `/stream/${n}`, question(n, 2_000))).first);
    return times;
  };
  const times = (await Promise.all(Array.from({ length: STREAMS }, (_, n) => each(n)))).flat();
  return { times, rate: (STREAMS * ROUNDS * EVENTS * 1_000) / (performance.now() - begun) };
}

async function throughput(port) {
  const begun = performance.now();
  let bytes = 0;
  for (let round = 0; round < 10; round += 1)
    for (const { body } of await Promise.all(Array.from({ length: 4 }, (_, n) => sent(port, `/big/${n}`, question(n)))))
      bytes += body.length;
  return bytes / (performance.now() - begun) / 1_000;
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-bench-"));
  const children = [];
  const start = async (...args) => {
    const child = fork(fileURLToPath(import.meta.url), args);
    children.push(child);
    const [message] = await once(child, "message");
    return message;
  };
  let failed = 0;
  const print = (what, value, unit, limit, isMet) => {
    if (!isMet) failed += 1;
    console.log(`${isMet ? "  ok " : "FAIL "} ${what.padEnd(58)}${String(Math.round(value * 100) / 100).padStart(9)} ${unit}   (${limit})`);
  };
  try {
    const { port: direct } = await start("server");
    const { port: through, path } = await start("proxy", String(direct), folder);
    console.log(`load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors`);
    await Promise.all([streams(direct), streams(through)]);
    const used = async () => {
      children[1].send("usage");
      return (await once(children[1], "message"))[0];
    };
    const begun = await used();
    const [plain, proxied, rate] = [[], [], [[], []]];
    // in turns, because the load of the machine changes
    for (let turn = 0; turn < 4; turn += 1) {
      const [a, b] = [await streams(direct), await streams(through)];
      plain.push(...a.times);
      proxied.push(...b.times);
      rate[0].push(a.rate);
      rate[1].push(b.rate);
    }
    const own = ((await used()) - begun) / (4 * STREAMS * ROUNDS);
    console.log(`      processor time of the proxy and its recorder: ${own.toFixed(2)} ms for each stream`);
    const paced = (quantile(rate[1], 0.5) / quantile(rate[0], 0.5)) * 100;
    const [before, after] = [quantile(plain, 0.95), quantile(proxied, 0.95)];
    console.log(
      `      first byte at p50: direct ${quantile(plain, 0.5).toFixed(1)} ms, through the proxy ${quantile(proxied, 0.5).toFixed(1)} ms`,
    );
    print(`added to the first byte at p95, ${STREAMS} streams at once`, after - before, "ms", "at most 5", after - before <= 5);
    const rates = [[], []];
    for (let turn = 0; turn < 4; turn += 1) {
      rates[0].push(await throughput(direct));
      rates[1].push(await throughput(through));
    }
    console.log(
      `      4 MiB bodies: direct ${quantile(rates[0], 0.5).toFixed(0)} MB/s, through the proxy ${quantile(rates[1], 0.5).toFixed(0)} MB/s`,
    );
    print(`throughput of ${STREAMS} streams with the proxy`, paced, "%", "at least 90", paced >= 90);
    let wrong = 0;
    const known = readFileSync(path, "utf8").split("\n").length - 1;
    const kinds = ["length", "chunks", "stream", "cut"];
    for (let n = 0; n < EXCHANGES; n += STREAMS) {
      const group = Array.from({ length: Math.min(STREAMS, EXCHANGES - n) }, (_, at) => n + at);
      const ask = (port) => Promise.all(group.map((one) => sent(port, `/${kinds[one % kinds.length]}/${one}`, question(one))));
      const [a, b] = [await ask(direct), await ask(through)];
      a.forEach((one, at) => {
        const other = b[at];
        if (one.status === other.status && one.body === other.body && one.isWhole === other.isWhole) return;
        wrong += 1;
        console.log(`      exchange ${n + at}: direct ${JSON.stringify(one)}, through the proxy ${JSON.stringify(other)}`);
      });
    }
    print(`different responses of ${EXCHANGES} exchanges`, wrong, "", "none", wrong === 0);
    const records = readFileSync(path, "utf8").split("\n").slice(known, -1);
    const asked = new Set(records.map((line) => JSON.parse(line).request.messages[0].content.split(" ")[0]));
    print("exchanges without a record", EXCHANGES - asked.size, "", "none", asked.size === EXCHANGES && records.length === EXCHANGES);
  } finally {
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

const [, , role, target, folder] = process.argv;
if (role === "server") process.send({ port: await server() });
else if (role === "proxy") {
  process.send(await proxy(target, folder));
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send((user + system) / 1_000);
  });
} else {
  await main();
  agent.destroy();
}
