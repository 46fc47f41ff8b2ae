// The component in Node: its imports, its interfaces, and hosts that answer nonsense.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { componentWit, print } from "@bytecodealliance/jco-transpile/wasm-tools";
import operationNames from "../../pkg/generated/operations.js";
import * as tuckbox from "../../pkg/index.js";
import { version } from "../../pkg/lib/version.js";
import { launch } from "../browser/chromium.mjs";
import { serve } from "../browser/server.mjs";
import { answers } from "../conform/cases.mjs";
import { componentPackage } from "../conform/component.mjs";
import { errorOf, load, transpiled } from "./host.mjs";

const { memoryStore, open } = tuckbox;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { bytes, start } = await load(process.env.COMPONENT);
const env = { nowMs: 1767522600000n, entropy: new Uint8Array(32).fill(7) };
const settings = '{"project_id":"demo"}';

/** Returns the typed error of work that must fail. */
async function failed(work) {
  try {
    await work();
  } catch (thrown) {
    return errorOf(thrown);
  }
  throw new Error("the call did not fail");
}

/** A store of the host with synchronous functions: boxes and cards in maps. It counts its calls. */
function mapStore() {
  const tables = { boxes: new Map(), cards: new Map() };
  const calls = { read: 0, commit: 0 };
  return {
    calls,
    read(text) {
      calls.read += 1;
      const { boxes, cards, rows = [], lists = [] } = JSON.parse(text);
      const answers = { missing_rows: rows, lists: lists.map((list) => ({ ...list, rows: [] })) };
      for (const [name, ids] of Object.entries({ boxes, cards })) {
        if (ids === undefined) continue;
        answers[name] = ids.filter((id) => tables[name].has(id)).map((id) => tables[name].get(id));
        answers[`missing_${name}`] = ids.filter((id) => !tables[name].has(id));
      }
      return JSON.stringify(answers);
    },
    commit(text) {
      calls.commit += 1;
      const { operation_id, boxes = [], cards = [] } = JSON.parse(text);
      for (const card of cards) tables.cards.set(card.card_id, card);
      const written = boxes.map(({ box, box_id, card_ids }) => {
        const old = tables.boxes.get(box_id);
        const next = box ?? { ...old, card_ids: [...old.card_ids, ...card_ids], version: old.version + 1 };
        tables.boxes.set(next.box_id, next);
        return { box_id: next.box_id, version: next.version };
      });
      return JSON.stringify({ operation_id, repeated: false, boxes: written });
    },
  };
}

test("the components import nothing but their store", async () => {
  for (const component of [bytes, readFileSync(process.env.COMPONENT_CORE)]) {
    const imports = (await componentWit(component)).match(/^ {2}import .*;$/gm).map((line) => line.trim());
    assert.deepEqual(imports.sort(), [`import tuckbox:core/store@${version};`, `import tuckbox:core/types@${version};`]);
  }
});

