import type { JsonInput, JsonText } from "./json.js";
import type { Operation } from "./operations.js";

/** An object of any JSON values. */
type Values = { readonly [key: string]: JsonInput | undefined } | JsonText;

/** The times and counts of orchestration; seconds where they are times. */
export interface RunSettings {
  readonly max_recursion_depth?: number;
  readonly max_steps?: number;
  readonly suspend_timeout_seconds?: number;
  readonly fetch_limit?: number;
  readonly queue_search?: number;
  readonly processing_timeout_seconds?: number;
  readonly dispatched_retry_seconds?: number;
  readonly dispatched_timeout_seconds?: number;
  readonly active_timeout_seconds?: number;
  readonly pending_wakeup_seconds?: number;
  readonly pending_skip_seconds?: number;
  readonly resume_lease_seconds?: number;
  readonly dispatch_attempts?: number;
  readonly dispatch_retry_seconds?: number;
  readonly dispatch_retry_max_seconds?: number;
  readonly reconcile_after_seconds?: number;
  readonly revert_after_seconds?: number;
  readonly watchdog_limit?: number;
}

/** What every call of orchestration may say. */
export interface RunCall extends Operation {
  /** Settings that differ from the defaults. */
  readonly settings?: RunSettings;
}

/** The answer of a primitive. */
export interface RunAnswer {
  readonly status: "accepted" | "busy" | "rejected" | "error";
  /** Why not: `protocol_violation`, `recursion_depth_exceeded`, `agent_busy`, `unknown_agent`, `invalid_box_id`, `conflict`. */
  readonly error_code?: string;
  readonly payload?: { readonly [key: string]: JsonInput };
}

/** A message to an agent. */
export interface SendMessage extends RunCall {
  readonly target_agent_id: string;
  /** `turn`, `ui_action`, `tool_result`, `timeout`, `stop`, or a host's own. */
  readonly message_type: string;
  readonly payload: Values;
  readonly channel_id?: string;
  readonly target_agent_turn_id?: string;
  /** The id under which the message is sent once. */
  readonly correlation_id?: string;
  /** How deep the call stands; `CG-Recursion-Depth` of the headers by default. */
  readonly recursion_depth?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly trace_id?: string;
  readonly source_agent_id?: string;
  readonly source_agent_turn_id?: string;
  readonly source_step_id?: string;
  readonly parent_step_id?: string;
  /** False to leave the doorbell alone. */
  readonly wakeup?: boolean;
}

/** A piece of work on a turn, as `claim_inbox` and the steps of a turn answer it. */
export interface TurnWork extends RunCall {
  readonly agent_id: string;
  readonly agent_turn_id: string;
  readonly turn_epoch: number;
  readonly channel_id?: string;
  readonly profile_box_id?: string | null;
  readonly context_box_id?: string | null;
  readonly output_box_id?: string | null;
  readonly headers?: { readonly [name: string]: string };
  readonly trace_id?: string | null;
  readonly parent_step_id?: string | null;
  readonly step_id?: string;
  readonly step_count?: number;
  readonly continuation?: boolean;
}

/** Work that follows from other work. */
export interface QueuedWork {
  readonly agent_id: string;
  readonly agent_turn_id: string;
  readonly turn_epoch: number;
  readonly continuation: boolean;
  readonly step_count: number;
  readonly output_box_id: string | null;
  /** A result to resume with, where there is one. */
  readonly resume?: { readonly [key: string]: JsonInput };
}

/** A message that was taken from an inbox. */
export interface InboxItem extends TurnWork {
  readonly kind: "turn" | "resume" | "stop";
  readonly inbox_id: string;
  readonly payload?: { readonly [key: string]: JsonInput };
}

/** What the model answered. */
export interface ModelThought {
  readonly text: string;
  readonly tool_calls?: readonly Values[];
}

/** A tool call, and what became of it. */
export interface CalledTool {
  readonly id: string;
  readonly name?: string;
  /** `suspend` by default: the result comes later. */
  readonly outcome?: "suspend" | "result" | "error" | "deliver";
  /** The cards of the result, which are in the store. */
  readonly card_ids?: readonly string[];
  readonly error?: string;
}

