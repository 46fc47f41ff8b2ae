// The WebAssembly module has parts. Each call loads only the parts that it needs, once.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { onlyDeep, SHIPPED } from "../support/deep.mjs";

/** Runs a script in a thread without loaded parts and returns its result. */
async function fresh(script) {
  const url = (path) => JSON.stringify(new URL(`../../pkg/${path}`, import.meta.url));
  const head = `
    import assert from "node:assert/strict";
    import { readFileSync } from "node:fs";
    import { parentPort } from "node:worker_threads";
    import { memoryStore } from ${url("index.js")};
    import { open } from ${url("slim.js")};
    import { instance_exports } from ${url("generated/core.js")};
    const asked = [];
    const bytes = (part) => readFileSync(new URL(part + ".wasm", ${url("generated/")}));
    const wasm = (part) => (asked.push(part), bytes(part));
    const found = (value) => parentPort.postMessage(value);
  `;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(head + script)}`));
  let result;
  thread.on("message", (value) => (result = value));
  await new Promise((resolve, reject) => thread.once("error", reject).once("exit", resolve));
  return result;
}

test("the first call that needs a part loads it once", async () => {
  const asked = await fresh(`
    const project = await open(memoryStore(), { projectId: "p1", wasm });
    await project.boxes.get({ box_ids: [] });
    assert.deepEqual(asked, ["core"]);
    await project.boxes.create({ card_ids: [] });
    await project.boxes.create({ card_ids: [] });
    assert.deepEqual(asked, ["core", "commit"]);
    await Promise.all([project.prompt.tables({}), project.prompt.allowedContexts({ process: "chat" }).catch(() => {}), project.prompt.tables({})]);
    await project.prompt.tables({});
    const second = await open(memoryStore(), { projectId: "p2", wasm });
    await second.prompt.tables({});
    found(asked);
  `);
  assert.deepEqual(asked, ["core", "commit", "prompt"]);
});

test("a nested call loads its part", async () => {
  const asked = await fresh(`
    const store = memoryStore();
    store.project("p1").addProfile({ name: "Writer", profile_box_id: "pb" });
    const project = await open(store, { projectId: "p1", wasm });
    await project.preview("inspect", { call: { op: "pack_context_with_instruction", profile_name: "Writer", instruction: "go" } }).catch(() => {});
    found(asked);
  `);
  assert.deepEqual(asked.toSorted(), ["agents", "core", "inspect"]);
});

test("inspecting a box does not load `agents`; inspecting a turn does", async () => {
  const asked = await fresh(`
    const store = memoryStore();
    store.project("p1").addBox({ box_id: "b1", card_ids: [] });
    const project = await open(store, { projectId: "p1", wasm });
    (await project.preview("inspect", { box_id: "b1" })).dispose();
    assert.deepEqual(asked.toSorted(), ["core", "inspect"]);
    const { value } = await project.preview("inspect", { turn: { context_box_id: "b1" } });
    assert.equal(value.boxes.length, 1);
    found(asked);
  `);
  assert.deepEqual(asked.toSorted(), ["agents", "core", "inspect"]);
});

test("comparing turns and their requests loads the parts for turns", async () => {
  for (const call of [
    '"compare", { left: { turn }, right: { box_id: "b1" } }',
    '"compare", { left: { box_id: "b1" }, right: { turn } }',
    '"inspect_request", { turn }',
  ]) {
    const asked = await fresh(`
      const store = memoryStore();
      store.project("p1").addBox({ box_id: "b1", card_ids: [] });
      const project = await open(store, { projectId: "p1", wasm });
      const turn = { context_box_id: "b1" };
      (await project.preview(${call})).dispose();
      found(asked);
    `);
    assert.deepEqual(asked.toSorted(), ["agents", "core", "request"], call);
  }
});

test("a prompt of messages does not load `agents`; a prompt of a turn does", async () => {
  for (const [call, more] of [
    ['"payload", { provider: "neutral", messages: [{ role: "user", content: "Hello" }] }', []],
    ['"payload", { provider: "neutral", turn }', ["agents"]],
    ['"count_tokens", { provider: "neutral", turn: { ...turn, after: { op: "pack_context", box_ids: ["b1"] } } }', ["agents", "pack"]],
    ['"diff_payloads", { provider: "neutral", before: { messages: [] }, after: { turn } }', ["agents"]],
  ]) {
    const asked = await fresh(`
      const store = memoryStore();
      store.project("p1").addBox({ box_id: "b1", card_ids: [] });
      const project = await open(store, { projectId: "p1", wasm });
      const turn = { context_box_id: "b1" };
      await project.preview(${call}).then((done) => done.dispose(), ({ code }) => assert.equal(code, "bad_request"));
      found(asked);
    `);
    assert.deepEqual(asked.toSorted(), [...more, "core", "prompt"].toSorted(), call);
  }
});

test("the entry of a request loads `prompt` only to convert it", async () => {
  for (const [legal_for, more] of [
    [[], []],
    [["anthropic"], ["prompt"]],
  ]) {
    const asked = await fresh(`
      const project = await open(memoryStore(), { projectId: "p1", wasm });
      const body = { model: "gpt-5", messages: [{ role: "user", content: "Hello" }] };
      const legal_for = ${JSON.stringify(legal_for)};
      await project.lock.entry({ name: "a", request: { provider: "openai_chat", body }, ...(legal_for.length > 0 ? { legal_for } : {}) });
      found(asked);
    `);
    assert.deepEqual(asked.toSorted(), [...more, "core", "lock"].toSorted());
  }
});

test("reading answers and changing memory does not load `prompt`", async () => {
  const asked = await fresh(`
    const project = await open(memoryStore(), { projectId: "p1", wasm });
    const response = { role: "assistant", content: [{ type: "text", text: "Hello" }], stop_reason: "end_turn" };
    const { message } = await project.prompt.readResponse({ provider: "anthropic", response });
    assert.equal(message.content, "Hello");
    assert.deepEqual(asked, ["core", "response"]);
    await project.memory.collectContexts({}).catch(({ code }) => assert.equal(code, "bad_request"));
    found(asked);
  `);
  assert.deepEqual(asked, ["core", "response", "memory"]);
});

test("custom recipes load `agents`", async () => {
  const asked = await fresh(`
    await assert.rejects(open(memoryStore(), { projectId: "p1", wasm, recipes: [{ name: "hand_on" }] }), { code: "bad_request", path: "recipes[0].arguments" });
    found(asked);
  `);
  assert.deepEqual(asked, ["core", "agents"]);
});

test("a part that fails to load is an error, and the next call retries", async () => {
  const error = await fresh(`
    let works = false;
    const flaky = (part) => { if (part !== "core" && !works) throw new Error("no way"); return bytes(part); };
    const project = await open(memoryStore(), { projectId: "p1", wasm: flaky });
    const { code, message } = await project.prompt.tables({}).catch((error) => error);
    works = true;
    await project.prompt.tables({});
    found({ code, message });
  `);
  assert.deepEqual(error, { code: "load", message: "the part `prompt` of the WebAssembly module could not be loaded: no way" });
});

test("the error names a missing part if only the core was passed", async () => {
  const error = await fresh(`
    const project = await open(memoryStore(), { projectId: "p1", wasm: bytes("core") });
    await project.boxes.get({ box_ids: [] });
    const { code, message } = await project.prompt.tables({}).catch((error) => error);
    await assert.rejects(project.boxes.create({ card_ids: [] }), { code: "load", message: /the part .commit. / });
    found({ code, message });
  `);
  assert.equal(error.code, "load");
  assert.match(error.message, /the part `prompt` .* pass a function that takes the name of a part/);
});

test("after a trap, the parts are linked to the new instance", async () => {
  const asked = await fresh(`
    const project = await open(memoryStore(), { projectId: "p1", wasm });
    const before = await project.prompt.tables({});
    new Uint8Array(instance_exports().memory.buffer).fill(0xa5);
    await assert.rejects(project.boxes.create({ card_ids: [] }), { code: "trap" });
    assert.deepEqual(await project.prompt.tables({}), before);
    found(asked);
  `);
  assert.deepEqual(asked, ["core", "prompt"]);
});

const compressed = (part) => gzipSync(readFileSync(new URL(`../../pkg/generated/${part}.wasm`, import.meta.url)), { level: 9 }).length;

// `prompt` has the windows, limits and prices of 428 models, and bodies that grow, with their losses as text
test("`core` has at most 150 KB, `prompt` at most 260 KB, compressed", onlyDeep(SHIPPED), () => {
  const [core, prompt] = [compressed("core"), compressed("prompt")];
  assert.ok(core <= 150_000, `${core} bytes`);
  assert.ok(prompt <= 260_000, `${prompt} bytes`);
});

test("every part imports only the core", onlyDeep(SHIPPED), () => {
  for (const part of [
    "pack",
    "commit",
    "agents",
    "prompt",
    "memory",
    "response",
    "handoff",
    "run",
    "import",
    "inspect",
    "request",
    "cache",
    "lock",
  ]) {
    const bytes = readFileSync(new URL(`../../pkg/generated/${part}.wasm`, import.meta.url));
    const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
    assert.deepEqual([...new Set(imports.map(({ module }) => module))], ["core"], part);
  }
});
