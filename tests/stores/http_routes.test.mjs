// The HTTP routes: access, answers and errors.
import assert from "node:assert/strict";
import { test } from "node:test";
import schema from "../../pkg/generated/schema.js";
import { fetchHandler } from "../../pkg/http.js";
import { memoryStore, open, TuckboxError } from "../../pkg/index.js";
import { ROUTES } from "../../pkg/lib/http/routes.js";
import { KINDS } from "../../pkg/lib/rows.js";
import { routes as heavy } from "../bench/heavy/routes.mjs";
import { at, filled, server } from "./routes.mjs";
import { errorsIn } from "./schema.mjs";

test("boxes and cards are returned once, in the requested order, with the missing ids", async () => {
  const { get, post } = server();
  assert.deepEqual((await get("/projects/p1/boxes/b1")).json, {
    box_id: "b1",
    card_ids: ["c1", "c3", "c1", "gone"],
    parent_ids: [],
    version: 1,
    deleted_at: null,
  });
  const boxes = await post("/projects/p1/boxes/batch", { box_ids: ["b2", "x", "b1", "b2", "x", "y"] });
  assert.deepEqual(
    [boxes.json.boxes.map((box) => box.box_id), boxes.json.missing_box_ids],
    [
      ["b2", "b1"],
      ["x", "y"],
    ],
  );
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

test("`fetchHandler` requires `authorize`, `open` and `store`", () => {
  const store = memoryStore();
  assert.throws(() => fetchHandler({ open, store }), { code: "bad_request", path: "authorize" });
  assert.throws(() => fetchHandler({ open, store, authorize: true }), { code: "bad_request", path: "authorize" });
  assert.throws(() => fetchHandler({ store, authorize: () => true }), { code: "bad_request", path: "open" });
  assert.throws(() => fetchHandler({ open, authorize: () => true }), { code: "bad_request", path: "store" });
  assert.throws(() => fetchHandler({ open, store: {}, authorize: () => true }), { code: "bad_request", path: "store.read" });
  assert.throws(() => fetchHandler({ open, store, authorize: () => true, max_bytes: 1 }), { code: "bad_request", path: "max_bytes" });
  assert.throws(() => fetchHandler({ open, store, authorize: () => true, maxIds: "many" }), { code: "bad_request", path: "maxIds" });
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
  [
    "POST",
    "/projects/p1/store/commit",
    {
      operation_id: "o",
      at,
      boxes: [{ change: "create", box: { box_id: "new", card_ids: [], parent_ids: [], version: 1, deleted_at: null } }],
    },
  ],
];

test("every route requires `authorize` to return `true` before it reads anything", async () => {
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
    assert.equal(asked[0].projectId, "p1");
    assert.ok(["read", "preview", "commit", "store_read", "store_commit"].includes(asked[0].action));
    assert.equal(asked[0].op, path.includes("operations") ? "create_box" : undefined);
  }
});

test("`authorize` can return a response, and its errors are not sent to the caller", async () => {
  const own = server({ authorize: () => new Response("who are you?", { status: 401, headers: { "www-authenticate": "Bearer" } }) });
  const refused = await own.handler(new Request("http://host/projects/p1/boxes/b1"));
  assert.deepEqual([refused.status, await refused.text()], [401, "who are you?"]);
  const failing = server({
    authorize: () => {
      throw new Error("password is hunter2");
    },
  });
  const { status, text } = await failing.get("/projects/p1/boxes/b1");
  assert.equal(status, 500);
  assert.ok(!text.includes("hunter2"));
  assert.match(failing.told[0].message, /hunter2/);
  const stern = server({
    authorize: () => {
      throw new TuckboxError("auth_failed", "not on Sundays");
    },
  });
  assert.deepEqual((await stern.get("/projects/p1/boxes/b1")).json.error.message, "not on Sundays");
  const env = { token: 1 };
  const worker = fetchHandler({
    open,
    store: ({ projectId }, env) => (projectId === "p1" && env.token === 1 ? filled() : undefined),
    authorize: (_, given) => given === env,
    onError: () => {},
  });
  assert.equal((await worker(new Request("http://host/projects/p1/boxes/b1"), env)).status, 200);
  assert.equal((await worker(new Request("http://host/projects/p2/boxes/b1"), env)).status, 400);
});

test("every route treats ids of another project as unknown", async () => {
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
    await post("/projects/p1/operations/pack_context/commit", {
      tool_suffix: "t",
      source_agent_id: "a",
      arguments: { profile_name: "Spy" },
      handover: { context_packing_config: {} },
    }),
    await post("/projects/p1/store/read", {
      boxes: ["hidden"],
      cards: ["secret"],
      profiles: ["spy"],
      profiles_by_box: ["pb2"],
      agents: ["agent2"],
      files: ["s/f"],
      directories: ["s"],
    }),
    await post("/projects/p1/store/commit", { operation_id: "o1", at, boxes: [{ change: "append", box_id: "hidden", card_ids: ["x"] }] }),
    await post("/projects/p1/store/commit", {
      operation_id: "o2",
      at,
      expects: [{ table: "boxes", key: ["hidden"], version: 1 }],
      files: [{ path: "a", text: "" }],
    }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404, 404, 200, 200, 404, 404, 404, 200, 409, 409],
  );
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

test("invalid paths, methods and bodies are refused with the right status", async () => {
  const { call, get, post } = server({ maxBodyBytes: 2000, maxIds: 5 });
  const expected = [
    [await get("/"), 404],
    [await get("/projects/p1"), 404],
    [await get("/projects//boxes/b1"), 404],
    [await get("/projects/p1/boxes/b1/"), 404],
    [await get("/projects/%ff/boxes/b1"), 400],
    [await call("DELETE", "/projects/p1/boxes/b1"), 405],
    [await call("PUT", "/projects/p1/cards/batch", {}), 405],
    [await post("/projects/p1/boxes/batch", { box_ids: ["b1"] }, { "content-type": "text/plain" }), 415],
    [await post("/projects/p1/boxes/batch", "{"), 400],
    [await post("/projects/p1/boxes/batch", "[]"), 400],
    [await post("/projects/p1/boxes/batch", ""), 400],
    [await post("/projects/p1/boxes/batch", `{"box_ids":${"[".repeat(1_500)}`), 413],
    [await post("/projects/p1/boxes/batch", {}), 400],
    [await post("/projects/p1/boxes/batch", { box_ids: "b1" }), 400],
    [await post("/projects/p1/boxes/batch", { box_ids: [1] }), 400],
    [await post("/projects/p1/boxes/batch", { box_ids: [], more: 1 }), 400],
    [await post("/projects/p1/cards/batch", { card_ids: ["1", "2", "3", "4", "5", "6"] }), 413],
    [await post("/projects/p1/store/read", { cards: ["1", "2", "3"], boxes: ["1", "2", "3"] }), 413],
    [await post("/projects/p1/cards/batch", { card_ids: ["x".repeat(3000)] }), 413],
    [await post("/projects/p1/operations/no_such_thing/preview", {}), 404],
    [await post("/projects/p1/operations/create_box/preview", {}), 400],
    [await post("/projects/p1/operations/create_box/commit?preview=abc", { card_ids: [] }), 400],
    [
      await post("/projects/p1/operations/put_cards/commit", { cards: [{ type: "t", author_id: "a", content: { __type__: "Nope" } }] }),
      422,
    ],
  ];
  for (const [{ status, json }, wanted] of expected) {
    assert.equal(status, wanted, JSON.stringify(json));
    assert.equal(typeof json.error.message, "string");
  }
  assert.equal((await call("DELETE", "/projects/p1/boxes/b1")).headers.get("allow"), "GET");
  assert.equal((await call("GET", "/projects/p1/boxes/batch")).status, 404, "`batch` is a valid box id");
});

test("the core parses the arguments of an operation, and invalid JSON is an error", async () => {
  const { post } = server();
  const preview = (body) => post("/projects/p1/operations/text_form/preview", body);
  const broken = [
    '{"value":12',
    '{"value":1',
    '{"value":tru}',
    '{"value":1}}',
    '{"value":1},"x":{}',
    '{"value":1} {}',
    '{"value":1,}',
    '{,"value":1}',
    '{"value":"a}',
    '{"value":"}',
    "{",
    "}",
    "{}}",
    '\u00a0{"value":1}',
    '{"value":1}\u00a0',
    "{\u00a0}",
  ];
  for (const body of broken) {
    const { status, json } = await preview(body);
    assert.deepEqual([status, json.error.code], [400, "bad_request"], body);
    assert.match(json.error.message, /^the body is not JSON: /, body);
  }
  for (const body of ['{"value":12}', ' \t\r\n{"value":12}\n ', '{"op":"compose","value":12}'])
    assert.deepEqual((await preview(body)).json.value, { text: "12", json: "12" }, body);
});

test("a body without a declared length is read up to the limit", async () => {
  const { handler } = server({ maxBodyBytes: 1000 });
  let sent = 0;
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100).fill((sent += 1) && 32)) });
  const request = new Request("http://host/projects/p1/boxes/batch", {
    method: "POST",
    body: endless,
    duplex: "half",
    headers: { "content-type": "application/json" },
  });
  assert.equal((await handler(request)).status, 413);
  assert.ok(sent < 20, `${sent} chunks were read`);
  const broken = new Request("http://host/projects/p1/boxes/batch", {
    method: "POST",
    body: new Uint8Array([0x7b, 0xff, 0x7d]),
    headers: { "content-type": "application/json" },
  });
  assert.equal((await handler(broken)).status, 400);
});