/** A turn for an agent. */
export interface Dispatch extends RunCall {
  readonly agent_id: string;
  readonly profile_box_id: string;
  readonly context_box_id: string;
  readonly output_box_id?: string;
  readonly channel_id?: string;
  readonly agent_turn_id?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly trace_id?: string;
  readonly parent_agent_turn_id?: string;
  readonly parent_tool_call_id?: string;
  readonly parent_step_id?: string;
  readonly source_agent_id?: string;
  readonly display_name?: string;
  readonly runtime_config?: Values;
  readonly emit_state_event?: boolean;
}

/** What became of a dispatch. Accepted without an epoch means: behind another turn. */
export interface Dispatched {
  readonly status: "accepted" | "busy" | "rejected" | "error";
  readonly error_code?: string;
  readonly agent_id?: string;
  readonly agent_turn_id?: string;
  readonly turn_epoch?: number;
  readonly output_box_id?: string;
  readonly trace_id?: string;
}

/** One task of a batch. */
export interface TaskSpec {
  readonly agent_id?: string;
  /** True to make an agent for the task. */
  readonly provision?: boolean;
  readonly profile_box_id: string;
  readonly context_box_id: string;
  readonly output_box_id?: string;
  readonly task_args?: JsonInput;
  readonly runtime_config?: Values;
  readonly metadata?: Values;
}

/** A batch of tasks for a turn that waits for them. */
export interface CreateBatch extends RunCall {
  readonly source_agent_id: string;
  readonly parent_agent_turn_id: string;
  readonly parent_turn_epoch: number;
  readonly parent_tool_call_id: string;
  readonly channel_id?: string;
  readonly parent_step_id?: string;
  readonly lineage_parent_step_id?: string;
  readonly parent_after_execution?: "suspend" | "terminate";
  readonly tool_suffix?: string;
  readonly structured_output?: string;
  readonly fail_fast?: boolean;
  readonly deadline_seconds?: number;
  readonly trace_id?: string;
  readonly parent_traceparent?: string;
  readonly recursion_depth?: number;
  readonly task_specs: readonly TaskSpec[];
  /** True to hand the tasks out in the same batch of writes. */
  readonly activate?: boolean;
}

/** A message that is to be sent. */
export interface OutboxMessage {
  readonly message_id: string;
  readonly subject: string;
  readonly payload: JsonInput;
  readonly headers: { readonly [name: string]: string } | null;
  /** True for a message that nobody stores. */
  readonly core: boolean;
}

/** A call that is due: `op` and its arguments. */
export type DueCall = { readonly op: string; readonly [key: string]: JsonInput };

type Updated = { readonly updated: boolean };
type Ended = { readonly ended: boolean };
type Queued = { readonly queued: readonly QueuedWork[] };
type Head = RunCall & {
  readonly agent_id: string;
  readonly expect_agent_turn_id?: string;
  readonly expect_turn_epoch?: number;
  readonly expect_status?: "idle" | "dispatched" | "running" | "suspended" | null;
  readonly bump_epoch?: boolean;
};

