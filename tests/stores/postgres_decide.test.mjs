// The commit in SQL and `decide` in the core return the same outcome for random batches and leave the same rows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore } from "../../pkg/index.js";
import { pgStore } from "../../pkg/stores/pg.js";
import { times } from "../support/deep.mjs";
import { poolOf, startPostgres } from "./server.mjs";

const server = await startPostgres();
const pool = poolOf(server.url);
const store = pgStore(pool);
await store.migrate();
test.after(async () => {
  await pool.end();
  await server.stop();
});

const [ROUNDS, BATCHES] = [times(3, 40), 30];

/** Returns a generator of random numbers with a seed (mulberry32). */
function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return {
    below,
    pick: (list) => list[below(list.length)],
    chance: (p) => next() < p,
    some: (n, make) => Array.from({ length: below(n + 1) }, make),
  };
}

const [BOXES, CARDS, AGENTS, PATHS, NAMES] = [
  ["b1", "b2", "b3"],
  ["c1", "c2", "c3"],
  ["a1", "a2"],
  ["d/1", "d/2"],
  ["Writer", "writer", "Édith"],
];
const AT = "2026-01-04T10:30:00.000Z";

const EVERYTHING = {
  boxes: BOXES,
  cards: CARDS,
  agents: AGENTS,
  files: PATHS,
  directories: ["d"],
  profiles: ["WRITER", "éDITH"],
  rows: [
    ...AGENTS.flatMap((id) => ["heads", "pointers", "project_agents"].map((table) => ({ table, key: [id] }))),
    ...["i1", "i2", "i3"].map((id) => ({ table: "inbox", key: [id] })),
    ...["Writer", "Édith"].map((name) => ({ table: "project_profiles", key: [name] })),
  ],
  lists: [
    { table: "inbox", index: "by_status", of: ["queued"], limit: 2 },
    { table: "heads", index: "all", of: [], limit: 5 },
    { table: "project_profiles", index: "all", of: [], limit: 5 },
  ],
};

function batch(dice, operation_id, known) {
  const maybe = (name, n, make) => {
    const list = dice.chance(0.4) ? dice.some(n, make) : [];
    return list.length === 0 ? {} : { [name]: list };
  };
  const version = () => dice.pick([0, 1, 2, 3]);
  const operation = () => (dice.chance(0.7) && known.length > 0 ? dice.pick(known) : null);
  const row = () => {
    const table = dice.pick(["heads", "heads", "pointers", "inbox", "project_agents", "project_profiles"]);
    const id = table === "inbox" ? dice.pick(["i1", "i2", "i3"]) : table === "project_profiles" ? dice.pick(NAMES) : dice.pick(AGENTS);
    const columns = {
      heads: () => ({ agent_id: id, status: dice.pick(["idle", "running"]), turn_epoch: dice.below(3) }),
      pointers: () => ({ agent_id: id, last_output_box_id: dice.pick(BOXES) }),
      inbox: () => ({
        inbox_id: id,
        agent_id: "a1",
        message_type: "turn",
        correlation_id: dice.pick(["x", "y", null]),
        payload: { n: dice.below(3) },
        status: dice.pick(["queued", "consumed"]),
        recursion_depth: 0,
        traceparent: "",
        created_at: AT,
        seq: dice.below(3),
      }),
      project_agents: () => ({ agent_id: id, profile_box_id: "pb", tags: dice.some(2, () => "t"), worker_target: "w", in_roster: true }),
      project_profiles: () => ({ name: id, profile_box_id: "pb", tags: [], worker_target: "w" }),
    };
    const change = { table, key: [id], row: dice.chance(0.2) ? null : columns[table]() };
    return dice.chance(0.5) ? change : { ...change, version: operation() };
  };
  const expectation = () =>
    dice.pick([
      () => ({ table: "boxes", key: [dice.pick(BOXES)], version: dice.pick([1, 2, null]) }),
      () => ({ table: "heads", key: [dice.pick(AGENTS)], version: operation() }),
      () => ({ table: "cards", key: [dice.pick(CARDS)], version: dice.pick(["live", "deleted", null]) }),
      () => ({ table: "files", key: [dice.pick(PATHS)], version: dice.pick(["live", null]) }),
      () => ({ table: "directories", key: ["d"], version: dice.pick([1, 2, null]) }),
      () => ({ table: "agents", key: [dice.pick(AGENTS)], version: null }),
      () => ({ table: "profiles", key: [dice.pick(NAMES)], version: null }),
    ])();
  const change = () =>
    dice.pick([
      () => ({
        change: "create",
        box: { box_id: dice.pick(BOXES), card_ids: [dice.pick(CARDS)], parent_ids: [], version: 1, deleted_at: null },
      }),
      () => ({
        change: "append",
        box_id: dice.pick(BOXES),
        card_ids: [dice.pick(CARDS)],
        ...(dice.chance(0.5) ? { version: version() } : {}),
      }),
      () => ({ change: "replace", box_id: dice.pick(BOXES), card_ids: [], version: version() }),
      () => ({ change: "delete", box_id: dice.pick(BOXES), version: version() }),
    ])();
  const card = () => ({
    card_id: dice.pick(CARDS),
    content: { __type__: "TextContent", text: dice.pick(["one", "one", "two"]) },
    metadata: { created_at: dice.pick([AT, "2027-01-04T10:30:00.000Z"]) },
    tool_calls: null,
    tool_call_id: null,
    ttl_seconds: null,
    expires_at: null,
    deleted_at: null,
  });
  return {
    operation_id,
    at: AT,
    ...maybe("expects", 2, expectation),
    ...maybe("cards", 2, card),
    ...maybe("delete_cards", 1, () => dice.pick(CARDS)),
    ...maybe("erase_cards", 1, () => dice.pick(CARDS)),
    ...maybe("boxes", 3, change),
    ...maybe("agents", 1, () => ({
      agent_id: dice.pick(AGENTS),
      in_roster: true,
      profile_box_id: "pb",
      display_name: dice.pick(["Ann", null]),
      tags: [],
      worker_target: "w",
      state: null,
      pointers: null,
    })),
    ...maybe("files", 2, () => ({ path: dice.pick(PATHS), text: dice.pick(["t", "t", "u"]) })),
    ...maybe("rows", 2, row),
  };
}

