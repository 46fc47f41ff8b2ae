// A commit succeeds only if the same call on a fresh read would give the same outcome.
import assert from "node:assert/strict";
import { open } from "../../pkg/index.js";

/** Numbers that a seed decides. */
export function dice(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
  return { below: (n) => Math.floor(next() * n), pick: (list) => list[Math.floor(next() * list.length)] };
}

const text = (value) => ({ type: "note", author_id: "me", content: { __type__: "TextContent", text: value } });
const profileCard = (policy) => ({ type: "sys.profile", author_id: "me", content: { __type__: "JsonContent", data: { name: "Lead", system_prompt_template: "Lead.", delegation_policy: policy } } });

/** A project with two profiles, three agents and some boxes. */
export async function prepare(store, project_id) {
  const project = await open(store, { project_id });
  const { card_ids } = await project.putCards({ cards: ["one", "two", "three"].map(text) });
  const { card_ids: [policy] } = await project.putCards({ cards: [profileCard({ target_profiles: ["Writer", "Lead"] })] });
  for (const [box_id, ids] of [["pb_writer", []], ["pb_lead", [policy]], ["notes", card_ids], ["more", card_ids.slice(0, 1)], ["out", []]]) await project.createBox({ box_id, card_ids: ids });
  await project.registerProfile({ name: "Writer", profile_box_id: "pb_writer", worker_target: "w" });
  await project.registerProfile({ name: "Lead", profile_box_id: "pb_lead", worker_target: "w" });
  for (const [agent_id, profile_name] of [["lead", "Lead"], ["ann", "Writer"], ["bob", "Writer"]]) await project.registerAgent({ agent_id, profile_name, worker_target: "w" });
  await project.movePointers({ agent_id: "ann", last_output_box_id: "more" });
  project.dispose();
  return card_ids;
}

/** Calls whose outcome rests on many rows. */
export const CALLS = [
  ["delegate_async", { source_agent_id: "lead", tool_suffix: "t", arguments: { target_strategy: "new", target_ref: "Writer", instruction: "Go.", context_box_id: "notes" } }],
  ["delegate_async", { source_agent_id: "lead", tool_suffix: "t", arguments: { target_strategy: "reuse", target_ref: "bob", instruction: "Go.", context_box_id: "more" } }],
  ["delegate_async", { source_agent_id: "lead", tool_suffix: "t", arguments: { target_strategy: "clone", target_ref: "ann", instruction: "Go." } }],
  ["pack_context", { tool_suffix: "t", source_agent_id: "lead", arguments: { profile_name: "writer", boxes: ["notes", "more"] }, handover: { context_packing_config: { inherit_context: { include_boxes_from_args: ["boxes"] } } } }],
  ["append_to_box", { box_id: "notes", card_ids: ["x"] }],
  ["replace_box", { box_id: "notes", card_ids: ["x"] }],
  ["delete_box", { box_id: "notes" }],
  ["move_pointers", { agent_id: "ann", output_box_id: "out" }],
  ["append_output", { agent_id: "ann", card_ids: [] }],
];

/** Bob's turn begins. */
async function begin(project, boxes) {
  const leased = await project.preview("lease", { agent_id: "bob", agent_turn_id: "t1", profile_box_id: "pb_writer", ...boxes });
  await leased.commit();
}

/** Changes that somebody else may make meanwhile; some change nothing that counts. */
export const CHANGES = {
  nothing: async () => {},
  "a box grows": (project) => project.appendToBox({ box_id: "notes", card_ids: ["y"], behind_anything: true }),
  "another box grows": (project) => project.appendToBox({ box_id: "more", card_ids: ["z"], behind_anything: true }),
  "an agent is removed": (project) => project.removeAgent({ agent_id: "bob" }),
  "an agent changes": (project) => project.updateAgent({ agent_id: "ann", tags: ["t"] }),
  "the sender is removed": (project) => project.removeAgent({ agent_id: "lead" }),
  "the target's profile is removed": (project) => project.removeProfile({ name: "Writer" }),
  "a policy is withdrawn by a new card": async (project) => {
    const { card_ids } = await project.putCards({ cards: [profileCard({ target_profiles: ["Nobody"] })] });
    await project.replaceBox({ box_id: "pb_lead", card_ids });
  },
  "pointers move": (project) => project.movePointers({ agent_id: "ann", last_output_box_id: "notes" }),
  "a turn begins": (project) => begin(project, { context_box_id: "notes", output_box_id: "out" }),
  "a turn begins with this output": (project) => begin(project, { context_box_id: "more", output_box_id: "notes" }),
  "a tool is registered": (project) => project.registerTool({ tool_name: "search" }),
};

