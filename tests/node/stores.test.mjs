// Stores that throw, hang, or return invalid, too many or too few rows. Each causes a typed error with a path. Nothing
// is written, and the workspace continues to work.
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonText, memoryStore, open, TuckboxError } from "../../pkg/index.js";
import { settled } from "../support/until.mjs";
import { filled, packCall } from "./support.mjs";

/** Creates a store with methods that `overrides` replace. A test can remove them. */
async function faulty(overrides, options = {}) {
  const good = filled();
  const store = {
    overrides,
    commits: 0,
    read(reads, more) {
      return this.overrides.read ? this.overrides.read(reads, more, good) : good.read(reads, more);
    },
    commit(writes, more) {
      this.commits += 1;
      return this.overrides.commit ? this.overrides.commit(writes, more, good) : good.commit(writes, more);
    },
  };
  return { good, store, workspace: await open(store, { projectId: "p1", ...options }) };
}

async function rejects(promise, { code, path, message }) {
  const error = await promise.then(
    () => assert.fail("the call was accepted"),
    (error) => error,
  );
  assert.ok(error instanceof TuckboxError, String(error?.stack ?? error));
  assert.equal(error.code, code, error.message);
  if (path !== undefined) assert.equal(error.path, path);
  if (message !== undefined) assert.match(error.message, message);
  return error;
}

const failure = new Error("disk full");
const circle = {};
circle.boxes = [circle];

/** Returns a Proxy that throws on every access except `then`, so that it can be awaited. */
function sealed() {
  const refuse = () => {
    throw new Error("sealed");
  };
  const traps = ["getPrototypeOf", "ownKeys", "getOwnPropertyDescriptor", "has"];
  const get = (_, name) => (name === "then" ? undefined : refuse());
  return new Proxy({}, { ...Object.fromEntries(traps.map((trap) => [trap, refuse])), get });
}

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Returns a `read` that changes the answers of a store. */
function changed(change) {
  return async (reads, _more, good) => {
    const answers = JSON.parse(await good.read(reads));
    return { ...answers, ...change(answers) };
  };
}

