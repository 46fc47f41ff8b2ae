// Freshness: a commit succeeds only if the same call on a new read has the same outcome, and a rejection uses current
// rows.
/** @import { Project, Trial } from "./trial.js" */
/** @import { Case } from "./trial.js" */
import { AT, card, create, holds, same } from "./trial.js";

/** @typedef {[op: string, args: any]} Call */

/**
 * Returns the card of a profile that can delegate to some profiles.
 *
 * @param {string} card_id
 * @param {string[]} target_profiles
 */
function policy(card_id, target_profiles) {
  const data = { name: "Lead", system_prompt_template: "Lead.", delegation_policy: { target_profiles } };
  return card({ card_id, data: JSON.stringify(data), metadata: { type: "sys.profile" } });
}

/**
 * Returns a row of a declared table.
 *
 * @param {string} table
 * @param {string} id
 * @param {object} columns
 */
function row(table, id, columns) {
  return { table, key: [id], version: null, row: columns };
}

/**
 * Fills a project with two profiles, three agents and some boxes, in one batch.
 *
 * @param {Project} project
 */
async function fill(project) {
  const profiles = [
    ["Writer", "pb_writer"],
    ["Lead", "pb_lead"],
  ].map(([name, profile_box_id]) => row("project_profiles", name, { name, profile_box_id, worker_target: "w", updated_at: AT }));
  const agents = [
    ["lead", "pb_lead"],
    ["ann", "pb_writer"],
    ["bob", "pb_writer"],
  ].map(([agent_id, profile_box_id]) =>
    row("project_agents", agent_id, { agent_id, worker_target: "w", profile_box_id, created_at: AT, status: "active", in_roster: true }),
  );
  await project.commit({
    cards: [
      ...["one", "two", "three"].map((card_id) => card({ card_id })),
      policy("allows", ["Writer", "Lead"]),
      policy("refuses", ["Nobody"]),
    ],
    boxes: [
      create("pb_writer"),
      create("pb_lead", ["allows"]),
      create("notes", ["one", "two", "three"]),
      create("more", ["one"]),
      create("out"),
    ],
    rows: [...profiles, ...agents, row("pointers", "ann", { agent_id: "ann", last_output_box_id: "more", updated_at: AT })],
  });
}

/** @param {object} more @returns {Call} */
function delegation(more) {
  return ["delegate_async", { source_agent_id: "lead", tool_suffix: "t", arguments: { instruction: "Go.", ...more } }];
}

const inherit = { context_packing_config: { inherit_context: { include_boxes_from_args: ["boxes"] } } };

/**
 * Calls whose outcome depends on many rows.
 *
 * @type {Call[]}
 */
const CALLS = [
  delegation({ target_strategy: "new", target_ref: "Writer", context_box_id: "notes" }),
  delegation({ target_strategy: "reuse", target_ref: "bob", context_box_id: "more" }),
  delegation({ target_strategy: "clone", target_ref: "ann" }),
  [
    "pack_context",
    { tool_suffix: "t", source_agent_id: "lead", arguments: { profile_name: "writer", boxes: ["notes", "more"] }, handover: inherit },
  ],
  ["append_to_box", { box_id: "notes", card_ids: ["x"] }],
  ["replace_box", { box_id: "notes", card_ids: ["x"] }],
  ["delete_box", { box_id: "notes" }],
  ["move_pointers", { agent_id: "ann", output_box_id: "out" }],
  ["append_output", { agent_id: "ann", card_ids: [] }],
];

/**
 * Starts a turn of `bob`.
 *
 * @param {any} opened
 * @param {object} boxes
 */
async function begin(opened, boxes) {
  const leased = await opened.preview("lease", { agent_id: "bob", agent_turn_id: "t1", profile_box_id: "pb_writer", ...boxes });
  await leased.commit();
}

