// Compares the package with plain JavaScript that does the same jobs in the same process.
//
//   node run.mjs [--json]      (`cargo xtask bench` builds the package and runs this)
//
// Compare the ratios: absolute times depend on the machine.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { memoryStore, open } from "../../pkg/index.js";
import { compare } from "./measure.mjs";
import * as plain from "./plain.mjs";
import { BOXES, MANY_IDS, overlappingBoxes, packCall, profile, small, talk } from "./worlds.mjs";

const json = process.argv.includes("--json");
/** The number of ledger entries that a screen shows. */
const PAGE = 50;

/** The minimum speedup over plain JavaScript, and over optimized JavaScript where it exists. */
const GOALS = {
  pack_small: [1],
  payload_small: [1],
  pack_resident_100k: [50, 15],
  pack_cold_100k: [5],
  turn_view_10k: [8],
  render_1k: [4],
  fork_join_1k: [20],
};

const only = process.argv
  .find((word) => word.startsWith("--only="))
  ?.slice("--only=".length)
  .split(",");
const metrics = {};
async function measure(name, job) {
  if (only !== undefined && !only.includes(name)) return;
  const found = await compare(job);
  metrics[name] = found;
  const [goal, carefulGoal] = GOALS[name] ?? [];
  const time = (ms) => (ms === undefined ? "" : `${ms.toFixed(3)} ms`).padStart(12);
  const ratio = (times, least) => {
    const goalText = least === undefined ? "" : `(goal ${least}) `;
    return (times === undefined ? "" : `${goalText}${times.toFixed(1)}x`).padStart(17);
  };
  const row = [
    time(found.ours_ms),
    time(found.js_ms),
    ratio(found.ratio, goal),
    time(found.careful_ms),
    ratio(found.careful_ratio, carefulGoal),
  ];
  print(`${name.padEnd(20)}${row.join("")}`.trimEnd());
}
const print = (line) => (json ? console.error(line) : console.log(line));

print(
  `${"job".padEnd(20)}${"ours".padStart(12)}${"plain JS".padStart(12)}${"over plain".padStart(17)}${"careful JS".padStart(12)}${"over careful".padStart(17)}`,
);

await packingSmall("pack_small");
await payloadSmall("payload_small");
await packing("pack_resident_100k", 100_000);
await packingCold("pack_cold_100k", 100_000);
await packing("pack_resident_1m", 1_000_000);
await turning("turn_view_10k", 10_000);
await rendering("render_1k", 1_000);
await forking("fork_join_1k", 1_000);
if (only !== undefined) process.exit();

const growth = metrics.pack_resident_1m.ours_ms / metrics.pack_resident_100k.ours_ms;
print(`\n10 times the ids (pack_resident_1m over pack_resident_100k): ${growth.toFixed(1)}x (goal: at most 11)`);

