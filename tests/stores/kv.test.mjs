// The key-value store satisfies the contract, with and without limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore, open } from "../../pkg/index.js";
import { denoKvStore } from "../../pkg/stores/deno-kv.js";
import { durableObjectStore } from "../../pkg/stores/durable-object.js";
import { kvStore } from "../../pkg/stores/kv.js";
import { storeContract, testStore } from "../../pkg/testing.js";
import { objectStorage } from "../support/object_storage.mjs";
import { sizes } from "./sizes.mjs";

const DENO_LIKE = { keys: 10, valueBytes: 65_536, changes: 1000, commitBytes: 800_000 };

/** Returns a key-value database in this process. Every call is asynchronous, and limits are enforced. */
function database({ keys = Infinity, valueBytes = Infinity, changes = Infinity, commitBytes = Infinity, checks: most = 100 } = {}) {
  const entries = new Map();
  let versions = 0;
  const name = (key) => JSON.stringify(key);
  const bytes = (text) => Buffer.byteLength(text);
  const later = () => new Promise((resolve) => setImmediate(resolve));
  return {
    entries,
    commits: 0,
    async get(wanted) {
      assert.ok(wanted.length <= keys, `${wanted.length} keys in one get`);
      await later();
      return wanted.map((key) => entries.get(name(key)) ?? null);
    },
    async commit({ checks, sets, deletes }) {
      assert.ok(checks.length <= most, `${checks.length} checks`);
      assert.ok(sets.length + deletes.length <= changes, `${sets.length} sets and ${deletes.length} deletes`);
      assert.ok(
        sets.every(({ value }) => bytes(value) <= valueBytes),
        "a value is too long",
      );
      assert.ok(
        sets.every(({ value }) => value.isWellFormed()),
        "a value is not Unicode",
      );
      assert.ok(
        sets.reduce((sum, { key, value }) => sum + bytes(name(key)) + bytes(value), 0) <= commitBytes * 1.1,
        "the commit is too large",
      );
      await later();
      if (checks.some(({ key, version }) => (entries.get(name(key))?.version ?? null) !== version)) return false;
      versions += 1;
      this.commits += 1;
      for (const { key, value } of sets) entries.set(name(key), { value, version: versions });
      for (const key of deletes) entries.delete(name(key));
      return true;
    },
  };
}

const roomy = kvStore(database());
testStore(test, "kv", () => roomy, { sizes });
const tight = kvStore(database(DENO_LIKE), DENO_LIKE);
testStore(test, "kv with limits", () => tight, { sizes });

const at = "2026-01-04T10:30:00.000Z";
const card = (card_id, text) => ({ card_id, content: { text, __type__: "TextContent" }, metadata: {} });
const create = (box_id, card_ids) => ({ change: "create", box: { box_id, card_ids, parent_ids: [], version: 1, deleted_at: null } });

