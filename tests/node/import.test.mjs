// Imports on the command line and recorded requests, with the real program and real files.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import initSqlJs from "sql.js";
import { importStream, memoryStore, open } from "../../pkg/index.js";
import { main } from "../../pkg/lib/cli/main.js";
import { opened } from "../../pkg/lib/import/open.js";
import { fileSink, recordFetch, recordMiddleware, storeSink } from "../../pkg/record.js";
import { until } from "../support/until.mjs";
import { zip } from "../support/zip.mjs";

const folder = mkdtempSync(join(tmpdir(), "tuckbox-import-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function tuckbox(...args) {
  const output = { stdout: "", stderr: "" };
  const stream = (name) => ({ write: (text) => (output[name] += text) });
  const code = await main(args, { stdin: [], stdout: stream("stdout"), stderr: stream("stderr"), env: {}, cwd: () => folder });
  return { code, ...output };
}

function put(name, bytes) {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, bytes);
}

const turn = (...more) => ({
  model: "m-1",
  max_tokens: 5,
  system: "Be brief.",
  messages: [{ role: "user", content: "Is it open?" }, ...more],
});
const bodies = [turn(), turn({ role: "assistant", content: "Yes." }, { role: "user", content: "Until when?" })];
const log = bodies.map((body) => JSON.stringify(body)).join("\n");

const texts = ({ messages }) => messages.flatMap(({ role, parts }) => parts.map(({ text }) => `${role}: ${text}`));

test("a folder is imported without the files that describe a case, and the last request is printed", async () => {
  put("case/sub/requests.jsonl", log);
  put("case/truth.json", JSON.stringify([{ model: "no", messages: [{ role: "user", content: "the truth" }] }]));
  put("case/meta.json", "{}");
  const { code, stdout } = await tuckbox("import", "case", "--shape", "neutral");
  assert.equal(code, 0);
  const shape = JSON.parse(stdout);
  assert.deepEqual(texts(shape), ["user: Is it open?", "assistant: Yes.", "user: Until when?"]);
  assert.deepEqual([shape.system, shape.unknown], [["Be brief."], []]);
  const first = JSON.parse((await tuckbox("import", "case", "--shape", "neutral", "--request", "0")).stdout);
  assert.deepEqual(texts(first), ["user: Is it open?"]);
  const every = JSON.parse((await tuckbox("import", "case", "--shape", "neutral", "--every")).stdout);
  assert.deepEqual(
    every.requests.map(({ index }) => index),
    [0, 1],
  );
});

test("gzip and zip files are opened regardless of their names", async () => {
  put("packed/renamed.txt", gzipSync(log));
  assert.deepEqual(texts(JSON.parse((await tuckbox("import", "packed", "--shape", "neutral")).stdout)).length, 3);
  put(
    "zipped/archive",
    zip([
      ["a/log.jsonl", log],
      ["b.txt", "nothing"],
    ]),
  );
  assert.deepEqual(texts(JSON.parse((await tuckbox("import", "zipped", "--shape", "neutral")).stdout)).length, 3);
  const broken = gzipSync(log).subarray(0, 40);
  assert.deepEqual(await opened({ name: "x.gz", bytes: new Uint8Array(broken) }), [{ name: "x.gz", bytes: new Uint8Array(broken) }]);
});

test("a session database is imported", async () => {
  // Node 20 has no SQLite, so the file is written with SQLite in WebAssembly
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run(
    "create table agent_messages (id integer primary key, session_id text not null, message_data text not null, foreign key (session_id) references x(y))",
  );
  // many long rows create inner pages and overflow pages
  for (let at = 0; at < 400; at += 1)
    database.run("insert into agent_messages (session_id, message_data) values (?, ?)", [
      "s",
      JSON.stringify({ role: at % 2 === 0 ? "user" : "assistant", content: `${at} ${"long ".repeat(at % 7 === 0 ? 3000 : 3)}`.trim() }),
    ]);
  put("db/s.sqlite", database.export());
  database.close();
  const shape = JSON.parse((await tuckbox("import", "db", "--shape", "neutral")).stdout);
  assert.equal(shape.messages.length, 399);
  assert.deepEqual(
    shape.messages.map(({ parts: [{ text }] }) => Number(text.split(" ")[0])),
    Array.from({ length: 399 }, (_, at) => at),
  );
});

