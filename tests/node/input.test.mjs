// Input that is invalid, huge, deeply nested or unusual: a typed error with a path, or an unchanged value.
import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonText, jsonText, memoryStore, open, parseJson, TuckboxError } from "../../pkg/index.js";
import { times } from "../support/deep.mjs";
import { packCall, project } from "./support.mjs";

const text = (value) => ({ __type__: "TextContent", text: value });
const data = (value) => ({ __type__: "JsonContent", data: value });
const card = (content, more = {}) => ({ type: "note", author_id: "me", content, ...more });
const put = (content, more) => ({ cards: [card(content, more)] });

async function rejects(promise, code, path) {
  const error = await promise.then(
    () => assert.fail("the call was accepted"),
    (error) => error,
  );
  assert.ok(error instanceof TuckboxError, String(error?.stack ?? error));
  assert.deepEqual([error.code, error.path], [code, path], error.message);
  return error;
}

const circle = { list: [] };
circle.list.push(circle);
const throwing = Object.defineProperty({}, "x", {
  enumerable: true,
  get() {
    throw new Error("no");
  },
});
function nested(depth) {
  let value = [];
  for (let at = 1; at < depth; at += 1) value = [value];
  return value;
}

const REFUSED = [
  ["NaN", put(data({ n: NaN })), "bad_request", "cards[0].content.data.n"],
  ["an infinity", put(data({ n: -Infinity })), "bad_request", "cards[0].content.data.n"],
  ["a Date", put(data({ at: new Date() })), "bad_request", "cards[0].content.data.at"],
  ["a Map", put(data(new Map())), "bad_request", "cards[0].content.data"],
  ["a typed array", put(data(new Uint8Array(3))), "bad_request", "cards[0].content.data"],
  ["an instance of a class", put(data(new (class Thing {})())), "bad_request", "cards[0].content.data"],
  ["a function", put(data({ f() {} })), "bad_request", "cards[0].content.data.f"],
  ["a symbol", put(data([Symbol("s")])), "bad_request", "cards[0].content.data[0]"],
  ["undefined in a list", put(data([1, undefined])), "bad_request", "cards[0].content.data[1]"],
  // biome-ignore lint/suspicious/noSparseArray: the test needs a hole
  ["a hole in a list", put(data([1, , 2])), "bad_request", "cards[0].content.data[1]"],
  ["a circle", put(data(circle)), "bad_request", "cards[0].content.data.list[0]"],
  ["a getter that throws", put(data(throwing)), "bad_request", "cards[0].content.data.x"],
  ["a lone surrogate", put(text("a\ud800b")), "invalid_content", "cards[0].content.text"],
  ["a lone surrogate in a key", put(data({ "\udfff": 1 })), "invalid_content", "cards[0].content.data"],
  ["U+0000", put(text("a\u0000b")), "invalid_content", "cards[0].content.text"],
  ["an unknown content type", put({ __type__: "SoundContent" }), "invalid_content", "cards[0].content.__type__"],
  ["an unknown key", put({ ...text(""), extra: 1 }), "invalid_content", "cards[0].content.extra"],
  ["a missing key", { cards: [{ type: "note" }] }, "invalid_content", "cards[0].content"],
  ["an empty id", put(text("x"), { card_id: "" }), "bad_request", "cards[0].card_id"],
  ["cards that are not a list", { cards: "x" }, "bad_request", "cards"],
  ["content that is too long", put(text("x".repeat(1 << 20))), "limit", "cards[0].content.text"],
];

for (const [name, args, code, path] of REFUSED) {
  test(`${name} is refused with its path, nothing is written, and the next call works`, async () => {
    const { store, workspace } = await project();
    const before = store.export();
    await rejects(workspace.cards.put(args), code, path);
    assert.equal(store.export(), before);
    await workspace.cards.put(put(text("fine")));
  });
}

test("content that is nested too deeply is refused at any depth", async () => {
  const { workspace } = await project();
  for (const depth of [129, 161, 599, 700, 100_000]) {
    const error = await workspace.cards.put(put(data(nested(depth)))).catch((error) => error);
    assert.equal(error.code, "limit", `${depth}: ${error.message}`);
  }
  await workspace.cards.put(put(data(nested(127))));
});

test("limits can be set", async () => {
  const { workspace } = await project({ limits: { max_depth: 300, max_content_bytes: 2 << 20 } });
  await workspace.cards.put(put(data(nested(290))));
  await workspace.cards.put(put(text("x".repeat(1 << 20))));
  const small = (await project({ limits: { max_content_bytes: 100 } })).workspace;
  await rejects(small.cards.put(put(text("x".repeat(100)))), "limit", "cards[0].content.text");
  await rejects(small.pack(packCall({ instruction: "x".repeat(100) })), "limit", "arguments.instruction");
});

