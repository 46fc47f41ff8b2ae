// The routes: who may use them, what they answer, and what they refuse.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { TuckboxError, jsonText, memoryStore, open, parseJson } from "../../pkg/index.js";
import { fetchHandler, nodeListener } from "../../pkg/http.js";
import { httpStore } from "../../pkg/stores/http.js";
import { faults } from "./schema.mjs";

const at = "2026-01-04T10:30:00.000Z";

function filled() {
  const store = memoryStore();
  const text = (card_id, text) => ({ card_id, content: { __type__: "TextContent", text }, metadata: { type: "note", role: "user" }, tenant_id: "p1" });
  store.project("p1")
    .addProfile({ name: "Writer", profile_box_id: "pb" })
    .addCard(text("c1", "one")).addCard(text("c/2", "two"))
    .addCard(jsonText('{"card_id":"c3","content":{"__type__":"JsonContent","data":{"n":12345678901234567890,"d":1.0}},"metadata":{}}'))
    .addBox({ box_id: "b1", card_ids: ["c1", "c3", "c1", "gone"] }).addBox({ box_id: "b2", card_ids: [] });
  store.project("p2").addCard({ ...text("secret", "of p2"), tenant_id: "p2" }).addBox({ box_id: "hidden", card_ids: ["secret"] }).addProfile({ name: "Spy", profile_box_id: "pb2" }).addAgent({ agent_id: "agent2" }).addFile({ path: "s/f", text: "of p2" });
  return store;
}

function server(options = {}) {
  const store = options.store ?? filled();
  const told = [];
  const handler = fetchHandler({ open, authorize: () => true, onError: (error) => told.push(error), ...options, store });
  const call = async (method, path, body, headers = {}) => {
    const init = body === undefined ? { method, headers } : { method, headers: { "content-type": "application/json", ...headers }, body: typeof body === "string" ? body : JSON.stringify(body) };
    const response = await handler(new Request(`http://host${path}`, init));
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: text === "" ? undefined : parseJson(text) };
  };
  return { store, handler, told, call, get: (path) => call("GET", path), post: (path, body, headers) => call("POST", path, body, headers) };
}

test("boxes and cards are read in the order asked, each once, with what is missing", async () => {
  const { get, post } = server();
  assert.deepEqual((await get("/projects/p1/boxes/b1")).json, { box_id: "b1", card_ids: ["c1", "c3", "c1", "gone"], parent_ids: [], version: 1, deleted_at: null });
  const boxes = await post("/projects/p1/boxes/batch", { box_ids: ["b2", "x", "b1", "b2", "x", "y"] });
  assert.deepEqual([boxes.json.boxes.map((box) => box.box_id), boxes.json.missing_box_ids], [["b2", "b1"], ["x", "y"]]);
  const cards = await post("/projects/p1/cards/batch", { card_ids: ["c3", "nope", "c/2", "c3"] });
  assert.deepEqual([cards.json.cards.map((card) => card.card_id), cards.json.missing_card_ids], [["c3", "c/2"], ["nope"]]);
  assert.match(cards.text, /"n":12345678901234567890/);
  assert.match(cards.text, /"d":1\.0/);
  const inside = await get("/projects/p1/boxes/b1/cards");
  assert.deepEqual([inside.json.cards.map((card) => card.card_id), inside.json.missing_card_ids], [["c1", "c3"], ["gone"]]);
  assert.equal((await get("/projects/p1/cards/c%2F2")).json.content.text, "two");
  assert.equal((await get("/projects/p1/cards/c1")).headers.get("cache-control"), "no-store");
  for (const path of ["/projects/p1/boxes/none", "/projects/p1/boxes/none/cards", "/projects/p1/cards/none"]) {
    const { status, json } = await get(path);
    assert.deepEqual([status, json.error.code], [404, "not_found"], path);
  }
});

test("a handler cannot be made without somebody who decides", () => {
  const store = memoryStore();
  assert.throws(() => fetchHandler({ open, store }), { code: "bad_request", path: "authorize" });
  assert.throws(() => fetchHandler({ open, store, authorize: true }), { code: "bad_request", path: "authorize" });
  assert.throws(() => fetchHandler({ store, authorize: () => true }), { code: "bad_request", path: "open" });
  assert.throws(() => fetchHandler({ open, authorize: () => true }), { code: "bad_request", path: "store" });
  assert.throws(() => fetchHandler({ open, store: {}, authorize: () => true }), { code: "bad_request", path: "store.read" });
  assert.throws(() => fetchHandler({ open, store, authorize: () => true, max_bytes: 1 }), { code: "bad_request", path: "max_bytes" });
  assert.throws(() => fetchHandler({ open, store, authorize: () => true, max_ids: "many" }), { code: "bad_request", path: "max_ids" });
});

