// Random input: valid and invalid JSON, HTTP requests of any form, and damaged links. Each run has the same cases.
// `cargo xtask fuzz` generates new ones.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import ts from "typescript";
import { fetchHandler } from "../../pkg/http.js";
import { memoryStore, open, parseJson } from "../../pkg/index.js";
import { times } from "../support/deep.mjs";

const seed = Number(process.env.FUZZ_SEED ?? 1);
const CASES = Number(process.env.FUZZ_CASES ?? times(400, 1500));

/** Returns a generator of random numbers with a seed. */
function dice(from) {
  let state = from >>> 0;
  const below = (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * n);
  };
  return { below, pick: (list) => list[below(list.length)] };
}

const ATOMS = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "1e400",
  "-1E-7",
  "0.1",
  "1.0",
  "9007199254740993",
  "-12345678901234567890",
  "1e5",
  '""',
  '"a"',
  '"\\u00e9\\ud83d\\ude00"',
  '"\\/\\b\\n"',
  '"漢"',
  '"\u2028"',
];
const BROKEN = [
  "01",
  "1.",
  ".5",
  "+1",
  "0x1",
  "NaN",
  "Infinity",
  "'a'",
  '"\\x"',
  '"\\u12"',
  '"\t"',
  '"',
  "tru",
  "[1,]",
  "[,1]",
  '{"a":1,}',
  "{a:1}",
  '{"a"}',
  "[1 2]",
  "/**/1",
  "\ufeff1",
  "1//",
  "\u00a01",
  "",
];

/** Returns JSON or almost valid JSON. */
function jsonish(random, depth = 0) {
  const blank = random.pick(["", "", "", " ", "\n\t", "\r"]);
  const kind = random.below(depth > 5 ? 6 : 10);
  if (kind < 6) return blank + (random.below(60) === 0 ? random.pick(BROKEN) : random.pick(ATOMS)) + blank;
  const items = Array.from({ length: random.below(4) }, () => jsonish(random, depth + 1));
  if (kind < 8) return `${blank}[${items.join(",")}]`;
  return `{${items.map((item) => `${blank}${random.pick(['"a"', '"b"', '"1"', '"__proto__"', '""', '"a\\u0062"'])}${blank}:${item}`).join(",")}}`;
}

/** Returns the text with one character removed, doubled or changed. */
function bent(text, random) {
  const at = random.below(text.length + 1);
  return (
    text.slice(0, at) + random.pick(["", "", ",", '"', "\\", "}", "]", "0", "e", "\u0000", "\ud800"]) + text.slice(at + random.below(2))
  );
}

/** Returns the value with sorted keys. */
const shown = (value) =>
  JSON.stringify(value, (_, part) => {
    if (typeof part === "bigint") return `${part}n`;
    if (Object.is(part, -0)) return "-0";
    return part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))
      : part;
  });

test(`the core reads JSON like JavaScript (FUZZ_SEED=${seed})`, async () => {
  const random = dice(seed);
  const counts = { read: 0, refused: 0 };
  let text = "";
  const store = {
    read: async () => `{"cards": [{"card_id": "c", "content": {"data": [${text}], "__type__": "JsonContent"}}]}`,
    commit: async () => assert.fail("this test does not commit"),
  };
  for (let at = 0; at < CASES; at += 1) {
    text = jsonish(random);
    if (random.below(3) === 0) text = bent(text, random);
    let expected;
    try {
      expected = shown(parseJson(`[${text}]`));
    } catch {
      expected = undefined;
    }
    const project = await open(store, { projectId: "p1" });
    try {
      const { cards } = await project.cards.get({ card_ids: ["c"] });
      // text that closes the list early is not valid card content
      if (cards.length === 0) throw Object.assign(new Error("unreadable"), { code: "store" });
      assert.equal(shown(cards[0].content.data), expected, `seed ${seed}, case ${at}: ${JSON.stringify(text)}`);
      counts.read += 1;
    } catch (error) {
      if (error.code === "ERR_ASSERTION") throw error;
      // JavaScript accepts lone surrogates and numbers beyond the range of doubles; the core refuses them
      const isNoText = /ud[89a-f]|[\ud800-\udfff]/.test(text) || /\de\d{3}/i.test(text);
      assert.ok(expected === undefined || isNoText, `seed ${seed}, case ${at}: ${JSON.stringify(text)} was refused: ${error.message}`);
      assert.ok(["store", "invalid_content", "limit"].includes(error.code), `seed ${seed}, case ${at}: ${error.code}`);
      counts.refused += 1;
    } finally {
      project.dispose();
    }
  }
  assert.ok(counts.read > CASES / 3 && counts.refused > CASES / 8, JSON.stringify(counts));
});

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];
const PARTS = [
  "v1",
  "projects",
  "p1",
  "call",
  "preview",
  "commit",
  "read",
  "boxes",
  "cards",
  "b1",
  "turn_view",
  "pack_context",
  "put_cards",
  "..",
  "%2e%2e",
  "%00",
  "%ff",
  "a".repeat(300),
  "",
  "*",
  "__proto__",
  "constructor",
  "openapi.json",
  "%F0%9F%98%80",
];
const BODIES = [
  '{"cards": [{"card_id": "c1", "type": "note", "author_id": "me", "content": {"__type__": "TextContent", "text": "x"}}]}',
  '{"box_id": "b1"}',
  '{"box_ids": ["b1"]}',
  '{"context_box_id": "b1"}',
  '{"preview": "token"}',
  '{"project_id": "p2", "boxes": ["b1"]}',
  '{"project_id": "p1", "operation_id": "o", "at": "2026-01-04T10:30:00.000Z", "cards": [], "boxes": []}',
];

