import type { DeclaredOperations } from "./arguments.js";
import type { JsonInput, JsonText } from "./json.js";
import type { Operation } from "./operations.js";
import type { AgentStatus, BatchStatus, InboxItem, InboxStatus, QueuedWork, ReapedTurns, Results, ToolReport } from "./results.js";

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
  /** The time after which a dispatched turn that did not start fails; 0 for no limit, which engines have by default. */
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
  /** The project of the workspace; another one is refused. */
  readonly project_id?: string;
  /** Settings that differ from the defaults. */
  readonly settings?: RunSettings;
}

/** MessageHeaders of a message: `traceparent`, `tracestate`, `CG-Recursion-Depth` and a host's own. */
export type MessageHeaders = { readonly [name: string]: string };

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
  readonly headers?: MessageHeaders;
  readonly trace_id?: string;
  readonly source_agent_id?: string;
  readonly source_agent_turn_id?: string;
  readonly source_step_id?: string;
  readonly parent_step_id?: string;
  /** False to leave the doorbell alone. */
  readonly wakeup?: boolean;
}

/** Who waits for whom, and the answer; or who called which tool. */
export interface NoteEdge extends RunCall {
  readonly correlation_id: string;
  readonly channel_id?: string;
  readonly source_agent_id?: string;
  readonly source_agent_turn_id?: string;
  readonly source_step_id?: string;
  readonly target_agent_id?: string;
  readonly target_agent_turn_id?: string;
  readonly trace_id?: string;
  readonly parent_step_id?: string;
  readonly metadata?: Values | null;
}

/** A piece of work on a turn. What `claim_inbox` and the steps of a turn answer can be handed on as it is. */
export interface TurnWork extends RunCall {
  readonly agent_id: string;
  readonly agent_turn_id: string;
  readonly turn_epoch: number;
  readonly channel_id?: string;
  readonly profile_box_id?: string | null;
  readonly context_box_id?: string | null;
  readonly output_box_id?: string | null;
  readonly headers?: MessageHeaders;
  readonly trace_id?: string | null;
  readonly parent_step_id?: string | null;
  readonly step_id?: string;
  readonly step_count?: number;
  readonly continuation?: boolean;
  /** The message that the work came with. */
  readonly inbox_id?: string;
  /**
   * Consumes the message `inbox_id` in the same commit, as `consume_inbox` would afterwards; `turn_start` does so only
   * where the turn is not entered. A message that was given back since is left alone.
   */
  readonly consume?: boolean;
  /** What an {@link InboxItem} or {@link QueuedWork} says beside the work; nothing depends on it. */
  readonly kind?: InboxItem["kind"];
  readonly runtime_config?: Values | null;
  readonly resume?: ToolReport;
}

/** What the model answered. */
export interface ModelThought {
  readonly text: string;
  /** The calls as the model wrote them; they are kept on the card. */
  readonly tool_calls?: readonly Values[];
  /** Its reasoning in the parts that the provider gave it in, signed where it signs them; the next request takes them back. */
  readonly thinking_blocks?: readonly Values[];
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
  readonly headers?: MessageHeaders;
  readonly trace_id?: string;
  readonly parent_agent_turn_id?: string;
  readonly parent_tool_call_id?: string;
  readonly parent_step_id?: string;
  readonly source_agent_id?: string;
  readonly display_name?: string;
  readonly runtime_config?: Values;
  readonly emit_state_event?: boolean;
}

/** What an agent is to be. */
export interface AgentSpec {
  readonly profile_box_id?: string;
  /** The name of its profile, for a derived agent. */
  readonly profile_name?: string;
  /** The agent that a derived one comes from. */
  readonly derived_from?: string;
  readonly worker_target?: string;
  readonly tags?: readonly string[];
  readonly display_name?: string;
  readonly owner_agent_id?: string;
  readonly metadata?: Values;
  readonly active_channel_id?: string;
}