const EVERY = [
  ["GET", "/projects/p1/boxes/b1"],
  ["POST", "/projects/p1/boxes/batch", { box_ids: ["b1"] }],
  ["GET", "/projects/p1/boxes/b1/cards"],
  ["POST", "/projects/p1/cards/batch", { card_ids: ["c1"] }],
  ["GET", "/projects/p1/cards/c1"],
  ["POST", "/projects/p1/operations/create_box/preview", { card_ids: ["c1"] }],
  ["POST", "/projects/p1/operations/create_box/commit", { card_ids: ["c1"] }],
  ["POST", "/projects/p1/store/read", { boxes: ["b1"] }],
  ["POST", "/projects/p1/store/commit", { operation_id: "o", at, boxes: [{ change: "create", box: { box_id: "new", card_ids: [], parent_ids: [], version: 1, deleted_at: null } }] }],
];

test("only `true` lets anybody in, on every route, before anything is read", async () => {
  for (const [method, path, body] of EVERY) {
    for (const verdict of [false, undefined, null, 1, "true", {}]) {
      const touched = [];
      const store = { read: () => touched.push("read"), commit: () => touched.push("commit") };
      const { call } = server({ store, authorize: async () => verdict });
      const { status, json } = await call(method, path, body);
      assert.deepEqual([status, json.error.code, touched], [403, "auth_failed", []], `${method} ${path}`);
    }
    const asked = [];
    const { call } = server({ authorize: (what) => asked.push(what) === 1 });
    assert.equal((await call(method, path, body)).status, 200, path);
    assert.equal(asked[0].project_id, "p1");
    assert.ok(["read", "preview", "commit", "store_read", "store_commit"].includes(asked[0].action));
    assert.equal(asked[0].op, path.includes("operations") ? "create_box" : undefined);
  }
});

test("a host can answer itself, and what it throws is not told", async () => {
  const own = server({ authorize: () => new Response("who are you?", { status: 401, headers: { "www-authenticate": "Bearer" } }) });
  const refused = await own.handler(new Request("http://host/projects/p1/boxes/b1"));
  assert.deepEqual([refused.status, await refused.text()], [401, "who are you?"]);
  const failing = server({ authorize: () => { throw new Error("password is hunter2"); } });
  const { status, text } = await failing.get("/projects/p1/boxes/b1");
  assert.equal(status, 500);
  assert.ok(!text.includes("hunter2"));
  assert.match(failing.told[0].message, /hunter2/);
  const stern = server({ authorize: () => { throw new TuckboxError("auth_failed", "not on Sundays"); } });
  assert.deepEqual((await stern.get("/projects/p1/boxes/b1")).json.error.message, "not on Sundays");
  const env = { token: 1 };
  const worker = fetchHandler({ open, store: ({ project_id }, env) => (project_id === "p1" && env.token === 1 ? filled() : undefined), authorize: (_, given) => given === env, onError: () => {} });
  assert.equal((await worker(new Request("http://host/projects/p1/boxes/b1"), env)).status, 200);
  assert.equal((await worker(new Request("http://host/projects/p2/boxes/b1"), env)).status, 400);
});