test("batches of a client are checked before they are written", async () => {
  const { store, post } = server();
  const before = store.export();
  const text = (text) => ({ __type__: "TextContent", text });
  const bad = [
    {},
    { operation_id: 1 },
    { operation_id: "" },
    { at: "soon" },
    { at: 5 },
    { more: 1 },
    { cards: {} },
    { cards: [1] },
    { cards: [{ content: text("") }] },
    { cards: [{ card_id: "n", content: { __type__: "Nope" } }] },
    { cards: [{ card_id: "n", content: 1 }] },
    { cards: [{ card_id: "n", content: text(""), metadata: [] }] },
    {
      cards: [
        { card_id: "n", content: text("") },
        { card_id: "n", content: 1 },
      ],
    },
    { cards: [{ card_id: "n", content: text(""), expires_at: "soon" }] },
    { cards: [{ card_id: "n", content: text(""), ttl_seconds: "x" }] },
    { delete_cards: [1] },
    { delete_cards: "c1" },
    { expects: [{ box_id: "b1", version: 1 }] },
    { expects: [{ table: "boxes", key: ["b1"] }] },
    { expects: [{ table: "boxes", key: ["b1"], version: 1.5 }] },
    { expects: [{ table: "boxes", key: ["b1"], version: -1 }] },
    { expects: [{ table: "boxes", key: "b1", version: 1 }] },
    { rows: [{}] },
    { rows: [{ table: "heads", key: ["a"] }] },
    { rows: [{ table: "heads", key: "a", row: null }] },
    { rows: [{ table: "heads", key: ["a"], version: 1, row: null }] },
    { rows: [{ table: "heads", key: ["a"], row: { agent_id: "a", project_id: "p2" } }] },
    { boxes: [{}] },
    { boxes: [{ change: "grow" }] },
    { boxes: [{ change: "create", box: {} }] },
    { boxes: [{ change: "create", box: { box_id: "n", card_ids: [1] } }] },
    { boxes: [{ change: "create", box: { box_id: "n", version: "1" } }] },
    { boxes: [{ change: "append", box_id: "b1" }] },
    { boxes: [{ change: "replace", box_id: "b1", card_ids: [] }] },
    { boxes: [{ change: "delete", box_id: "b1" }] },
    { boxes: [{ change: "append", box_id: "b1", card_ids: ["x"], version: null }] },
    { agents: [{}] },
    { agents: [{ agent_id: "a", tags: "x" }] },
    { agents: [{ agent_id: "a", state: [] }] },
    { agents: [{ agent_id: "a", state: { status: 1 } }] },
    { agents: [{ agent_id: "a", in_roster: "yes" }] },
    { files: [{ path: "a" }] },
    { files: [{ path: "", text: "" }] },
    { files: [{ path: "a", text: "\u0000" }] },
  ];
  for (const parts of bad) {
    const body = Object.keys(parts).length === 0 ? { at } : { operation_id: "bad", at, ...parts };
    const { status, json } = await post("/projects/p1/store/commit", body);
    assert.ok([400, 422].includes(status), `${JSON.stringify(parts)}: ${status}`);
    assert.ok(json.error.path !== "" || /U\+0000/.test(json.error.message), `${JSON.stringify(parts)}: ${json.error.message}`);
  }
  assert.equal(store.export(), before);
  const { json } = await post("/projects/p1/store/commit", {
    operation_id: "bad",
    at,
    cards: [
      { card_id: "ok", content: text("") },
      { card_id: "n", content: { __type__: "TextContent" } },
    ],
  });
  assert.match(json.error.path, /^cards\[1\]\.content/);
});

