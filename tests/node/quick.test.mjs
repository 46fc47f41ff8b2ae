// The fast encoder for small plain values: it writes the bytes of `JSON.stringify`, or declines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "../../pkg/index.js";
import { quickBytes } from "../../pkg/lib/quick.js";
import { encoded } from "../../pkg/lib/text.js";
import { project } from "./support.mjs";

const written = (value) => {
  const bytes = quickBytes(value);
  return bytes && new TextDecoder().decode(bytes);
};
const nested = (depth) => (depth === 0 ? "x" : { a: nested(depth - 1) });

test("plain values are written like `JSON.stringify`", () => {
  const members = [
    "",
    "go on",
    "~ !#[]^_`{|}",
    'a"b',
    "a\\b",
    "a\nb\n",
    0,
    -0,
    1.5,
    -1e21,
    1e-7,
    2 ** 53,
    Number.MIN_VALUE,
    true,
    false,
    null,
    [],
    [[], {}],
    {},
    { b: 1, a: [2, null] },
    { 2: 1, 1: 2 },
    undefined,
  ];
  for (const member of members) {
    for (const value of [
      { member },
      { first: 1, member, last: "x" },
      { list: [member ?? null, "y"] },
      Object.assign(Object.create(null), { member }),
    ]) {
      assert.equal(written(value), JSON.stringify(value));
    }
  }
  assert.equal(written(nested(30)), JSON.stringify(nested(30)));
});

test("the fast encoder declines all other values", () => {
  const hidden = new Proxy(
    {},
    {
      ownKeys() {
        throw new Error("no");
      },
    },
  );
  const members = [
    "a\tb",
    "a\rb",
    "\u0000",
    "\u007f",
    "é",
    "漢",
    "\ud800",
    NaN,
    Infinity,
    1n,
    Symbol("s"),
    () => 1,
    [undefined],
    // biome-ignore lint/suspicious/noSparseArray: the test needs a hole
    [1, , 2],
    new Date(),
    new Map(),
    new (class Thing {})(),
    new Uint8Array(2),
    hidden,
    { toJSON: () => 1 },
    nested(40),
    "x".repeat(65_600),
    '"'.repeat(32_800),
    Array.from({ length: 70_000 }, () => 1),
    Array.from({ length: 70_000 }, () => []),
    Array.from({ length: 70_000 }, () => ({})),
  ];
  for (const [at, member] of members.entries()) assert.equal(written({ member }), undefined, String(at));
  for (const value of ["text", 7, null, undefined, [], [1], new Date()]) assert.equal(written(value), undefined);
  assert.equal(written({ "a\u00e9": 1 }), undefined);
});

test("a value that does not fit the buffer is declined, not truncated", () => {
  for (let length = 65_510; length < 65_540; length += 1) {
    for (const value of [
      { a: "x".repeat(length) },
      { a: "x".repeat(length - 8), b: {} },
      { a: "x".repeat(length - 10), b: [12] },
      { a: `${"x".repeat(length - 9)}"\n\\` },
    ]) {
      const text = JSON.stringify(value);
      assert.equal(written(value), text.length <= 65_536 ? text : undefined);
    }
  }
});

test("the fast encoder declines all values if a prototype has extra keys or `toJSON`", () => {
  for (const [on, key] of [
    [Object.prototype, "toJSON"],
    [Array.prototype, "toJSON"],
    [Object.prototype, "everywhere"],
  ]) {
    on[key] = () => 1;
    try {
      assert.equal(written({ a: [1] }), undefined);
    } finally {
      delete on[key];
    }
  }
  assert.equal(written({ a: [1] }), '{"a":[1]}');
});

test("a getter that makes another call does not change the outer call", async () => {
  const { workspace } = await project();
  let inner;
  const outer = {
    box_id: "outer",
    get card_ids() {
      inner ??= workspace.boxes.create({ box_id: "inner", card_ids: ["i1", "i2"] });
      return ["o1"];
    },
  };
  const { box_id, card_ids } = await workspace.boxes.create(outer);
  assert.deepEqual([box_id, card_ids], ["outer", ["o1"]]);
  assert.deepEqual((await inner).card_ids, ["i1", "i2"]);
});

test("later changes of its arguments do not affect a waiting call", async () => {
  const { store } = await project();
  for (const more of ["", "é", "x".repeat(70_000)]) {
    const workspace = await open(store, { projectId: "p1" });
    const args = { box_id: `mine${more}`, card_ids: [`c1${more}`] };
    const first = workspace.boxes.create(args);
    args.box_id = "changed";
    args.card_ids.push("c2");
    const others = Array.from({ length: 5 }, (_, at) => workspace.boxes.create({ box_id: `${at}${more}`, card_ids: [`other${at}`] }));
    assert.deepEqual([(await first).box_id, (await first).card_ids], [`mine${more}`, [`c1${more}`]]);
    for (const [at, other] of others.entries()) assert.deepEqual((await other).card_ids, [`other${at}`]);
  }
});

test("strings of every length and alphabet are encoded exactly", () => {
  for (const length of [0, 1, 100, 8191, 8192, 8193, 30_000]) {
    for (const letter of ["a", "é", "漢", "😀"]) {
      const text = letter.repeat(length);
      assert.ok(new TextDecoder().decode(encoded(text)) === text, `${length} ${letter}`);
    }
  }
});