/** Returns rows as values, without the defaults of columns that no batch wrote. */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const isSet = (name, item) => item !== null && name !== "tenant_id" && !(name === "tags" && item.length === 0);
  const kept = Object.entries(value)
    .filter(([name, item]) => isSet(name, item))
    .map(([name, item]) => [name, plain(item)]);
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function outcome(on, writes) {
  try {
    const { repeated, boxes } = await on.commit(writes, { text: JSON.stringify(writes) });
    return { repeated, boxes };
  } catch (error) {
    assert.equal(error.code, "conflict", error.stack);
    return "conflict";
  }
}

test(`${ROUNDS * BATCHES} random batches have the same outcome and leave the same rows`, async () => {
  const counts = { applied: 0, repeated: 0, conflict: 0 };
  const round = async (seed) => {
    const [dice, project_id, memory, known] = [random(seed), `p${seed}`, memoryStore(), []];
    let last;
    for (let step = 0; step < BATCHES; step += 1) {
      const writes =
        last !== undefined && dice.chance(0.1)
          ? dice.chance(0.5)
            ? last
            : { ...last, at: "2026-01-05T10:30:00.000Z" }
          : { project_id, ...batch(dice, `${seed}_${step}`, known) };
      const [expected, found] = [await outcome(memory, writes), await outcome(store, writes)];
      assert.deepEqual(found, expected, `seed ${seed}, step ${step}: ${JSON.stringify(writes)}`);
      counts[expected === "conflict" ? "conflict" : expected.repeated ? "repeated" : "applied"] += 1;
      if (expected !== "conflict") [last] = [writes, known.push(writes.operation_id)];
      const [left, right] = await Promise.all(
        [memory, store].map(async (on) => plain(JSON.parse(await on.read({ project_id, ...EVERYTHING })))),
      );
      assert.deepEqual(right, left, `seed ${seed}, after step ${step}: ${JSON.stringify(writes)}`);
    }
  };
  const seeds = Array.from({ length: ROUNDS }, (_, index) => index + 1);
  const lane = async () => {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) await round(seed);
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  const isEnough = (count, of) => count > (ROUNDS * BATCHES) / of;
  assert.ok(isEnough(counts.applied, 6) && isEnough(counts.conflict, 6) && isEnough(counts.repeated, 240), JSON.stringify(counts));
  console.log(`# ${JSON.stringify(counts)}`);
});