test("every other command works on an imported project", async () => {
  put("log.jsonl", log);
  const { stdout } = await tuckbox("import", "log.jsonl", "--shape", "snapshot", "--project", "mine");
  put("project.json", stdout);
  const [project] = JSON.parse(stdout).projects;
  const [first, second] = project.boxes.filter(({ box_id }) => /_\d+$/.test(box_id));
  // the last card of a box records the sent body
  const shared = first.card_ids.slice(0, -1);
  assert.deepEqual(second.card_ids.slice(0, shared.length), shared, "both boxes contain the same cards");
  assert.deepEqual(second.parent_ids, [first.box_id]);
  const store = ["--store", "project.json"];
  const body = JSON.parse(
    (await tuckbox("payload", `box:${second.box_id}`, "--provider", "openai_chat", "--model", "other", ...store)).stdout,
  );
  assert.deepEqual(
    body.messages.map(({ role, content }) => `${role}: ${content}`),
    ["system: Be brief.", "user: Is it open?", "assistant: Yes.", "user: Until when?"],
  );
  const sent = JSON.parse((await tuckbox("payload", `box:${second.box_id}`, "--provider", "anthropic", ...store)).stdout);
  assert.deepEqual(sent, bodies[1], "the original provider gets the sent body");
  assert.equal((await tuckbox("inspect", second.box_id, ...store)).code, 0);
  const diff = await tuckbox("diff", `box:${first.box_id}`, `box:${second.box_id}`, "--provider", "anthropic", ...store, "--json");
  assert.equal(JSON.parse(diff.stdout).error, undefined);
  const turn = await tuckbox("turn", project.agents[0].agent_id, ...store);
  assert.equal(turn.code, 0, turn.stderr);
});

test("a repeated commit of an import writes nothing", async () => {
  put("again.jsonl", log);
  const commit = () => tuckbox("import", "again.jsonl", "--store", "kept.json", "--project", "p", "--commit");
  const first = await commit();
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /committed \d+ cards/);
  const [{ profiles }] = JSON.parse(readFileSync(join(folder, "kept.json"), "utf8")).projects;
  assert.equal(profiles.length, 1);
  const second = await commit();
  assert.equal(second.code, 0, second.stderr);
  assert.doesNotMatch(second.stdout, /committed/);
});

test("the table lists sessions, requests, tokens and losses, and the line of each error", async () => {
  put(
    "mixed/session.jsonl",
    [
      '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00Z","cwd":"/x"}',
      '{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"q"}]}}',
      "this is not JSON",
      '{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"text","text":"a"}],"usage":{"input":9000,"output":3}}}',
    ].join("\n"),
  );
  put("mixed/none.sqlite", Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(20)]));
  const { stdout, code } = await tuckbox("import", "mixed");
  assert.equal(code, 0);
  assert.match(stdout, /pi s1/);
  assert.match(stdout, /9000 +3/);
  assert.match(stdout, /not in the log: system, tools/);
  assert.match(stdout, /session\.jsonl:3: line 3 is not JSON/);
  assert.match(stdout, /none\.sqlite: the database cannot be read/);
  assert.match(stdout, /\d+ tokens of the last request are not in the log/);
  const wrong = await tuckbox("import", "nowhere");
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /`nowhere` cannot be read/);
});

