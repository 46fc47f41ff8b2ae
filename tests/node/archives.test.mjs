// Archives of logs: all opened bytes count, entries must not overlap, and the depth is limited.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { importStream } from "../../pkg/index.js";
import { importFiles, opened } from "../../pkg/lib/import/open.js";
import { times } from "../support/deep.mjs";
import { overlappingZip, zip } from "../support/zip.mjs";

const MIB = 1 << 20;
const names = (files) => files.map(({ name }) => name);
const size = (files) => files.reduce((sum, { bytes }) => sum + bytes.length, 0);
const open = (bytes, left = MIB, name = "a.zip") => opened({ name, bytes: new Uint8Array(bytes) }, { left });

test("an archive with overlapping entries is not opened", async () => {
  const bytes = overlappingZip(Buffer.alloc(100_000), 1_000);
  assert.deepEqual(names(await open(bytes, 2 ** 30)), ["a.zip"]);
  // the second entry starts inside the first
  const inside = zip(
    [
      ["a", "x".repeat(100)],
      ["b", "y".repeat(100)],
    ],
    { stored: true, change: (entry, at) => at === 0 && Object.assign(entry, { packed: 140, size: 140 }) },
  );
  assert.deepEqual(names(await open(inside)), ["a.zip"]);
  // an entry extends into the directory
  const directory = zip([["a", "x".repeat(100)]], { stored: true, change: (entry) => Object.assign(entry, { packed: 120, size: 120 }) });
  assert.deepEqual(names(await open(directory)), ["a.zip"]);
});

test("stored entries, compressed entries and names share one budget, also across files", async () => {
  const entries = ["a", "b", "c"].map((name) => [name, Buffer.alloc(400_000, name)]);
  for (const stored of [true, false]) {
    const budget = { left: MIB };
    const bytes = new Uint8Array(zip(entries, { stored }));
    const [a, b, c] = await opened({ name: "z", bytes }, budget);
    assert.deepEqual([a.bytes.length, b.bytes.length], [400_000, 400_000]);
    assert.equal(new TextDecoder().decode(c.bytes.subarray(0, 2)), "PK", "the third entry is returned compressed");
    assert.equal(budget.left, 0, "no entry is opened after one that does not fit");
    assert.deepEqual(names(await opened({ name: "y", bytes: new Uint8Array(gzipSync("x")) }, budget)), ["y"]);
  }
  const many = Array.from({ length: 1_000 }, (_, at) => [`${at}`, ""]);
  const long = zip([["n".repeat(60_000), zip(many)]]);
  const found = await open(long);
  assert.ok(found.length === 1_000 && found.filter(({ bytes }) => bytes.length === 0).length < 20, "each name counts with its full length");
});

test("nested archives are opened up to the maximum depth", async () => {
  const nested = (depth, pack) => Array.from({ length: depth }).reduce((inner) => pack(inner), Buffer.from("log"));
  const [gzip, zipped] = [(inner) => gzipSync(inner, { level: 1 }), (inner) => zip([["i", inner]])];
  for (const pack of [gzip, zipped]) {
    assert.equal(size(await open(nested(8, pack))), 3);
    const [deep, ...more] = await open(nested(20, pack));
    assert.ok(more.length === 0 && deep.bytes.length > 3, "the ninth level is returned compressed");
  }
  // in the long form more files than a function call can have arguments
  const FILES = times(5_000, 50_000);
  const inner = zip(
    Array.from({ length: FILES }, (_, at) => [`${at}`, ""]),
    { stored: true },
  );
  const wide = zip(
    ["a", "b", "c"].map((name) => [name, inner]),
    { stored: true },
  );
  assert.equal((await open(wide, 2 ** 30)).length, 3 * FILES);
});

test("an entry that cannot be opened does not affect the others", async () => {
  const log = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] });
  const damages = [{ crc: 1 }, { size: 5 }, { size: 5_000 }, { method: 9 }, { flags: 1 }];
  const entries = [...damages.map((_, at) => [`bad-${at}.json`, log]), ["good.json", log]];
  const bytes = new Uint8Array(zip(entries, { change: (entry, at) => Object.assign(entry, damages[at]) }));
  const found = await open(bytes);
  assert.deepEqual(
    found.map(({ bytes: inner }) => new TextDecoder().decode(inner) === log),
    [...damages.map(() => false), true],
  );
  const { value } = await importStream([{ name: "a.zip", bytes }]);
  assert.equal(value.sessions.length, 1);
  assert.deepEqual(
    value.notes.map(({ code, origin, message }) => [code, origin.file, /was not opened/.test(message)]),
    damages.map((_, at) => ["not_text", `a.zip/bad-${at}.json`, true]),
  );
});

test("the files of a call arrive one by one and share one budget", async () => {
  async function* files() {
    yield { name: "a.gz", bytes: new Uint8Array(gzipSync("a")) };
    yield { name: "b", bytes: Uint8Array.of(0) };
  }
  assert.deepEqual(await importFiles(files()), [
    { name: "a", text: "a" },
    { name: "b", base64: "AA==" },
  ]);
});
