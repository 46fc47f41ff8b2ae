// The IndexedDB store in real Chromium satisfies the contract, across tabs, reloads and closed pages.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { storeContract } from "../../pkg/testing.js";
import { launch } from "../browser/chromium.mjs";
import { times } from "../support/deep.mjs";
import { GUARD_MS, until } from "../support/until.mjs";
import { servePackage } from "./page.mjs";
import { sizes } from "./sizes.mjs";

const server = await servePackage();
const browser = await launch();
const context = await browser.newContext();
context.setDefaultTimeout(GUARD_MS);
after(async () => {
  await browser.close();
  await server.close();
});

/** Opens a tab with the store, its contract and the package. */
async function tab() {
  const page = await context.newPage();
  await page.goto(server.address);
  await page.evaluate(async (sizes) => {
    const [{ indexedDbStore }, testing, tuckbox] = await Promise.all([
      import("/pkg/stores/indexeddb.js"),
      import("/pkg/testing.js"),
      import("/pkg/index.js"),
    ]);
    const store = indexedDbStore("tests");
    const cases = new Map(testing.storeContract(() => store, { sizes }).map((one) => [one.name, one]));
    globalThis.tests = { store, cases, tuckbox, indexedDbStore };
  }, sizes);
  return page;
}

const page = await tab();

for (const { name } of storeContract(() => {})) {
  test(`indexeddb: ${name}`, async () => {
    const error = await page.evaluate(
      (name) =>
        tests.cases
          .get(name)
          .run()
          .then(
            () => null,
            (error) => String(error.stack),
          ),
      name,
    );
    assert.equal(error, null);
  });
}

test("two tabs append to one box: each operation applies once, in order", async () => {
  const steps = times(15, 100);
  const other = await tab();
  await page.evaluate(() =>
    tests.store.commit({
      project_id: "tabs",
      operation_id: "make",
      at: "2026-01-04T10:30:00.000Z",
      boxes: [{ change: "create", box: { box_id: "log", card_ids: [], version: 1 } }],
    }),
  );
  const write = async ([name, steps]) => {
    for (let step = 0; step < steps; step += 1) {
      const id = `${name}_${step}`;
      const writes = {
        project_id: "tabs",
        operation_id: id,
        at: "2026-01-04T10:30:00.000Z",
        boxes: [{ change: "append", box_id: "log", card_ids: [id] }],
      };
      await tests.store.commit(writes);
      if (step % 10 === 0 && !(await tests.store.commit(writes)).repeated) throw new Error(`${id} applied twice`);
    }
  };
  await Promise.all([page.evaluate(write, ["a", steps]), other.evaluate(write, ["b", steps])]);
  const { boxes } = JSON.parse(await other.evaluate(() => tests.store.read({ project_id: "tabs", boxes: ["log"] })));
  assert.equal(boxes[0].version, 2 * steps + 1);
  for (const name of ["a", "b"]) {
    assert.deepEqual(
      boxes[0].card_ids.filter((id) => id.startsWith(name)),
      Array.from({ length: steps }, (_, step) => `${name}_${step}`),
    );
  }
  await other.close();
});

test("pages that close during a commit leave no orphan and lose no acknowledged commit", async () => {
  const acknowledged = [];
  for (let round = 0; round < times(2, 10); round += 1) {
    const doomed = await tab();
    await doomed.exposeFunction("acknowledge", (id) => acknowledged.push(id));
    await doomed.evaluate(async (round) => {
      const write = async (step) => {
        const id = `${round}_${step}`;
        const cards = [0, 1, 2].map((index) => ({ card_id: `${id}_${index}`, content: { __type__: "TextContent", text: id } }));
        await tests.store.commit({
          project_id: "gone",
          operation_id: id,
          at: "2026-01-04T10:30:00.000Z",
          cards,
          boxes: [{ change: "create", box: { box_id: id, card_ids: cards.map((card) => card.card_id), version: 1 } }],
        });
        await acknowledge(id);
      };
      await write(0);
      (async () => {
        for (let step = 1; ; step += 1) await write(step);
      })();
    }, round);
    await until(
      "some commits are acknowledged",
      () => acknowledged.filter((id) => id.startsWith(`${round}_`)),
      ({ length }) => length > round % 4,
    );
    await doomed.close();
  }
  assert.ok(acknowledged.length > 0);
  const found = await page.evaluate(async (ids) => {
    const near = [
      ...new Set(
        ids.flatMap((id) => {
          const [round, step] = id.split("_").map(Number);
          return [id, `${round}_${step + 1}`, `${round}_${step + 2}`];
        }),
      ),
    ];
    const cards = near.flatMap((id) => [0, 1, 2].map((index) => `${id}_${index}`));
    const answers = JSON.parse(await tests.store.read({ project_id: "gone", boxes: near, cards }));
    return { boxes: answers.boxes.map((box) => box.box_id), cards: answers.cards.map((card) => card.card_id) };
  }, acknowledged);
  const there = new Set(found.boxes);
  assert.deepEqual(
    acknowledged.filter((id) => !there.has(id)),
    [],
  );
  assert.deepEqual(
    found.cards,
    found.boxes.flatMap((id) => [0, 1, 2].map((index) => `${id}_${index}`)),
  );
});