/** Where a change of the roster comes from. */
export interface AskedFor extends RunCall {
  readonly channel_id?: string;
  readonly source_agent_id?: string;
  readonly parent_step_id?: string;
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

/** What a dispatcher of the host's own answered, in the order of the tasks. */
export interface HostDispatches {
  readonly dispatch_results?: readonly {
    readonly status: "accepted" | "busy" | "rejected" | "error";
    readonly error_code?: string;
    readonly turn_epoch?: number;
  }[];
}

/** A batch of tasks for a turn that waits for them. */
export interface CreateBatch extends RunCall, HostDispatches {
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

/** A call of a recipe that `hand_out` dispatches. */
export type RecipeCall =
  | ({ readonly op: "delegate_async" } & DeclaredOperations["delegate_async"]["args"])
  | ({ readonly op: "launch_principal" } & DeclaredOperations["launch_principal"]["args"])
  | ({ readonly op: "ask_expert" } & DeclaredOperations["ask_expert"]["args"])
  | ({ readonly op: "fork_join" } & DeclaredOperations["fork_join"]["args"]);

/** A recipe to run, and the turn that runs it. A `fork_join` answers a tool call, so it needs all three of its parent's ids. */
export interface HandOut extends RunCall {
  readonly call: RecipeCall | JsonText;
  readonly channel_id?: string;
  readonly headers?: MessageHeaders;
  readonly trace_id?: string;
  readonly parent_agent_turn_id?: string;
  readonly parent_turn_epoch?: number;
  readonly parent_tool_call_id?: string;
  readonly parent_step_id?: string;
}

/** A watchdog's rule. */
export type DueRule =
  | "requeue"
  | "leases"
  | "time_out"
  | "ring"
  | "reap_dispatched"
  | "poke"
  | "reap_active"
  | "promote"
  | "reconcile"
  | "dispatch"
  | "batches"
  | "take_up";

/** For whom something is taken. */
interface ForWorkers {
  /** The kinds of workers (`worker_target`) that it is taken for; what belongs to another kind is left alone. All by default. */
  readonly worker_targets?: readonly string[];
}

type Result = TurnWork & { readonly tool_call_id: string; readonly tool_result_card_id?: string };
type Head = RunCall & {
  readonly agent_id: string;
  readonly expect_agent_turn_id?: string;
  readonly expect_turn_epoch?: number;
  readonly expect_status?: AgentStatus | null;
  readonly bump_epoch?: boolean;
};

/** Orchestration: turns, queues, batches, and what is due. */
export interface RunOperations {
  /** Sends a message to an agent; a turn is queued and promoted when the agent is idle. */
  enqueue: { args: SendMessage & { readonly enqueue_mode?: "call" | "" | null }; value: Results["enqueue"] };
  /**
   * Packs by a recipe and dispatches what was packed, in one batch: `delegate_async`,
   * `launch_principal` and `ask_expert` answer with the turn, `fork_join` with its batch. What is
   * refused writes nothing.
   */
  hand_out: { args: HandOut; value: Results["hand_out"] };
  /** What runs: in the project, at `agent_id`, or in the batch `batch_id`. */
  run_state: {
    args: RunCall & { readonly agent_id?: string; readonly batch_id?: string; readonly limit?: number };
    value: Results["run_state"];
  };
  /** Reports to an agent what it asked for. */
  report: { args: SendMessage & { readonly correlation_id: string }; value: Results["report"] };
  /** Notes who waits for whom, and the answer. */
  join: { args: NoteEdge & { readonly phase: "request" | "response"; readonly recursion_depth?: number | null }; value: Results["join"] };
  /** Takes a queued turn back. */
  cancel: {
    args: RunCall & {
      readonly target_agent_id: string;
      readonly agent_turn_id: string;
      readonly channel_id?: string;
      readonly reason?: string;
      readonly metadata?: Values;
    };
    value: Results["cancel"];
  };
  /** Rings for an agent; `dispatch_next` promotes its next turn first. */
  wakeup: {
    args: RunCall & {
      readonly target_agent_id: string;
      readonly mode?: "default" | "dispatch_next";
      readonly channel_id?: string;
      readonly inbox_id?: string;
      readonly reason?: string;
      readonly metadata?: Values;
      readonly headers?: MessageHeaders;
    };
    value: Results["wakeup"];
  };
  /** Dispatches a turn with its boxes. */
  dispatch: { args: Dispatch; value: Results["dispatch"] };
  /** Makes an agent ready: in the roster, with a head. */
  ensure_agent: {
    args: AskedFor & { readonly agent_id: string; readonly kind?: "create" | "derived"; readonly spec?: AgentSpec };
    value: Results["ensure_agent"];
  };
  /** As `ensure_agent`, with everything told. */
  provision_identity: {
    args: AskedFor &
      AgentSpec & {
        readonly target_agent_id: string;
        readonly action: string;
        readonly profile_box_id: string;
        readonly worker_target: string;
      };
    value: Results["provision_identity"];
  };
  /** Gives an idle agent a turn; null when it has one. */
  lease: {
    args: RunCall & {
      readonly agent_id: string;
      readonly agent_turn_id: string;
      readonly active_channel_id?: string;
      readonly profile_box_id?: string;
      readonly context_box_id?: string;
      readonly output_box_id?: string;
      readonly parent_step_id?: string;
      readonly trace_id?: string;
      readonly active_recursion_depth?: number;
    };
    value: Results["lease"];
  };
  /** Changes the status of a head. */
  state_update: { args: Head & { readonly new_status: AgentStatus }; value: Results["state_update"] };
  /** Frees a head. */
  finish_idle: { args: Head & { readonly last_output_box_id?: string }; value: Results["finish_idle"] };
  /** Writes down which calls a turn waits for. */
  replace_waiting: { args: TurnWork & { readonly tool_calls: readonly CalledTool[] }; value: Results["replace_waiting"] };
  /** Notes that a result came in. */
  mark_received: { args: Result; value: Results["mark_received"] };
  /** Notes that a result was applied. */
  mark_applied: { args: Result; value: Results["mark_applied"] };
  /** Takes results of a turn that are due; answers their tool calls. */
  ledger_claim: {
    args: TurnWork & { readonly lease_owner: string; readonly lease_seconds?: number; readonly limit?: number };
    value: Results["ledger_claim"];
  };
  /** Gives results back whose lease is over. */
  ledger_requeue_expired: { args: RunCall & { readonly lease_owner?: string }; value: Results["ledger_requeue_expired"] };
  /** Moves a message on, if it stands where it is expected. */
  inbox_status: {
    args: RunCall & { readonly inbox_id: string; readonly status: InboxStatus; readonly expected_status?: InboxStatus | null };
    value: Results["inbox_status"];
  };
  /** Whether anything waits for an agent. */
  has_open: { args: RunCall & { readonly agent_id: string; readonly exclude_inbox_id?: string }; value: Results["has_open"] };
  /** Takes messages of an agent to work on. */
  claim_inbox: { args: RunCall & { readonly agent_id: string; readonly limit?: number } & ForWorkers; value: Results["claim_inbox"] };
  /** A message was worked on. */
  consume_inbox: { args: RunCall & { readonly inbox_id: string; readonly channel_id?: string }; value: Results["consume_inbox"] };
  /** Gives a message back that somebody took and never finished. */
  requeue_inbox: { args: RunCall & { readonly inbox_id: string }; value: Results["requeue_inbox"] };
  /** Rings for a message that nobody took. */
  poke_inbox: { args: RunCall & { readonly inbox_id: string }; value: Results["poke_inbox"] };
  /** Starts a turn, or its next step. */
  turn_start: {
    args: TurnWork;
    value: Results["turn_start"];
  };
  /** What the model's answer asks for: run, wait, go on or end. */
  turn_tools: {
    args: TurnWork & {
      readonly tool_calls: readonly CalledTool[];
      readonly thought?: ModelThought;
      readonly tool_suspend_timeouts?: { readonly [tool: string]: number };
    };
    value: Results["turn_tools"];
  };
  /** The turn is done. */
  turn_complete: { args: TurnWork & { readonly thought?: ModelThought }; value: Results["turn_complete"] };
  /** The turn failed. */
  turn_fail: {
    args: TurnWork & { readonly error: string; readonly error_code?: string; readonly thought?: ModelThought };
    value: Results["turn_fail"];
  };
  /**
   * Makes a turn that runs, or was claimed and not started, wait for a worker again: at the next epoch, at the step
   * `step_count`. Nothing changes where it is somebody else's, or where it has no message that could be claimed.
   */
  turn_give_back: { args: TurnWork; value: Results["turn_give_back"] };
  /** Applies a result to the turn that waits for it. */
  resume: {
    args: TurnWork & { readonly payload: (ToolReport & { readonly [key: string]: JsonInput | undefined }) | JsonText };
    value: Results["resume"];
  };
  /** Stops a turn. */
  stop: {
    args: TurnWork & { readonly payload?: { readonly reason?: string; readonly [key: string]: JsonInput | undefined } | JsonText };
    value: Results["stop"];
  };
  /** Rings again for a turn that was dispatched and not started. */
  ring_again: { args: RunCall & { readonly agent_id: string }; value: Results["ring_again"] };
  /** Ends a turn that has stood still for too long. */
  reap_turn: {
    args: RunCall & { readonly agent_id: string; readonly which: ReapedTurns; readonly output_box_id?: string | null };
    value: Results["reap_turn"];
  };
  /** Rebuilds a head that was lost, above every epoch that its agent ever had. */
  reclaim_agent: { args: RunCall & { readonly agent_id: string }; value: Results["reclaim_agent"] };
  /** Notes that an agent called a tool: what its result will be measured by. */
  tool_call: { args: NoteEdge & { readonly recursion_depth: number }; value: Results["tool_call"] };
  /** Reports a timeout for every call that a turn has waited for past its deadline. */
  time_out_tools: { args: RunCall & { readonly agent_id: string }; value: Results["time_out_tools"] };
  /** Takes up results that wait for a suspended turn. */
  take_up_results: {
    args: RunCall & { readonly agent_id: string; readonly owner?: string } & ForWorkers;
    value: Results["take_up_results"];
  };
  /** Everything that is due now, as calls to make in this order; or what one rule finds. */
  due: { args: RunCall & { readonly rule?: DueRule }; value: Results["due"] };
  /** Makes a batch; with `activate` hands it out too. */
  create_batch: { args: CreateBatch; value: Results["create_batch"] };
  /** Starts a batch: the join's request, then every task. */
  activate_batch: { args: RunCall & HostDispatches & { readonly batch_id: string }; value: Results["activate_batch"] };
  /** Hands out the tasks that are due. */
  dispatch_pending: { args: RunCall & HostDispatches & { readonly limit?: number }; value: Results["dispatch_pending"] };
  /** Hands out one task; false where it is not due, or its batch has ended. */
  dispatch_task: { args: RunCall & HostDispatches & { readonly batch_task_id: string }; value: Results["dispatch_task"] };
  /** Takes in that a child ended. */
  child_event: {
    args: RunCall & {
      readonly agent_turn_id: string;
      readonly status: string;
      readonly output_box_id?: string | null;
      readonly deliverable_card_id?: string | null;
      readonly tool_result_card_id?: string | null;
      readonly error?: string | null;
    };
    value: Results["child_event"];
  };
  /** Looks after a task whose turn nobody has confirmed. */
  reconcile_task: { args: RunCall & { readonly batch_task_id: string }; value: Results["reconcile_task"] };
  /** Ends a batch whose tasks or deadline allow it. */
  end_batch: { args: RunCall & { readonly batch_id: string }; value: Results["end_batch"] };
  /** The result object of a batch. */
  build_batch_result: {
    args: RunCall & {
      readonly status: BatchStatus;
      readonly tasks: readonly {
        readonly status?: JsonInput;
        readonly output_box_id?: JsonInput;
        readonly error_detail?: JsonInput;
        readonly metadata?: JsonInput;
      }[];
    };
    value: Results["build_batch_result"];
  };
  /** Messages that wait to be sent, oldest first. */
  outbox: { args: RunCall & { readonly limit?: number }; value: Results["outbox"] };
  /** Messages were sent. */
  mark_sent: { args: RunCall & { readonly message_ids: readonly string[] }; value: Results["mark_sent"] };
}