const READ_FAULTS = [
  [
    "throws at once",
    () => {
      throw failure;
    },
    { path: "store.read", message: /disk full/ },
  ],
  ["rejects", () => Promise.reject(failure), { path: "store.read", message: /disk full/ }],
  ["rejects with nothing", () => Promise.reject(), { path: "store.read" }],
  [
    "throws a value that cannot be printed",
    () => {
      throw Object.create(null);
    },
    { path: "store.read" },
  ],
  [
    "throws a Proxy that cannot be read",
    () => {
      throw sealed();
    },
    { path: "store.read" },
  ],
  ["rejects with a revoked Proxy", () => Promise.reject(revoked()), { path: "store.read" }],
  ["returns a Proxy that cannot be read", () => sealed(), { path: "answers" }],
  ["returns a nested Proxy", () => ({ boxes: [sealed()] }), { path: "answers.boxes[0]" }],
  ["returns a nested revoked Proxy", () => ({ boxes: [revoked()] }), { path: "answers.boxes[0]" }],
  ["returns nothing", () => undefined, { path: "answers" }],
  ["returns null", () => null, { path: "answers" }],
  ["returns a number", () => 7, { path: "answers" }],
  ["returns a list", () => [], { path: "answers" }],
  ["returns a function", () => () => 1, { path: "answers" }],
  ["returns text that is not JSON", () => "{", { path: "answers" }],
  ["returns bytes that are not UTF-8", () => new Uint8Array([0xff, 0xfe]), { path: "answers" }],
  ["returns text with a lone surrogate", () => '{"boxes":["\ud800"]}', { path: "answers" }],
  ["returns a circular object", () => circle, { path: "answers.boxes[0]" }],
  ["returns deeply nested JSON", () => `{"boxes":${"[".repeat(10_000)}`, { message: /deep/ }],
  ["returns a Date in a row", () => ({ boxes: [{ box_id: "b1", deleted_at: new Date() }] }), { path: "answers.boxes[0].deleted_at" }],
  ["returns invalid rows", () => ({ boxes: [7] }), { path: "answers.boxes[0]" }],
  [
    "returns ids that are not strings",
    changed(() => ({ boxes: [{ box_id: "b1", card_ids: ["c", 7] }] })),
    { path: "answers.boxes[0].card_ids[1]" },
  ],
  ["omits rows", () => ({}), { message: /neither answered nor reported missing/ }],
  [
    "returns extra rows",
    async (reads, _more, good) => {
      const answers = JSON.parse(await good.read(reads));
      return { ...answers, missing_cards: ["c99"] };
    },
    { message: /not requested/ },
  ],
  [
    "reports a returned row as missing",
    async (reads, _more, good) => {
      const answers = JSON.parse(await good.read(reads));
      return { ...answers, missing_boxes: ["b1"] };
    },
    { message: /more than once/ },
  ],
  [
    "returns a row of another project",
    async (reads, _more, good) => {
      const answers = JSON.parse(await good.read(reads));
      return { ...answers, boxes: answers.boxes.map((box) => ({ ...box, tenant_id: "p2" })) };
    },
    { path: "answers.boxes[0]", message: /another project/ },
  ],
  [
    "returns a row twice",
    changed((answers) => ({ boxes: [...answers.boxes, ...answers.boxes] })),
    { path: "answers.boxes", message: /`b1` was answered more than once/ },
  ],
  [
    "returns a profile twice",
    changed((answers) => ({ profiles: [...answers.profiles, ...answers.profiles] })),
    { path: "answers.profiles" },
  ],
  [
    "reports a key missing twice",
    changed(() => ({ boxes: [], missing_boxes: ["b1", "b1"] })),
    { path: "answers.boxes", message: /more than once/ },
  ],
  [
    "returns another box",
    changed(() => ({ boxes: [{ box_id: "B1", card_ids: [] }] })),
    { message: /`B1` was answered, but not requested/ },
  ],
  [
    "returns a row that names another project",
    changed((answers) => ({ boxes: answers.boxes.map((row) => ({ ...row, project_id: "p2" })) })),
    { path: "answers.boxes[0]", message: /another project/ },
  ],
  [
    "returns a profile of another project",
    changed((answers) => ({ profiles: answers.profiles.map((row) => ({ ...row, tenant_id: "p2" })) })),
    { path: "answers.profiles[0]", message: /another project/ },
  ],
  ["returns a row without its key", changed(() => ({ profiles: [{}] })), { path: "answers.profiles[0].name" }],
  [
    "returns a version that is a string",
    changed(() => ({ boxes: [{ box_id: "b1", card_ids: [], version: "one" }] })),
    { path: "answers.boxes[0].version" },
  ],
  [
    "returns an object instead of a list",
    changed(() => ({ boxes: [{ box_id: "b1", card_ids: {} }] })),
    { path: "answers.boxes[0].card_ids" },
  ],
  ["reports an unknown key as missing", changed(() => ({ boxes: [], missing_boxes: [7] })), { path: "answers.missing_boxes[0]" }],
  ["reports invalid failures", changed(() => ({ failed: [7] })), { path: "answers.failed[0]" }],
  [
    "cannot read one key",
    async (reads, _more, good) => {
      const answers = JSON.parse(await good.read(reads));
      return { ...answers, boxes: [], failed: [{ kind: "boxes", key: "b1", message: "shard is down" }] };
    },
    { message: /shard is down/ },
  ],
];

for (const [name, read, expected] of READ_FAULTS) {
  test(`a store that ${name} on a read causes a typed error, and the next call works`, async () => {
    const { good, store, workspace } = await faulty({ read });
    const before = good.export();
    await rejects(workspace.pack(packCall()), { code: "store", ...expected });
    assert.equal(store.commits, 0);
    assert.equal(good.export(), before);
    store.overrides = {};
    const { attached_card_ids } = await workspace.pack(packCall());
    assert.equal(attached_card_ids.length, 4);
  });
}

