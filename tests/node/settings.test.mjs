// Settings are own properties: members of `Object.prototype` are ignored.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../../pkg/engine.js";
import { natsTransport } from "../../pkg/engines/nats.js";
import { notifyTransport } from "../../pkg/engines/postgres.js";
import { fetchHandler } from "../../pkg/http.js";
import { memoryStore, open } from "../../pkg/index.js";
import { openOptions } from "../../pkg/lib/options.js";
import { readTools } from "../../pkg/lib/worker/tools.js";
import { recordFetch } from "../../pkg/record.js";
import { fileStore } from "../../pkg/stores/file.js";
import { httpStore } from "../../pkg/stores/http.js";
import { kvStore } from "../../pkg/stores/kv.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { migration, sqlStore } from "../../pkg/stores/sql.js";
import { worker } from "../../pkg/worker.js";

/** Runs a function while every object inherits `value` as `name`. */
async function polluted(name, value, run) {
  Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
  try {
    return await run();
  } finally {
    delete Object.prototype[name];
  }
}

test("`open` ignores settings from `Object.prototype`", async () => {
  const plain = openOptions({ projectId: "p" });
  const settings = {
    limits: { max_ids: 1 },
    recipes: [{ name: "intruder" }],
    composer: { intruder: true },
    authority: { intruder: true },
    dialect: "v1r3",
    timeoutMs: 1,
    now: 5,
    entropy: new Uint8Array(32),
    signal: AbortSignal.abort(),
  };
  for (const [name, value] of Object.entries(settings)) {
    await polluted(name, value, () => {
      const found = openOptions({ projectId: "p" });
      assert.equal(found.settings, plain.settings, name);
      assert.equal(found.defaults[name], plain.defaults[name], name);
    });
  }
  await assert.rejects(
    polluted("projectId", "intruder", () => open(memoryStore(), {})),
    { code: "bad_request" },
  );
  const project = await open(memoryStore(), { projectId: "p" });
  await polluted("limits", { max_ids: 1 }, async () => {
    const other = await open(memoryStore(), { projectId: "p" });
    const ids = ["a", "b", "c"];
    assert.deepEqual(
      (await other.call("get_cards", { card_ids: ids })).missing_cards.map(({ id }) => id),
      ids,
    );
    other.dispose();
  });
  await polluted("timeoutMs", -1, async () => assert.deepEqual((await project.call("get_cards", { card_ids: [] }, {})).cards, []));
  project.dispose();
});

test("stores, handlers and recorders ignore options from `Object.prototype`", async () => {
  const kv = { get() {}, commit() {} };
  const pool = { query() {} };
  const makers = {
    max_ids: () => httpStore("https://example.org"),
    routes: () => httpStore("https://example.org"),
    max_read_bytes: () => httpStore("https://example.org"),
    schema: () => sqlStore(() => [], {}),
    prepare: () => pgStore(pool),
    rekey: () => migration(),
    prefix: () => kvStore(kv),
    onError: () => recordFetch(() => {}, {}),
  };
  for (const [name, make] of Object.entries(makers)) await polluted(name, Symbol("wrong"), make);
  assert.throws(() => kvStore(kv, { toString: 1 }), { code: "bad_request", path: "toString" });
  await assert.rejects(
    polluted(
      "authorize",
      () => true,
      () => fetchHandler({ open, store: memoryStore() }),
    ),
    { code: "bad_request", path: "authorize" },
  );
  const handler = fetchHandler({ open, store: memoryStore(), authorize: () => true });
  const describe = async () => (await handler(new Request("http://h/openapi.json"))).text();
  const plain = await describe();
  assert.equal(await polluted("recipes", [{ name: "intruder" }], describe), plain);
});

test("engines, workers, tools and transports take no option from `Object.prototype`", async () => {
  const given = { open, store: memoryStore(), projectId: "p" };
  for (const name of Object.keys(given)) {
    const { [name]: value, ...rest } = given;
    const path = name === "store" ? "store.read" : name;
    await assert.rejects(
      polluted(name, value, () => engine(rest)),
      { code: "bad_request", path },
    );
  }
  const team = engine(given);
  await assert.rejects(
    polluted(
      "model",
      () => "x",
      () => worker({ engine: team }),
    ),
    { code: "bad_request", path: "model" },
  );
  const database = { listen: async () => ({ unlisten() {} }), unsafe() {} };
  const makers = {
    clock: () => fileStore("project.json"),
    channel: () => notifyTransport(database),
    targets: () => worker({ engine: team, model: () => "x" }),
    transport: () => engine(given),
    start: () => worker({ engine: team, model: () => "x", tools: { search: () => "x" } }),
    recipe: () => worker({ engine: team, model: () => "x", tools: { search: { run: () => "x" } } }),
  };
  for (const [name, make] of Object.entries(makers)) await polluted(name, Symbol("wrong"), make);
  const tools = { search: { run: () => "x", description: "d" } };
  const names = await polluted("timeoutMs", 1, () => readTools(tools).get("search").timeoutMs);
  assert.equal(names, undefined);
  assert.throws(() => readTools({ search: { recipe: "toString" } }), { code: "bad_request", path: "tools.search.recipe" });
  await assert.rejects(
    polluted("nats", { headers() {} }, () => natsTransport({})),
    { code: "bad_request", path: "nats" },
  );
});
