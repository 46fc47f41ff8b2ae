// HTTP stores, canceled requests, and requests that no client sends.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { nodeListener } from "../../pkg/http.js";
import { memoryStore, open } from "../../pkg/index.js";
import { readsOf } from "../../pkg/lib/http/wire.js";
import { httpStore } from "../../pkg/stores/http.js";
import { at, server } from "./routes.mjs";

test("a client that closes its connection cancels the read of the store", async (t) => {
  const gone = new AbortController();
  const stopped = new Promise((resolve) => {
    const read = (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener("abort", () => resolve("read"));
        gone.abort();
      });
    const { handler } = server({ store: { read, commit: () => ({}) } });
    const listening = createServer(nodeListener(handler));
    t.after(() => listening.close());
    listening.listen(0, "127.0.0.1", () => {
      fetch(`http://127.0.0.1:${listening.address().port}/projects/p1/boxes/b1`, { signal: gone.signal }).catch(() => {});
    });
  });
  assert.equal(await stopped, "read");
});

test("the handler refuses unknown methods and request targets", async (t) => {
  const { handler, told } = server();
  const listening = createServer(nodeListener(handler));
  t.after(() => listening.close());
  await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address();
  const send = (head) =>
    new Promise((resolve, reject) => {
      let answer = "";
      const socket = connect(port, "127.0.0.1", () => socket.write(`${head}\r\nHost: h\r\nConnection: close\r\n\r\n`));
      socket
        .setEncoding("utf8")
        .on("data", (text) => (answer += text))
        .on("close", () => resolve(Number(answer.split(" ")[1])))
        .on("error", reject);
    });
  assert.equal(await send("GET /projects/p1/boxes/b1 HTTP/1.1"), 200);
  assert.equal(await send("GET http://elsewhere/projects/p1/boxes/b1 HTTP/1.1"), 200);
  assert.equal(await send("TRACE /projects/p1/boxes/b1 HTTP/1.1"), 405);
  // two slashes start a path, not a host
  assert.equal(await send("GET //elsewhere/projects/p1/boxes/b1 HTTP/1.1"), 404);
  for (const target of ["*", "ftp://elsewhere/x", "projects/p1", "http://"])
    assert.equal(await send(`OPTIONS ${target} HTTP/1.1`), 400, target);
  assert.deepEqual(told, []);
});

test("the HTTP store reports errors of its server", async () => {
  const answering = (response) => httpStore("http://host/api", { fetch: async () => response() });
  const reads = { project_id: "p", boxes: ["b"] };
  const html = () => new Response("<html>", { headers: { "content-type": "text/html" } });
  await assert.rejects(answering(html).read(reads), {
    code: "store",
    message: /the answer of `http:\/\/host\/api\/projects\/p\/store\/read` is not JSON/,
  });
  await assert.rejects(answering(() => new Response("not here", { status: 404 })).read(reads), {
    code: "store",
    message: /status 404; is it the URL/,
  });
  await assert.rejects(answering(() => Response.redirect("http://elsewhere/", 302)).read(reads), { code: "store", message: /status 302/ });
  await assert.rejects(
    answering(() => new Response("{", { headers: { "content-type": "application/json" } })).commit({
      project_id: "p",
      operation_id: "o",
      at,
    }),
    { code: "store", message: /is incomplete or not JSON/ },
  );
  await assert.rejects(httpStore("http://127.0.0.1:1").commit({ project_id: "p", operation_id: "o", at }), {
    code: "store",
    message: /could not be reached.*committing again is safe/,
  });
  await assert.rejects(answering(() => Response.json({ error: { code: "auth_failed", message: "no" } }, { status: 403 })).read(reads), {
    code: "auth_failed",
    message: "no",
  });
  await assert.rejects(answering(() => Response.json({ error: { code: "made_up", message: "no" } }, { status: 500 })).read(reads), {
    code: "store",
    message: /status 500/,
  });
  for (const url of ["host/api", "ftp://host", "http://user:secret@host/", "http://host/?a=b", undefined])
    assert.throws(() => httpStore(url), { code: "bad_request", path: "url" });
  assert.throws(() => httpStore("http://host", { header: {} }), { code: "bad_request", path: "header" });
  assert.throws(() => httpStore("http://host", { routes: "all" }), { code: "bad_request", path: "routes" });
  for (const project_id of ["\ud800", ".", ".."])
    await assert.rejects(answering(html).read({ project_id }), { code: "bad_request", path: "project_id" });
});