/**
 * Changes of another user: whether all calls keep their outcome, and the change.
 *
 * @type {{ [name: string]: [leavesAll: boolean, change: (opened: any) => Promise<unknown>] }}
 */
export const CHANGES = {
  "nothing happens": [true, async () => {}],
  "a tool is registered": [true, (opened) => opened.tools.register({ tool_name: "search" })],
  "a box grows": [false, (opened) => opened.boxes.append({ box_id: "notes", card_ids: ["y"], any_version: true })],
  "another box grows": [false, (opened) => opened.boxes.append({ box_id: "more", card_ids: ["z"], any_version: true })],
  "the receiver is removed": [false, (opened) => opened.agents.remove({ agent_id: "bob" })],
  "an agent changes": [false, (opened) => opened.agents.update({ agent_id: "ann", tags: ["t"] })],
  "the sender is removed": [false, (opened) => opened.agents.remove({ agent_id: "lead" })],
  "the receiver's profile is removed": [false, (opened) => opened.profiles.remove({ name: "Writer" })],
  "a policy is withdrawn": [false, (opened) => opened.boxes.replace({ box_id: "pb_lead", card_ids: ["refuses"] })],
  "pointers move": [false, (opened) => opened.agents.movePointers({ agent_id: "ann", last_output_box_id: "notes" })],
  "a turn begins": [false, (opened) => begin(opened, { context_box_id: "notes", output_box_id: "out" })],
  "a turn begins with this output": [false, (opened) => begin(opened, { context_box_id: "more", output_box_id: "notes" })],
};

/**
 * Returns the writes without expectations and versions.
 *
 * @param {any} writes
 */
function written({ expects: _, boxes = [], rows = [], ...rest }) {
  /** @param {any} change */
  const plain = ({ version: _, ...change }) => change;
  return JSON.stringify({ ...rest, boxes: boxes.map(plain), rows: rows.map(plain) });
}

/**
 * Previews a call, makes a change, and commits: the commit must do what a new call would do. Returns true if it
 * committed.
 *
 * @param {Project} project
 * @param {Call} call
 * @param {() => Promise<unknown>} change
 */
async function held(project, [op, args], change) {
  await fill(project);
  const at = { now: Date.parse("2026-01-04T10:30:00.000Z"), entropy: Uint8Array.from({ length: 32 }, (_, index) => index) };
  const before = await project.open();
  const preview = await before.preview(op, args, at);
  await change();
  const now = await project.open();
  const again = await now.preview(op, args, at).then(
    (/** @type {any} */ { valueText, writes }) => valueText + written(writes),
    (/** @type {Error} */ error) => `the error ${error.message}`,
  );
  const code = await preview.commit().then(
    () => undefined,
    (/** @type {any} */ error) => error.code,
  );
  if (code === undefined) same(again, preview.valueText + written(preview.writes), `${op}: what a fresh call does, and what was committed`);
  else same(code, "conflict", `${op}: the code of the error`);
  for (const opened of [before, now]) opened.dispose();
  return code === undefined;
}

/**
 * Tries calls during a change: all calls if the change does not affect them, otherwise every third from `first` on.
 * `named` returns new projects.
 *
 * @param {string} name
 * @param {() => Project} named
 * @param {number} [first]
 * @param {(project: Project, change: (opened: any) => Promise<unknown>) => Promise<unknown>} [make]
 */
export async function tryWhile(
  name,
  named,
  first = 0,
  make = async (project, change) => {
    const other = await project.open();
    await change(other);
    other.dispose();
  },
) {
  const [leavesAll, change] = CHANGES[name];
  const calls = leavesAll ? CALLS : CALLS.filter((_, at) => at % 3 === first % 3);
  for (const call of calls) {
    const project = named();
    const committed = await held(project, call, () => make(project, change));
    if (leavesAll) holds(committed, `${call[0]} was rejected although ${name}`);
  }
}

/**
 * The input of a running turn does not change, its output only grows, and its view can be shown again.
 *
 * @param {Trial} trial
 */