test("ids of another project are unknown on every route, and nothing of it is said", async () => {
  const { store, get, post } = server();
  const before = store.export();
  const answers = [
    await get("/projects/p1/boxes/hidden"),
    await get("/projects/p1/boxes/hidden/cards"),
    await get("/projects/p1/cards/secret"),
    await post("/projects/p1/boxes/batch", { box_ids: ["hidden"] }),
    await post("/projects/p1/cards/batch", { card_ids: ["secret"] }),
    await post("/projects/p1/operations/append_to_box/commit", { box_id: "hidden", card_ids: ["x"] }),
    await post("/projects/p1/operations/delete_box/commit", { box_id: "hidden" }),
    await post("/projects/p1/operations/pack_context/commit", { tool_suffix: "t", source_agent_id: "a", arguments: { profile_name: "Spy" }, handover: { context_packing_config: {} } }),
    await post("/projects/p1/store/read", { boxes: ["hidden"], cards: ["secret"], profiles: ["spy"], profiles_by_box: ["pb2"], agents: ["agent2"], files: ["s/f"], directories: ["s"] }),
    await post("/projects/p1/store/commit", { operation_id: "o1", at, boxes: [{ change: "append", box_id: "hidden", card_ids: ["x"] }] }),
    await post("/projects/p1/store/commit", { operation_id: "o2", at, expects: [{ table: "boxes", key: ["hidden"], version: 1 }], files: [{ path: "a", text: "" }] }),
  ];
  assert.deepEqual(answers.map(({ status }) => status), [404, 404, 404, 200, 200, 404, 404, 404, 200, 409, 409]);
  for (const { text } of answers) assert.ok(!text.includes("of p2"), text);
  assert.deepEqual(Object.values(answers[8].json).flat().sort(), ["agent2", "hidden", "pb2", "s", "s/f", "secret", "spy"]);
  await post("/projects/p1/store/commit", { operation_id: "o3", at, delete_cards: ["secret"] });
  for (const project_id of ["p2", "P1", ""]) {
    const { status, json } = await post("/projects/p1/store/read", { project_id, boxes: ["hidden"] });
    assert.deepEqual([status, json.error.path], [400, "project_id"]);
  }
  const foreign = { card_id: "n", content: { __type__: "TextContent", text: "" }, tenant_id: "p2" };
  assert.equal((await post("/projects/p1/store/commit", { operation_id: "o4", at, cards: [foreign] })).status, 400);
  assert.equal((await post("/projects/p1/store/commit", { project_id: "p2", operation_id: "o5", at })).status, 400);
  const of = (text) => JSON.parse(text).projects.find(({ project_id }) => project_id === "p2");
  assert.deepEqual(of(store.export()), of(before));
});

test("addresses, methods and bodies that are wrong are refused with the right status", async () => {
  const { call, get, post } = server({ max_body_bytes: 2000, max_ids: 5 });
  const expected = [
    [await get("/"), 404], [await get("/projects/p1"), 404], [await get("/projects//boxes/b1"), 404], [await get("/projects/p1/boxes/b1/"), 404],
    [await get("/projects/%ff/boxes/b1"), 400],
    [await call("DELETE", "/projects/p1/boxes/b1"), 405], [await call("PUT", "/projects/p1/cards/batch", {}), 405],
    [await post("/projects/p1/boxes/batch", { box_ids: ["b1"] }, { "content-type": "text/plain" }), 415],
    [await post("/projects/p1/boxes/batch", "{"), 400], [await post("/projects/p1/boxes/batch", "[]"), 400], [await post("/projects/p1/boxes/batch", ""), 400],
    [await post("/projects/p1/boxes/batch", `{"box_ids":${"[".repeat(1_500)}`), 413],
    [await post("/projects/p1/boxes/batch", {}), 400], [await post("/projects/p1/boxes/batch", { box_ids: "b1" }), 400], [await post("/projects/p1/boxes/batch", { box_ids: [1] }), 400],
    [await post("/projects/p1/boxes/batch", { box_ids: [], more: 1 }), 400],
    [await post("/projects/p1/cards/batch", { card_ids: ["1", "2", "3", "4", "5", "6"] }), 413],
    [await post("/projects/p1/store/read", { cards: ["1", "2", "3"], boxes: ["1", "2", "3"] }), 413],
    [await post("/projects/p1/cards/batch", { card_ids: ["x".repeat(3000)] }), 413],
    [await post("/projects/p1/operations/no_such_thing/preview", {}), 404], [await post("/projects/p1/operations/create_box/preview", {}), 400],
    [await post("/projects/p1/operations/create_box/commit?preview=abc", { card_ids: [] }), 400],
    [await post("/projects/p1/operations/put_cards/commit", { cards: [{ type: "t", author_id: "a", content: { __type__: "Nope" } }] }), 422],
  ];
  for (const [{ status, json }, wanted] of expected) {
    assert.equal(status, wanted, JSON.stringify(json));
    assert.equal(typeof json.error.message, "string");
  }
  assert.equal((await call("DELETE", "/projects/p1/boxes/b1")).headers.get("allow"), "GET");
  assert.equal((await call("GET", "/projects/p1/boxes/batch")).status, 404, "a box can be called `batch`");
});