test("errors of a store are not sent to the caller", async () => {
  const faulty = {
    throws: [
      () => {
        throw new Error("password is hunter2 at 10.0.0.5");
      },
      502,
    ],
    hangs: [() => new Promise(() => {}), 504],
    "returns a number": [() => 7, 502],
    "returns invalid JSON": [() => "{hunter2", 502],
    "returns another project": [
      () => ({
        boxes: [{ box_id: "b1", card_ids: ["hunter2"], tenant_id: "p2" }],
        cards: [{ card_id: "c1", content: { __type__: "TextContent", text: "hunter2" }, tenant_id: "p2" }],
      }),
      502,
    ],
    "returns a row twice": [() => ({ boxes: [{ box_id: "b1" }, { box_id: "b1" }], cards: [] }), 502],
    "returns no rows": [() => ({}), 502],
  };
  for (const [name, [read, wanted]] of Object.entries(faulty)) {
    const { get, post, told } = server({ store: { read, commit: read }, timeoutMs: 30 });
    const { status, text } = await get("/projects/p1/boxes/b1");
    assert.equal(status, wanted, name);
    assert.ok(!text.includes("hunter2"), name);
    assert.equal(told.length, 1, name);
    const raw = await post("/projects/p1/store/read", { boxes: ["b1"] });
    assert.ok(!raw.text.includes("hunter2"), name);
    const commit = await post("/projects/p1/store/commit", { operation_id: "o", at, files: [] });
    assert.ok(!commit.text.includes("hunter2"), name);
  }
  const conflicting = server({
    store: {
      read: () => ({}),
      commit: () => {
        throw Object.assign(new Error("moved on"), { code: "conflict" });
      },
    },
  });
  assert.equal((await conflicting.post("/projects/p1/operations/create_box/commit", { card_ids: [] })).status, 409);
});

