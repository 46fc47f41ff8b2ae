// Decoding of long text is correct for every length and alphabet.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decoded, decoder } from "../../pkg/lib/text.js";

const BORDERS = [0, 1, 65_535, 65_536, 65_537, 131_072, 500_000, 1_031_912, 1_031_913, 1_031_914, 2_100_000];

test("ASCII is decoded correctly in chunks, at once and outside the heap", () => {
  for (const length of BORDERS) {
    const expected = Array.from({ length: Math.ceil(length / 10) }, (_, at) => String(at).padStart(10, "."))
      .join("")
      .slice(0, length);
    const made = decoder.decode(new TextEncoder().encode(expected));
    assert.equal(made.length, length);
    assert.ok(made === expected, `${length} bytes`);
  }
});

test("other alphabets are decoded as UTF-8, also if a chunk ends inside a character", () => {
  for (const length of BORDERS) {
    const expected = `a${"漢é😀".repeat(length / 9)}`;
    assert.ok(decoder.decode(new TextEncoder().encode(expected)) === expected, `${length} bytes`);
  }
  const mark = "\ufeffx".repeat(40_000);
  assert.ok(decoder.decode(new TextEncoder().encode(mark)) === mark, "a byte order mark is kept");
});

test("a range of memory is decoded, with and without the ASCII flag", () => {
  for (const length of BORDERS) {
    for (const [letter, isAscii] of [
      ["a", true],
      ["a", false],
      ["漢", false],
    ]) {
      const expected = letter.repeat(length / letter.length);
      const bytes = new TextEncoder().encode(`é${expected}é`);
      assert.ok(decoded(bytes, 2, bytes.length - 2, isAscii) === expected, `${length} ${letter}`);
    }
  }
});

test("no module of the edge entry names an API of Node, which compilers for edge runtimes reject", () => {
  const seen = new Set();
  const visit = (url) => {
    if (seen.has(url.href) || url.search !== "") return;
    seen.add(url.href);
    const text = readFileSync(url, "utf8");
    const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    assert.doesNotMatch(code, /\bprocess\s*\??\./, url.href);
    for (const [, path] of text.matchAll(/^(?:import|export)[^;]*? from "(\.[^"]+)";/gms)) visit(new URL(path, url));
  };
  visit(new URL("../../pkg/edge-light.js", import.meta.url));
  assert.ok(seen.size > 10, `${seen.size} modules`);
});