test("the arguments of an operation are read by the core, and what is no JSON is called so", async () => {
  const { post } = server();
  const said = (body) => post("/projects/p1/operations/text_form/preview", body);
  const broken = ['{"value":12', '{"value":1', '{"value":tru}', '{"value":1}}', '{"value":1},"x":{}', '{"value":1} {}', '{"value":1,}', '{,"value":1}', '{"value":"a}', '{"value":"}', "{", "}", "{}}", '\u00a0{"value":1}', '{"value":1}\u00a0', "{\u00a0}"];
  for (const body of broken) {
    const { status, json } = await said(body);
    assert.deepEqual([status, json.error.code], [400, "bad_request"], body);
    assert.match(json.error.message, /^the body is not JSON: /, body);
  }
  for (const body of ['{"value":12}', ' \t\r\n{"value":12}\n ', '{"op":"compose","value":12}']) assert.deepEqual((await said(body)).json.value, { text: "12", json: "12" }, body);
});

test("a body that does not say how long it is is read only as far as allowed", async () => {
  const { handler } = server({ max_body_bytes: 1000 });
  let sent = 0;
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100).fill((sent += 1) && 32)) });
  const request = new Request("http://host/projects/p1/boxes/batch", { method: "POST", body: endless, duplex: "half", headers: { "content-type": "application/json" } });
  assert.equal((await handler(request)).status, 413);
  assert.ok(sent < 20, `${sent} chunks were read`);
  const broken = new Request("http://host/projects/p1/boxes/batch", { method: "POST", body: new Uint8Array([0x7b, 0xff, 0x7d]), headers: { "content-type": "application/json" } });
  assert.equal((await handler(broken)).status, 400);
});

test("batches from outside are looked at before they are written", async () => {
  const { store, post } = server();
  const before = store.export();
  const text = (text) => ({ __type__: "TextContent", text });
  const bad = [
    {}, { operation_id: 1 }, { operation_id: "" }, { at: "soon" }, { at: 5 }, { more: 1 },
    { cards: {} }, { cards: [1] }, { cards: [{ content: text("") }] }, { cards: [{ card_id: "n", content: { __type__: "Nope" } }] }, { cards: [{ card_id: "n", content: 1 }] },
    { cards: [{ card_id: "n", content: text(""), metadata: [] }] }, { cards: [{ card_id: "n", content: text("") }, { card_id: "n", content: 1 }] },
    { cards: [{ card_id: "n", content: text(""), expires_at: "soon" }] }, { cards: [{ card_id: "n", content: text(""), ttl_seconds: "x" }] },
    { delete_cards: [1] }, { delete_cards: "c1" },
    { expects: [{ box_id: "b1", version: 1 }] }, { expects: [{ table: "boxes", key: ["b1"] }] }, { expects: [{ table: "boxes", key: ["b1"], version: 1.5 }] }, { expects: [{ table: "boxes", key: ["b1"], version: -1 }] }, { expects: [{ table: "boxes", key: "b1", version: 1 }] },
    { rows: [{}] }, { rows: [{ table: "heads", key: ["a"] }] }, { rows: [{ table: "heads", key: "a", row: null }] }, { rows: [{ table: "heads", key: ["a"], version: 1, row: null }] }, { rows: [{ table: "heads", key: ["a"], row: { agent_id: "a", project_id: "p2" } }] },
    { boxes: [{}] }, { boxes: [{ change: "grow" }] }, { boxes: [{ change: "create", box: {} }] }, { boxes: [{ change: "create", box: { box_id: "n", card_ids: [1] } }] },
    { boxes: [{ change: "create", box: { box_id: "n", version: "1" } }] }, { boxes: [{ change: "append", box_id: "b1" }] }, { boxes: [{ change: "replace", box_id: "b1", card_ids: [] }] },
    { boxes: [{ change: "delete", box_id: "b1" }] }, { boxes: [{ change: "append", box_id: "b1", card_ids: ["x"], version: null }] },
    { agents: [{}] }, { agents: [{ agent_id: "a", tags: "x" }] }, { agents: [{ agent_id: "a", state: [] }] }, { agents: [{ agent_id: "a", state: { status: 1 } }] }, { agents: [{ agent_id: "a", in_roster: "yes" }] },
    { files: [{ path: "a" }] }, { files: [{ path: "", text: "" }] }, { files: [{ path: "a", text: "\u0000" }] },
  ];
  for (const parts of bad) {
    const body = Object.keys(parts).length === 0 ? { at } : { operation_id: "bad", at, ...parts };
    const { status, json } = await post("/projects/p1/store/commit", body);
    assert.ok([400, 422].includes(status), `${JSON.stringify(parts)}: ${status}`);
    assert.ok(json.error.path !== "" || /U\+0000/.test(json.error.message), `${JSON.stringify(parts)}: ${json.error.message}`);
  }
  assert.equal(store.export(), before);
  const { json } = await post("/projects/p1/store/commit", { operation_id: "bad", at, cards: [{ card_id: "ok", content: text("") }, { card_id: "n", content: { __type__: "TextContent" } }] });
  assert.match(json.error.path, /^cards\[1\]\.content/);
});

