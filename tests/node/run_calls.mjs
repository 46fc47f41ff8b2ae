// Orchestration calls in a valid order: turns that run, wait, end, are stopped and reaped, and batches that join. A
// call is `[op, arguments, seconds, expected]`. `arguments` can be a function of earlier answers, `seconds` is the time
// of the call, and the answer includes `expected`.

const profile = "00000000-0000-7000-8000-000000000001";
const context = "00000000-0000-7000-8000-000000000002";
const deep = (depth) => ({ "CG-Recursion-Depth": String(depth) });
const boxes = { profile_box_id: profile, context_box_id: context };
const turn = (agent_turn_id) => ({ agent_turn_id, channel_id: "public", ...boxes, agent_id: "runner" });
const runner = { target_agent_id: "runner", headers: deep(0) };
const toolResult = (text) => ({ __type__: "ToolResultContent", status: "success", after_execution: "suspend", result: text });
const functionCall = (id) => ({ id, type: "function", function: { name: "search", arguments: "{}" } });
const task = (agent_id, index) => ({ agent_id, ...boxes, task_args: { task_index: index, label: `part ${index}` } });
const handle = { agent_id: "caller", agent_turn_id: "c1", turn_epoch: 1, step_id: "s", tool_call_id: "k8", tool_name: "search" };
const ofBatch = { source_agent_id: "runner", tool_suffix: "demo", channel_id: "public", recursion_depth: 0 };

/** Returns the arguments for the turn that the last `turn_start` returned. */
const work = (made, agent_turn_id, turn_epoch, more = {}) => ({
  agent_id: "runner",
  agent_turn_id,
  turn_epoch,
  headers: deep(0),
  step_id: made.turn_start.step_id,
  output_box_id: made.turn_start.output_box_id,
  ...more,
});

/** Provisions the agents. */
export const identities = [
  ["create_box", { box_id: profile, card_ids: [] }],
  ["create_box", { box_id: context, card_ids: [] }],
  [
    "register_profile",
    { name: "Runner", profile_box_id: profile, worker_target: "generic", delegation_policy: { target_profiles: ["Runner"] } },
  ],
  [
    "ensure_agent",
    { agent_id: "runner", kind: "create", spec: { profile_box_id: profile, tags: ["fast"] }, source_agent_id: "agent_a" },
    0,
    { roster_updated: true },
  ],
  [
    "ensure_agent",
    { agent_id: "twin", kind: "derived", spec: { profile_name: "Runner", derived_from: "runner" }, source_agent_id: "runner" },
    0,
    { roster_updated: true },
  ],
  ["ensure_agent", { agent_id: "nobody" }, 0, { error_code: "missing_profile_name" }],
  [
    "provision_identity",
    { target_agent_id: "helper", action: "provision", profile_box_id: profile, worker_target: "generic", display_name: "Helper" },
    0,
    { target_agent_id: "helper", action: "provision" },
  ],
];

const queue = [
  ["enqueue", { ...runner, message_type: "turn", payload: turn("t1") }, 1, { status: "rejected", error_code: "missing_required_fields" }],
  ["enqueue", { ...runner, message_type: "turn", payload: { ...turn("t2"), output_box_id: context } }, 1, { status: "accepted" }],
  ["enqueue", { ...runner, message_type: "turn", payload: { ...turn("t3"), output_box_id: context } }, 1, { status: "accepted" }],
  [
    "enqueue",
    { ...runner, message_type: "note", payload: { text: "hi" }, headers: deep(-1) },
    1,
    { status: "rejected", error_code: "protocol_violation" },
  ],
  ["enqueue", { ...runner, message_type: "ui_action", payload: turn("t4") }, 1, { status: "busy", error_code: "agent_busy" }],
  ["run_state", {}, 1],
  ["run_state", { agent_id: "runner", limit: 5 }, 1],
  ["turn_result", { agent_id: "runner", agent_turn_id: "t3", output_box_id: "b1", after: 0 }, 1],
  ["has_open", { agent_id: "runner" }, 1, { open: true }],
  ["cancel", { target_agent_id: "runner", agent_turn_id: "t3", reason: "not needed" }, 1, { status: "accepted" }],
  ["wakeup", { target_agent_id: "runner", reason: "look" }, 1, { status: "accepted" }],
  ["poke_inbox", { inbox_id: "t2" }, 10, true],
];