test("the description lists every route and operation and matches their behavior", async () => {
  const { call, get } = server();
  const { json: described } = await get("/openapi.json");
  assert.equal(described.openapi, "3.1.0");
  const { schemas } = described.components;
  const listed = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const pattern = (path) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
  for (const [method, path, body] of EVERY) {
    const template = Object.keys(described.paths).find(
      (known) => pattern(known).test(path) && described.paths[known][method.toLowerCase()],
    );
    const { requestBody, responses } = described.paths[template][method.toLowerCase()];
    if (body !== undefined) assert.deepEqual(errorsIn(requestBody.content["application/json"].schema, body, schemas), [], path);
    const { status, json } = await call(method, path, body);
    assert.deepEqual(errorsIn(responses[status].content["application/json"].schema, json, schemas), [], path);
    listed.splice(listed.indexOf(`${method} ${template}`), 1);
  }
  assert.deepEqual(listed, [], "described, but not called by this test");
  const operations = described.paths["/projects/{project_id}/operations/{op}/preview"].post.parameters.find(({ name }) => name === "op")
    .schema.enum;
  assert.ok(operations.includes("pack_context") && operations.includes("fork_join"));
  for (const op of operations) {
    const { status, json } = await call("POST", `/projects/p1/operations/${op}/preview`, {});
    assert.ok([200, 400, 404, 409, 422].includes(status), `${op}: ${status}`);
    const schema = status === 200 ? { $ref: "#/components/schemas/Preview" } : { $ref: "#/components/schemas/Error" };
    assert.deepEqual(errorsIn(schema, json, schemas), [], op);
    assert.ok(!(status === 404 && json.error.path === "op"), op);
  }
  // the description includes recipes of the host
  const own = server({
    settings: {
      recipes: [
        {
          name: "ask",
          arguments: [{ name: "what", type: "text" }],
          handover: {
            target_profile_config: { profile_name: "Writer" },
            context_packing_config: { pack_arguments: [{ arg_key: "what" }] },
          },
        },
      ],
    },
  });
  const route = "/projects/{project_id}/operations/{op}/preview";
  const withOwn = (await own.get("/openapi.json")).json.paths[route].post.parameters.find(({ name }) => name === "op").schema.enum;
  assert.deepEqual(withOwn, [...operations, "ask"]);
  const asked = await own.post("/projects/p1/operations/ask/preview", { source_agent_id: "agent_a", arguments: {} });
  assert.deepEqual([asked.status, asked.json.error.path], [400, "what"]);
  // with the schema, each operation has its own paths
  const { json: whole } = await server({ schema }).get("/openapi.json");
  const pack = whole.paths["/projects/{project_id}/operations/pack_context/preview"].post;
  const { schema: body } = pack.requestBody.content["application/json"];
  const given = { tool_suffix: "t", source_agent_id: "agent_a", arguments: {}, handover: { context_packing_config: {} } };
  assert.deepEqual(errorsIn(body, given, whole.components.schemas), []);
  assert.notDeepEqual(errorsIn(body, { ...given, nonsense: 1 }, whole.components.schemas), []);
  assert.equal(whole.paths["/projects/{project_id}/operations/get_cards/commit"], undefined);
  const based = server({ base: "/api/" });
  assert.ok((await based.get("/api/openapi.json")).json.paths["/api/projects/{project_id}/boxes/{box_id}"]);
  assert.equal((await based.get("/api/projects/p1/boxes/b1")).status, 200);
  assert.equal((await based.get("/projects/p1/boxes/b1")).status, 404);
  assert.equal((await call("POST", "/openapi.json", {})).status, 405);
});

test("`bench heavy` has requests for every route, and for every part of a read and of a batch", () => {
  const [names, parts] = [new Set(), { storeRead: new Set(), storeCommit: new Set() }];
  for (const [title, make] of Object.entries(heavy)) {
    const { name, method, path, body } = make().route;
    const route = ROUTES.find((one) => one.name === name);
    assert.equal(route?.method, method, title);
    const pattern = new RegExp(`^${route.path.replace("/projects/{project_id}", "").replaceAll(/\{\w+\}/g, "[^/]+")}(\\?|$)`);
    assert.match(path, pattern, title);
    assert.ok(JSON.stringify(body ?? "").length < 8 * 1024 * 1024, title);
    names.add(name);
    for (const part of Object.keys(body ?? {})) parts[name]?.add(part);
  }
  assert.deepEqual([...names].sort(), ROUTES.map(({ name }) => name).sort());
  const lacks = (name, known) => known.filter((part) => !parts[name].has(part));
  assert.deepEqual(lacks("storeRead", [...KINDS, "rows", "lists", "follow", "operations"]), []);
  const batch = ["expects", "cards", "delete_cards", "erase_cards", "boxes", "agents", "files", "rows"];
  assert.deepEqual(lacks("storeCommit", batch), []);
});