test("a store that fails says nothing to the caller", async () => {
  const faulty = {
    throws: [() => { throw new Error("password is hunter2 at 10.0.0.5"); }, 502],
    hangs: [() => new Promise(() => {}), 504],
    "answers nonsense": [() => 7, 502],
    "answers broken text": [() => "{hunter2", 502],
    "answers with another project": [() => ({ boxes: [{ box_id: "b1", card_ids: ["hunter2"], tenant_id: "p2" }], cards: [{ card_id: "c1", content: { __type__: "TextContent", text: "hunter2" }, tenant_id: "p2" }] }), 502],
    "answers twice": [() => ({ boxes: [{ box_id: "b1" }, { box_id: "b1" }], cards: [] }), 502],
    "answers nothing": [() => ({}), 502],
  };
  for (const [what, [read, wanted]] of Object.entries(faulty)) {
    const { get, post, told } = server({ store: { read, commit: read }, timeout_ms: 30 });
    const { status, text } = await get("/projects/p1/boxes/b1");
    assert.equal(status, wanted, what);
    assert.ok(!text.includes("hunter2"), what);
    assert.equal(told.length, 1, what);
    const raw = await post("/projects/p1/store/read", { boxes: ["b1"] });
    assert.ok(!raw.text.includes("hunter2"), what);
    const commit = await post("/projects/p1/store/commit", { operation_id: "o", at, files: [] });
    assert.ok(!commit.text.includes("hunter2"), what);
  }
  const conflicting = server({ store: { read: () => ({}), commit: () => { throw Object.assign(new Error("moved on"), { code: "conflict" }); } } });
  assert.equal((await conflicting.post("/projects/p1/operations/create_box/commit", { card_ids: [] })).status, 409);
});

test("a commit does exactly what its preview showed", async () => {
  const { store, post } = server();
  const args = { tool_suffix: "t", source_agent_id: "a", arguments: { profile_name: "writer", instruction: "go", boxes: ["b1"] }, handover: { context_packing_config: { pack_arguments: [{ arg_key: "instruction" }], inherit_context: { include_boxes_from_args: ["boxes"] } } } };
  const before = store.export();
  const shown = await post("/projects/p1/operations/pack_context/preview?entries=true", args);
  assert.equal(shown.status, 200);
  assert.equal(store.export(), before);
  assert.equal(shown.json.ledger.boxes[0].entries.length, shown.json.value.attached_card_ids.length);
  assert.equal((await post("/projects/p1/operations/pack_context/preview", args)).json.ledger.boxes[0].entries, undefined);
  const done = await post(`/projects/p1/operations/pack_context/commit?preview=${shown.json.preview}`, args);
  assert.deepEqual([done.json.value, done.json.content_hash, done.json.receipt.repeated], [shown.json.value, shown.json.content_hash, false]);
  const again = await post(`/projects/p1/operations/pack_context/commit?preview=${shown.json.preview}`, args);
  assert.deepEqual([again.status, again.json.receipt], [200, { ...done.json.receipt, repeated: true }]);
  const { json } = await post("/projects/p1/boxes/batch", { box_ids: [shown.json.value.context_box_id] });
  assert.deepEqual(json.boxes[0].card_ids, shown.json.value.attached_card_ids);
});