const gzipped = (part) => gzipSync(readFileSync(new URL(`../../pkg/generated/${part}.wasm`, import.meta.url)), { level: 9 }).length;
const wasm_gzip_bytes = gzipped("core");
const modules = readdirSync(new URL("../../pkg/generated/", import.meta.url)).filter((name) => name.endsWith(".wasm"));
const parts = modules.map((name) => name.slice(0, -".wasm".length)).filter((part) => part !== "core");
const part_gzip_bytes = Object.fromEntries(parts.map((part) => [part, gzipped(part)]));
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB gzip`;
print(`the core: ${kilobytes(wasm_gzip_bytes)} (goal: at most 150)`);
for (const [part, bytes] of Object.entries(part_gzip_bytes)) print(`  ${part}, loaded on first use: ${kilobytes(bytes)}`);

const starts = [];
for (let round = 0; round < 31; round += 1) starts.push(await inProcess("start"));
const init_over_compile = starts.map(({ init_ms, compile_ms }) => init_ms / compile_ms).toSorted((a, b) => a - b)[15];
print(`time of the first open relative to WebAssembly.compile of the same bytes: ${init_over_compile.toFixed(2)}x (goal: at most 1.4)`);

const { memoryBytes } = await inProcess("memory");
print(`1,000,000 resident ids: ${(memoryBytes / 1e6).toFixed(1)} MB of WebAssembly memory (goal: at most 120)`);

if (json)
  console.log(
    JSON.stringify({
      metrics,
      growth_1m_over_100k: growth,
      wasm_gzip_bytes,
      part_gzip_bytes,
      init_over_compile,
      resident_1m_memory_bytes: memoryBytes,
    }),
  );

/** Runs a measurement in a new process. */
async function inProcess(name) {
  const child = fork(fileURLToPath(new URL("alone.mjs", import.meta.url)), [name]);
  const [found] = await once(child, "message");
  return found;
}

/** Packs a handover of common size over boxes that were read before, then reads the whole ledger. */
async function packingSmall(name) {
  const { boxes, call } = small;
  const { workspace, project } = await both({ profiles: [profile], boxes });
  await measure(name, {
    ours: async () => {
      const preview = await workspace.preview("pack_context", call);
      const [account] = preview.ledger.boxes;
      const seen = { length: account.length, page: account.entries() };
      preview.dispose();
      return seen;
    },
    plain: () => {
      const { ledger, box } = plain.pack(project, call);
      return { length: box.card_ids.length, page: ledger };
    },
    careful: () => {
      const { entries, box } = plain.packCarefully(project, call);
      return { length: box.card_ids.length, page: entries(0, box.card_ids.length) };
    },
    check: (ours, theirs) => {
      assert.equal(ours.length, 30);
      samePack(ours, theirs);
    },
    most: 2_000,
  });
  workspace.dispose();
}

/** Builds the JSON of a provider request over ten cards that were read before. */
async function payloadSmall(name) {
  const cards = talk(10);
  const boxes = [{ box_id: "talk", card_ids: cards.map((card) => card.card_id) }];
  const { workspace, project } = await both({ cards, boxes });
  const call = { box_id: "talk", provider: "anthropic", model: "some-model" };
  await measure(name, {
    ours: () => looked(workspace, "payload", call),
    plain: () => JSON.stringify(plain.payload(project, call)),
    check: (ours, theirs) => assert.deepEqual(JSON.parse(ours).body, JSON.parse(theirs).body),
    most: 2_000,
  });
  workspace.dispose();
}

/** Packs boxes that were read before, then reads the first page of the ledger. */
async function packing(name, total) {
  if (only !== undefined && !only.includes(name)) return;
  const boxes = overlappingBoxes(total);
  const store = memoryStore();
  const tables = store.project("p1").addProfile(profile);
  for (const box of boxes) tables.addBox(box);
  const workspace = await open(store, { projectId: "p1", limits: MANY_IDS });
  (await workspace.preview("pack_context", packCall)).dispose();
  const project = plain.project({ profiles: [profile], boxes });
  await measure(name, {
    ours: () => packAndLook(workspace),
    plain: () => {
      const { ledger, box } = plain.pack(project, packCall);
      return { length: box.card_ids.length, page: ledger.slice(0, PAGE) };
    },
    careful: () => {
      const { entries, box } = plain.packCarefully(project, packCall);
      return { length: box.card_ids.length, page: entries(0, PAGE) };
    },
    check: samePack,
  });
  workspace.dispose();
}

async function packAndLook(workspace) {
  const preview = await workspace.preview("pack_context", packCall);
  const [account] = preview.ledger.boxes;
  const seen = { length: account.length, page: account.entries(0, PAGE) };
  preview.dispose();
  return seen;
}

function samePack(ours, theirs) {
  assert.equal(ours.length, theirs.length);
  const comparable = ({ position, card_id, cause, swallowed }) => [
    position,
    cause.kind === "inherited" ? card_id : "new",
    cause.box_id,
    cause.kind === "inherited" ? cause.position : 0,
    swallowed?.length ?? 0,
  ];
  assert.deepEqual(ours.page.map(comparable), theirs.page.map(comparable));
}

/** Packs boxes from the bytes of a store, including the read. */
async function packingCold(name, total) {
  const boxes = overlappingBoxes(total);
  const bytes = new TextEncoder().encode(JSON.stringify({ profiles: [profile], boxes }));
  const store = { read: async () => bytes, commit: async () => assert.fail("this benchmark does not commit") };
  await measure(name, {
    ours: async () => {
      const workspace = await open(store, { projectId: "p1" });
      try {
        return await packAndLook(workspace);
      } finally {
        workspace.dispose();
      }
    },
    plain: () => {
      const project = plain.project(JSON.parse(new TextDecoder().decode(bytes)));
      const { ledger, box } = plain.pack(project, packCall);
      return { length: box.card_ids.length, page: ledger.slice(0, PAGE) };
    },
    careful: () => {
      const { entries, box } = plain.packCarefully(plain.project(JSON.parse(new TextDecoder().decode(bytes))), packCall);
      return { length: box.card_ids.length, page: entries(0, PAGE) };
    },
    check: samePack,
  });
}

/** Builds the JSON of the request of a turn over cards that were read before. */
async function turning(name, total) {
  const cards = talk(total);
  const ids = cards.map((card) => card.card_id);
  const boxes = [
    { box_id: "context", card_ids: ids.slice(0, 0.8 * total) },
    { box_id: "output", card_ids: ids.slice(0.7 * total) },
  ];
  const call = { context_box_id: "context", output_box_id: "output" };
  const { workspace, project } = await both({ cards, boxes });
  await measure(name, {
    ours: () => looked(workspace, "turn_view", call),
    plain: () => JSON.stringify(plain.turnView(project, call)),
    check: (ours, theirs) => assert.deepEqual(JSON.parse(ours).request.messages, JSON.parse(theirs).request.messages),
  });
  workspace.dispose();
}

/** Converts cards to the JSON of messages. */
async function rendering(name, total) {
  const cards = talk(total);
  const boxes = [{ box_id: "talk", card_ids: cards.map((card) => card.card_id) }];
  const { workspace, project } = await both({ cards, boxes });
  await measure(name, {
    ours: () => looked(workspace, "render", { box_id: "talk" }),
    plain: () => JSON.stringify(plain.render(project, project.boxes.get("talk").card_ids)),
    check: (ours, theirs) => assert.deepEqual(JSON.parse(ours).messages, JSON.parse(theirs).messages),
  });
  workspace.dispose();
}

/** Creates a batch of tasks over shared boxes of 1,000 cards. */
async function forking(name, tasks) {
  const boxes = overlappingBoxes(100_000);
  const call = {
    source_agent_id: "lead",
    tool_suffix: "bench",
    max_tasks: tasks,
    arguments: {
      tasks: Array.from({ length: tasks }, (_, at) => ({
        target_strategy: "new",
        target_ref: "Writer",
        instruction: `part ${at}`,
        context_box_id: `box_${at % BOXES}`,
      })),
    },
  };
  const lead = { name: "Lead", profile_box_id: "pb_lead", delegation_policy: {} };
  const agents = [{ agent_id: "lead", profile_box_id: "pb_lead" }];
  const { workspace, project } = await both({ profiles: [profile, lead], agents, boxes });
  await measure(name, {
    ours: async () => {
      const preview = await workspace.preview("fork_join", call);
      const accounts = preview.ledger.boxes;
      const seen = { boxes: accounts.length, length: accounts[0].length };
      preview.dispose();
      return seen;
    },
    plain: () => {
      const packed = plain.forkJoin(project, call);
      return { boxes: packed.length, length: packed[0].box.card_ids.length };
    },
    check: (ours, theirs) => assert.deepEqual(ours, theirs),
  });
  workspace.dispose();
}

async function looked(workspace, op, call) {
  const preview = await workspace.preview(op, call);
  const text = preview.valueText;
  preview.dispose();
  return text;
}

/** Returns the same rows for both sides. The project has read them once. */
async function both(rows) {
  const store = memoryStore({ projects: [{ project_id: "p1", ...rows }] });
  return { workspace: await open(store, { projectId: "p1" }), project: plain.project(rows) };
}