test("a streamed list has the same result for any chunk size", async () => {
  put("stream/a.jsonl", log);
  put("stream/b.jsonl.gz", gzipSync(bodies.map((body) => JSON.stringify({ ...body, model: "m-2" })).join("\n")));
  put("stream/notes.txt", "hello");
  const listed = await tuckbox("import", "stream", "--list", "--json");
  assert.equal(listed.code, 0, listed.stderr);
  const whole = JSON.parse((await tuckbox("import", "stream", "--json")).stdout).value;
  assert.deepEqual(JSON.parse(listed.stdout), whole);
  assert.equal(whole.sessions.length, 2);
  const table = await tuckbox("import", "stream", "--list");
  assert.match(table.stdout, /3 files, 1 not recognized, 2 sessions, 4 requests/);
  // chunks of one byte split characters of several bytes
  const bytes = new TextEncoder().encode(JSON.stringify({ model: "m", messages: [{ role: "user", content: "é😀" }] }));
  const seen = [];
  const { value, lints } = await importStream([{ name: "x.json", chunks: Array.from(bytes, (byte) => Uint8Array.of(byte)) }], {
    progress: (progress) => seen.push(progress),
  });
  assert.deepEqual([value.sessions[0].requests.length, lints], [1, []]);
  assert.deepEqual(seen, [{ name: "x.json", files: 1, bytes: bytes.length, requests: 1 }]);
});

test("progress is reported while a large file is read", async () => {
  // every tenth turn continues the first one, so that a request has only a few messages
  const turn = (at) => [
    {
      uuid: `u${at}`,
      parentUuid: at === 0 ? null : `a${at % 10 === 0 ? 0 : at - 1}`,
      sessionId: "s",
      type: "user",
      message: { role: "user", content: "word ".repeat(300) },
    },
    {
      uuid: `a${at}`,
      parentUuid: `u${at}`,
      sessionId: "s",
      type: "assistant",
      message: { id: `m${at}`, role: "assistant", model: "m", content: [{ type: "text", text: "ok" }] },
    },
  ];
  const lines = Array.from({ length: 2_000 }, (_, at) => turn(at)).flat();
  const bytes = new TextEncoder().encode(lines.map((value) => JSON.stringify(value)).join("\n"));
  function* pieces() {
    for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
  }
  const seen = [];
  const { value } = await importStream([{ name: "s.jsonl", size: bytes.length, chunks: pieces() }], {
    progress: (progress) => seen.push(progress),
  });
  assert.equal(value.sessions[0].requests.length, 2_000);
  const inside = seen.filter(({ files }) => files === 0);
  assert.ok(inside.length >= 2 && inside.every(({ requests }) => requests > 200 && requests < 2_000), JSON.stringify(seen));
  assert.deepEqual(seen.at(-1), { name: "s.jsonl", files: 1, bytes: bytes.length, requests: 2_000 });
  // requests are transferred in chunks, and the list of unknown values once
  put(
    "large/s.jsonl",
    lines
      .slice(0, 2_200)
      .map((value) => JSON.stringify(value))
      .join("\n"),
  );
  const whole = JSON.parse((await tuckbox("import", "large", "--json")).stdout).value;
  assert.equal(whole.sessions[0].requests.length, 1_100);
  assert.deepEqual(JSON.parse((await tuckbox("import", "large", "--list", "--json")).stdout), whole);
  const end = new AbortController();
  await assert.rejects(importStream([{ name: "s.jsonl", chunks: pieces() }], { signal: end.signal, progress: () => end.abort() }), {
    code: "aborted",
  });
});

test("a caller can use one buffer for all chunks of a file", async () => {
  const text = Array.from({ length: 400 }, (_, at) => JSON.stringify({ ...turn(), model: `m-${at}` })).join("\n");
  for (const [name, bytes] of [
    ["a.jsonl", new TextEncoder().encode(text)],
    ["a.jsonl.gz", new Uint8Array(gzipSync(text))],
  ]) {
    const chunks = async function* () {
      const buffer = new Uint8Array(64);
      for (let at = 0; at < bytes.length; at += buffer.length) {
        const part = bytes.subarray(at, at + buffer.length);
        buffer.set(part);
        yield buffer.subarray(0, part.length);
      }
    };
    const { value } = await importStream([{ name, size: bytes.length, chunks: chunks() }]);
    assert.equal(value.sessions.flatMap(({ requests }) => requests).length, 400, name);
  }
});