test("one tab packs and commits a project, and another tab reads it", async () => {
  const box_id = await page.evaluate(async () => {
    await tests.store.addProfiles("p1", [{ name: "Writer", profile_box_id: "pb" }]);
    const project = await tests.tuckbox.open(tests.store, { projectId: "p1" });
    const packed = await project.pack({
      tool_suffix: "t",
      source_agent_id: "a",
      arguments: { profile_name: "writer", instruction: "go on", big: 2n ** 70n },
      handover: { context_packing_config: { pack_arguments: [{ arg_key: "instruction" }, { arg_key: "big" }] } },
    });
    return packed.context_box_id;
  });
  const other = await tab();
  const texts = await other.evaluate(async (box_id) => {
    const project = await tests.tuckbox.open(tests.store, { projectId: "p1" });
    return (await project.boxes.getCards({ box_id })).cards.map((card) => card.content.text);
  }, box_id);
  assert.deepEqual(texts, ["go on", String(2n ** 70n)]);
  await other.close();
});

test("a store creates its database again after it was deleted", async () => {
  const answers = await page.evaluate(async () => {
    const store = tests.indexedDbStore("short-lived");
    await store.commit({ project_id: "p", operation_id: "o", at: "2026-01-04T10:30:00.000Z", agents: [{ agent_id: "a" }] });
    await new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase("short-lived");
      request.onsuccess = resolve;
      request.onerror = reject;
    });
    const answers = await store.read({ project_id: "p", agents: ["a"] });
    await store.close();
    return answers;
  });
  assert.deepEqual(JSON.parse(answers), { agents: [], missing_agents: ["a"] });
});

test("the store refuses a database of a newer package version and writes nothing", async () => {
  const [refused, tables] = await page.evaluate(async () => {
    const opened = (version) =>
      new Promise((resolve, reject) => {
        const request = indexedDB.open("later", version);
        request.onupgradeneeded = () => request.result.createObjectStore("of_another_version");
        request.onsuccess = () => resolve(request.result);
        request.onerror = reject;
      });
    (await opened(3)).close();
    const store = tests.indexedDbStore("later");
    const refused = await store
      .commit({ project_id: "p", operation_id: "o", at: "2026-01-04T10:30:00.000Z", agents: [{ agent_id: "a" }] })
      .then(
        () => "applied",
        ({ code, message, details }) => ({ code, message, details }),
      );
    const db = await opened();
    const tables = [...db.objectStoreNames];
    db.close();
    return [refused, tables];
  });
  assert.deepEqual(refused, {
    code: "store",
    message: "the database was made by a newer version of this package; this one has version 2: use a newer one",
    details: { reason: "newer", expected: 2 },
  });
  assert.deepEqual(tables, ["of_another_version"]);
});

test("a canceled commit writes everything or nothing", async () => {
  const result = await page.evaluate(async () => {
    const stop = new AbortController();
    const commit = tests.store.commit(
      {
        project_id: "p",
        operation_id: "stopped",
        at: "2026-01-04T10:30:00.000Z",
        agents: Array.from({ length: 500 }, (_, index) => ({ agent_id: `s${index}` })),
      },
      { signal: stop.signal },
    );
    const refused = commit.then(
      () => "applied",
      (error) => error.code,
    );
    setTimeout(() => stop.abort());
    const agents = async () => JSON.parse(await tests.store.read({ project_id: "p", agents: ["s0", "s499"] })).agents.length;
    return [await refused, await agents()];
  });
  assert.ok(JSON.stringify(result) === '["store",0]' || JSON.stringify(result) === '["applied",2]', JSON.stringify(result));
});

test("a commit that is canceled at any time settles and throws no unhandled error", async () => {
  const thrown = [];
  const listen = (error) => thrown.push(String(error));
  page.on("pageerror", listen);
  const results = await page.evaluate(async () => {
    const { store } = tests;
    const agents = Array.from({ length: 20 }, (_, index) => ({ agent_id: `t${index}` }));
    const results = new Set();
    for (let step = 0; step < 30; step += 1) {
      const stop = new AbortController();
      const commit = store.commit(
        { project_id: "p", operation_id: `stop${step}`, at: "2026-01-04T10:30:00.000Z", agents },
        { signal: stop.signal },
      );
      setTimeout(() => stop.abort(), step / 5);
      results.add(
        await commit.then(
          () => "applied",
          (error) => error.code,
        ),
      );
      const early = new AbortController();
      early.abort();
      results.add(
        await store.read({ project_id: "p", agents: ["t1"] }, { signal: early.signal }).then(
          () => "read",
          (error) => error.code,
        ),
      );
    }
    return [...results];
  });
  page.off("pageerror", listen);
  assert.deepEqual(thrown, []);
  assert.ok(results.includes("store") && results.every((result) => result === "store" || result === "applied"), String(results));
});

test("the error states that IndexedDB is missing", async () => {
  const { indexedDbStore } = await import("../../pkg/stores/indexeddb.js");
  assert.throws(() => indexedDbStore("x"), { code: "bad_request", path: "indexedDB" });
  const failing = {
    open: () => ({
      set onerror(handler) {
        this.error = new Error("no");
        queueMicrotask(() => handler());
      },
    }),
  };
  await assert.rejects(indexedDbStore("x", { indexedDB: failing }).read({ project_id: "p", boxes: ["b"] }), { code: "store" });
});