test("a remote store follows no redirect, which could send its headers to another server", async (t) => {
  const seen = [];
  const serve = async (answer) => {
    const server = createServer(answer).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    return `http://127.0.0.1:${server.address().port}`;
  };
  const elsewhere = await serve((request, response) => {
    seen.push(request.headers["x-key"]);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  const url = await serve((request, response) => response.writeHead(307, { location: `${elsewhere}${request.url}` }).end());
  const store = httpStore(url, { headers: { "x-key": "secret" } });
  await assert.rejects(store.read({ project_id: "p", boxes: ["b"] }), { code: "store", message: /status 307/ });
  assert.deepEqual(seen, []);
});

test("the HTTP store splits more ids than one request may hold into several requests", async () => {
  const { handler } = server({ maxIds: 3 });
  let requests = 0;
  const fetch = (url, init) => handler(new Request(url, init)).finally(() => (requests += 1));
  const store = httpStore("http://host", { fetch, maxIds: 3 });
  const answers = JSON.parse(
    await store.read({ project_id: "p1", boxes: ["b2", "x", "b1"], cards: ["y", "c3", "z", "c1"], profiles: ["writer"] }),
  );
  assert.equal(requests, 3);
  assert.deepEqual([answers.boxes.map((row) => row.box_id), answers.missing_boxes], [["b2", "b1"], ["x"]]);
  assert.deepEqual(
    [answers.cards.map((row) => row.card_id), answers.missing_cards],
    [
      ["c3", "c1"],
      ["y", "z"],
    ],
  );
  await assert.rejects(httpStore("http://host", { fetch }).read({ project_id: "p1", boxes: ["1", "2", "3", "4"] }), { code: "limit" });
  assert.throws(() => httpStore("http://host", { maxIds: 0 }), { code: "bad_request", path: "maxIds" });
});

test("the HTTP store works with a server that has only the routes for boxes and cards", async () => {
  const { handler } = server();
  const fetch = (url, init) =>
    new URL(url).pathname.includes("/store/") ? Promise.resolve(new Response("", { status: 404 })) : handler(new Request(url, init));
  const project = await open(httpStore("http://host", { fetch, routes: "cards" }), { projectId: "p1" });
  const { cards, missing_cards } = await project.boxes.getCards({ box_id: "b1" });
  assert.deepEqual([cards.map((card) => card.card_id), missing_cards], [["c1", "c3"], [{ id: "gone", reason: "absent" }]]);
  assert.equal(cards[1].content.data.n, 12345678901234567890n);
  await assert.rejects(
    project.pack({
      tool_suffix: "t",
      source_agent_id: "a",
      arguments: { profile_name: "writer" },
      handover: { context_packing_config: {} },
    }),
    { code: "store", message: /no route for profiles/ },
  );
  await assert.rejects(project.boxes.create({ card_ids: [] }), { code: "store", message: /no route for commits/ });
});

test("the handler checks follow reads like rows: a typed error with a path, and no read", async () => {
  const touched = [];
  const store = { read: () => touched.push("read"), commit: () => touched.push("commit") };
  const { post } = server({ store });
  const list = { table: "heads", index: "by_status", of: ["idle"], limit: 2 };
  const reads = (to, from = list) => ({ lists: [list], follow: [{ from, to }] });
  for (const [body, status, path] of [
    [reads([{ table: "inbox", key: "i1" }]), 400, "follow[0].to[0]"],
    [reads([{ table: "inbox", key: [{ column: 1 }] }]), 400, "follow[0].to[0][0]"],
    [reads([{ table: "inbox", index: "queue", of: ["a"], limit: -1 }]), 400, "follow[0].to[0].limit"],
    [reads([null]), 400, "follow[0].to[0]"],
    [reads([{ box: "b" }], { ...list, limit: "many" }), 400, "follow[0].from"],
    [reads([{ table: "inbox", index: "queue", of: ["a"], limit: 1_000_001 }]), 413, "follow[0].to[0].limit"],
    [{ lists: [1, 2, 3, 4, 5].map((limit) => ({ ...list, limit })) }, 413, "lists[4]"],
  ]) {
    const answer = await post("/projects/p1/store/read", body);
    assert.deepEqual([answer.status, answer.json.error.path], [status, path], JSON.stringify(answer.json));
  }
  assert.deepEqual(touched, []);
});

test("a batch starts and ends over HTTP with the default limits", async () => {
  const store = memoryStore();
  const [profile_box_id, context_box_id] = ["a1", "c1"].map((end) => `00000000-0000-4000-8000-0000000000${end}`);
  store
    .project("p1")
    .addProfile({ name: "Runner", profile_box_id, worker_target: "generic" })
    .addBox({ box_id: context_box_id, card_ids: [] });
  const { handler } = server({ store });
  const project = await open(httpStore("http://host", { fetch: (url, init) => handler(new Request(url, init)) }), { projectId: "p1" });
  const task_specs = Array.from({ length: 3 }, () => ({ provision: true, profile_box_id, context_box_id }));
  const of = { source_agent_id: "boss", parent_agent_turn_id: "t", parent_turn_epoch: 1, recursion_depth: 1, activate: true, task_specs };
  const made = [];
  for (const [parent_tool_call_id, more] of [
    ["c1", {}],
    ["c2", { fail_fast: true }],
  ]) {
    made.push((await project.run.createBatch({ ...of, ...more, parent_tool_call_id })).batch_id);
  }
  const [{ tasks }, hurried] = await Promise.all(made.map((batch_id) => project.run.state({ batch_id })));
  for (const { current_agent_turn_id } of tasks) await project.run.childEvent({ agent_turn_id: current_agent_turn_id, status: "success" });
  await project.run.childEvent({ agent_turn_id: hurried.tasks[0].current_agent_turn_id, status: "failed" });
  const ended = await Promise.all(made.map(async (batch_id) => (await project.run.state({ batch_id })).batches[0].status));
  assert.deepEqual(ended, ["success", "failed"]);
  project.dispose();
});

test("the HTTP store stops reading an answer at `max_read_bytes`", async () => {
  const CHUNK = new Uint8Array(1 << 20).fill(32);
  const MAX_CHUNKS = 300;
  let sent;
  let isCanceled;
  const endless = (headers = {}) => {
    [sent, isCanceled] = [0, false];
    const body = new ReadableStream({
      pull(controller) {
        if (sent >= MAX_CHUNKS) return controller.close();
        sent += 1;
        controller.enqueue(CHUNK);
      },
      cancel: () => {
        isCanceled = true;
      },
    });
    return new Response(body, { headers: { "content-type": "application/json", ...headers } });
  };
  const reads = { project_id: "p", boxes: ["b"] };
  const over = (max_read_bytes) => ({ code: "limit", path: "store.read", details: { max_read_bytes } });
  const stopped = (most) => assert.ok(isCanceled && sent <= most, `${sent} chunks`);

  await assert.rejects(httpStore("http://host", { fetch: async () => endless() }).read(reads), over(32 << 20));
  stopped(36);
  await assert.rejects(httpStore("http://host", { fetch: async () => endless(), maxReadBytes: 2 << 20 }).read(reads), over(2 << 20));
  stopped(5);
  await assert.rejects(httpStore("http://host", { fetch: async () => endless(), routes: "cards" }).read(reads), over(32 << 20));
  stopped(36);
  // the store checks a declared length before it reads the body
  const declared = () => endless({ "content-length": String(300 << 20) });
  await assert.rejects(httpStore("http://host", { fetch: async () => declared() }).read(reads), over(32 << 20));
  stopped(1);
  // a project sets its own limit, which can be lower or higher
  for (const max_read_bytes of [1 << 20, 40 << 20]) {
    const project = await open(httpStore("http://host", { fetch: async () => endless() }), { projectId: "p", limits: { max_read_bytes } });
    await assert.rejects(project.call("get_boxes", { box_ids: ["b"] }), over(max_read_bytes));
    stopped((max_read_bytes >> 20) + 4);
    project.dispose();
  }
  // receipts and errors have a limit, too
  const failing = () => new Response(endless().body, { status: 500, headers: { "content-type": "application/json" } });
  await assert.rejects(httpStore("http://host", { fetch: async () => failing() }).read(reads), { code: "store" });
  stopped(12);
  await assert.rejects(httpStore("http://host", { fetch: async () => endless() }).commit({ project_id: "p", operation_id: "o" }), {
    code: "store",
  });
  stopped(12);
  // the requests of one read share the limit
  const part = () =>
    new Response(`{"boxes":[],"missing_boxes":["${"x".repeat(600)}"]}`, { headers: { "content-type": "application/json" } });
  const split = httpStore("http://host", { fetch: async () => part(), maxIds: 1, maxReadBytes: 1_000 });
  await assert.rejects(split.read({ project_id: "p", boxes: ["a", "b"] }), over(1_000));
});

test("the handler stops reading a request body at `maxBodyBytes`", async () => {
  const { handler } = server({ maxBodyBytes: 2 << 20 });
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      sent += 1;
      if (sent > 300) controller.close();
      else controller.enqueue(new Uint8Array(1 << 20).fill(32));
    },
  });
  const request = new Request("http://h/projects/p1/store/read", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    duplex: "half",
  });
  assert.equal((await handler(request)).status, 413);
  assert.ok(sent <= 6, `${sent} chunks`);
});