test("a batch larger than one commit is visible as a whole or not at all, wherever it stops", async () => {
  const limits = { keys: 10, valueBytes: 3000, changes: 40, commitBytes: 20_000 };
  const cards = Array.from({ length: 150 }, (_, index) => card(`c${index}`, "x".repeat(index % 50 === 0 ? 5000 : 20)));
  const ids = cards.map((one) => one.card_id);
  const writes = {
    project_id: "p",
    operation_id: "o",
    at,
    cards,
    boxes: [create("b", ids)],
    files: [{ path: "a/b", text: "y".repeat(4000) }],
  };
  const whole = database(limits);
  await kvStore(whole, limits).commit(writes);
  assert.ok(whole.commits > 4, `${whole.commits} commits`);
  for (let stop = 0; stop < whole.commits; stop += 1) {
    const db = database(limits);
    const dying = {
      get: (keys) => db.get(keys),
      commit: async (change) => {
        if (db.commits >= stop) throw new Error("the host is gone");
        return db.commit(change);
      },
    };
    await assert.rejects(kvStore(dying, limits).commit(writes), /the host is gone/);
    const store = kvStore(db, limits);
    const before = JSON.parse(await store.read({ project_id: "p", cards: ids, boxes: ["b"], files: ["a/b"], directories: ["a"] }));
    assert.deepEqual([before.cards, before.boxes, before.files, before.directories], [[], [], [], []], `after ${stop} commits`);
    const other = await store.commit({ project_id: "p", operation_id: "other", at, cards: [card("c7", "somebody else's")] });
    assert.equal(other.repeated, false);
    await assert.rejects(store.commit(writes), { code: "conflict", details: { card_id: "c7" } });
    const again = { ...writes, cards: cards.filter((one) => one.card_id !== "c7") };
    assert.equal((await store.commit(again)).repeated, false);
    const after = JSON.parse(await store.read({ project_id: "p", cards: ids, boxes: ["b"], files: ["a/b"], directories: ["a"] }));
    assert.deepEqual(
      after.cards.map((row) => row.card_id),
      ids,
    );
    assert.equal(after.cards[7].content.text, "somebody else's");
    assert.deepEqual([after.boxes[0].card_ids, after.files[0].text.length, after.directories[0].paths], [ids, 4000, ["a/b"]]);
  }
});

test("a change of a box deletes its old entries", async () => {
  const limits = { ...DENO_LIKE, valueBytes: 3000 };
  const db = database(limits);
  const store = kvStore(db, limits);
  await store.commit({
    project_id: "p",
    operation_id: "o0",
    at,
    boxes: [
      create(
        "b",
        Array.from({ length: 2000 }, (_, index) => `c${index}`),
      ),
    ],
  });
  const size = db.entries.size;
  for (let step = 1; step <= 20; step += 1) {
    await store.commit({ project_id: "p", operation_id: `o${step}`, at, boxes: [{ change: "append", box_id: "b", card_ids: [] }] });
  }
  assert.ok(db.entries.size <= size + 20, `${size} entries became ${db.entries.size}`);
});

test("a reader never sees a partly replaced box", async () => {
  const limits = { ...DENO_LIKE, valueBytes: 3000 };
  const store = kvStore(database(limits), limits);
  const list = (sign) => Array.from({ length: 1500 }, () => sign);
  await store.commit({ project_id: "p", operation_id: "o1", at, boxes: [create("b", list("1"))] });
  const writer = (async () => {
    for (let step = 2; step < 60; step += 1) {
      await store.commit({
        project_id: "p",
        operation_id: `o${step}`,
        at,
        boxes: [{ change: "replace", box_id: "b", card_ids: list(String(step)), version: step - 1 }],
      });
    }
  })();
  for (let reads = 0; reads < 200; reads += 1) {
    const [box] = JSON.parse(await store.read({ project_id: "p", boxes: ["b"] })).boxes;
    assert.deepEqual([...new Set(box.card_ids)], [String(box.version)]);
  }
  await writer;
});

test("a row whose parts are replaced while they are read is read again", async () => {
  const limits = { ...DENO_LIKE, valueBytes: 3000 };
  const db = database(limits);
  const list = (sign) => Array.from({ length: 1500 }, () => sign);
  const writes = (step, boxes) => ({ project_id: "p", operation_id: `o${step}`, at, boxes });
  await kvStore(db, limits).commit(writes(1, [create("b", list("old"))]));
  let replaced = 0;
  const get = async (keys) => {
    // after the row was read, and before its parts are
    if (replaced === 0 && keys.some((key) => key.includes("parts"))) {
      replaced += 1;
      await kvStore(db, limits).commit(writes(2, [{ change: "replace", box_id: "b", card_ids: list("new"), version: 1 }]));
    }
    return db.get(keys);
  };
  const [box] = JSON.parse(await kvStore({ get, commit: () => false }, limits).read({ project_id: "p", boxes: ["b"] })).boxes;
  assert.deepEqual([replaced, box.version, [...new Set(box.card_ids)]], [1, 2, ["new"]]);
});