// `t1` has no output box and cannot run, so the agent gets `t2`
const waitsForTools = [
  ["claim_inbox", { agent_id: "runner" }, 11],
  ["turn_start", (made) => made.claim_inbox.items[0], 11, { entered: true }],
  [
    "put_cards",
    (made) => ({
      cards: [
        {
          card_id: "r1",
          type: "tool.result",
          author_id: "search",
          content: toolResult("three hits"),
          tool_call_id: "k1",
          metadata: { step_id: made.turn_start.step_id, role: "tool", function_name: "search", tool_call_id: "k1" },
        },
      ],
    }),
    11,
  ],
  [
    "tool_call",
    { correlation_id: "k1", recursion_depth: 0, source_agent_id: "runner", source_agent_turn_id: "t2" },
    11,
    { status: "accepted" },
  ],
  [
    "turn_tools",
    (made) =>
      work(made, "t2", 1, {
        tool_calls: [
          { id: "k1", name: "search" },
          { id: "k2", name: "search" },
        ],
        thought: { text: "I look it up.", tool_calls: [functionCall("k1"), functionCall("k2")] },
        tool_suspend_timeouts: { search: 60 },
      }),
    11,
  ],
  [
    "report",
    {
      ...runner,
      message_type: "tool_result",
      correlation_id: "k1",
      payload: {
        tool_call_id: "k1",
        agent_turn_id: "t2",
        turn_epoch: 1,
        agent_id: "runner",
        status: "success",
        after_execution: "suspend",
        tool_result_card_id: "r1",
      },
    },
    12,
    { status: "accepted" },
  ],
  ["claim_inbox", { agent_id: "runner" }, 12],
  ["resume", (made) => made.claim_inbox.items[0], 12, { queued: [] }],
  ["consume_inbox", (made) => ({ inbox_id: made.claim_inbox.items[0].inbox_id }), 12, { updated: true }],
  ["run_state", { agent_id: "runner" }, 12],
  ["due", {}, 200],
  ["time_out_tools", { agent_id: "runner" }, 200, true],
  ["take_up_results", { agent_id: "runner" }, 200],
  ["claim_inbox", { agent_id: "runner" }, 200],
  ["requeue_inbox", (made) => ({ inbox_id: made.claim_inbox.items[0].inbox_id }), 600, true],
  [
    "inbox_status",
    (made) => ({ inbox_id: made.claim_inbox.items[0].inbox_id, status: "processing", expected_status: "pending" }),
    600,
    { updated: true },
  ],
  ["resume", (made) => made.claim_inbox.items[0], 600],
  ["turn_start", (made) => ({ ...made.resume.queued[0], headers: deep(0) }), 600, { entered: true }],
  ["turn_complete", (made) => work(made, "t2", 2, { thought: { text: "Three hits." } }), 601, { ended: true }],
  ["prune", {}, 601, { messages: 0, more: false }],
];

const endsOtherwise = [
  [
    "dispatch",
    { agent_id: "runner", ...boxes, agent_turn_id: "t5", headers: deep(0), emit_state_event: true },
    700,
    { status: "accepted" },
  ],
  [
    "dispatch",
    { agent_id: "runner", ...boxes, agent_turn_id: "t6", headers: deep(0), runtime_config: { temperature: 0 } },
    700,
    { status: "accepted" },
  ],
  [
    "dispatch",
    { agent_id: "runner", profile_box_id: profile, context_box_id: "no uuid", headers: deep(0) },
    700,
    { error_code: "unknown_context_box" },
  ],
  ["ring_again", { agent_id: "runner" }, 715, true],
  ["recover_turn", { agent_id: "runner" }, 715, false],
  ["claim_inbox", { agent_id: "runner" }, 715],
  ["turn_start", (made) => made.claim_inbox.items[0], 715, { entered: true }],
  ["turn_give_back", (made) => work(made, "t5", made.claim_inbox.items[0].turn_epoch, { step_count: 1 }), 715, { given_back: true }],
  ["turn_give_back", (made) => work(made, "t5", made.claim_inbox.items[0].turn_epoch, { step_count: 1 }), 715, { given_back: false }],
  ["claim_inbox", { agent_id: "runner", worker_targets: ["another kind"] }, 715, { items: [] }],
  ["claim_inbox", { agent_id: "runner", worker_targets: ["generic"] }, 715],
  ["turn_start", (made) => ({ ...made.claim_inbox.items[0], consume: true }), 715, { entered: true }],
  [
    "turn_fail",
    (made) =>
      work(made, "t5", made.claim_inbox.items[0].turn_epoch, {
        error: "no model answered",
        inbox_id: made.claim_inbox.items[0].inbox_id,
        consume: true,
      }),
    716,
    { ended: true },
  ],
  ["consume_inbox", (made) => ({ inbox_id: made.claim_inbox.items[0].inbox_id }), 716, { updated: false }],
  ["stop", { agent_id: "runner", agent_turn_id: "t6", turn_epoch: 1, payload: { reason: "no longer wanted" } }, 717, { ended: true }],
  ["wakeup", { target_agent_id: "runner", mode: "dispatch_next" }, 717, { status: "accepted" }],
  ["dispatch", { agent_id: "runner", ...boxes, agent_turn_id: "t7", headers: deep(0) }, 720, { status: "accepted" }],
  ["reap_turn", { agent_id: "runner", which: "dispatched" }, 800, true],
  ["reclaim_agent", { agent_id: "runner" }, 800, false],
];

