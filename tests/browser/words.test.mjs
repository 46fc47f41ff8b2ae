// The page's words: both languages say the same things, with the same gaps.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const words = (lang) => {
  const text = ["", "-views", "-rooms", "-help"].map((part) => readFileSync(new URL(`../../www/src/i18n/${lang}${part}.ts`, import.meta.url), "utf8")).join("\n");
  return new Map(Array.from(text.matchAll(/^ {2}"([^"]+)": (".*"),$/gm), ([, key, value]) => [key, JSON.parse(value)]));
};
const gaps = (text) => (text.match(/\{\w+\}/g) ?? []).toSorted();

test("English and Chinese have the same keys and the same gaps", () => {
  const [en, zh] = [words("en"), words("zh")];
  assert.ok(en.size > 600, `only ${en.size} texts were found`);
  assert.deepEqual([...zh.keys()].toSorted(), [...en.keys()].toSorted());
  for (const [key, text] of en) {
    assert.notEqual(zh.get(key).trim(), "", key);
    assert.deepEqual(gaps(zh.get(key)), gaps(text), key);
  }
});

test("the Chinese texts are Chinese", () => {
  const [en, zh] = [words("en"), words("zh")];
  // signs and names are the same in both
  const foreign = [...zh].filter(([key, text]) => !/\p{Script=Han}/u.test(text) && /\p{Letter}{2}/u.test(text.replaceAll(/\{\w+\}/g, "")) && text === en.get(key));
  assert.deepEqual(foreign.map(([key]) => key), []);
});
