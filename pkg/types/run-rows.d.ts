import type { JsonInput } from "./json.js";

/** An object of JSON values, as a row holds it. */
type Kept = { readonly [key: string]: JsonInput };

/** Where an agent stands. */
export type AgentStatus = "idle" | "dispatched" | "running" | "suspended";

/** Where a message to an agent stands. */
export type InboxStatus = "pending" | "queued" | "processing" | "consumed" | "error" | "skipped" | "deferred";

/** Where a batch stands. */
export type BatchStatus = "running" | "success" | "failed" | "timeout" | "partial";

/** Where a task of a batch stands. */
export type TaskStatus = "pending" | "dispatched" | "success" | "failed" | "canceled" | "timeout" | "partial";

/** The head of an agent: the lease of its turn. Columns that are null are left out of every row. */
export interface HeadRow {
  readonly agent_id: string;
  readonly status: AgentStatus;
  readonly active_agent_turn_id?: string;
  readonly active_channel_id?: string;
  /** Rises with every lease, resume, stop and reap; never falls. */
  readonly turn_epoch: number;
  readonly active_recursion_depth: number;
  readonly updated_at: string;
  readonly parent_step_id?: string;
  readonly trace_id?: string;
  readonly profile_box_id?: string;
  readonly context_box_id?: string;
  readonly output_box_id?: string;
  readonly expecting_correlation_id?: string;
  readonly waiting_tool_count: number;
  readonly resume_deadline?: string;
  /** When a watchdog rang again. */
  readonly rung_at?: string;
}

/** A message to an agent. */
export interface InboxRow {
  readonly inbox_id: string;
  readonly agent_id: string;
  readonly message_type: string;
  readonly enqueue_mode?: "call";
  readonly correlation_id?: string;
  readonly recursion_depth: number;
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly trace_id?: string;
  readonly parent_step_id?: string;
  readonly source_agent_id?: string;
  readonly source_step_id?: string;
  readonly payload?: JsonInput;
  readonly status: InboxStatus;
  readonly processed_at?: string;
  readonly archived_at?: string;
  readonly created_at: string;
  /** Its place among the messages of its agent. */
  readonly seq: number;
  readonly agent_turn_id?: string;
}

/** Who asked whom for something, or the answer. */
export interface EdgeRow {
  readonly edge_id: string;
  readonly channel_id?: string;
  readonly primitive: string;
  readonly edge_phase: string;
  readonly source_agent_id?: string;
  readonly source_agent_turn_id?: string;
  readonly source_step_id?: string;
  readonly target_agent_id?: string;
  readonly target_agent_turn_id?: string;
  readonly correlation_id: string;
  readonly enqueue_mode?: string;
  readonly recursion_depth?: number;
  readonly trace_id?: string;
  readonly parent_step_id?: string;
  readonly metadata: Kept;
  readonly created_at: string;
  readonly seq: number;
}

/** A tool call that a suspended turn waits for. */
export interface WaitingRow {
  readonly agent_id: string;
  readonly agent_turn_id: string;
  readonly turn_epoch: number;
  readonly step_id: string;
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly wait_status: "waiting" | "received" | "applied" | "expired" | "dropped";
  readonly tool_result_card_id?: string;
  readonly received_at?: string;
  readonly applied_at?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly seq: number;
}

/** A step of a turn. */
export interface StepRow {
  readonly agent_id: string;
  readonly step_id: string;
  readonly agent_turn_id: string;
  readonly channel_id?: string;
  readonly parent_step_id?: string;
  readonly trace_id?: string;
  readonly status: "started" | "tool_dispatched" | "suspended" | "completed" | "failed";
  readonly profile_box_id?: string;
  readonly context_box_id?: string;
  readonly output_box_id?: string;
  readonly error?: string;
  readonly metadata: Kept;
  readonly started_at: string;
  readonly ended_at?: string;
}

/** Tasks that were handed out together. */
export interface BatchRow {
  readonly batch_id: string;
  readonly parent_agent_id: string;
  readonly parent_agent_turn_id: string;
  readonly parent_tool_call_id: string;
  readonly parent_turn_epoch: number;
  readonly parent_channel_id?: string;
  readonly task_count: number;
  readonly status: BatchStatus;
  readonly deadline_at?: string;
  readonly metadata: Kept;
  readonly created_at: string;
  readonly updated_at: string;
  /** How many of its tasks have not ended. */
  readonly open_count?: number;
  readonly events?: number;
}

/** One task of a batch. */
export interface TaskRow {
  readonly batch_task_id: string;
  readonly batch_id: string;
  readonly agent_id: string;
  readonly status: TaskStatus;
  readonly retryable?: boolean;
  readonly next_retry_at: string;
  readonly attempt_count: number;
  readonly current_agent_turn_id?: string;
  readonly current_turn_epoch?: number;
  readonly payload_hash?: string;
  readonly profile_box_id?: string;
  readonly context_box_id?: string;
  readonly output_box_id?: string;
  readonly error_box_id?: string;
  readonly error_detail?: string;
  readonly metadata: Kept;
  readonly created_at: string;
  readonly updated_at: string;
  readonly seq: number;
}