const byHand = [
  ["lease", { agent_id: "helper", agent_turn_id: "h1", ...boxes, active_recursion_depth: 1 }, 801, { turn_epoch: 1 }],
  ["lease", { agent_id: "helper", agent_turn_id: "h2" }, 801, { turn_epoch: null }],
  [
    "state_update",
    { agent_id: "helper", expect_agent_turn_id: "h1", expect_turn_epoch: 1, expect_status: "dispatched", new_status: "running" },
    802,
    { updated: true },
  ],
  [
    "replace_waiting",
    { agent_id: "helper", agent_turn_id: "h1", turn_epoch: 1, step_id: "s", wait_items: [{ tool_call_id: "k3", tool_name: "search" }] },
    803,
    { waiting: 1 },
  ],
  [
    "mark_received",
    { agent_id: "helper", agent_turn_id: "h1", turn_epoch: 1, tool_call_id: "k3", tool_result_card_id: "r1" },
    803,
    { updated: true },
  ],
  ["mark_applied", { agent_id: "helper", agent_turn_id: "h1", turn_epoch: 1, tool_call_id: "k3" }, 803, { updated: true }],
  // a result that arrives before the turn waits for it is kept and processed when due
  [
    "resume",
    {
      agent_id: "helper",
      agent_turn_id: "h1",
      turn_epoch: 1,
      payload: { tool_call_id: "k3", tool_result_card_id: "r1", after_execution: "suspend" },
    },
    804,
    { queued: [] },
  ],
  [
    "ledger_claim",
    { agent_id: "helper", agent_turn_id: "h1", turn_epoch: 1, lease_owner: "w1", lease_seconds: 5 },
    810,
    { claimed: ["k3"] },
  ],
  ["ledger_requeue_expired", {}, 830, { requeued: 1 }],
  [
    "finish_idle",
    { agent_id: "helper", expect_agent_turn_id: "h1", expect_turn_epoch: 1, bump_epoch: true, last_output_box_id: context },
    831,
    { updated: true },
  ],
  ["join", { phase: "request", correlation_id: "j1", recursion_depth: 0, source_agent_id: "runner" }, 832, { status: "accepted" }],
  ["join", { phase: "response", correlation_id: "j1", metadata: { done: true } }, 832, { status: "accepted" }],
];