test("a deleted row leaves the list of its table", async () => {
  const db = database();
  const store = kvStore(db);
  const row = (message_id) => ({ table: "outbox", key: [message_id], version: null, row: { message_id, status: "pending", seq: 1 } });
  const ids = ["m1", "m2", "m3"];
  await store.commit({ project_id: "p", operation_id: "put", at, rows: ids.map(row) });
  const deleted = ids.slice(0, 2).map((id) => ({ ...row(id), version: "put", row: null }));
  await store.commit({ project_id: "p", operation_id: "delete", at, rows: deleted });
  assert.equal(db.entries.get(JSON.stringify(["tuckbox", "p", "keys", "outbox"])).value, '["[\\"m3\\"]"]');
});

test("a long text is split between characters", async () => {
  const limits = { ...DENO_LIKE, valueBytes: 3001 };
  const store = kvStore(database(limits), limits);
  const text = `${"\u{1f30a}".repeat(3000)}x${"\u{1f30a}".repeat(3000)}`;
  await store.commit({ project_id: "p", operation_id: "o", at, files: [{ path: "f", text }] });
  assert.equal(JSON.parse(await store.read({ project_id: "p", files: ["f"] })).files[0].text, text);
});

test("a batch with too many changes is refused with `limit`", async () => {
  const limits = { ...DENO_LIKE, changes: 50 };
  const store = kvStore(database(limits), limits);
  const agents = Array.from({ length: 60 }, (_, index) => ({ agent_id: `a${index}` }));
  await assert.rejects(store.commit({ project_id: "p", operation_id: "o", at, agents }), { code: "limit" });
  assert.equal(JSON.parse(await store.read({ project_id: "p", agents: ["a0"] })).agents.length, 0);
});

test("an invalid database, option or answer is an error with its path", async () => {
  assert.throws(() => kvStore({}), { code: "bad_request", path: "kv.get" });
  assert.throws(() => kvStore(database(), { value_byte: 1 }), { code: "bad_request", path: "value_byte" });
  await assert.rejects(kvStore({ get: async () => [], commit: async () => true }).read({ project_id: "p", boxes: ["b"] }), {
    code: "store",
    path: "kv.get",
  });
  const stop = new AbortController();
  const busy = { get: async (keys) => keys.map(() => null), commit: async () => stop.abort() ?? false };
  await assert.rejects(kvStore(busy).commit({ project_id: "p", operation_id: "o", at }, { signal: stop.signal }), {
    code: "store",
    message: /nothing was written/,
  });
});

test("a project packs on a key-value database as in memory", async () => {
  const stores = [kvStore(database(DENO_LIKE), DENO_LIKE), memoryStore()];
  const seen = [];
  for (const store of stores) {
    await (store.addProfiles?.("p", [{ name: "Writer", profile_box_id: "pb" }]) ??
      store.project("p").addProfile({ name: "Writer", profile_box_id: "pb" }));
    const project = await open(store, { projectId: "p", now: () => 0, entropy: () => new Uint8Array(32) });
    const packed = await project.pack({
      tool_suffix: "t",
      source_agent_id: "a",
      arguments: { profile_name: "writer", instruction: "go" },
      handover: { context_packing_config: { pack_arguments: [{ arg_key: "instruction" }] } },
    });
    seen.push((await (await open(store, { projectId: "p" })).preview("get_box_cards", { box_id: packed.context_box_id })).valueText);
  }
  assert.equal(seen[0], seen[1]);
});

