// The page's texts: both languages have the same keys and placeholders.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const texts = (lang) => {
  const folder = new URL(`../../www/src/i18n/${lang}/`, import.meta.url);
  const source = readdirSync(folder)
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join("\n");
  return new Map(Array.from(source.matchAll(/^ {2}"([^"]+)":\s+(".*"),$/gm), ([, key, value]) => [key, JSON.parse(value)]));
};
const placeholders = (text) => (text.match(/\{\w+\}/g) ?? []).toSorted();

test("English and Chinese have the same keys and the same placeholders", () => {
  const [en, zh] = [texts("en"), texts("zh")];
  assert.ok(en.size > 600, `only ${en.size} texts were found`);
  assert.deepEqual([...zh.keys()].toSorted(), [...en.keys()].toSorted());
  for (const [key, text] of en) {
    assert.notEqual(zh.get(key).trim(), "", key);
    assert.deepEqual(placeholders(zh.get(key)), placeholders(text), key);
  }
});

test("every count has a singular", () => {
  const en = texts("en");
  const plurals = [...en.keys()].filter((key) => key.startsWith("count.") && !key.endsWith(".one"));
  assert.deepEqual(
    plurals.filter((key) => !en.has(`${key}.one`)),
    [],
  );
});

test("the Chinese texts are in Chinese", () => {
  const [en, zh] = [texts("en"), texts("zh")];
  // symbols and names are the same in both languages
  const foreign = [...zh].filter(
    ([key, text]) => !/\p{Script=Han}/u.test(text) && /\p{Letter}{2}/u.test(text.replaceAll(/\{\w+\}/g, "")) && text === en.get(key),
  );
  assert.deepEqual(
    foreign.map(([key]) => key),
    [],
  );
});
