// The package: its exports, its files, its readme, and its API compared with the types.
import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import operations from "../../pkg/generated/operations.js";
import schema from "../../pkg/generated/schema.js";
import * as api from "../../pkg/index.js";
import * as slim from "../../pkg/slim.js";
import * as web from "../../pkg/web.js";
import { onlyDeep, SHIPPED } from "../support/deep.mjs";
import { filled, project } from "./support.mjs";

const root = fileURLToPath(new URL("../../pkg/", import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

/** The types of documents: arguments and results of operations. */
const GENERATED = ["arguments.d.ts", "results.d.ts"];

test("every entry exports the same names", () => {
  assert.deepEqual(Object.keys(slim), Object.keys(api));
  assert.deepEqual(Object.keys(web), Object.keys(api));
  for (const entry of ["workerd.js", "edge-light.js"]) {
    const text = readFileSync(`${root}${entry}`, "utf8");
    assert.match(text, /export \* from "\.\/lib\/public\.js"/);
    assert.match(text, /export function open\(store, options\)/);
  }
  const typed = (entry) => readFileSync(`${root}types/${entry}.d.ts`, "utf8").match(/^export \* from .*$/gm);
  for (const entry of ["index", "slim"]) assert.deepEqual(typed(entry), ['export * from "./public.js";']);
});

test("every file in the manifest exists", onlyDeep(SHIPPED), () => {
  const files = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(files));
  for (const file of [manifest.types, ...files(manifest.exports)]) assert.ok(existsSync(root + file), file);
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.scripts, undefined);
  assert.equal(manifest.version, api.version);
});

test("the module can be loaded with `require`", () => {
  const required = createRequire(import.meta.url)("../../pkg/index.js");
  assert.equal(required.TuckboxError, api.TuckboxError);
});

test("every operation of the core is the method that the schema names", async () => {
  const { workspace } = await project();
  const paths = new Set();
  for (const op of operations) {
    const { method } = schema.operations[op];
    paths.add(method);
    const found = method.split(".").reduce((at, name) => at[name], workspace);
    assert.equal(typeof found, "function", `${op} is ${method}`);
  }
  assert.equal(paths.size, operations.length);
  const front = [...paths].filter((path) => !path.includes("."));
  assert.ok(front.length <= 15, front.join(" "));
});

test("options have names in camelCase", () => {
  const files = readdirSync(`${root}types`, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"));
  const texts = files.filter((name) => !GENERATED.includes(name)).map((name) => readFileSync(`${root}types/${name}`, "utf8"));
  const options = texts.flatMap((text) => text.match(/^export (interface|type) \w*Options\b[\s\S]*?^\}/gm) ?? []);
  const names = options.flatMap((text) => [...text.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name]) => name));
  assert.ok(names.includes("projectId") && names.includes("keepAnswerMs") && names.includes("maxReadBytes"), names.join(" "));
  assert.deepEqual(
    names.filter((name) => name.includes("_")),
    [],
  );
});

test("a method of a namespace runs its operation, also on its own", async () => {
  const { workspace } = await project();
  const { create, fork } = workspace.boxes;
  const { box_id } = await create({ card_ids: ["x", "y"] });
  const { card_ids } = await fork({ box_id, take: 1 });
  assert.deepEqual(card_ids, ["x"]);
  assert.equal(workspace.boxes, workspace.boxes);
  assert.throws(() => Object.assign(workspace.boxes, { create: () => {} }), TypeError);
  await assert.rejects(create({ card_ids: [] }, { timeout: 5 }), { code: "bad_request", path: "timeout" });
});

test("`slim` accepts the module in every form", async () => {
  const bytes = readFileSync(`${root}generated/core.wasm`);
  const module = await WebAssembly.compile(bytes);
  for (const wasm of [module, bytes, Promise.resolve(module), () => module]) {
    const workspace = await slim.open(api.memoryStore(), { projectId: "p1", wasm });
    assert.equal(workspace.stats().boxes, 0);
  }
  await assert.rejects(slim.open(api.memoryStore(), { projectId: "p1" }), { code: "bad_request", path: "wasm" });
  await assert.rejects(slim.open(api.memoryStore()), { code: "bad_request" });
});

test("a project id is checked the same way with and without other options", async () => {
  const opened = async (options) => {
    try {
      const project = await api.open(api.memoryStore(), options);
      return (await project.preview("create_box", { card_ids: [] })).writes.boxes.length;
    } catch ({ code, path, message }) {
      return { code, path, message };
    }
  };
  for (const project_id of ["p1", " p1 ", "", "  ", "a\u0000b", "\ud800", "\u{1f4e6}", 7, null, undefined, ["p1"]]) {
    assert.deepEqual(
      await opened({ projectId: project_id }),
      await opened({ projectId: project_id, limits: {} }),
      JSON.stringify(project_id),
    );
  }
});

test("errors of another copy of the package are instances of `TuckboxError`", async () => {
  const copy = await import(`../../pkg/lib/error.js?copy`);
  const theirs = new copy.TuckboxError("conflict", "moved on");
  assert.notEqual(copy.TuckboxError, api.TuckboxError);
  assert.ok(theirs instanceof api.TuckboxError);
  assert.ok(!(new Error("x") instanceof api.TuckboxError));
  class Own extends api.TuckboxError {}
  assert.ok(!(theirs instanceof Own));
  assert.ok(new Own("store", "x") instanceof Own && new Own("store", "x") instanceof api.TuckboxError);
});

test("two installed copies work in one process, and one warning is printed", async (t) => {
  const folder = fileURLToPath(new URL("../.cache/copy", import.meta.url));
  rmSync(folder, { recursive: true, force: true });
  cpSync(root, folder, { recursive: true });
  const warn = t.mock.method(console, "warn", () => {});
  const { workspace: ours } = await project();
  const copy = await import(`${folder}/index.js`);
  const theirs = await copy.open(filled(), { projectId: "p1" });
  await copy.open(filled(), { projectId: "p1" });
  assert.deepEqual(await theirs.boxes.get({ box_ids: ["b1"] }), await ours.boxes.get({ box_ids: ["b1"] }));
  assert.equal(warn.mock.callCount(), 1);
  assert.match(warn.mock.calls[0].arguments[0], /2 copies are loaded/);
});

test("an error is an `Error` and can be serialized", () => {
  const error = new api.TuckboxError("not_found", "no box `b`", { path: "box_id", details: { box_id: "b" } });
  assert.ok(error instanceof Error);
  assert.equal(String(error), "TuckboxError: no box `b`");
  assert.deepEqual(JSON.parse(JSON.stringify(error)), {
    code: "not_found",
    path: "box_id",
    message: "no box `b`",
    details: { box_id: "b" },
  });
});