/** Tries one call with one change in between; `change` may happen in another process. Gives what happened. */
export async function tryOnce(store, project_id, [op, args], change, seed) {
  await prepare(store, project_id);
  const now = Date.parse("2026-01-04T10:30:00.000Z");
  const entropy = Uint8Array.from({ length: 32 }, (_, at) => (seed >> (at % 4) * 8) & 255 ^ at);
  const held = await open(store, { project_id });
  const preview = await held.preview(op, args, { now, entropy });
  await change(project_id);
  const fresh = await open(store, { project_id });
  const again = await fresh.preview(op, args, { now, entropy }).then((found) => found, (error) => error);
  const outcome = await preview.commit().then(() => "committed", (error) => error.code);
  if (outcome !== "committed") assert.equal(outcome, "conflict");
  const isSame = !(again instanceof Error) && again.valueText === preview.valueText && sameWrites(again.writes, preview.writes);
  if (outcome === "committed") assert.ok(isSame, `${op} was committed although a fresh call would ${again instanceof Error ? `be refused: ${again.message}` : "give something else"}`);
  for (const one of [held, fresh]) one.dispose();
  return { outcome, isSame };
}

/** What is written, without what it rests on: a version that moved on changes nothing by itself. */
function sameWrites({ expects: _, ...left }, { expects: __, ...right }) {
  const plain = ({ boxes = [], rows = [], ...rest }) => JSON.stringify({ ...rest, boxes: boxes.map(({ version: ___, ...box }) => box), rows: rows.map(({ version: ___, ...row }) => row) });
  return plain(left) === plain(right);
}

/** Tries every call with every change, `rounds` times. */
export async function law(store, { prefix = "law", changes = CHANGES } = {}) {
  const counts = { committed: 0, conflict: 0 };
  let seed = 0;
  for (const [name, change] of Object.entries(changes)) {
    for (const call of CALLS) {
      seed += 1;
      const project_id = `${prefix}_${seed}`;
      const { outcome, isSame } = await tryOnce(store, project_id, call, async (id) => {
        const other = await open(store, { project_id: id });
        await change(other);
        other.dispose();
      }, seed);
      counts[outcome] += 1;
      if (name === "nothing" || name === "a tool is registered") assert.deepEqual([outcome, isSame], ["committed", true], `${call[0]} after ${name}`);
    }
  }
  assert.ok(counts.committed >= 20 && counts.conflict >= 15, JSON.stringify(counts));
  await turns(store, `${prefix}_turns`);
  return counts;
}

/** What a running turn reads stays as it is, what it puts out only grows, and what it saw can be seen again. */
async function turns(store, project_id) {
  const [card] = await prepare(store, project_id);
  const project = await open(store, { project_id });
  await begin(project, { context_box_id: "notes", output_box_id: "out" });
  const refused = (as) => ({ code: "conflict", path: "box_id", details: { agent_id: "bob", agent_turn_id: "t1", as } });
  for (const [op, args] of [["append_to_box", { card_ids: ["x"] }], ["replace_box", { card_ids: ["x"] }], ["delete_box", {}]]) {
    const error = await project.preview(op, { box_id: "notes", ...args }).then(() => undefined, (thrown) => thrown);
    const { code, path, details } = refused("context_box_id");
    assert.deepEqual([error?.code, error?.path, error?.details], [code, path, { box_id: "notes", ...details }], op);
  }
  await assert.rejects(project.replaceBox({ box_id: "out", card_ids: [] }), { code: "conflict", message: /only grows/ });
  await project.appendToBox({ box_id: "out", card_ids: [card] });
  const seen = await project.preview("turn_view", { agent_id: "bob", record: true });
  await seen.commit();
  await project.replaceBox({ box_id: "notes", card_ids: [], even_during_turn: true });
  await project.deleteCards({ card_ids: [card] });
  await project.movePointers({ agent_id: "bob", context_box_id: "more", output_box_id: "more" });
  const other = await open(store, { project_id });
  for (const reader of [project, other]) {
    const again = await reader.preview("turn_view", { recorded: seen.value.view_id });
    assert.equal(again.valueText, seen.valueText);
  }
  const { rows } = await other.listTurnViews({ agent_turn_id: "t1" });
  assert.deepEqual(rows.map(({ view_id, context_box_id, output_version }) => [view_id, context_box_id, output_version]), [[seen.value.view_id, "notes", 2]]);
  for (const one of [project, other]) one.dispose();
}