test(`every HTTP request gets a valid answer (FUZZ_SEED=${seed})`, async () => {
  const random = dice(seed + 1);
  const errors = [];
  const store = memoryStore({
    projects: [
      { project_id: "p1", boxes: [{ box_id: "b1", card_ids: [] }] },
      { project_id: "p2", boxes: [{ box_id: "secret", card_ids: ["hidden"] }] },
    ],
  });
  const handler = fetchHandler({
    open,
    store,
    authorize: ({ projectId }) => projectId !== "p2",
    maxBodyBytes: 20_000,
    onError: (error) => errors.push(error),
  });
  const { paths } = await (await handler(new Request("http://localhost/openapi.json"))).json();
  const routes = Object.entries(paths).map(([address, methods]) => [address, Object.keys(methods)[0].toUpperCase()]);
  const statuses = new Map();
  for (let at = 0; at < CASES; at += 1) {
    const [route, usual] = random.below(4) > 0 ? random.pick(routes) : [null, random.pick(METHODS)];
    const address =
      route?.replace(/\{(\w+)\}/g, (_, name) =>
        name === "project_id" ? random.pick(["p1", "p1", "p1", "p2"]) : random.pick(name === "box_id" ? ["b1", ...PARTS] : PARTS),
      ) ?? `/${Array.from({ length: random.below(6) }, () => random.pick(PARTS)).join("/")}`;
    const method = random.below(4) > 0 ? usual : random.pick(METHODS);
    let body = random.pick([...BODIES, jsonish(random), "x".repeat(random.below(30_000))]);
    if (random.below(2) === 0) body = bent(body, random);
    const headers = { "content-type": random.pick(["application/json", "application/json", "text/plain", "multipart/form-data"]) };
    const request = new Request(`http://localhost${address}?${random.pick(["", "a=1", "limit=-1", "%", "ids=b1&ids=b1"])}`, {
      method,
      headers,
      ...(method === "GET" || method === "HEAD" ? {} : { body }),
    });
    const place = `seed ${seed}, case ${at}: ${method} ${address}`;
    const response = await handler(request);
    const text = await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    assert.ok(!text.includes("hidden"), `${place}: the answer contains another project`);
    if (response.status === 200) {
      JSON.parse(text);
    } else {
      assert.ok(
        [400, 401, 403, 404, 405, 409, 413, 415, 422].includes(response.status),
        `${place}: ${response.status} ${text.slice(0, 300)}`,
      );
      if (method !== "HEAD") assert.match(JSON.parse(text).error?.code ?? JSON.parse(text).code, /^[a-z_]+$/, place);
    }
  }
  assert.deepEqual(errors, [], "the server reports no error");
  assert.ok(
    [200, 400, 403, 404, 405].every((status) => statuses.get(status) > CASES / 300),
    JSON.stringify([...statuses]),
  );
});

/** Loads the links of the page as a JavaScript module. */
async function links() {
  const source = await readFile(new URL("../../www/src/engine/link.ts", import.meta.url), "utf8");
  const { outputText } = ts.transpileModule(source, { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext } });
  return import(`data:text/javascript;base64,${Buffer.from(outputText).toString("base64")}`);
}

test(`a link returns its text, and a damaged link returns at most the allowed length (FUZZ_SEED=${seed})`, async () => {
  const { pack, unpack } = await links();
  const random = dice(seed + 2);
  const counts = { whole: 0, damaged: 0, refused: 0 };
  for (let at = 0; at < CASES; at += 1) {
    const text = jsonish(random).repeat(random.below(50) + 1);
    const fragment = await pack(text);
    assert.match(fragment, /^[\w-]*$/);
    assert.equal(await unpack(fragment, 1_000_000), text.toWellFormed?.() ?? text, `seed ${seed}, case ${at}`);
    counts.whole += 1;
    const damaged = random.below(2) === 0 ? bent(fragment, random) : fragment.slice(0, random.below(fragment.length));
    try {
      const found = await unpack(damaged, 200);
      assert.ok(new TextEncoder().encode(found).length <= 200, `seed ${seed}, case ${at}: ${found.length}`);
      counts.damaged += 1;
    } catch (error) {
      // Node reports damaged bytes with its own error messages
      assert.ok(
        error instanceof RangeError || error instanceof TypeError || error.name === "InvalidCharacterError" || /^Z_|^ERR_/.test(error.code),
        `seed ${seed}, case ${at}: ${error.stack}`,
      );
      counts.refused += 1;
    }
  }
  assert.ok(counts.whole === CASES && counts.refused > CASES / 3, JSON.stringify(counts));
  const bomb = deflateRawSync(Buffer.alloc(times(50_000_000, 200_000_000))).toString("base64url");
  assert.ok(bomb.length < 300_000);
  await assert.rejects(unpack(bomb, 1_000_000), RangeError);
});
