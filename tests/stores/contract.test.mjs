// The contract finds errors in stores. Each store here has one error, and at least one case must fail.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore } from "../../pkg/index.js";
import { storeContract } from "../../pkg/testing.js";

const later = () => new Promise((resolve) => setImmediate(resolve));

/** Returns a store in memory with parts of its behavior replaced. */
function broken({ read = (reads, store) => store.read(reads), commit = (writes, text, store) => store.commit(writes, { text }) }) {
  return () => {
    const store = memoryStore();
    return {
      read: (reads) => read(reads, store),
      commit: (writes, { text }) => commit(writes, text, store),
      addProfiles: async (id, rows) => {
        for (const row of rows) store.project(id).addProfile(row);
      },
    };
  };
}

const answered = (change) => async (reads, store) => JSON.stringify(change(JSON.parse(await store.read(reads)), reads));
const changed = (change) => (writes, _, store) => store.commit({ ...writes, ...change(writes) });

const BROKEN_STORES = {
  "returns rows of other projects": [
    "isolation",
    () => {
      const store = memoryStore();
      const one = (keys) => ({ ...keys, project_id: "all" });
      return {
        read: (reads) => store.read(one(reads)),
        commit: (writes) => store.commit(one(writes)),
        project: () => store.project("all"),
      };
    },
  ],
  "shares operation ids between projects": [
    "isolation",
    () => {
      const [store, seen] = [memoryStore(), new Map()];
      return {
        read: (reads) => store.read(reads),
        project: (id) => store.project(id),
        commit: async (writes) => {
          if (seen.has(writes.operation_id)) return { ...seen.get(writes.operation_id), repeated: true };
          seen.set(writes.operation_id, await store.commit(writes));
          return seen.get(writes.operation_id);
        },
      };
    },
  ],
  "returns rows in its own order": ["reads", broken({ read: answered((answers) => ({ ...answers, cards: answers.cards?.reverse() })) })],
  "omits missing keys": ["reads", broken({ read: answered(({ missing_cards: _, ...answers }) => answers) })],
  "parses numbers in JavaScript": ["json", broken({ read: async (reads, store) => JSON.parse(await store.read(reads)) })],
  "writes cards before it checks the boxes": [
    "atomicity",
    broken({
      commit: async (writes, text, store) => {
        if (writes.cards)
          await store.commit({
            ...writes,
            operation_id: `${writes.operation_id} cards`,
            expects: [],
            boxes: [],
            files: [],
            agents: [],
            delete_cards: [],
            erase_cards: [],
          });
        return store.commit(writes, { text });
      },
    }),
  ],
  "applies an operation twice": [
    "operations",
    broken({
      commit: async (writes, _, store) => {
        const receipt = await store.commit({ ...writes, operation_id: `${writes.operation_id} ${Math.random()}` });
        return { ...receipt, operation_id: writes.operation_id };
      },
    }),
  ],
  "checks for an operation first and writes later": [
    "operations",
    () => {
      const [store, seen] = [memoryStore(), new Map()];
      return {
        read: (reads) => store.read(reads),
        project: (id) => store.project(id),
        commit: async (writes) => {
          if (seen.has(writes.operation_id)) return { ...seen.get(writes.operation_id), repeated: true };
          await later();
          const receipt = await store.commit({ ...writes, operation_id: `${writes.operation_id} ${Math.random()}` });
          seen.set(writes.operation_id, { ...receipt, operation_id: writes.operation_id });
          return seen.get(writes.operation_id);
        },
      };
    },
  ],
  "expectations ignored": ["versions", broken({ commit: changed(() => ({ expects: [] })) })],
  "ignores the version of an append": [
    "versions",
    broken({
      commit: changed(({ boxes = [] }) => ({
        boxes: boxes.map((box) => (box.change === "append" ? { ...box, version: undefined } : box)),
      })),
    }),
  ],
  "creates a box over an existing one": [
    "versions",
    broken({
      commit: async (writes, text, store) => {
        try {
          return await store.commit(writes, { text });
        } catch (error) {
          if (!/^box `[^`]*` already exists/.test(error.message)) throw error;
          return { operation_id: writes.operation_id, repeated: false, boxes: [] };
        }
      },
    }),
  ],
  "changes existing cards": [
    "json",
    broken({
      commit: async (writes, text, store) => {
        for (const card of writes.cards ?? []) store.project(writes.project_id).addCard(card);
        return store.commit(writes, { text });
      },
    }),
  ],
  "removes deleted rows": [
    "deletion",
    broken({
      read: answered((answers) => ({
        ...answers,
        cards: answers.cards?.filter((row) => !row.deleted_at),
        boxes: answers.boxes?.filter((row) => !row.deleted_at),
      })),
    }),
  ],
  "ignores the case of ids": [
    "json",
    broken({
      commit: changed(({ cards }) => ({ cards: cards?.map((card) => ({ ...card, card_id: card.card_id.toLowerCase() })) })),
      read: (reads, store) => store.read({ ...reads, cards: reads.cards?.map((id) => id.toLowerCase()) }),
    }),
  ],
  "merges agents with existing rows": [
    "kinds",
    broken({
      commit: async (writes, _, store) => {
        const before =
          JSON.parse(await store.read({ project_id: writes.project_id, agents: writes.agents?.map((row) => row.agent_id) })).agents ?? [];
        const merged = (row) => ({
          ...before.find((old) => old.agent_id === row.agent_id),
          ...Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
        });
        return store.commit({ ...writes, agents: writes.agents?.map(merged) });
      },
    }),
  ],
  "compares profile names exactly": [
    "profiles",
    broken({
      read: answered((answers, reads) => ({ ...answers, profiles: answers.profiles?.filter((row) => reads.profiles.includes(row.name)) })),
    }),
  ],
  "matches directories by the start of their name": [
    "kinds",
    broken({
      read: async (reads, store) => {
        const found = JSON.parse(await store.read(reads));
        return {
          ...found,
          directories: found.directories?.map((row) => (row.directory === "a" ? { ...row, paths: [...row.paths, "ab/5"] } : row)),
        };
      },
    }),
  ],
  "truncates long lists": [
    "load",
    broken({
      read: answered((answers) => ({
        ...answers,
        boxes: answers.boxes?.map((row) => ({ ...row, card_ids: row.card_ids.slice(0, 10_000) })),
      })),
    }),
  ],
  "reads first and writes an append later": [
    "concurrency",
    broken({
      commit: async (writes, text, store) => {
        const [change] = writes.boxes ?? [];
        if (change?.change !== "append" || change.version !== undefined) return store.commit(writes, { text });
        const [box] = JSON.parse(await store.read({ project_id: writes.project_id, boxes: [change.box_id] })).boxes;
        await later();
        if (!box) return store.commit(writes, { text });
        store.project(writes.project_id).addBox({ ...box, card_ids: [...box.card_ids, ...change.card_ids], version: box.version + 1 });
        return { operation_id: writes.operation_id, repeated: false, boxes: [{ box_id: box.box_id, version: box.version + 1 }] };
      },
    }),
  ],
};

for (const [behavior, [group, open]] of Object.entries(BROKEN_STORES)) {
  test(`the contract detects a store that ${behavior}`, async () => {
    const cases = storeContract(open, { sizes: { cards: 50, cardIds: 20_000, text: 1000 } });
    const failed = [];
    for (const { name, run } of cases.filter(({ group: of }) => of === group)) {
      await run().catch((error) => failed.push(`${name}: ${error.message}`));
    }
    assert.notDeepEqual(failed, [], `no case of \`${group}\` failed`);
  });
}

test("the contract names missing options", async () => {
  assert.throws(() => storeContract(undefined), { code: "bad_request", path: "open" });
  const store = memoryStore();
  const plain = { read: (reads) => store.read(reads), commit: (writes) => store.commit(writes) };
  const [profiles] = storeContract(() => plain).filter(({ group }) => group === "profiles");
  await assert.rejects(profiles.run(), { code: "bad_request", path: "addProfiles" });
  let closed = 0;
  const [first] = storeContract(() => plain, { close: () => (closed += 1) });
  await first.run();
  assert.equal(closed, 1);
});
