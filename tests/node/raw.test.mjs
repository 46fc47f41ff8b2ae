// The recorded cases reach the core as their exact text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { items, members } from "../conform/raw.mjs";

test("members and items keep the exact text of their values", () => {
  const text = ' { "a" : [1.0, {"x": "}]\\""}] , "10": 123456789012345678901234567890, "2":null}\n';
  assert.deepEqual(members(text), [
    ["a", '[1.0, {"x": "}]\\""}]'],
    ["10", "123456789012345678901234567890"],
    ["2", "null"],
  ]);
  assert.deepEqual(items('[1, "a,]", [2,[3]], {}]'), ["1", '"a,]"', "[2,[3]]", "{}"]);
  assert.deepEqual(items("[]"), []);
  assert.deepEqual(members("{}"), []);
});

test("truncated text is refused", () => {
  for (const text of ['{"a": [1', '{"a": "x', '{"a"', "[1", '{"a":'])
    assert.throws(() => (text[0] === "[" ? items(text) : members(text)), SyntaxError, text);
});