test("huge input does not trap", async () => {
  const { workspace } = await project({ limits: { max_content_bytes: 1 << 30 } });
  const long = "é".repeat(times(1 << 20, 8 << 20));
  const { card_ids } = await workspace.cards.put(put(text(long)));
  const { cards } = await workspace.cards.get({ card_ids });
  assert.equal(cards[0].content.text, long);
  const ids = Array.from({ length: times(50_000, 200_000) }, (_, at) => `card-${at}`);
  const box = await workspace.boxes.create({ card_ids: ids });
  assert.equal(box.card_ids.length, ids.length);
});

test("ids are compared as bytes and never normalized", async () => {
  const { workspace } = await project();
  const ids = ["é", "e\u0301", "  ", "\u200b", "🜚", "B1", "b1 ", "__proto__", "constructor", "1", "01", 'a"b\\c', "\u2028"];
  for (const [at, box_id] of ids.entries()) await workspace.boxes.create({ box_id, card_ids: [`c${at}`] });
  const { boxes, missing_boxes } = await workspace.boxes.get({ box_ids: ids });
  assert.deepEqual(missing_boxes, []);
  assert.deepEqual(
    boxes.map((box) => box.box_id),
    ids,
  );
  assert.deepEqual(
    boxes.map((box) => box.card_ids[0]),
    ids.map((_, at) => `c${at}`),
  );
});

test("integers beyond 2^53 are preserved", async () => {
  const { store, workspace } = await project();
  const { card_ids } = await workspace.cards.put(put(data({ big: 2n ** 70n, exact: jsonText("1.0"), small: 7 })));
  for (const ground of [store, memoryStore(store.export())]) {
    const fresh = await open(ground, { projectId: "p1" });
    const preview = await fresh.preview("get_cards", { card_ids });
    assert.ok(preview.valueText.includes('"data":{"big":1180591620717411303424,"exact":1.0,"small":7}'));
    assert.deepEqual(preview.value.cards[0].content.data, { big: 2n ** 70n, exact: 1, small: 7 });
  }
});

test("keys with a special meaning in JavaScript are plain keys", async () => {
  const { workspace } = await project();
  const exact = jsonText('{"2":1,"1":2,"__proto__":{"x":1},"constructor":3}');
  const { card_ids } = await workspace.cards.put(put(data(exact)));
  const preview = await workspace.preview("get_cards", { card_ids });
  assert.ok(preview.valueText.includes('"data":{"1":2,"2":1,"__proto__":{"x":1},"constructor":3}'));
  assert.deepEqual(Object.keys(preview.value.cards[0].content.data), ["1", "2", "__proto__", "constructor"]);
});

test("the bytes of a JSON object are arguments, and requests that repeat text have the same answer", async () => {
  const { workspace } = await project();
  const bytes = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
  const { box_id } = await workspace.boxes.create(bytes({ card_ids: [] }));
  assert.deepEqual((await workspace.call("get_boxes", bytes({ box_ids: [box_id] }))).boxes.length, 1);
  const said = ["one", "two", "three"].map((content) => ({ role: "user", content }));
  const requests = said.map((_, at) => ({ body: { model: "claude-opus-5-5", max_tokens: 9, messages: said.slice(0, at + 1) } }));
  const args = { provider: "anthropic", requests };
  assert.deepEqual(await workspace.cache.explain(bytes(args)), await workspace.cache.explain(args));
  await rejects(workspace.cache.explain(bytes("{")), "invalid_content", "");
  await rejects(workspace.cache.explain(new Uint8Array([0x22, 0xff, 0x22])), "invalid_content", "");
  await rejects(
    workspace.cache.explain(bytes({ ...args, requests: [{ body: { contents: [] } }] })),
    "bad_request",
    "requests[0].body.contents",
  );
  await rejects(workspace.call("get_boxes", bytes("[]")), "bad_request", "");
});

test("an undefined member is omitted, as in JSON", async () => {
  const { workspace } = await project();
  await workspace.cards.put({ cards: [card(text("x"), { ttl_seconds: undefined, card_id: undefined })] });
});

test("objects of another realm or without a prototype are plain objects", async () => {
  const { workspace } = await project();
  const { runInNewContext } = await import("node:vm");
  const foreign = runInNewContext("({ a: [1, 'x', { b: null }] })");
  const bare = Object.assign(Object.create(null), { foreign });
  const { card_ids } = await workspace.cards.put(put(data(bare)));
  const { cards } = await workspace.cards.get({ card_ids });
  assert.deepEqual(cards[0].content.data, { foreign: { a: [1, "x", { b: null }] } });
});

test("`jsonText` validates its text, and the text cannot change other parts of a call", async () => {
  for (const bad of ["", "1,2", '1,"op":"delete_box"', "{", "undefined", "\ud800", 7, null]) {
    assert.throws(() => jsonText(bad), { code: "invalid_content" });
  }
  const { workspace } = await project();
  const whole = new JsonText('{"op":"delete_box","box_id":"b1"}');
  assert.deepEqual((await workspace.call("get_boxes", jsonText('{"op":"delete_box","box_ids":["b1"]}'))).boxes.length, 1);
  assert.equal(await workspace.call(whole), "b1");
});

