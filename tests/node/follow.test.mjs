// `tuckbox watch PATH` reports files that grow and files that appear, to its own page only.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { follow } from "../../pkg/lib/local/follow.js";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-follow-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const line = `${JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] })}\n`;

test("files that grow and files in new folders are reported, until the caller ends it", async () => {
  const root = join(folder, "logs");
  mkdirSync(root);
  writeFileSync(join(root, "a.jsonl"), line);
  const reports = [];
  let look = () => {};
  const end = new AbortController();
  const changed = (files) => {
    reports.push(...files.map(({ name, size }) => `${name} ${size}`));
    look();
  };
  /** Waits for a report. */
  const reported = (text) =>
    new Promise((resolve) => {
      look = () => reports.includes(text) && resolve();
      look();
    });
  await follow({ cwd: folder }, ["logs"], changed, end.signal);
  const size = line.length;
  assert.deepEqual(reports, [`${join("logs", "a.jsonl")} ${size}`]);
  appendFileSync(join(root, "a.jsonl"), line);
  await reported(`${join("logs", "a.jsonl")} ${2 * size}`);
  mkdirSync(join(root, "new"));
  writeFileSync(join(root, "new", "b.jsonl"), line);
  await reported(`${join("logs", "new", "b.jsonl")} ${size}`);
  appendFileSync(join(root, "new", "b.jsonl"), line);
  await reported(`${join("logs", "new", "b.jsonl")} ${2 * size}`);
  end.abort();
});

/** Sends a request and returns its response, whose body is not read yet. */
function sent(url, options, body) {
  const out = request(url, { agent: false, ...options });
  out.end(body);
  return once(out, "response").then(([response]) => response);
}

async function textOf(response) {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return text;
}

test("the page of `watch` gets events with URLs, and the bytes that were added", async () => {
  const path = join(folder, "live.jsonl");
  writeFileSync(path, line);
  const program = fileURLToPath(new URL("../../pkg/bin/tuckbox.js", import.meta.url));
  const child = spawn(process.execPath, [program, "watch", "live.jsonl", "--no-open", "--port", "0"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [first] = await once(createInterface(child.stdout), "line");
  const url = new URL(/http:\S+/.exec(first)[0]);
  const { origin } = url;
  assert.equal((await sent(`${origin}/events`, {})).statusCode, 403);
  const session = await sent(`${origin}/session`, { method: "POST", headers: { origin } }, url.hash.slice(1));
  const headers = { cookie: session.headers["set-cookie"][0].split(";")[0] };
  const stream = await sent(`${origin}/events`, { headers });
  const events = createInterface(stream);
  const found = [];
  let look = () => {};
  events.on("line", (text) => {
    if (text.startsWith("data: ")) found.push(JSON.parse(text.slice(6)));
    look();
  });
  const grown = (size) =>
    new Promise((resolve) => {
      look = () => {
        const file = found.flatMap(({ files }) => files).find((one) => one.size === size);
        if (file !== undefined) resolve(file);
      };
      look();
    });
  await grown(line.length);
  appendFileSync(path, line);
  const { name, address } = await grown(2 * line.length);
  assert.equal(name, "live.jsonl");
  assert.equal(await textOf(await sent(`${origin}${address}?from=${line.length}`, {})), line);
  assert.equal(await textOf(await sent(`${origin}${address}`, {})), line + line);
  assert.equal(await textOf(await sent(`${origin}${address}?from=99999`, {})), "");
  stream.destroy();
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});
