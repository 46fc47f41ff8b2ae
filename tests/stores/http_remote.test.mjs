// Stores behind HTTP, and requests that stop or that no client sends.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { nodeListener } from "../../pkg/http.js";
import { memoryStore, open } from "../../pkg/index.js";
import { httpStore } from "../../pkg/stores/http.js";
import { at, server } from "./routes.mjs";

test("a caller who goes away is no longer waited for", async (t) => {
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

test("methods and targets that no address has are refused like any other mistake", async (t) => {
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

test("a remote store says what is wrong with its server", async () => {
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

test("more ids than one request may hold are asked for in several", async () => {
  const { handler } = server({ max_ids: 3 });
  let requests = 0;
  const fetch = (url, init) => handler(new Request(url, init)).finally(() => (requests += 1));
  const store = httpStore("http://host", { fetch, max_ids: 3 });
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
  assert.throws(() => httpStore("http://host", { max_ids: 0 }), { code: "bad_request", path: "max_ids" });
});

test("a server with nothing but the routes for boxes and cards can be looked at", async () => {
  const { handler } = server();
  const fetch = (url, init) =>
    new URL(url).pathname.includes("/store/") ? Promise.resolve(new Response("", { status: 404 })) : handler(new Request(url, init));
  const project = await open(httpStore("http://host", { fetch, routes: "cards" }), { project_id: "p1" });
  const { cards, missing_cards } = await project.getBoxCards({ box_id: "b1" });
  assert.deepEqual([cards.map((card) => card.card_id), missing_cards], [["c1", "c3"], [{ id: "gone", reason: "absent" }]]);
  assert.equal(cards[1].content.data.n, 12345678901234567890n);
  await assert.rejects(
    project.packContext({
      tool_suffix: "t",
      source_agent_id: "a",
      arguments: { profile_name: "writer" },
      handover: { context_packing_config: {} },
    }),
    { code: "store", message: /no route for profiles/ },
  );
  await assert.rejects(project.createBox({ card_ids: [] }), { code: "store", message: /no route for commits/ });
});

test("what rows name is checked as the rows are: a typed error with its place, and nothing read", async () => {
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

test("a batch is made and ends over HTTP, under the limits that a handler and a store have by themselves", async () => {
  const store = memoryStore();
  const [profile_box_id, context_box_id] = ["a1", "c1"].map((end) => `00000000-0000-4000-8000-0000000000${end}`);
  store
    .project("p1")
    .addProfile({ name: "Runner", profile_box_id, worker_target: "generic" })
    .addBox({ box_id: context_box_id, card_ids: [] });
  const { handler } = server({ store });
  const project = await open(httpStore("http://host", { fetch: (url, init) => handler(new Request(url, init)) }), { project_id: "p1" });
  const task_specs = Array.from({ length: 3 }, () => ({ provision: true, profile_box_id, context_box_id }));
  const of = { source_agent_id: "boss", parent_agent_turn_id: "t", parent_turn_epoch: 1, recursion_depth: 1, activate: true, task_specs };
  const made = [];
  for (const [parent_tool_call_id, more] of [
    ["c1", {}],
    ["c2", { fail_fast: true }],
  ]) {
    made.push((await project.createBatch({ ...of, ...more, parent_tool_call_id })).batch_id);
  }
  const [{ tasks }, hurried] = await Promise.all(made.map((batch_id) => project.runState({ batch_id })));
  for (const { current_agent_turn_id } of tasks) await project.childEvent({ agent_turn_id: current_agent_turn_id, status: "success" });
  await project.childEvent({ agent_turn_id: hurried.tasks[0].current_agent_turn_id, status: "failed" });
  const ended = await Promise.all(made.map(async (batch_id) => (await project.runState({ batch_id })).batches[0].status));
  assert.deepEqual(ended, ["success", "failed"]);
  project.dispose();
});