test("a preview whose ground has moved is not committed, and one that was is found again", async (t) => {
  const { post } = server();
  const args = { box_id: "b2", card_ids: ["c1"] };
  const first = await post("/projects/p1/operations/append_to_box/preview", args);
  const second = await post("/projects/p1/operations/append_to_box/preview", args);
  const path = (shown) => `/projects/p1/operations/append_to_box/commit?preview=${shown.json.preview}`;
  const done = await post(path(first), args);
  assert.equal(done.status, 200);
  const late = await post(path(second), args);
  assert.deepEqual([late.status, late.json.error.code], [409, "conflict"]);
  const again = await post(path(first), args);
  assert.deepEqual([again.status, again.json.receipt], [200, { ...done.json.receipt, repeated: true }]);
  const other = await post(path(second), { box_id: "b2", card_ids: ["c3"] });
  assert.equal(other.status, 403);
  const { json } = await post("/projects/p1/boxes/batch", { box_ids: ["b2"] });
  assert.deepEqual(json.boxes[0].card_ids, ["c1"]);
  const gone = await post("/projects/p1/operations/delete_box/preview", { box_id: "b2" });
  assert.equal((await post(`/projects/p1/operations/delete_box/commit?preview=${gone.json.preview}`, { box_id: "b2" })).status, 200);
  const deleted = await post(`/projects/p1/operations/delete_box/commit?preview=${gone.json.preview}`, { box_id: "b2" });
  assert.deepEqual([deleted.status, deleted.json.receipt.repeated], [200, true]);
  const short = server({ preview_seconds: 0 });
  const old = await short.post("/projects/p1/operations/create_box/preview", { card_ids: [] });
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 5 });
  assert.equal((await short.post(`/projects/p1/operations/create_box/commit?preview=${old.json.preview}`, { card_ids: [] })).status, 409);
});

test("the token of a preview is good for its project, caller, operation and arguments alone", async () => {
  const store = filled();
  store.project("p2").addBox({ box_id: "b2", card_ids: [] });
  const { post } = server({ store });
  const [args, alice] = [{ box_id: "b2", card_ids: ["c1"] }, { authorization: "Bearer alice" }];
  const shown = await post("/projects/p1/operations/append_to_box/preview", args, alice);
  const token = shown.json.preview;
  const before = store.export();
  const commit = (path, body, headers) => post(`/projects/${path}/commit?preview=${token}`, body, headers);
  const refused = [
    commit("p2/operations/append_to_box", args, alice),
    commit("p1/operations/append_to_box", args, { authorization: "Bearer mallory" }),
    commit("p1/operations/append_to_box", args),
    commit("p1/operations/append_to_box", { ...args, card_ids: ["c3"] }, alice),
    commit("p1/operations/replace_box", args, alice),
    // another server, which does not know the secret of this one
    server({ store }).post(`/projects/p1/operations/append_to_box/commit?preview=${token}`, args, alice),
  ];
  for (const { status, json } of await Promise.all(refused)) assert.deepEqual([status, json.error.code, json.error.path], [403, "auth_failed", "preview"]);
  // what somebody writes himself is no token: one with another time, one with another signature, one without
  const [said, signature] = token.split(".");
  const [now, ...rest] = JSON.parse(Buffer.from(said, "base64url"));
  const forged = Buffer.from(JSON.stringify([now + 1, ...rest])).toString("base64url");
  for (const [made, status] of [[`${forged}.${signature}`, 403], [`${said}.${"0".repeat(64)}`, 403], [said, 400], [`${token}.${signature}`, 400]]) {
    assert.equal((await post(`/projects/p1/operations/append_to_box/commit?preview=${made}`, args, alice)).status, status, made);
  }
  assert.equal(store.export(), before);
  assert.equal((await commit("p1/operations/append_to_box", args, alice)).status, 200);
});

test("servers that share a secret take each other's tokens, and a host says who a caller is", async () => {
  const store = filled();
  const options = { store, secret: "a secret of both servers", caller: ({ request }) => request.headers.get("x-user") ?? "nobody" };
  const [one, other] = [server(options), server(options)];
  const args = { box_id: "b2", card_ids: ["c1"] };
  const { json } = await one.post("/projects/p1/operations/append_to_box/preview", args, { "x-user": "alice", authorization: "Bearer 1" });
  const commit = (user) => other.post(`/projects/p1/operations/append_to_box/commit?preview=${json.preview}`, args, { "x-user": user, authorization: "Bearer 2" });
  assert.equal((await commit("bob")).status, 403);
  assert.equal((await commit("alice")).status, 200);
  for (const secret of ["short", 7, new Uint8Array(8)]) assert.throws(() => server({ secret }), { code: "bad_request", path: "secret" });
  assert.throws(() => server({ caller: "alice" }), { code: "bad_request", path: "caller" });
  assert.equal((await server({ caller: () => undefined }).post("/projects/p1/operations/append_to_box/preview", args)).status, 500);
});