/** Orchestration: turns, queues, batches, and what is due. */
export interface RunOperations {
  /** Sends a message to an agent; a turn is queued and promoted when the agent is idle. */
  enqueue: { args: SendMessage & { readonly enqueue_mode?: "call" | "" | null }; value: RunAnswer };
  /**
   * Packs by a recipe and dispatches what was packed, in one batch: `delegate_async`,
   * `launch_principal` and `ask_expert` answer with the turn, `fork_join` with its batch.
   */
  hand_out: { args: RunCall & { readonly call: Values; readonly channel_id?: string; readonly headers?: { readonly [name: string]: string }; readonly trace_id?: string; readonly parent_agent_turn_id?: string; readonly parent_turn_epoch?: number; readonly parent_tool_call_id?: string; readonly parent_step_id?: string }; value: { readonly handed: JsonInput; readonly result: { readonly status: string; readonly [key: string]: JsonInput }; readonly defer_resume: boolean } };
  /** What runs: agents with their turns, queues and batches. */
  run_state: { args: RunCall & { readonly agent_id?: string; readonly batch_id?: string; readonly limit?: number }; value: { readonly agents?: readonly Values[]; readonly queued?: readonly Values[]; readonly batches?: readonly Values[]; readonly tasks?: readonly Values[]; readonly waiting?: readonly Values[]; readonly edges?: readonly Values[]; readonly steps?: readonly Values[] } };
  /** Reports to an agent what it asked for. */
  report: { args: SendMessage & { readonly correlation_id: string }; value: RunAnswer };
  /** Notes who waits for whom, and the answer. */
  join: { args: RunCall & { readonly phase: "request" | "response"; readonly correlation_id: string; readonly channel_id?: string; readonly source_agent_id?: string; readonly source_agent_turn_id?: string; readonly source_step_id?: string; readonly target_agent_id?: string; readonly target_agent_turn_id?: string; readonly recursion_depth?: number | null; readonly trace_id?: string; readonly parent_step_id?: string; readonly metadata?: Values | null }; value: RunAnswer };
  /** Takes a queued turn back. */
  cancel: { args: RunCall & { readonly target_agent_id: string; readonly agent_turn_id: string; readonly reason?: string; readonly metadata?: Values }; value: RunAnswer };
  /** Rings for an agent; `dispatch_next` promotes its next turn first. */
  wakeup: { args: RunCall & { readonly target_agent_id: string; readonly mode?: "default" | "dispatch_next"; readonly channel_id?: string; readonly inbox_id?: string; readonly reason?: string; readonly metadata?: Values; readonly headers?: { readonly [name: string]: string } }; value: RunAnswer };
  /** Dispatches a turn with its boxes. */
  dispatch: { args: Dispatch; value: Dispatched };
  /** Makes an agent ready: in the roster, with a head. */
  ensure_agent: { args: RunCall & { readonly agent_id: string; readonly kind?: "create" | "derived"; readonly spec?: Values; readonly channel_id?: string; readonly source_agent_id?: string; readonly parent_step_id?: string; readonly trace_id?: string }; value: { readonly roster_updated: boolean; readonly error_code?: string } };
  /** As `ensure_agent`, with everything told. */
  provision_identity: { args: RunCall & { readonly target_agent_id: string; readonly action: string; readonly profile_box_id: string; readonly worker_target: string; readonly tags?: readonly string[]; readonly display_name?: string; readonly owner_agent_id?: string; readonly metadata?: Values; readonly channel_id?: string; readonly source_agent_id?: string; readonly parent_step_id?: string; readonly trace_id?: string }; value: { readonly roster_updated: boolean; readonly error_code?: string } };
  /** Gives an idle agent a turn. */
  lease: { args: RunCall & { readonly agent_id: string; readonly agent_turn_id: string; readonly active_channel_id?: string; readonly profile_box_id?: string; readonly context_box_id?: string; readonly output_box_id?: string; readonly parent_step_id?: string; readonly trace_id?: string; readonly active_recursion_depth?: number }; value: { readonly turn_epoch: number | null } };
  /** Changes the status of a head. */
  state_update: { args: Head & { readonly new_status: "idle" | "dispatched" | "running" | "suspended" }; value: Updated };
  /** Frees a head. */
  finish_idle: { args: Head & { readonly last_output_box_id?: string }; value: Updated };
  /** Writes down which calls a turn waits for. */
  replace_waiting: { args: TurnWork & { readonly tool_calls: readonly CalledTool[] }; value: { readonly waiting: number } };
  /** Notes that a result came in. */
  mark_received: { args: TurnWork & { readonly tool_call_id: string; readonly tool_result_card_id?: string }; value: Updated };
  /** Notes that a result was applied. */
  mark_applied: { args: TurnWork & { readonly tool_call_id: string; readonly tool_result_card_id?: string }; value: Updated };
  /** Takes results of a turn that are due. */
  ledger_claim: { args: TurnWork & { readonly lease_owner: string; readonly lease_seconds?: number; readonly limit?: number }; value: { readonly claimed: readonly string[] } };
  /** Gives results back whose lease is over. */
  ledger_requeue_expired: { args: RunCall & { readonly lease_owner?: string }; value: { readonly requeued: number } };
  /** Moves a message on, if it stands where it is expected. */
  inbox_status: { args: RunCall & { readonly inbox_id: string; readonly status: string; readonly expected_status?: string | null }; value: Updated };
  /** Whether anything waits for an agent. */
  has_open: { args: RunCall & { readonly agent_id: string; readonly exclude_inbox_id?: string }; value: { readonly open: boolean } };
  /** Takes messages of an agent to work on. */
  claim_inbox: { args: RunCall & { readonly agent_id: string; readonly limit?: number }; value: { readonly items: readonly InboxItem[] } };
  /** A message was worked on. */
  consume_inbox: { args: RunCall & { readonly inbox_id: string; readonly channel_id?: string }; value: Updated };
  /** Gives a message back that somebody took and never finished. */
  requeue_inbox: { args: RunCall & { readonly inbox_id: string }; value: boolean };
  /** Rings for a message that nobody took. */
  poke_inbox: { args: RunCall & { readonly inbox_id: string }; value: boolean };
  /** Starts a turn, or its next step. */
  turn_start: { args: TurnWork; value: { readonly entered: true; readonly step_id: string; readonly output_box_id: string } | { readonly entered: false; readonly stage: string } };
  /** What the model's answer asks for: run, wait, go on or end. */
  turn_tools: { args: TurnWork & { readonly tool_calls: readonly CalledTool[]; readonly thought?: ModelThought; readonly tool_suspend_timeouts?: { readonly [tool: string]: number } }; value: Queued };
  /** The turn is done. */
  turn_complete: { args: TurnWork & { readonly thought?: ModelThought }; value: Ended };
  /** The turn failed. */
  turn_fail: { args: TurnWork & { readonly error: string; readonly error_code?: string; readonly thought?: ModelThought }; value: Ended };
  /** Applies a result to the turn that waits for it. */
  resume: { args: TurnWork & { readonly payload: Values }; value: Queued };
  /** Stops a turn. */
  stop: { args: TurnWork & { readonly payload?: Values }; value: Ended };
  /** Rings again for a turn that was dispatched and not started. */
  ring_again: { args: RunCall & { readonly agent_id: string }; value: boolean };
  /** Ends a turn that has stood still for too long. */
  reap_turn: { args: RunCall & { readonly agent_id: string; readonly which: "dispatched" | "active" | "suspended"; readonly output_box_id?: string | null }; value: boolean };
  /** Rebuilds a head that was lost, above every epoch that its agent ever had. */
  reclaim_agent: { args: RunCall & { readonly agent_id: string }; value: boolean };
  /** Notes that an agent called a tool: what its result will be measured by. */
  tool_call: { args: RunCall & { readonly correlation_id: string; readonly recursion_depth: number; readonly channel_id?: string; readonly source_agent_id?: string; readonly source_agent_turn_id?: string; readonly source_step_id?: string; readonly trace_id?: string; readonly parent_step_id?: string; readonly metadata?: Values }; value: RunAnswer };
  /** Reports a timeout for every call that a turn has waited for past its deadline. */
  time_out_tools: { args: RunCall & { readonly agent_id: string }; value: boolean };
  /** Takes up results that wait for a suspended turn. */
  take_up_results: { args: RunCall & { readonly agent_id: string; readonly owner?: string }; value: Queued };
  /** Everything that is due now, as calls to make. */
  due: { args: RunCall & { readonly rule?: string }; value: { readonly calls: readonly DueCall[] } };
  /** Makes a batch; with `activate` hands it out too. */
  create_batch: { args: CreateBatch; value: { readonly batch_id: string; readonly accepted?: true; readonly task_count?: number } };
  /** Starts a batch: the join's request, then every task. */
  activate_batch: { args: RunCall & { readonly batch_id: string }; value: null };
  /** Hands out the tasks that are due. */
  dispatch_pending: { args: RunCall & { readonly limit?: number }; value: null };
  /** Hands out one task. */
  dispatch_task: { args: RunCall & { readonly batch_task_id: string }; value: boolean };
  /** Takes in that a child ended. */
  child_event: { args: RunCall & { readonly agent_turn_id: string; readonly status: string; readonly output_box_id?: string | null; readonly deliverable_card_id?: string | null; readonly tool_result_card_id?: string | null; readonly error?: string | null }; value: boolean };
  /** Looks after a task whose turn nobody has confirmed. */
  reconcile_task: { args: RunCall & { readonly batch_task_id: string }; value: boolean };
  /** Ends a batch whose tasks or deadline allow it. */
  end_batch: { args: RunCall & { readonly batch_id: string }; value: boolean };
  /** The result object of a batch. */
  build_batch_result: { args: RunCall & { readonly status: string; readonly tasks: readonly Values[] }; value: { readonly status: string; readonly results: readonly { readonly [key: string]: JsonInput }[] } };
  /** Messages that wait to be sent, oldest first. */
  outbox: { args: RunCall & { readonly limit?: number }; value: { readonly messages: readonly OutboxMessage[] } };
  /** Messages were sent. */
  mark_sent: { args: RunCall & { readonly message_ids: readonly string[] }; value: { readonly sent: number } };
}