/** The first three calls start a batch for a turn of `runner`. */
export const batches = [
  ["lease", { agent_id: "runner", agent_turn_id: "p1", ...boxes }, 900, { turn_epoch: 9 }],
  [
    "create_batch",
    (made) => ({
      ...ofBatch,
      parent_agent_turn_id: "p1",
      parent_turn_epoch: made.lease.turn_epoch,
      parent_tool_call_id: "k4",
      deadline_seconds: 60,
      task_specs: [task("helper", 0), { ...boxes, provision: true }],
    }),
    901,
  ],
  ["activate_batch", (made) => ({ batch_id: made.create_batch.batch_id }), 902, null],
  ["run_state", (made) => ({ batch_id: made.create_batch.batch_id }), 902],
  [
    "child_event",
    (made) => ({ agent_turn_id: made.run_state.tasks[0].current_agent_turn_id, status: "success", deliverable_card_id: "c1" }),
    903,
    true,
  ],
  ["reconcile_task", (made) => ({ batch_task_id: made.run_state.tasks[1].batch_task_id }), 903],
  ["due", { rule: "batches" }, 1000],
  ["end_batch", (made) => ({ batch_id: made.create_batch.batch_id }), 1000, true],
  ["run_state", (made) => ({ batch_id: made.create_batch.batch_id }), 1000],
  [
    "create_batch",
    (made) => ({
      ...ofBatch,
      parent_agent_turn_id: "p1",
      parent_turn_epoch: made.lease.turn_epoch,
      parent_tool_call_id: "k5",
      task_specs: [task("twin", 0)],
    }),
    1001,
  ],
  ["dispatch_pending", { limit: 1, dispatch_results: [{ status: "busy", error_code: "agent_busy" }] }, 1001, null],
  ["run_state", (made) => ({ batch_id: made.create_batch.batch_id }), 1001],
  ["dispatch_task", (made) => ({ batch_task_id: made.run_state.tasks[0].batch_task_id }), 1100, true],
  [
    "create_batch",
    (made) => ({
      ...ofBatch,
      parent_agent_turn_id: "p1",
      parent_turn_epoch: made.lease.turn_epoch,
      parent_tool_call_id: "k6",
      activate: true,
      task_specs: [{ ...boxes, provision: true }],
    }),
    1101,
    { accepted: true },
  ],
  [
    "build_batch_result",
    {
      status: "partial",
      tasks: [
        { status: "success", output_box_id: "b1", metadata: { task_index: 1, result_view: { digest: "done" } } },
        { status: "failed", error_detail: "lost" },
      ],
    },
    1102,
  ],
];

const recipes = [
  [
    "hand_out",
    {
      call: {
        op: "delegate_async",
        source_agent_id: "runner",
        tool_suffix: "demo",
        arguments: { target_strategy: "new", target_ref: "Runner", instruction: "write it down" },
      },
    },
    1200,
    { defer_resume: false },
  ],
  [
    "hand_out",
    (made) => ({
      call: {
        op: "fork_join",
        source_agent_id: "runner",
        tool_suffix: "demo",
        arguments: { tasks: [1, 2].map((at) => ({ target_strategy: "new", target_ref: "Runner", instruction: `part ${at}` })) },
      },
      parent_agent_turn_id: "p1",
      parent_turn_epoch: made.lease.turn_epoch,
      parent_tool_call_id: "k7",
    }),
    1200,
    { defer_resume: true },
  ],
  // a profile without a valid box cannot be dispatched
  [
    "hand_out",
    {
      call: {
        op: "delegate_async",
        source_agent_id: "agent_a",
        tool_suffix: "demo",
        arguments: { target_strategy: "new", target_ref: "Writer", instruction: "write it down" },
      },
    },
    1200,
    { defer_resume: false },
  ],
  [
    "put_tool_results",
    {
      agent_turn_id: "c1",
      step_id: "s",
      results: [
        { tool_call_id: "k9", tool_name: "search", result: { hits: 3 } },
        { tool_call_id: "k10", tool_name: "search", result_text: "not JSON" },
      ],
      started: [{ tool_call_id: "k11", tool_name: "order" }],
    },
    1300,
  ],
  ["answer_tool_call", { ...handle, result: { hits: 3 } }, 1300, { accepted: true }],
  [
    "answer_tool_call",
    { ...handle, status: "failed", error: { code: "late", message: "too late" }, after_execution: "terminate" },
    1300,
    { accepted: false, error_code: "conflict" },
  ],
  ["due", {}, 5000],
  ["outbox", { limit: 1000 }, 5000],
  [
    "quarantine_messages",
    (made) => ({ message_ids: made.outbox.messages.slice(0, 2).map((message) => message.message_id), error: "too long" }),
    5000,
    { changed: 2 },
  ],
  ["outbox", { quarantined: true }, 5000],
  ["retry_messages", (made) => ({ message_ids: made.outbox.messages.map((message) => message.message_id) }), 5000, { changed: 2 }],
  ["outbox", { limit: 1000 }, 5000],
  ["mark_sent", (made) => ({ message_ids: made.outbox.messages.map((message) => message.message_id) }), 5000],
  ["outbox", {}, 5000, { messages: [] }],
];

export const runCalls = [...identities, ...queue, ...waitsForTools, ...endsOtherwise, ...byHand, ...batches, ...recipes];