const COMMIT_FAULTS = [
  [
    "throws at once",
    () => {
      throw failure;
    },
    { path: "store.commit", message: /disk full/ },
  ],
  ["rejects", () => Promise.reject(failure), { path: "store.commit" }],
  ["returns nothing", () => undefined, { path: "receipt" }],
  ["returns text", () => "done", { path: "receipt" }],
  ["confirms another operation", () => ({ operation_id: "x", repeated: false, boxes: [] }), { path: "receipt.operation_id" }],
  ["omits the changed boxes", ({ operation_id }) => ({ operation_id }), { message: /missing/ }],
  [
    "returns invalid versions",
    ({ operation_id }) => ({ operation_id, repeated: false, boxes: [{ box_id: "b", version: -1 }] }),
    { path: "receipt.boxes[0].version" },
  ],
];

for (const [name, commit, expected] of COMMIT_FAULTS) {
  test(`a store that ${name} on a commit causes a typed error, and a second commit works`, async () => {
    const { store, workspace } = await faulty({ commit });
    const preview = await workspace.preview("pack_context", packCall());
    await rejects(preview.commit(), { code: "store", ...expected });
    store.overrides = {};
    assert.equal((await preview.commit()).repeated, false);
    const { boxes } = await workspace.boxes.get({ box_ids: [preview.value.context_box_id] });
    assert.equal(boxes.length, 1);
  });
}

test("a commit whose answer was lost is applied once", async () => {
  const { store, workspace } = await faulty({
    async commit(writes, more, good) {
      await good.commit(writes, more);
      throw new Error("connection lost");
    },
  });
  const preview = await workspace.preview("append_to_box", { box_id: "b2", card_ids: ["c4"] });
  await rejects(preview.commit(), { code: "store" });
  store.overrides = {};
  assert.equal((await preview.commit()).repeated, true);
  const { boxes } = await workspace.boxes.get({ box_ids: ["b2"] });
  assert.deepEqual(boxes[0].card_ids, ["c3", "c4"]);
});

test("a store that hangs fails after the timeout, and its signal is aborted", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let reason;
  // the timeout passes after the call
  const hang = (_, { signal }) => {
    queueMicrotask(() => t.mock.timers.tick(30));
    return new Promise(() => signal.addEventListener("abort", () => (reason = signal.reason)));
  };
  const { store, workspace } = await faulty({ read: hang }, { timeoutMs: 30 });
  const error = await rejects(workspace.pack(packCall()), { code: "store", path: "store.read" });
  assert.deepEqual(error.details, { timeout_ms: 30 });
  assert.equal(reason, error);
  store.overrides = { commit: hang };
  const preview = await workspace.preview("pack_context", packCall());
  await rejects(preview.commit(), { code: "store", path: "store.commit", message: /may have applied it/ });
  store.overrides = {};
  assert.equal((await preview.commit({ timeoutMs: 1000 })).repeated, false);
});

test("a caller can abort a call", async () => {
  const { store, workspace } = await faulty({ read: () => new Promise(() => {}) }, { timeoutMs: 0 });
  const stop = new AbortController();
  const call = workspace.pack(packCall(), { signal: stop.signal });
  stop.abort(new Error("changed my mind"));
  const error = await rejects(call, { code: "aborted" });
  assert.equal(error.cause.message, "changed my mind");
  await rejects(workspace.pack(packCall(), { signal: AbortSignal.abort() }), { code: "aborted" });
  store.overrides = {};
  await workspace.pack(packCall(), { signal: new AbortController().signal });
});

test("a rejection after the timeout is ignored", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const late = () => {
    queueMicrotask(() => t.mock.timers.tick(10));
    return new Promise((_, reject) => setTimeout(() => reject(failure), 40));
  };
  const { workspace } = await faulty({ read: late }, { timeoutMs: 10 });
  await rejects(workspace.pack(packCall()), { code: "store", message: /did not answer/ });
  t.mock.timers.tick(30);
  await settled();
});

test("a store can report a conflict with its own error", async () => {
  const conflict = () => {
    throw Object.assign(new Error("moved on"), { code: "conflict", details: { box_id: "b1" } });
  };
  const { workspace } = await faulty({ commit: conflict });
  const error = await rejects(workspace.pack(packCall()), { code: "conflict", message: /moved on/ });
  assert.deepEqual(error.details, { box_id: "b1" });
});