test("the interface has the version of the crate, a comment for each item, and is that of the component", async () => {
  const lines = readFileSync(here("../../wit/tuckbox.wit"), "utf8").split("\n");
  assert.ok(lines.includes(`package tuckbox:core@${version};`));
  const item = /^\s*((package|interface|world|resource|record|variant|enum|flags|type) |%?[\w-]+: (static )?func\()/;
  const bare = lines.filter((line, at) => item.test(line) && !/^\s*\/\/\/ .*\.$/.test(lines[at - 1]));
  assert.deepEqual(bare, []);
  assert.deepEqual(
    lines.filter((line) => line.length > 140 || /\s$/.test(line)),
    [],
  );
  // the component has every item, field and function under its name
  const names = [...lines.join("\n").matchAll(/^\s*(?:(?:resource|record|variant|enum|flags|type) (%?[\w-]+)|(%?[\w-]+)(?:: |,$))/gm)];
  assert.ok(names.length > 150, String(names.length));
  const printed = await print(bytes);
  const missing = names.map(([, item, part]) => (item ?? part).replace("%", "")).filter((name) => !printed.match(`[".\\]]${name}"`));
  assert.deepEqual(missing, []);
});

test("the recorded cases of pack, compose and render have the same bytes through both components and the npm package", async () => {
  const read = (name) => readFileSync(here(`../vectors/${name}.json`), "utf8");
  const files = Object.fromEntries(["pack", "compose", "render"].map((name) => [name, read(name)]));
  const expected = await answers(files, tuckbox);
  assert.ok(expected.split("\n").length > 100);
  for (const path of [process.env.COMPONENT, process.env.COMPONENT_CORE])
    assert.equal(await answers(files, await componentPackage(path)), expected, path);
});

/** The operations that only the full component has. */
const FULL_ONLY = /^(import|list_sessions|explain_\w+|compare\w*|timeline|inspect_request|inspect_cache|lock_\w+)$/;

test("the smaller component has all other operations, and names the full one for these", async () => {
  const { project, steps } = await (await load(process.env.COMPONENT_CORE)).start(mapStore());
  const demo = project.Project.open(settings);
  const missing = [];
  for (const op of operationNames) {
    const workspace = steps.Workspace.open(settings);
    try {
      workspace.start(JSON.stringify({ op }), env);
    } catch (thrown) {
      if (/^this build lacks the operation/.test(errorOf(thrown).message)) missing.push(op);
    }
  }
  assert.deepEqual(
    missing,
    operationNames.filter((op) => FULL_ONLY.test(op)),
  );
  const error = await failed(() => demo.call('{"op":"import","files":[]}', env));
  assert.deepEqual([error.code, error.path], ["bad_request", "op"]);
  assert.match(error.message, /^this build lacks the operation `import`: .* use `tuckbox-full.component.wasm`$/);
  // a value that looks like such a call is only a value
  const card = { card_id: "c", type: "t", author_id: "u", content: { __type__: "JsonContent", data: { op: "import" } } };
  assert.deepEqual(JSON.parse(demo.call(JSON.stringify({ op: "put_cards", cards: [card] }), env)).card_ids, ["c"]);
});

test("a host drives calls in steps with a store of the npm package", async () => {
  const { steps } = await start();
  const store = memoryStore();
  const workspace = steps.Workspace.open(settings);
  const call = JSON.stringify({ op: "create_box", box_id: "b", card_ids: ["c"] });
  const run = workspace.start(call, env);
  for (let reads = run.step(); reads !== undefined; reads = run.step()) {
    const answers = await store.read(JSON.parse(reads));
    run.answer(typeof answers === "string" ? answers : JSON.stringify(answers));
  }
  const writes = run.writes();
  const receipt = await store.commit(JSON.parse(writes), { text: writes });
  run.committed(typeof receipt === "string" ? receipt : JSON.stringify(receipt));

  // the same call through the npm package has the same bytes
  const project = await open(memoryStore(), { projectId: "demo" });
  const preview = await project.preview(JSON.parse(call), { now: Number(env.nowMs), entropy: env.entropy });
  assert.deepEqual([run.value(), writes, run.contentHash()], [preview.valueText, preview.writesText, preview.contentHash]);
  const written = await (await open(store, { projectId: "demo" })).boxes.get({ box_ids: ["b"] });
  assert.deepEqual(written.boxes[0].card_ids, ["c"]);
});

test("the example of the page about forms runs as written", async () => {
  const { steps } = await start();
  const page = readFileSync(here("../../docs/how-to/choose-a-form.md"), "utf8");
  const [, code] = /^```js\n([\s\S]*?)^```$/m.exec(page);
  const printed = [];
  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction("steps", "store", "console", code)(steps, memoryStore(), { log: (text) => printed.push(JSON.parse(text)) });
  assert.deepEqual(printed, [{ boxes: [] }]);
});

test("a project previews, commits and calls through the imported store", async () => {
  const store = mapStore();
  const { project } = await start(store);
  const demo = project.Project.open(settings);
  const preview = demo.preview('{"op":"create_box","box_id":"b","card_ids":["c1"]}', env);
  assert.equal(store.calls.commit, 0);
  assert.deepEqual(JSON.parse(demo.commit(preview)).boxes, [{ box_id: "b", version: 1 }]);
  const value = JSON.parse(demo.call('{"op":"append_to_box","box_id":"b","card_ids":["c2"]}', env));
  assert.deepEqual([value.card_ids, value.version], [["c1", "c2"], 2]);
  assert.equal(store.calls.commit, 2);
  demo.call('{"op":"get_boxes","box_ids":["b"]}', env);
  assert.equal(store.calls.commit, 2, "a call without writes does not commit");
});

test("typed operations have the results of the same calls on JSON", async () => {
  const { operations, project } = await start(mapStore());
  const demo = project.Project.open(settings);
  const made = operations.createBox(demo, { cardIds: ["c1", "c2"], boxId: "b" }, env);
  assert.deepEqual([made.boxId, made.cardIds, made.version], ["b", ["c1", "c2"], 1n]);
  const more = operations.appendToBox(demo, { boxId: "b", cardIds: ["c3"] }, env);
  assert.deepEqual(more.cardIds, ["c1", "c2", "c3"]);
  const fork = operations.forkBox(demo, { boxId: "b", take: 1n }, env);
  assert.deepEqual(fork.cardIds, ["c1"]);
  const found = operations.getBoxes(demo, ["b", "none"], env);
  assert.deepEqual([found.boxes.map((box) => box.boxId), found.missingBoxes.map((box) => box.id)], [["b"], ["none"]]);
  const cards = operations.getCards(demo, ["none"], env);
  assert.deepEqual([cards.cards, cards.missingCards[0].id], [[], "none"]);
  const card = { type: "text", authorId: "u", content: '{"__type__":"TextContent","text":"hi"}' };
  assert.equal(operations.putCards(demo, { cards: [{ ...card, cardId: "c9" }] }, env)[0], "c9");

  const stored = [{ card_id: "c", content: { __type__: "TextContent", text: "hi" }, metadata: { role: "user", n: 12345678901234567890n } }];
  const text = JSON.stringify(stored, (_, value) => (typeof value === "bigint" ? `#${value}#` : value)).replace(/"#(\d+)#"/, "$1");
  const rendered = operations.render(demo, { tag: "cards", val: text }, env);
  assert.equal(JSON.parse(rendered.messages)[0].content, "hi");
  const composed = operations.compose(demo, { process: "react", systemPrompt: "s", query: '"q"' }, env);
  assert.equal(JSON.parse(composed.messages).length, 2);
  const payload = operations.payload(
    demo,
    { provider: "openai_chat", messages: composed.messages, model: "m", options: '{"temperature":0.5}' },
    env,
  );
  assert.deepEqual([payload.model, JSON.parse(payload.body).temperature], ["m", 0.5]);
  const body = JSON.parse(
    demo.call(`{"op":"payload","provider":"openai_chat","messages":${composed.messages},"model":"m","temperature":0.5}`, env),
  ).body;
  assert.deepEqual(JSON.parse(payload.body), body);
});

test("wrong arguments are typed errors with paths", async () => {
  const { operations, project, steps } = await start(mapStore());
  const demo = project.Project.open(settings);
  const short = { ...env, entropy: new Uint8Array(3) };
  const cards = { cards: [{ type: "t", authorId: "u", content: "{" }] };
  const cases = [
    [() => project.Project.open("{"), "invalid_content", ""],
    [() => project.Project.open("{}"), "bad_request", "project_id"],
    [() => steps.Workspace.open("[]"), "bad_request", ""],
    [() => demo.call("nonsense", env), "invalid_content", ""],
    [() => demo.call('{"op":"nonsense"}', env), "bad_request", "op"],
    [() => demo.call('{"op":"get_boxes","box_ids":["b"]}', short), "bad_request", ""],
    [() => operations.putCards(demo, cards, env), "invalid_content", "cards[0].content"],
    [() => operations.payload(demo, { provider: "openai_chat", messages: "[]", options: "[]" }, env), "bad_request", "options"],
    [() => operations.forkBox(demo, { boxId: "none" }, env), "not_found", "box_id"],
  ];
  for (const [work, code, path] of cases) {
    const error = await failed(work);
    assert.deepEqual([error.code, error.path], [code, path], String(work));
  }
});

test("a store that answers nonsense is a typed error, and the next call works", async () => {
  const call = '{"op":"append_to_box","box_id":"b","card_ids":["c"]}';
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const nonsense = [
    "",
    "nonsense",
    "null",
    "[]",
    "7",
    '"x"',
    '{"boxes":7}',
    '{"boxes":[{"box_id":"other","card_ids":[],"version":1}]}',
    deep,
  ];
  for (const text of nonsense) {
    const good = mapStore();
    let answer = good;
    const { project } = await start({ read: (reads) => answer.read(reads), commit: (writes) => answer.commit(writes) });
    const demo = project.Project.open(settings);
    demo.call('{"op":"create_box","box_id":"b","card_ids":["c0"]}', env);
    answer = { read: () => text, commit: good.commit };
    demo.refresh();
    const inRead = await failed(() => demo.call(call, env));
    assert.ok(["store", "limit"].includes(inRead.code), `${text.slice(0, 40)}: ${inRead.code}`);
    answer = { read: good.read, commit: () => text };
    const inCommit = await failed(() => demo.call(call, env));
    assert.equal(inCommit.code, "store", `${text.slice(0, 40)}: ${inCommit.message}`);
    answer = good;
    assert.ok(JSON.parse(demo.call('{"op":"get_boxes","box_ids":["b"]}', env)).boxes.length === 1);
  }
});

test("an error of the store reaches the caller unchanged", async () => {
  const error = { code: "conflict", path: "boxes[0]", message: "the disk is full", details: '{"free":0}' };
  const broken = () => {
    throw error;
  };
  const { project } = await start({ read: broken, commit: broken });
  const demo = project.Project.open(settings);
  const thrown = await failed(() => demo.call('{"op":"get_boxes","box_ids":["b"]}', env));
  assert.deepEqual(thrown, { ...error, details: { free: 0 } });
});

test("steps in the wrong order are typed errors", async () => {
  const { project, steps } = await start(mapStore());
  const workspace = steps.Workspace.open(settings);
  const run = workspace.start('{"op":"create_box","box_id":"b","card_ids":["c"]}', env);
  const early = [() => run.value(), () => run.writes(), () => run.committed("{}"), () => run.refused(), () => run.entries(0, 0, 1)];
  for (const work of early) assert.equal((await failed(work)).code, "bad_request", String(work));
  assert.equal((await failed(() => run.answer("{}"))).code, "store");
  // a run of a workspace is not a preview of a project
  const demo = project.Project.open(settings);
  assert.match((await failed(() => demo.commit(run))).message, /another project/);
  const other = project.Project.open('{"project_id":"other"}');
  const preview = other.preview('{"op":"create_box","box_id":"x","card_ids":[]}', env);
  assert.equal((await failed(() => demo.commit(preview))).code, "bad_request");
  assert.equal((await failed(() => preview.entries(9, 0, 1))).code, "not_found");
});

test("where wasm can wait, a project calls an async store of the npm package", async () => {
  const name = (one) => `tuckbox:core/${one.replace("#", `@${version}#`)}`;
  const methods = ["preview", "commit", "call"].map((method) => name(`project#[method]project.${method}`));
  const asyncImports = [name("store#read"), name("store#commit")];
  const files = await transpiled(bytes, { asyncMode: "jspi", asyncImports, asyncExports: methods });
  const server = await serve(here("../../"));
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.route("**/transpiled/*", (route) => {
      const file = new URL(route.request().url()).pathname.slice("/transpiled/".length);
      const contentType = file.endsWith(".js") ? "text/javascript" : "application/wasm";
      return route.fulfill({ body: Buffer.from(files[file]), contentType });
    });
    await page.goto(`${server.address}tests/conform/page.html`);
    const found = await page.evaluate(async () => {
      const { instantiate } = await import("/transpiled/tuckbox.js");
      const { indexedDbStore } = await import("/pkg/stores/indexeddb.js");
      const { open } = await import("/pkg/web.js");
      const store = indexedDbStore("component");
      const text = (answer) => (typeof answer === "string" ? answer : JSON.stringify(answer));
      const imported = {
        read: async (reads) => text(await store.read(JSON.parse(reads))),
        commit: async (writes) => text(await store.commit(JSON.parse(writes), { text: writes })),
      };
      const module = (file) => WebAssembly.compileStreaming(fetch(`/transpiled/${file}`));
      const { project } = await instantiate(module, { "tuckbox:core/store": imported, "tuckbox:core/types": {} });
      const demo = project.Project.open('{"project_id":"demo"}');
      const call = (value, at) => demo.call(JSON.stringify(value), { nowMs: 1767522600000n, entropy: new Uint8Array(32).fill(at) });
      await call({ op: "create_box", box_id: "b", card_ids: ["c1"] }, 1);
      const { card_ids, version } = JSON.parse(await call({ op: "append_to_box", box_id: "b", card_ids: ["c2"] }, 2));
      // another instance over the same database
      const { boxes } = await (await open(indexedDbStore("component"), { projectId: "demo" })).boxes.get({ box_ids: ["b"] });
      return { card_ids, version, stored: boxes[0].card_ids };
    });
    assert.deepEqual(found, { card_ids: ["c1", "c2"], version: 2, stored: ["c1", "c2"] });
  } finally {
    await browser.close();
    server.close();
  }
});

test("wasmtime in Python runs the component with the bytes of the Python package", () => {
  const environment = { ...process.env, PYTHONPATH: here("../../python"), PYTHONDONTWRITEBYTECODE: "1" };
  const done = spawnSync(process.env.PYTHON, [here("./host.py"), process.env.COMPONENT], { env: environment, encoding: "utf8" });
  assert.equal(done.status, 0, `${done.stdout}${done.stderr}`);
});