test("the description names every route and operation, and what it says is what happens", async () => {
  const { call, get } = server();
  const { json: described } = await get("/openapi.json");
  assert.equal(described.openapi, "3.1.0");
  const { schemas } = described.components;
  const listed = Object.entries(described.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  const pattern = (path) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
  for (const [method, path, body] of EVERY) {
    const template = Object.keys(described.paths).find((known) => pattern(known).test(path) && described.paths[known][method.toLowerCase()]);
    const { requestBody, responses } = described.paths[template][method.toLowerCase()];
    if (body !== undefined) assert.deepEqual(faults(requestBody.content["application/json"].schema, body, schemas), [], path);
    const { status, json } = await call(method, path, body);
    assert.deepEqual(faults(responses[status].content["application/json"].schema, json, schemas), [], path);
    listed.splice(listed.indexOf(`${method} ${template}`), 1);
  }
  assert.deepEqual(listed, [], "described, but never called here");
  const operations = described.paths["/projects/{project_id}/operations/{op}/preview"].post.parameters.find(({ name }) => name === "op").schema.enum;
  assert.ok(operations.includes("pack_context") && operations.includes("fork_join"));
  for (const op of operations) {
    const { status, json } = await call("POST", `/projects/p1/operations/${op}/preview`, {});
    assert.ok([200, 400, 404, 409, 422].includes(status), `${op}: ${status}`);
    const schema = status === 200 ? { $ref: "#/components/schemas/Preview" } : { $ref: "#/components/schemas/Error" };
    assert.deepEqual(faults(schema, json, schemas), [], op);
    assert.ok(!(status === 404 && json.error.path === "op"), op);
  }
  // a host's own recipes are described and called like any other operation
  const own = server({ settings: { recipes: [{ name: "ask", arguments: [{ name: "what", type: "text" }], handover: { target_profile_config: { profile_name: "Writer" }, context_packing_config: { pack_arguments: [{ arg_key: "what" }] } } }] } });
  const route = "/projects/{project_id}/operations/{op}/preview";
  const withOwn = (await own.get("/openapi.json")).json.paths[route].post.parameters.find(({ name }) => name === "op").schema.enum;
  assert.deepEqual(withOwn, [...operations, "ask"]);
  const asked = await own.post("/projects/p1/operations/ask/preview", { source_agent_id: "agent_a", arguments: {} });
  assert.deepEqual([asked.status, asked.json.error.path], [400, "what"]);
  const based = server({ base: "/api/" });
  assert.ok((await based.get("/api/openapi.json")).json.paths["/api/projects/{project_id}/boxes/{box_id}"]);
  assert.equal((await based.get("/api/projects/p1/boxes/b1")).status, 200);
  assert.equal((await based.get("/projects/p1/boxes/b1")).status, 404);
  assert.equal((await call("POST", "/openapi.json", {})).status, 405);
});

test("a caller who goes away is no longer waited for", async (t) => {
  const gone = new AbortController();
  const stopped = new Promise((resolve) => {
    const read = (_, { signal }) => new Promise(() => {
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
  const send = (head) => new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(`${head}\r\nHost: h\r\nConnection: close\r\n\r\n`));
    socket.setEncoding("utf8").on("data", (text) => (answer += text)).on("close", () => resolve(Number(answer.split(" ")[1]))).on("error", reject);
  });
  assert.equal(await send("GET /projects/p1/boxes/b1 HTTP/1.1"), 200);
  assert.equal(await send("GET http://elsewhere/projects/p1/boxes/b1 HTTP/1.1"), 200);
  assert.equal(await send("TRACE /projects/p1/boxes/b1 HTTP/1.1"), 405);
  // two slashes start a path, not a host
  assert.equal(await send("GET //elsewhere/projects/p1/boxes/b1 HTTP/1.1"), 404);
  for (const target of ["*", "ftp://elsewhere/x", "projects/p1", "http://"]) assert.equal(await send(`OPTIONS ${target} HTTP/1.1`), 400, target);
  assert.deepEqual(told, []);
});

test("a remote store says what is wrong with its server", async () => {
  const answering = (response) => httpStore("http://host/api", { fetch: async () => response() });
  const reads = { project_id: "p", boxes: ["b"] };
  const html = () => new Response("<html>", { headers: { "content-type": "text/html" } });
  await assert.rejects(answering(html).read(reads), { code: "store", message: /`http:\/\/host\/api\/projects\/p\/store\/read` answered with something else than JSON/ });
  await assert.rejects(answering(() => new Response("not here", { status: 404 })).read(reads), { code: "store", message: /status 404; is it the address/ });
  await assert.rejects(answering(() => Response.redirect("http://elsewhere/", 302)).read(reads), { code: "store", message: /status 302/ });
  await assert.rejects(answering(() => new Response("{", { headers: { "content-type": "application/json" } })).commit({ project_id: "p", operation_id: "o", at }), { code: "store", message: /is not JSON/ });
  await assert.rejects(httpStore("http://127.0.0.1:1").commit({ project_id: "p", operation_id: "o", at }), { code: "store", message: /could not be reached.*committing again is safe/ });
  await assert.rejects(answering(() => Response.json({ error: { code: "auth_failed", message: "no" } }, { status: 403 })).read(reads), { code: "auth_failed", message: "no" });
  await assert.rejects(answering(() => Response.json({ error: { code: "made_up", message: "no" } }, { status: 500 })).read(reads), { code: "store", message: /status 500/ });
  for (const url of ["host/api", "ftp://host", "http://user:secret@host/", "http://host/?a=b", undefined]) assert.throws(() => httpStore(url), { code: "bad_request", path: "url" });
  assert.throws(() => httpStore("http://host", { header: {} }), { code: "bad_request", path: "header" });
  assert.throws(() => httpStore("http://host", { routes: "all" }), { code: "bad_request", path: "routes" });
  for (const project_id of ["\ud800", ".", ".."]) await assert.rejects(answering(html).read({ project_id }), { code: "bad_request", path: "project_id" });
});

test("more ids than one request may hold are asked for in several", async () => {
  const { handler } = server({ max_ids: 3 });
  let requests = 0;
  const fetch = (url, init) => handler(new Request(url, init)).finally(() => (requests += 1));
  const store = httpStore("http://host", { fetch, max_ids: 3 });
  const answers = JSON.parse(await store.read({ project_id: "p1", boxes: ["b2", "x", "b1"], cards: ["y", "c3", "z", "c1"], profiles: ["writer"] }));
  assert.equal(requests, 3);
  assert.deepEqual([answers.boxes.map((row) => row.box_id), answers.missing_boxes], [["b2", "b1"], ["x"]]);
  assert.deepEqual([answers.cards.map((row) => row.card_id), answers.missing_cards], [["c3", "c1"], ["y", "z"]]);
  await assert.rejects(httpStore("http://host", { fetch }).read({ project_id: "p1", boxes: ["1", "2", "3", "4"] }), { code: "limit" });
  assert.throws(() => httpStore("http://host", { max_ids: 0 }), { code: "bad_request", path: "max_ids" });
});

test("a server with nothing but the routes for boxes and cards can be looked at", async () => {
  const { handler } = server();
  const fetch = (url, init) => (new URL(url).pathname.includes("/store/") ? Promise.resolve(new Response("", { status: 404 })) : handler(new Request(url, init)));
  const project = await open(httpStore("http://host", { fetch, routes: "cards" }), { project_id: "p1" });
  const { cards, missing_cards } = await project.getBoxCards({ box_id: "b1" });
  assert.deepEqual([cards.map((card) => card.card_id), missing_cards], [["c1", "c3"], [{ id: "gone", reason: "absent" }]]);
  assert.equal(cards[1].content.data.n, 12345678901234567890n);
  await assert.rejects(project.packContext({ tool_suffix: "t", source_agent_id: "a", arguments: { profile_name: "writer" }, handover: { context_packing_config: {} } }), { code: "store", message: /no route for profiles/ });
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
  store.project("p1").addProfile({ name: "Runner", profile_box_id, worker_target: "generic" }).addBox({ box_id: context_box_id, card_ids: [] });
  const { handler } = server({ store });
  const project = await open(httpStore("http://host", { fetch: (url, init) => handler(new Request(url, init)) }), { project_id: "p1" });
  const task_specs = Array.from({ length: 3 }, () => ({ provision: true, profile_box_id, context_box_id }));
  const of = { source_agent_id: "boss", parent_agent_turn_id: "t", parent_turn_epoch: 1, recursion_depth: 1, activate: true, task_specs };
  const made = [];
  for (const [parent_tool_call_id, more] of [["c1", {}], ["c2", { fail_fast: true }]]) {
    made.push((await project.createBatch({ ...of, ...more, parent_tool_call_id })).batch_id);
  }
  const [{ tasks }, hurried] = await Promise.all(made.map((batch_id) => project.runState({ batch_id })));
  for (const { current_agent_turn_id } of tasks) await project.childEvent({ agent_turn_id: current_agent_turn_id, status: "success" });
  await project.childEvent({ agent_turn_id: hurried.tasks[0].current_agent_turn_id, status: "failed" });
  const ended = await Promise.all(made.map(async (batch_id) => (await project.runState({ batch_id })).batches[0].status));
  assert.deepEqual(ended, ["success", "failed"]);
  project.dispose();
});