test("a read can return a value, text, bytes, or exact text inside a value", async () => {
  const exact = jsonText('{"card_id":"c1","content":{"__type__":"JsonContent","data":{"n":12345678901234567890,"f":1.0}},"metadata":{}}');
  const forms = [
    (answers) => answers,
    (answers) => JSON.stringify({ ...answers, cards: [0] }).replace("[0]", `[${exact}]`),
    (answers) => new TextEncoder().encode(JSON.stringify({ ...answers, cards: [0] }).replace("[0]", `[${exact}]`)),
  ];
  for (const form of forms) {
    const store = { read: async () => form({ cards: [exact] }), commit: () => assert.fail("nothing to commit") };
    const workspace = await open(store, { projectId: "p1" });
    const preview = await workspace.preview("get_cards", { card_ids: ["c1"] });
    assert.equal(preview.value.cards[0].content.data.n, 12345678901234567890n);
    assert.ok(preview.valueText.includes('{"n":12345678901234567890,"f":1.0}'));
  }
});

test("a read can return rows in any order", async () => {
  const { workspace } = await faulty({
    async read(reads, _more, good) {
      const answers = JSON.parse(await good.read(reads));
      return Object.fromEntries(
        Object.entries(answers)
          .reverse()
          .map(([kind, rows]) => [kind, rows.reverse()]),
      );
    },
  });
  const boxes = await workspace.boxes.get({ box_ids: ["b2", "none", "b1", "nor this"] });
  assert.deepEqual(
    boxes.boxes.map((box) => box.box_id),
    ["b2", "b1"],
  );
  assert.deepEqual(
    boxes.missing_boxes.map(({ id }) => id),
    ["none", "nor this"],
  );
  const { attached_card_ids } = await workspace.pack(packCall({ input_box_ids: ["b2", "b1"] }));
  assert.deepEqual(attached_card_ids.slice(1, 4), ["c3", "c1", "c2"]);
});

test("cards and agents of another project are also refused", async () => {
  const rows = {
    cards: [{ card_id: "c1", tenant_id: "p2", content: { __type__: "TextContent", text: "secret" } }],
    agents: [{ agent_id: "agent_a", tenant_id: "p2" }],
  };
  const calls = { cards: ["get_cards", { card_ids: ["c1"] }], agents: ["resolve_current_output_box_id", { agent_id: "agent_a" }] };
  for (const [kind, [op, args]] of Object.entries(calls)) {
    const { workspace } = await faulty({ read: () => ({ [kind]: rows[kind] }) });
    const error = await rejects(workspace.call(op, args), { code: "store", path: `answers.${kind}[0]`, message: /another project/ });
    assert.ok(!JSON.stringify(error).includes("secret"));
  }
});

test("`open` refuses an invalid store", async () => {
  for (const [store, path] of [
    [undefined, "store.read"],
    [null, "store.read"],
    [{}, "store.read"],
    [{ read() {} }, "store.commit"],
  ]) {
    await rejects(open(store, { projectId: "p1" }), { code: "bad_request", path });
  }
});

test("the memory store isolates projects", async () => {
  const store = memoryStore();
  store.project("p1").addBox({ box_id: "b1", card_ids: ["c1"] });
  const other = await open(store, { projectId: "p2" });
  const { boxes, missing_boxes } = await other.boxes.get({ box_ids: ["b1"] });
  assert.deepEqual([boxes, missing_boxes], [[], [{ id: "b1", reason: "absent" }]]);
  await other.boxes.create({ box_id: "b1", card_ids: [] });
  const own = await open(store, { projectId: "p1" });
  assert.deepEqual((await own.boxes.get({ box_ids: ["b1"] })).boxes[0].card_ids, ["c1"]);
});

test("the store and the core ignore the case of profile names by the same rules", async () => {
  const store = memoryStore();
  store.project("p1").addBox({ box_id: "pb", card_ids: [] }).addProfile({ name: "AΣ", profile_box_id: "pb" });
  const workspace = await open(store, { projectId: "p1" });
  const preview = await workspace.preview("update_profile", { name: "aς", tags: ["found"] });
  await preview.commit();
  const again = await workspace.preview("update_profile", { name: "ΑΣ", tags: [] }).then(
    () => "found",
    ({ code }) => code,
  );
  assert.equal(again, "not_found", "a Greek alpha is another character");
});