test("an invalid call is refused", async () => {
  const { workspace } = await project();
  for (const bad of [undefined, null, 7, [], "x", {}, { op: 7 }, { op: "pack_contxt" }, true]) {
    const error = await workspace.call(bad).catch((error) => error);
    assert.equal(error.code, "bad_request", String(error.stack));
  }
  for (const bad of [null, 7, [], "x", jsonText("[]")]) {
    const error = await workspace.call("get_boxes", bad).catch((error) => error);
    assert.equal(error.code, "bad_request", String(error.stack));
  }
  await rejects(workspace.boxes.get({ box_ids: ["b1"], boxes: 1 }), "bad_request", "boxes");
});

test("the names and values of options are checked", async () => {
  const { store, workspace } = await project();
  const refused = (options, path) => rejects(open(store, options), "bad_request", path);
  await refused(undefined, "projectId");
  await refused({}, "projectId");
  await refused({ projectId: "" }, "projectId");
  await refused({ projectId: 7 }, "projectId");
  await refused({ projectId: new Date() }, "projectId");
  await rejects(open(store, JSON.parse('{"projectId":"p1","project_id":"p2"}')), "bad_request", "project_id");
  await refused({ projectId: "p1", timeout: 5 }, "timeout");
  await refused({ projectId: "p1", dialect: "v9" }, "dialect");
  await refused({ projectId: "p1", timeoutMs: NaN }, "timeoutMs");
  await refused({ projectId: "p1", limits: { max_depth: "x" } }, "limits.max_depth");
  await refused({ projectId: "p1", signal: {} }, "signal");
  const call = (options, path) => rejects(workspace.boxes.get({ box_ids: [] }, options), "bad_request", path);
  await call({ now: 1.5 }, "now");
  await call({ now: "2026" }, "now");
  await call({ entropy: new Uint8Array(31) }, "entropy");
  await call({ entropy: [7] }, "entropy");
  await call({ timeoutMs: -1 }, "timeoutMs");
  await call({ later: true }, "later");
  await call(7, "");
});

test("the same time and entropy produce the same bytes", async () => {
  const options = { now: 1767522600000, entropy: new Uint8Array(32).fill(7) };
  const texts = [];
  for (let at = 0; at < 2; at += 1) {
    const { workspace } = await project();
    texts.push((await workspace.preview("pack_context", packCall(), options)).writesText);
  }
  assert.equal(texts[0], texts[1]);
  assert.ok(texts[0].includes('"at":"2026-01-04T10:30:00'));
});

test("`parseJson` preserves integers and changes nothing else", () => {
  for (const given of [
    '{"a":9007199254740993,"b":"9007199254740993","c":[-12345678901234567890,1.5,9007199254740991]}',
    '"\\"123456789012345678901234567890\\\\"',
    '[" :123456789012345678", ",[123456789012345678", "\\u0000integer 5", 123456789012345678]',
    "123456789012345678",
    "  [ 123456789012345678 , 1e30 , 0.1234567890123456789 ]",
    "[]",
  ]) {
    const big = (_key, value) => (typeof value === "bigint" ? Number(value) : value);
    assert.deepEqual(JSON.parse(JSON.stringify(parseJson(given), big)), JSON.parse(given));
  }
  assert.deepEqual(parseJson("[9007199254740993,-9007199254740993,5]"), [9007199254740993n, -9007199254740993n, 5]);
  assert.equal(parseJson('"\\u0000integer 5"'), "\u0000integer 5");
  assert.throws(() => parseJson("[123456789012345678"), SyntaxError);
  for (const given of ["[-0123456789012345678]", "01234567890123456789"]) assert.throws(() => parseJson(given), SyntaxError);
});

test("long strings of any alphabet are unchanged", async () => {
  // Node encodes ASCII differently, so both cases are tested with more than 1 MB
  const texts = ["plain ".repeat(300_000), `${"plain ".repeat(300_000)}é`, "语言😀\u2028".repeat(100_000)];
  const workspace = await open(memoryStore(), { projectId: "p1" });
  for (const text of texts) {
    const preview = await workspace.preview("render", {
      cards: [{ card_id: "c1", content: { __type__: "TextContent", text }, metadata: { role: "user" } }],
    });
    assert.equal(JSON.parse(preview.valueText).messages[0].content, text);
    preview.dispose();
  }
  workspace.dispose();
});

test("text that is nested too deeply is refused before it is parsed", () => {
  for (const deep of ["[".repeat(4_000_000), `{"a":`.repeat(601), `["]\\"",${"[".repeat(600)}`]) {
    assert.throws(() => jsonText(deep), { code: "limit" });
  }
  // brackets inside strings do not count, and an unterminated string is not JSON
  for (const fine of [JSON.stringify(`"\\${"[{".repeat(5_000)}`), `${"[".repeat(600)}${"]".repeat(600)}`, `[${"[],".repeat(2_000)}[]]`]) {
    assert.equal(jsonText(fine).toString(), fine);
  }
  assert.throws(() => jsonText(`["${"[".repeat(5_000)}`), { code: "invalid_content" });
});