test("an aborted stream ends, and the next one works", async () => {
  const end = new AbortController();
  const files = ["a.jsonl", "b.jsonl"].map((name) => ({ name, bytes: new TextEncoder().encode(log) }));
  await assert.rejects(importStream(files, { signal: end.signal, progress: () => end.abort() }), { code: "aborted" });
  assert.equal((await importStream(files)).value.sessions.length, 2);
});

test("recorded tokens calibrate a budget", async () => {
  const record = (content, prompt_tokens) =>
    JSON.stringify({
      request: { model: "m-1", messages: [{ role: "user", content }] },
      response: {
        model: "m-1",
        choices: [{ message: { role: "assistant", content: "ok" } }],
        usage: { prompt_tokens, completion_tokens: 1 },
      },
    });
  put("usage.jsonl", [record("one two three four", 33), record("one two three four five six", 39)].join("\n"));
  const table = await tuckbox("import", "usage.jsonl", "--list");
  assert.match(table.stdout, /factor 300 %, error 66 %, 0 % after calibration/);
  put("report.json", (await tuckbox("import", "usage.jsonl", "--list", "--json")).stdout);
  put(
    "prompt.json",
    JSON.stringify({
      messages: [
        { role: "user", content: "one two three four five six seven eight" },
        { role: "assistant", content: "one two three four" },
        { role: "user", content: "now" },
      ],
    }),
  );
  const budget = (...more) => tuckbox("budget", "prompt.json", "--provider", "openai_chat", "--limit", "60", ...more);
  assert.doesNotMatch((await budget()).stdout, /dropped/);
  const scaled = await budget("--model", "m-1", "--calibration", "report.json");
  assert.match(scaled.stdout, /dropped message 0/, scaled.stderr);
  assert.match((await budget("--calibration", "report.json")).stderr, /needs `--model`/);
});

test("requests are recorded without keys and can be imported", async () => {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "r1",
        choices: [{ message: { role: "assistant", content: "Hello." } }],
        usage: { prompt_tokens: 4, completion_tokens: 2 },
      }),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/v1/chat/completions?key=secret-1`;
  const records = [];
  const sink = fileSink(join(folder, "live.jsonl"));
  const recorded = recordFetch(async (record) => {
    records.push(record);
    await sink(record);
  });
  const body = { model: "m", messages: [{ role: "user", content: "Hi" }], api_key: "secret-2" };
  const answer = await recorded(url, { method: "POST", headers: { authorization: "Bearer secret-3" }, body: JSON.stringify(body) });
  assert.equal((await answer.json()).id, "r1");
  await until("the request is recorded", () => records.length);
  await sink({ ...records[0] });
  server.close();
  const written = readFileSync(join(folder, "live.jsonl"), "utf8");
  assert.doesNotMatch(written, /secret/);
  const shape = JSON.parse((await tuckbox("import", "live.jsonl", "--shape", "neutral")).stdout);
  assert.deepEqual(shape.output, [{ type: "text", text: "Hello." }]);

  const project = await open(memoryStore(), { projectId: "p" });
  const middleware = recordMiddleware(storeSink(project));
  const result = await middleware.wrapGenerate({
    doGenerate: async () => ({ request: { body: JSON.stringify(body) }, response: {} }),
    params: { prompt: [] },
    model: { modelId: "m" },
  });
  assert.deepEqual(result.response, {});
  const failing = recordFetch(
    () => {
      throw new Error("full");
    },
    { fetch: async () => new Response("{}"), onError: (error) => records.push(error) },
  );
  await failing("http://x", { method: "POST", body: "{}" });
  await until(
    "the failure is reported",
    () => records.at(-1),
    (last) => last instanceof Error,
  );
  assert.throws(() => recordFetch(undefined), { code: "bad_request" });
});