async function turn({ project }) {
  await fill(project);
  const opened = await project.open();
  await begin(opened, { context_box_id: "notes", output_box_id: "out" });
  /** @type {Call[]} */
  const changes = [
    ["append_to_box", { card_ids: ["x"] }],
    ["replace_box", { card_ids: ["x"] }],
    ["delete_box", {}],
  ];
  for (const [op, args] of changes) {
    const error = await opened.preview(op, { box_id: "notes", ...args }).then(
      () => undefined,
      (/** @type {any} */ thrown) => thrown,
    );
    const details = { box_id: "notes", agent_id: "bob", agent_turn_id: "t1", as: "context_box_id" };
    same([error?.code, error?.path, error?.details], ["conflict", "box_id", details], op);
  }
  const cut = await opened.boxes.replace({ box_id: "out", card_ids: [] }).then(
    () => undefined,
    (/** @type {any} */ thrown) => thrown,
  );
  same(cut?.code, "conflict", "cards taken out of the output of a running turn");
  await opened.boxes.append({ box_id: "out", card_ids: ["one"] });
  const seen = await opened.preview("turn_view", { agent_id: "bob", record: true });
  await seen.commit();
  await opened.boxes.replace({ box_id: "notes", card_ids: [], even_during_turn: true });
  const kept = await opened.cards.delete({ card_ids: ["one"] }).then(
    () => undefined,
    (/** @type {any} */ thrown) => thrown,
  );
  same([kept?.code, kept?.details.agent_turn_id], ["conflict", "t1"], "a deletion of a card that a running turn reads");
  await opened.cards.delete({ card_ids: ["one"], even_during_turn: true });
  await opened.agents.movePointers({ agent_id: "bob", context_box_id: "more" });
  const other = await project.open();
  for (const reader of [opened, other]) {
    const again = await reader.preview("turn_view", { recorded: seen.value.view_id });
    same(again.valueText, seen.valueText, "a recorded turn, seen again");
  }
  const { rows } = await other.agents.listTurnViews({ agent_turn_id: "t1" });
  const found = rows.map((/** @type {any} */ { view_id, context_box_id, output_version }) => [view_id, context_box_id, output_version]);
  same(found, [[seen.value.view_id, "notes", 2]], "the recorded turns");
  for (const one of [opened, other]) one.dispose();
}

/**
 * A project rejects a call as long as there is a reason, and no longer.
 *
 * @param {Trial} trial
 */
async function refusal({ project }) {
  await fill(project);
  const [opened, other] = [await project.open(), await project.open()];
  const [op, args] = CALLS[1];
  const tried = () =>
    opened.preview(op, args).then(
      () => "allowed",
      (/** @type {any} */ error) => error.code,
    );
  for (const [card_id, expected] of [
    ["refuses", "auth_failed"],
    ["allows", "allowed"],
    ["refuses", "allowed"],
  ]) {
    await other.boxes.replace({ box_id: "pb_lead", card_ids: [card_id] });
    // the commit catches a call that old rows allow; a rejected call is decided again
    same(await tried(), expected, `a preview after the policy ${card_id}`);
    opened.refresh();
    same(await tried(), card_id === "allows" ? "allowed" : "auth_failed", "a preview on a fresh read");
  }
  for (const one of [opened, other]) one.dispose();
}

/** @type {readonly Case[]} */
export const freshness = [
  ...Object.keys(CHANGES).map((name, at) => {
    /** @param {Trial} trial */
    const check = ({ named, project }) => {
      let count = 0;
      return tryWhile(name, () => named(`${project.project_id}_${(count += 1)}`), at);
    };
    return /** @type {Case} */ ([`while ${name}, a preview commits what a new one would, or not at all`, check]);
  }),
  ["a rejection uses rows that are read for it", refusal],
  ["the input of a running turn does not change, its output only grows, and its view can be shown again", turn],
];