test("the work of a read is linear in its length, including follow reads", async () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => ({ table: "heads", key: [`a${index}`] }));
  const to = [{ box: { column: "output_box_id" } }];
  const reads = (follow) => JSON.stringify({ project_id: "p1", rows, follow });
  const { stringify } = JSON;
  let count = 0;
  JSON.stringify = (...given) => {
    count += 1;
    return stringify(...given);
  };
  try {
    readsOf(reads(rows.map((from) => ({ from, to }))), "p1", 10_000);
  } finally {
    JSON.stringify = stringify;
  }
  assert.ok(count < 10 * rows.length, `${count} calls of JSON.stringify for ${rows.length} rows`);
  const { post } = server();
  const free = reads(Array.from({ length: 10_000 }, () => ({ from: rows[0], to: [] })));
  assert.equal((await post("/projects/p1/store/read", free)).status, 413, "a source without targets counts");
  const kinds = reads(rows.map((from, index) => ({ from, to: [{ table: "heads", key: [`x${index}`] }] })));
  const { status, json } = await post("/projects/p1/store/read", kinds);
  assert.deepEqual([status, json.error.code, json.error.path], [413, "limit", "follow[32]"]);
});

test("a commit checks repeated copies of a card once, and different contents each", async () => {
  let opened = 0;
  const counting = (...given) => {
    opened += 1;
    return open(...given);
  };
  const { post } = server({ open: counting });
  const card = (text) => ({ card_id: "same", content: { __type__: "TextContent", text }, metadata: {}, tenant_id: "p1" });
  const commit = (operation_id, cards) => post("/projects/p1/store/commit", { project_id: "p1", operation_id, at, cards });
  assert.equal(
    (
      await commit(
        "o1",
        Array.from({ length: 500 }, () => card("x")),
      )
    ).status,
    200,
  );
  assert.equal(opened, 1);
  const broken = { ...card("y"), content: { __type__: "TextContent", text: 5 } };
  const { status, json } = await commit("o2", [card("x"), ...Array.from({ length: 100 }, (_, index) => card(`${index}`)), broken]);
  assert.equal(status, 422);
  assert.match(json.error.path, /^cards\[101\]\.content/);
  assert.match(json.error.message, /`same`/);
  assert.equal(opened, 2);
});
