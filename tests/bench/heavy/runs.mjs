// Heavy orchestration calls.
import { cardId } from "../worlds.mjs";
import { again, list, people, stored, task, text } from "./parts.mjs";

const moment = "2026-01-01T00:00:00.000Z";
const boxOf = (number) => `00000000-0000-4000-8000-${number.toString().padStart(12, "0")}`;
/** Returns a project with rows. Its lead can delegate work. */
const running = (tables = {}, more = {}) => ({
  profiles: [
    { name: "Lead", profile_box_id: boxOf(1), delegation_policy: {}, worker_target: "w" },
    { name: "Writer", profile_box_id: boxOf(2), worker_target: "w" },
  ],
  agents: [{ agent_id: "lead", profile_box_id: boxOf(1), worker_target: "w" }],
  boxes: [
    { box_id: "large", card_ids: ["c"] },
    { box_id: boxOf(3), card_ids: list(200_000, cardId) },
  ],
  rows: Object.entries(tables).flatMap(([table, rows]) => rows.map((row) => ({ table, version: "v", row }))),
  ...more,
});
const headOf = (agent_id, status) => ({
  agent_id,
  status,
  active_agent_turn_id: "t",
  active_channel_id: "public",
  turn_epoch: 1,
  active_recursion_depth: 0,
  updated_at: moment,
  profile_box_id: boxOf(1),
  context_box_id: boxOf(3),
  output_box_id: boxOf(4),
  waiting_tool_count: 0,
});
const working = {
  agent_id: "lead",
  agent_turn_id: "t",
  turn_epoch: 1,
  channel_id: "public",
  profile_box_id: boxOf(1),
  context_box_id: boxOf(3),
  output_box_id: boxOf(4),
  headers: { "CG-Recursion-Depth": "0" },
  step_id: "s",
};
const waits = (at) => ({
  inbox_id: `i${at}`,
  agent_id: "lead",
  message_type: "turn",
  status: "pending",
  created_at: moment,
  seq: at,
  payload: { agent_id: "lead", agent_turn_id: "t", turn_epoch: 1 },
  channel_id: "public",
});
const toSend = (at) => ({ message_id: `m${at}`, subject: "s", payload: {}, status: "pending", created_at: moment, seq: at });
const batch = (tasks, more) => ({
  op: "create_batch",
  args: {
    source_agent_id: "lead",
    parent_agent_turn_id: "t",
    parent_turn_epoch: 1,
    parent_tool_call_id: "call",
    recursion_depth: 0,
    activate: true,
    task_specs: list(tasks, (at) => ({
      provision: true,
      profile_box_id: boxOf(2),
      context_box_id: boxOf(3),
      task_args: { text: "x".repeat(3_000), at },
    })),
    ...more,
  },
});
const handedOut = (tasks, size) => ({
  op: "hand_out",
  args: {
    parent_agent_turn_id: "t",
    parent_turn_epoch: 1,
    parent_tool_call_id: "call",
    call: {
      op: "fork_join",
      max_tasks: tasks,
      source_agent_id: "lead",
      tool_suffix: "t",
      arguments: { tasks: list(tasks, (at) => ({ ...task(at, "large"), instruction: `${"x".repeat(size)}${at}` })) },
    },
  },
});

export const runs = {
  "a queue message of 8 MB": () => ({
    rows: people,
    op: "enqueue",
    args: {
      target_agent_id: "lead",
      message_type: "turn",
      payload: {
        agent_id: "lead",
        profile_box_id: "pb",
        data: list(120_000, (at) => ({ at, ...(at % 50 === 0 ? { text: "x".repeat(2_500) } : {}) })),
      },
      headers: {},
    },
  }),
  "a fork of 1,000 tasks of 3 kB": () => ({ rows: running(), ...handedOut(1_000, 3_000) }),
  "a fork of 1,000 tasks over 120 cards": () => ({
    rows: running({}, { boxes: [{ box_id: "large", card_ids: list(120, cardId) }] }),
    ...handedOut(1_000, 10),
  }),
  "a batch of 1,000 tasks of 3 kB": () => ({ rows: running(), ...batch(1_000) }),
  "a batch of 1,000 in a channel of 2 MB": () => ({ rows: running(), ...batch(1_000, { channel_id: "x".repeat(1_900_000) }) }),
  "60,000 calls of one turn": () => ({
    rows: running({ heads: [headOf("lead", "running")] }),
    op: "turn_tools",
    args: { ...working, tool_calls: list(60_000, (at) => ({ id: `c${at}`, name: "f" })) },
  }),
  "1,000 failed calls of one turn": () => ({
    rows: running({ heads: [headOf("lead", "running")] }),
    op: "turn_tools",
    args: { ...working, tool_calls: list(1_000, (at) => ({ id: `c${at}`, name: "f", outcome: "error", error: "x".repeat(3_000) })) },
  }),
  "the end of a turn with 25,000 cards": () => ({
    rows: running(
      { heads: [headOf("lead", "running")] },
      { cards: stored(25_000, 700).cards, boxes: [{ box_id: boxOf(4), card_ids: list(25_000, (at) => `c${at}`) }] },
    ),
    op: "turn_complete",
    args: { ...working, thought: { text: "x" } },
  }),
  "the end of a turn, a card of 900 kB 25,000 times": () => ({
    rows: running(
      { heads: [headOf("lead", "running")] },
      { cards: [text("c", "y".repeat(900_000))], boxes: [{ box_id: boxOf(4), card_ids: again(25_000) }] },
    ),
    op: "turn_complete",
    args: { ...working, thought: { text: "x" } },
  }),
  "the state of 25,000 agents": () => ({
    rows: running({ heads: list(25_000, (at) => headOf(`a${at}`, "running")) }),
    op: "run_state",
    args: { limit: 1_000_000 },
  }),
  "due calls of 25,000 agents": () => ({
    rows: running({ heads: list(25_000, (at) => headOf(`a${at}`, "dispatched")) }),
    op: "due",
    args: { settings: { watchdog_limit: 1_000_000 } },
  }),
  "a claim of 25,000 messages": () => ({
    rows: running({ inbox: list(25_000, waits) }),
    op: "claim_inbox",
    args: { agent_id: "lead", limit: 1_000_000 },
  }),
  "25,000 sent messages": () => ({
    rows: running({ outbox: list(25_000, toSend) }),
    op: "mark_sent",
    args: { message_ids: list(25_000, (at) => `m${at}`) },
  }),
  "240,000 unchanged tags": () => ({
    rows: running(
      {},
      { agents: [{ agent_id: "lead", profile_box_id: boxOf(1), worker_target: "w", tags: list(240_000, (at) => `t${at}`), metadata: {} }] },
    ),
    op: "provision_identity",
    args: {
      target_agent_id: "lead",
      action: "update",
      profile_box_id: boxOf(1),
      worker_target: "w",
      tags: list(240_000, (at) => `t${239_999 - at}`),
    },
  }),
};