test("profiles that several stores register at once are all listed", async () => {
  const db = database();
  const names = Array.from({ length: 8 }, (_, at) => `p${at}`);
  await Promise.all(names.map((name) => kvStore(db).addProfiles("p", [{ name, profile_box_id: `box of ${name}` }])));
  const { profiles_by_box } = JSON.parse(
    await kvStore(db).read({ project_id: "p", profiles_by_box: names.map((name) => `box of ${name}`) }),
  );
  assert.deepEqual(
    profiles_by_box.map(({ name }) => name),
    names,
  );
});

test("the contract fails for a database that ignores the checks of a commit", async () => {
  const db = database();
  const careless = { get: (keys) => db.get(keys), commit: (change) => db.commit({ ...change, checks: [] }) };
  let failed = 0;
  for (const { group, run } of storeContract(() => kvStore(careless))) if (group === "concurrency") await run().catch(() => (failed += 1));
  assert.ok(failed > 0);
});

/** Returns Deno KV on the database of these tests. */
function denoKv() {
  const db = database({ ...DENO_LIKE });
  const getMany = async (keys) =>
    (await db.get(keys)).map((entry) => ({ value: entry?.value ?? null, versionstamp: entry?.version ?? null }));
  const atomic = () => {
    const change = { checks: [], sets: [], deletes: [] };
    return {
      check: ({ key, versionstamp }) => change.checks.push({ key, version: versionstamp }),
      set: (key, value) => change.sets.push({ key, value }),
      delete: (key) => change.deletes.push(key),
      commit: async () => ({ ok: await db.commit(change) }),
    };
  };
  return { getMany, atomic, entries: db.entries };
}

const shared = { deno: denoKv(), object: objectStorage() };

for (const [name, entries, make] of [
  ["Deno KV", shared.deno.entries, () => denoKvStore(shared.deno)],
  ["a Durable Object", shared.object.entries, () => durableObjectStore(shared.object)],
]) {
  test(`stores on ${name} lose no commit, and keep long strings and large batches complete`, async () => {
    const [one, other] = [make(), make()];
    await one.commit({ project_id: name, operation_id: "make", at, boxes: [create("log", [])] });
    const ids = Array.from({ length: 12 }, (_, step) => `c${step}`);
    const append = (id) => ({ project_id: name, operation_id: id, at, boxes: [{ change: "append", box_id: "log", card_ids: [id] }] });
    await Promise.all(ids.map((id, step) => (step % 2 === 0 ? one : other).commit(append(id))));
    const [box] = JSON.parse(await other.read({ project_id: name, boxes: ["log"] })).boxes;
    assert.deepEqual([...box.card_ids].sort(), [...ids].sort());
    const files = Array.from({ length: 300 }, (_, at) => ({ path: `f/${at}`, text: `${at} ${"\u00e9".repeat(at === 7 ? 150_000 : 10)}` }));
    await one.commit({ project_id: name, operation_id: "files", at, files });
    const found = JSON.parse(await other.read({ project_id: name, files: files.map(({ path }) => path) })).files;
    assert.deepEqual(
      found.map(({ path, text }) => ({ path, text })),
      files,
    );
  });

  test(`the store refuses a project of a newer package version on ${name} and writes nothing`, async () => {
    const store = make();
    const project_id = `${name} later`;
    const writes = { project_id, operation_id: "make", at, boxes: [create("log", [])] };
    await store.commit(writes);
    const gate = JSON.stringify(["tuckbox", project_id, "gate"]);
    entries.set(gate, { ...entries.get(gate), value: "2 of a later version" });
    const error = {
      code: "store",
      message: /the project has format 2, made by a newer version of this package; expected format 1: use a newer version/,
      details: { reason: "newer", found: 2, expected: 1 },
    };
    const before = JSON.stringify([...entries]);
    await assert.rejects(store.read({ project_id, boxes: ["log"] }), error);
    await assert.rejects(store.commit({ ...writes, operation_id: "other" }), error);
    await assert.rejects(store.addProfiles(project_id, [{ name: "Writer", profile_box_id: "pb" }]), error);
    assert.equal(JSON.stringify([...entries]), before);
  });
}
