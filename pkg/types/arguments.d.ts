// Written by `cargo xtask test --only schema` from the declarations of the core: do not edit.
// `TUCKBOX_BLESS=1` writes it again.
import type { ChangeCode, Provider } from "./codes.js";
import type { ContextKey } from "./compose.js";
import type { FailureSample } from "./handoff.js";
import type { HandoverCall } from "./handover.js";
import type { JsonInput, JsonObjectInput, JsonText } from "./json.js";
import type { MessagePart } from "./payload.js";
import type { Call } from "./workspace.js";
import type { AgentStatus, ArtifactFile, Depth, InboxStatus, LockDetails, LockedContext, Process, ReapedTurns, Results, Strategy, ToolReport } from "./results.js";

/** Starts a batch: the join request, then every task. */
export interface ActivateBatch extends HostDispatches, RunTerms {
  /** The batch. */
  readonly batch_id: string;
}

/** The optional columns of an agent. */
export interface AgentColumns {
  /** The display name. */
  readonly display_name?: string | null;
  /** The tags. */
  readonly tags?: readonly string[] | null;
  /** The subject of the worker that runs it. */
  readonly worker_target?: string | null;
  /** The agent that owns it. */
  readonly owner_agent_id?: string | null;
  /** The status in the roster. `active` for a new agent. */
  readonly status?: string | null;
  /** Data of the host. */
  readonly metadata?: JsonInput | null;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** The properties of an agent other than its profile box and its worker. */
export interface AgentDetails {
  /** The name of its profile, for a derived agent. */
  readonly profile_name?: string;
  /** The agent that a derived one comes from. */
  readonly derived_from?: string;
  /** Its tags. Those of the profile by default. */
  readonly tags?: readonly string[];
  /** Its name for people. */
  readonly display_name?: string;
  /** The agent that owns it. */
  readonly owner_agent_id?: string;
  /** More about it. Present keys that are not given stay. Default: `{}`. */
  readonly metadata?: JsonObjectInput;
  /** The channel of a new agent. */
  readonly active_channel_id?: string;
}

/** The source of a change of the roster. */
export interface AgentRequest {
  /** The channel of the change. */
  readonly channel_id?: string;
  /** The agent that asks for the change. */
  readonly source_agent_id?: string;
  /** The step that asks for the change. */
  readonly parent_step_id?: string;
  /** The trace of the change. */
  readonly trace_id?: string;
}

/** The wanted properties of an agent. */
export interface AgentSpec extends AgentDetails {
  /** The box of its profile. */
  readonly profile_box_id?: string;
  /** The kind of worker that runs it. */
  readonly worker_target?: string;
}

/** Lists the blocks that a kind of process sees. */
export interface AllowedContexts {
  /** The kind of process. */
  readonly process: Process;
  /** The switch for shared blocks. That of the project by default. */
  readonly enable_share_context?: boolean;
}

/** Answers a tool call that a turn waits for. It stores the result as the card `result_<tool_call_id>`, notes the call, and reports the result to the turn. Only the first answer of a call counts: a later one changes no card. A refused answer writes nothing. */
export interface AnswerToolCall extends ToolOutput, RunTerms {
  /** The agent whose turn waits. */
  readonly agent_id: string;
  /** The turn that waits. */
  readonly agent_turn_id: string;
  /** The epoch of the turn. */
  readonly turn_epoch: number;
  /** The step that made the call. */
  readonly step_id: string;
  /** The id of the call. */
  readonly tool_call_id: string;
  /** The name of the tool. */
  readonly tool_name: string;
  /** The depth of the call. Default: `0`. */
  readonly recursion_depth?: number;
  /** The channel of the turn. Default: `"public"`. */
  readonly channel_id?: string;
  /** The outcome of the call. Default: `"success"`. */
  readonly status?: "success" | "failed" | "partial" | "timeout" | "canceled";
  /** The error of a call that did not succeed, with `code` and `message`. */
  readonly error?: JsonObjectInput | null;
  /** `suspend` to continue the turn, `terminate` to end it. Default: `"suspend"`. */
  readonly after_execution?: "suspend" | "terminate";
}

/** Appends cards to the output box of an agent: that of its running turn, or that of its last one. The last output is not changed while a running turn of another agent reads it. */
export interface AppendOutput extends BoxChangeOptions {
  /** The agent. */
  readonly agent_id: string;
  /** The ids of the cards to append, in order. */
  readonly card_ids: readonly string[];
}

/** Appends cards to a box. */
export interface AppendToBox extends BoxChangeOptions {
  /** The box to append to. */
  readonly box_id: string;
  /** The ids of the cards to append, in order. */
  readonly card_ids: readonly string[];
  /** Appends to any version of the box. Otherwise a box that changed since it was read is a `conflict`. Default: `false`. */
  readonly any_version?: boolean;
}

/** An argument of a recipe. */
export interface Argument {
  /** The name. */
  readonly name: string;
  /** The type of the value. */
  readonly type: ArgumentType;
  /** Rejects a call without the argument. `true` by default. */
  readonly required?: boolean;
  /** The purpose of the argument, for people. */
  readonly description?: string;
}

/** The type of an argument. */
export type ArgumentType = "text" | "number" | "integer" | "boolean" | "object" | "list" | "result_fields" | "box_id" | "box_ids" | "any";

/** Asks a new agent with an expert profile: a form of `delegate_async`. */
export interface AskExpert extends Caller {
  /** The question, as a model wrote it. */
  readonly arguments: ExpertQuestion | JsonText;
}

/** Compares a handoff package with the files in the store. */
export interface AuditHandoff {
  /** The package. */
  readonly package: HandoffPackage;
}

/** Stores an audit entry about a call that a policy refuses. Nothing else of the call is written. */
export interface AuditRefusal {
  /** The refused call. */
  readonly call: Call | JsonText;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** A batch of tasks for a turn that waits for them. */
export interface BatchRequest {
  /** The agent that waits for the batch. */
  readonly source_agent_id: string;
  /** The turn that waits for the batch. */
  readonly parent_agent_turn_id: string;
  /** The epoch of the turn. */
  readonly parent_turn_epoch: number;
  /** The tool call that the batch answers. */
  readonly parent_tool_call_id: string;
  /** The channel of the turn. */
  readonly channel_id?: string;
  /** The step that made the call. */
  readonly parent_step_id?: string;
  /** The step that the tasks belong to. */
  readonly lineage_parent_step_id?: string;
  /** Whether the result continues or ends the turn. */
  readonly parent_after_execution?: "suspend" | "terminate";
  /** The tool that was called. */
  readonly tool_suffix?: string;
  /** The form of the results of the tasks: `tool_result` to add the results of tools. */
  readonly structured_output?: string;
  /** True to end the batch with the first task that fails. Default: `false`. */
  readonly fail_fast?: boolean;
  /** The time limit of the batch, in seconds. */
  readonly deadline_seconds?: number;
  /** The trace of the batch. */
  readonly trace_id?: string;
  /** The span of the turn that waits. */
  readonly parent_traceparent?: string;
  /** The depth of the turn that waits. A batch without it cannot start. */
  readonly recursion_depth?: number;
  /** The tasks. */
  readonly task_specs: readonly TaskSpec[];
}

/** Options of a change to a box. */
export interface BoxChangeOptions {
  /** Changes the box even if a running turn reads it or appends to it. Otherwise that is a `conflict` that names the turn; the output box of a running turn can grow. Default: `false`. */
  readonly even_during_turn?: boolean;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Lists what the receiver of a delegation will see and what it will not see. It writes nothing. */
export interface BriefHandover {
  /** The call that delegates. It is not committed. */
  readonly call: HandoverCall | JsonText;
  /** The index of the context, from 0, if the call packs several. Default: `0`. */
  readonly task?: number;
  /** The first card of the list, from 0. Default: `0`. */
  readonly from?: number;
  /** The maximum size of the answer in tokens. Default: `2000`. */
  readonly max_tokens?: number;
}

/** Builds the result of a batch. */
export interface BuildBatchResult extends RunTerms {
  /** The status of the batch. */
  readonly status: string;
  /** The rows of the tasks. */
  readonly tasks: readonly ({
    readonly status?: JsonInput;
    readonly output_box_id?: JsonInput;
    readonly error_detail?: JsonInput;
    readonly metadata?: JsonInput;
    readonly [key: string]: JsonInput | undefined;
  })[];
}

/** A context that could not be built. */
export interface BuildError {
  /** The name of the context. */
  readonly name: string;
  /** The reason. */
  readonly message: string;
}

/** The prefix cache of a provider. The values of the model by default. */
export interface CacheOptions {
  /** The length of the shortest prefix that is cached, in tokens. */
  readonly least_tokens?: number;
  /** The step of the cache, in tokens. */
  readonly step?: number;
  /** Caches only whole blocks, never a part of one. */
  readonly whole_blocks?: boolean;
}

/** How the cache of a provider is marked. */
export interface CachePlan {
  /** Where marks are set. Default: `"manual"`. */
  readonly strategy?: "manual" | "system" | "auto";
  /** How long entries live. The shorter time of the provider by default. */
  readonly ttl?: "5m" | "1h";
}

/** A request: a box, a turn or a call. */
export type CacheSubject = {
  /** The box to send, from 0, for a call that packs several. Default: `0`. */
  readonly shown?: number;
  /** When the request is sent. */
  readonly at?: JsonInput;
  /** When the answer begins. */
  readonly first_token_at?: JsonInput;
  /** The usage of the answer, as the provider or `read_response` reports it. */
  readonly usage?: JsonInput;
} & InspectSubject;

/** A tool call of the model, and what became of it. */
export interface CalledTool {
  /** The id of the call. */
  readonly id: string;
  /** The name of the tool. Default: `""`. */
  readonly name?: string;
  /** The outcome of the call. Default: `"suspend"`. */
  readonly outcome?: "suspend" | "result" | "error" | "deliver";
  /** The cards of the result, which are in the store. Default: `[]`. */
  readonly card_ids?: readonly string[];
  /** The error of a tool that failed. Default: `"tool failed"`. */
  readonly error?: string;
  /** The arguments of a call that delivers, as JSON text. The operation makes the deliverable: each argument is a field. If they cannot be on a card, the call fails and the turn continues. */
  readonly delivered_text?: string;
  /** The deadline of the batch that the call waits for, in seconds; 0 for a batch without one. The turn waits 60 seconds longer, and 960 seconds for a batch without a deadline. A wait by the name of the tool comes first. */
  readonly batch_seconds?: number;
}

/** The sender of a delegation. */
export interface Caller {
  /** The agent that delegates. */
  readonly source_agent_id: string;
  /** The name under which a model called the tool. It must be the name of the operation. */
  readonly tool_name?: string | null;
  /** The tool that was called: the author of the new cards in `v1r3`. The operation by default. */
  readonly tool_suffix?: string;
  /** The rule dialect. The dialect of the project by default. */
  readonly dialect?: Dialect;
  /** The depth of the agent below the first caller. 0 by default; `null` if it is not known, which `v1r3` does not allow. */
  readonly recursion_depth?: number | string | null;
  /** Reads every inherited card and reports those that are missing, deleted or expired. Default: `false`. */
  readonly check_liveness?: boolean;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Cancels a queued turn. */
export interface Cancel extends RunTerms {
  /** The agent of the turn. */
  readonly target_agent_id: string;
  /** The turn. */
  readonly agent_turn_id: string;
  /** The channel of the turn, for logs. */
  readonly channel_id?: string;
  /** The reason, for logs. */
  readonly reason?: string;
  /** More about the reason, for logs. */
  readonly metadata?: JsonObjectInput;
}

/** One change to memory. Applying it twice has the effect of applying it once. */
export type Change =
  | {
      /** Appends new messages, in order. */
      readonly op: "append";
      /** The messages, each with an id. */
      readonly messages: readonly (MessageInput | JsonText)[] | JsonText;
    }
  | {
      /** Replaces remembered messages, found by id. */
      readonly op: "replace";
      /** The messages, each with an id. */
      readonly messages: readonly (MessageInput | JsonText)[] | JsonText;
    }
  | {
      /** Replaces messages by a summary. */
      readonly op: "compact";
    } & Compaction
  | {
      /** Adds results of map-reduce workers, each under the `task_id` of its task. */
      readonly op: "add_results";
      /** The results, each with the id of its task. */
      readonly results: readonly ({
        /** The id of the task. */
        readonly task_id: string;
        readonly [key: string]: JsonInput | undefined;
      })[];
    }
  | {
      /** Removes all results of map-reduce workers. */
      readonly op: "clear_results";
    };

/** Applies changes to a memory state, all or none. */
export interface ChangeMemory {
  /** The state. */
  readonly state: StateInput;
  /** The changes, in order. */
  readonly changes: readonly Change[];
}

/** Checks a handoff package and lists findings: version, paths, counts, names and size. */
export interface CheckHandoff {
  /** The package. */
  readonly package: HandoffPackage;
  /** The report that the package refers to. */
  readonly report?: Layer1ProblemsReport | JsonText;
}

/** Checks the definition of a recipe and returns it with its defaults. */
export interface CheckRecipe {
  /** The definition. */
  readonly recipe: CustomRecipe | JsonText;
}

/** Records that the turn of a task ended. */
export type ChildEvent = TurnEnd & RunTerms;

/** Claims messages of an agent for a worker. */
export interface ClaimInbox extends ForWorkers, RunTerms {
  /** The agent. */
  readonly agent_id: string;
  /** The maximum number of messages. The setting `fetch_limit` by default. */
  readonly limit?: number;
}

/** Collects contexts from a state snapshot and retrieved material. */
export interface CollectContexts {
  /** A snapshot of the state. */
  readonly state: JsonObjectInput;
  /** The material for this call by the key of its block. It replaces the block of the state with the same key. Default: `{}`. */
  readonly retrieved?: { readonly [key: ContextKey]: string | {
    /** The template. `{name}` is replaced by a value. */
    readonly template: string;
    /** The values. Those of the state by default. */
    readonly values?: JsonObjectInput;
  } | null };
}

/** A summary that replaces messages. */
export interface Compaction {
  /** The id of the compaction. A repeated compaction has the same id. */
  readonly id: string;
  /** The ids of the messages that the summary covers. */
  readonly covers: readonly string[];
  /** The compaction whose summary this one includes, or `compression__context` for a summary without a record. Memory has one summary at a time. */
  readonly replaces?: string;
  /** The summary. */
  readonly summary: string;
}

/** Compares two contexts: which cards stayed, moved, were added or removed. */
export interface Compare extends RequestTerms {
  /** The first context. */
  readonly left: CompareSide;
  /** The second context. */
  readonly right: CompareSide;
}

/** Compares two requests of a session: what was added, what was removed, and the effect on the cache. */
export interface CompareRequestsArguments extends SessionQuestion {
  /** The later request, by its number in the session. By default the last one. */
  readonly after?: number;
  /** The earlier request. By default the one before. */
  readonly before?: number;
}

/** One of the two contexts to compare. */
export type CompareSide = {
  /** The box to compare, from 0, for a call that packs several. Default: `0`. */
  readonly shown?: number;
} & InspectSubject;

/** Composes a prompt from its layers. */
export interface Compose {
  /** The kind of process that runs the agent. */
  readonly process: Process;
  /** The agent's private system prompt. */
  readonly system_prompt: string;
  /** The blocks by key. Every key ends in `__context`. Default: `{}`. */
  readonly contexts?: Contexts;
  /** The remembered conversation. Default: `[]`. */
  readonly checkpoint_messages?: readonly (MessageInput | JsonText)[] | JsonText;
  /** An instruction of the framework in the role of the user, for this call only. It is marked `internal` and replaces a query. */
  readonly human_message?: string;
  /** The query or its place. A process that continues on its own needs none. Default: `{}`. */
  readonly query?: string | {
    /** The text of the query. */
    readonly runtime: string;
  } | {
    /** `true` for the last human message of the checkpoint, or the id of a message. */
    readonly in_checkpoint: true | string;
  };
}

/** Creates a box with the cards of several boxes, in order, each card once. */
export interface ConcatBoxes {
  /** The boxes, in order. */
  readonly box_ids: readonly string[];
  /** The agent that asks for it, for the audit. */
  readonly source_agent_id?: string;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Marks a message as processed. */
export interface ConsumeInbox extends RunTerms {
  /** The message. */
  readonly inbox_id: string;
  /** The channel of the event. That of the message by default. */
  readonly channel_id?: string;
}

/** Blocks by key. A value that is not a string is omitted, with a lint. */
export type Contexts = { readonly [key: ContextKey]: JsonInput };

/** Counts the tokens of a request, each in exactly one bucket. */
export type CountTokens = {
  /** The counter. Without one the counts are estimates. */
  readonly counter?: CounterFigures;
} & MakePayload;

/** The counts of a counter that ran in the host, or a scale for the estimate. */
export type CounterFigures =
  | {
      /** The counts, in the order of the strings. */
      readonly counts: readonly number[];
      /** True for counts of the model's own encoding. Default: `false`. */
      readonly exact?: boolean;
      /** The name of the encoding. Counts of `o200k_base` and `cl100k_base` are exact for OpenAI only. */
      readonly encoding?: string;
    }
  | {
      /** What a provider counted for a request, and the estimate for the same request. */
      readonly scale: {
        /** The count of the provider: the `usage` of the answer. */
        readonly counted: number;
        /** The estimate for the same request. */
        readonly estimated: number;
      };
    }
  | {
      /** The rows of an import's report. The row of the model scales the estimate; without one the estimate does not change. */
      readonly calibration: readonly ({
        /** The model. */
        readonly model: string;
        /** The count of the provider. */
        readonly recorded: number;
        /** The estimate. */
        readonly estimated: number;
        readonly [key: string]: JsonInput | undefined;
      })[];
      /** The model. That of the call by default. */
      readonly model?: string;
    };

/** Creates a batch. With `activate` it also dispatches the tasks. */
export interface CreateBatch extends BatchRequest, HostDispatches, RunTerms {
  /** True to dispatch the tasks in the same commit. Default: `false`. */
  readonly activate?: boolean;
}

/** Creates a box with these cards. */
export interface CreateBox {
  /** The ids of the cards, in order. An id can occur twice. */
  readonly card_ids: readonly string[];
  /** The id of the box. A new id by default. */
  readonly box_id?: string;
  /** The boxes that it was made from. Default: `[]`. */
  readonly parent_ids?: readonly string[];
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** A handover under a name. The project checks it when it is opened and lists every error in `details.errors`. Then it runs like a built-in recipe, in one batch, with the same ledger. */
export interface CustomRecipe {
  /** The name of the operation: `a` to `z`, `0` to `9` and `_`, starting with a letter. */
  readonly name: string;
  /** The purpose of the recipe, for people. */
  readonly description?: string;
  /** The arguments. */
  readonly arguments: readonly Argument[];
  /** The packing rules. The caller's own authority applies to inherited boxes. */
  readonly handover: {
    /** The profile of the receiver. The argument `profile_name` replaces it. */
    readonly target_profile_config?: {
      /** The name of the profile. */
      readonly profile_name?: string;
    };
    /** What goes into the context. */
    readonly context_packing_config?: {
      /** One rule for each argument that becomes a card, in order. */
      readonly pack_arguments?: readonly {
        /** The argument. */
        readonly arg_key: string;
        /** The type of the card. `task.instruction` by default. */
        readonly as_card_type?: string;
        /** The metadata of the card. The `role` is `user` by default. */
        readonly card_metadata?: JsonObjectInput;
      }[];
      /** What the context takes over from the sender. */
      readonly inherit_context?: {
        /** The arguments that name a box, or a list of boxes, whose cards are inherited. */
        readonly include_boxes_from_args?: readonly string[];
        /** Ends the context with a pointer to the agent that delegates. */
        readonly include_parent?: boolean;
      };
    };
    /** Data of the host. Packing ignores it. */
    readonly metadata?: JsonInput;
  };
}

/** Delegates one task to a new, a reused or a cloned agent. */
export interface DelegateAsync extends Caller {
  /** The task, as a model wrote it. */
  readonly arguments: Task | JsonText;
}

/** Deletes a box softly. Its cards stay. */
export interface DeleteBox extends BoxChangeOptions {
  /** The box to delete. */
  readonly box_id: string;
}

/** Deletes cards softly. Boxes that name them keep the id and report it as deleted. A card that a running turn reads cannot be deleted. */
export interface DeleteCards {
  /** The cards to delete. */
  readonly card_ids: readonly string[];
  /** Deletes the cards even if a running turn reads them, and leaves an audit entry. Otherwise that is a `conflict` that names the turn. Default: `false`. */
  readonly even_during_turn?: boolean;
  /** The agent that asks for it, for the audit. */
  readonly source_agent_id?: string;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** A rule dialect: that of new projects, or one of the reference systems. */
export type Dialect = "v1r3" | "v1r4" | "v1r4_hotfix" | "current";

/** Compares two requests: where they first differ, why, and what a prefix cache can reuse. */
export interface DiffPayloads {
  /** The provider of both requests. */
  readonly provider: Provider;
  /** The earlier request. */
  readonly before: PayloadSide;
  /** The later request. */
  readonly after: PayloadSide;
  /** The prefix cache. */
  readonly cache?: CacheOptions;
  /** The counter: counts of the strings of `before`, then of those that only `after` has. */
  readonly counter?: CounterFigures;
}

/** Dispatches a turn with its boxes. A refusal writes nothing. */
export type Dispatch = DispatchTurn & RunTerms;

/** Dispatches the tasks that are due. */
export interface DispatchPending extends HostDispatches, RunTerms {
  /** The maximum number of tasks. The setting `watchdog_limit` by default. */
  readonly limit?: number;
}

/** Dispatches one task. The answer is `false` when it is not due or its batch ended. */
export interface DispatchTask extends HostDispatches, RunTerms {
  /** The task. */
  readonly batch_task_id: string;
}

/** A turn to dispatch. */
export interface DispatchTurn {
  /** The agent that gets the turn. */
  readonly agent_id: string;
  /** The box of its profile. */
  readonly profile_box_id: string;
  /** The box of its context. Not with an `instruction`. */
  readonly context_box_id?: string;
  /** The instruction. It becomes the context of the turn. */
  readonly instruction?: string;
  /** The conversation of the `instruction`: any id. The context is then every earlier message and answer of the conversation. A new conversation begins with its first message. Its turns run one after the other. */
  readonly conversation?: string;
  /** The box for its output. A new box by default. Not with a `conversation`. */
  readonly output_box_id?: string;
  /** The channel of the turn. Default: `"public"`. */
  readonly channel_id?: string;
  /** The id of the turn. A new id by default. */
  readonly agent_turn_id?: string;
  /** The headers of the turn. They must have a `CG-Recursion-Depth`. Default: `{}`. */
  readonly headers?: MessageHeaders;
  /** The trace. That of the headers, or a new one by default. */
  readonly trace_id?: string;
  /** The turn that asks for this one. */
  readonly parent_agent_turn_id?: string;
  /** The tool call that asks for this turn. */
  readonly parent_tool_call_id?: string;
  /** The step that asks for this turn. */
  readonly parent_step_id?: string;
  /** The agent that asks for this turn. */
  readonly source_agent_id?: string;
  /** The name of the turn for people. */
  readonly display_name?: string;
  /** Values for the worker that runs the turn. */
  readonly runtime_config?: JsonObjectInput;
  /** True to send an event about the state of the agent. Default: `false`. */
  readonly emit_state_event?: boolean;
  /** Must be true: the queue publishes every turn. Default: `true`. */
  readonly publish_turn?: boolean;
}

/** The name of a rule of the watchdogs. */
export type DueRule = "recover" | "requeue" | "leases" | "time_out" | "ring" | "reap_dispatched" | "poke" | "reap_active" | "promote" | "reconcile" | "dispatch" | "batches" | "take_up";

/** How much a model thinks before it answers. */
export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** Ends a batch whose tasks or deadline allow it. The answer is `false` for a missing batch. */
export interface EndBatch extends RunTerms {
  /** The batch. */
  readonly batch_id: string;
}

/** Sends a message to an agent. A turn waits in the queue until the agent is idle; other messages wait in the inbox. */
export interface Enqueue extends SendMessage, RunTerms {
  /** `call`, the only mode. */
  readonly enqueue_mode?: string;
}

/** Makes an agent ready: in the roster, with a head. */
export interface EnsureAgent extends AgentRequest, RunTerms {
  /** The agent. */
  readonly agent_id: string;
  /** How the agent gets its profile. Default: `"create"`. */
  readonly kind?: "create" | "derived";
  /** The wanted properties. Default: `{}`. */
  readonly spec?: AgentSpec;
}

/** Adds a query to a memory state, exactly once. */
export interface EnterQuery {
  /** The state. */
  readonly state: StateInput;
  /** The message of the query, with an id. */
  readonly query: MessageInput | JsonText;
}

/** Erases the content of cards for privacy, also of deleted ones and during a turn, and leaves an audit entry. The ids stay in their boxes. */
export interface EraseCards {
  /** The cards to erase. */
  readonly card_ids: readonly string[];
  /** The agent or user that asks for it, for the audit. */
  readonly source_agent_id?: string;
  /** Why, for the audit. It must not repeat the content. */
  readonly reason?: string;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** A package from the execution agent to the design agent. Unknown fields are kept. */
export interface ExecuteToInit {
  /** The version of the protocol, `2.0` by default. Only `read_handoff` accepts another one. */
  readonly version?: string;
  readonly handoff_type: "execute_to_init";
  /** The creation time. Its format is not checked. */
  readonly timestamp: string;
  /** Anything else that the sender records. */
  readonly metadata?: JsonObjectInput;
  /** The directory of the iteration's files, relative to the root of the package. */
  readonly execution_output_dir: string;
  /** The reason why the package is sent back. */
  readonly trigger_reason: string;
  /** Counts and quality measurements of the iteration. */
  readonly iteration_summary: JsonObjectInput;
  /** One entry for each failed sample. */
  readonly failure_samples_index: readonly FailureSample[];
  /** The path of the problems report, below the output directory. */
  readonly layer1_problems_report_path: string;
  /** The three to five most important changes. */
  readonly modification_suggestions_summary: readonly string[];
  readonly [key: string]: JsonInput | undefined;
}

/** The expected state of an agent. */
export interface ExpectedState {
  /** The status. */
  readonly status?: string | null;
  /** The epoch of the turn. */
  readonly turn_epoch?: number | null;
  /** The running turn. */
  readonly active_agent_turn_id?: string | null;
  /** The box that the turn reads. */
  readonly context_box_id?: string | null;
  /** The box that the turn writes to. */
  readonly output_box_id?: string | null;
}

/** The arguments of an `ask_expert` tool. */
export interface ExpertQuestion {
  /** The profile of the expert. */
  readonly expert_profile: string;
  /** The question. */
  readonly question: string;
  /** Passes the output of the asking agent on to the expert. `false` by default. */
  readonly include_history?: boolean;
}

/** Explains why requests of a session read less from the provider's cache than they could. */
export type ExplainCacheArguments = {
  /** The provider. */
  readonly provider: "anthropic" | "openai_chat" | "openai_responses" | "gemini" | "bedrock" | "mistral" | "deepseek" | "openai_compatible";
  /** The price of input, to state prices as money. By default it comes from the table of models. */
  readonly price?: InputPrice;
} & {
  /** The requests of one session, oldest first. */
  readonly requests: readonly {
    /** The body, as it was sent. */
    readonly body: JsonObjectInput;
    /** The model, for bodies that do not name it. */
    readonly model?: string;
    /** When the request started. */
    readonly at?: JsonInput;
    /** When the answer began. */
    readonly first_token_at?: JsonInput;
    /** The usage of the answer, as the provider or `read_response` reports it. */
    readonly usage?: JsonObjectInput;
    /** The id of the answer. */
    readonly id?: string;
    /** The organization, workspace or region: any value that is equal for equal ones. */
    readonly scope?: JsonInput;
    /** The surface, such as `direct` or `bedrock`. */
    readonly surface?: string;
    /** The diagnostics of the answer, as the provider reports them. */
    readonly diagnostics?: JsonInput;
    /** What the log does not have: `tools`, `system`, `messages`, `settings`. */
    readonly lacks?: readonly string[];
  }[];
};

/** Accounts for the messages of every compaction between the requests of a session. */
export type ExplainCompactionArguments = {
  /** The provider, as for `explain_cache`. */
  readonly provider: "anthropic" | "openai_chat" | "openai_responses" | "gemini" | "bedrock" | "mistral" | "deepseek" | "openai_compatible";
} & {
  /** The requests of one session, oldest first. */
  readonly requests: readonly {
    /** The body, as it was sent. */
    readonly body: JsonObjectInput;
    /** `compaction` for the request whose answer is the next summary. */
    readonly kind?: "main" | "compaction";
    /** The messages of the request before that the summary was made from: the first, and the one after the last. */
    readonly covered?: readonly number[];
    /** The position of the summary in this request, for a summary without the words of one. */
    readonly summary?: number;
  }[];
};

/** Lists the messages that the compactions of a session removed from the context. */
export interface ExplainCompactionsArguments extends SessionQuestion {
  /** Only this compaction, from 0. */
  readonly compaction?: number;
}

/** Explains the requests of a session that lost tokens of the cache, the most expensive first. */
export interface ExplainMissesArguments extends SessionQuestion {
  /** Only this request, by its number in the session. */
  readonly request?: number;
}

/** Explains a request of a log: where its tokens go, why the cache missed, what the log lacks. */
export interface ExplainRequestArguments extends SessionQuestion {
  /** The number of the request in the session, from 0. By default the last one. */
  readonly request?: number;
  /** Only this message of the request, with its whole text. */
  readonly message?: number;
}

/** Finds every position of a card in boxes. Boxes that do not exist are skipped. */
export interface FindCards {
  /** The id of the card. */
  readonly card_id: string;
  /** The ids of the boxes. */
  readonly box_ids: readonly string[];
}

/** Sets an agent's head to idle. */
export interface FinishIdle extends HeadGuard, RunTerms {
  /** The box with the output of the turn. */
  readonly last_output_box_id?: string;
}

/** Fits a request into a budget and lists what is dropped. The system prompt and the query are never dropped. */
export type FitBudget = {
  /** The maximum number of tokens. The window of the model without the answer by default. */
  readonly limit?: number;
  /** The priorities of layers. Lower numbers are dropped first. Default: `{}`. */
  readonly priorities?: { readonly [key: string]: number };
  /** The positions of messages that are never dropped. Default: `[]`. */
  readonly pinned?: readonly number[];
  /** Omits the prompt and the costs of its messages from the answer. Default: `false`. */
  readonly brief?: boolean;
  /** Other limits for which only the numbers are computed. The number of limits times that of messages is at most 40,000. Default: `[]`. */
  readonly also?: readonly number[];
  /** The counter. Without one the counts are estimates. */
  readonly counter?: CounterFigures;
} & MakePayload;

/** The workers that work is for. */
export interface ForWorkers {
  /** The kinds of workers (`worker_target`) that the work is for. All by default. */
  readonly worker_targets?: readonly string[];
}

/** Creates a box with the cards of another box, or with the first `take` of them. */
export interface ForkBox {
  /** The box to copy. */
  readonly box_id: string;
  /** How many cards to take from the start. All by default. */
  readonly take?: number;
  /** The agent that asks for it, for the audit. */
  readonly source_agent_id?: string;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Delegates many tasks in one batch. */
export interface ForkJoin extends Caller {
  /** The tasks, as a model wrote them. */
  readonly arguments: ForkJoinTasks | JsonText;
  /** The number of tasks that the batch can have. 8 by default, also for a number below 1. */
  readonly max_tasks?: number;
  /** The deadline of a batch whose arguments have none. A number below or equal to 0 counts as missing. */
  readonly default_deadline_seconds?: number;
}

/** The arguments of a `fork_join` tool. */
export interface ForkJoinTasks {
  /** The tasks: at least one, at most `max_tasks`. An agent can be reused once. */
  readonly tasks: readonly Task[];
  /** Ends the batch at the first failure. `false` by default. */
  readonly fail_fast?: boolean;
  /** The deadline of the batch, greater than 0. No deadline by default. */
  readonly deadline_seconds?: number;
}

/** Reads the cards of a box, each once. */
export interface GetBoxCards {
  /** The box. */
  readonly box_id: string;
}

/** Reads boxes, each once. The answer lists the missing ones with the reason. */
export interface GetBoxes {
  /** The ids of the boxes. */
  readonly box_ids: readonly string[];
}

/** Reads cards, each once. The answer lists the missing ones with the reason. */
export interface GetCards {
  /** The ids of the cards. */
  readonly card_ids: readonly string[];
}

/** Cards, and tools in addition to those of the cards. */
export type GivenCards = {
  /** Tool definitions in addition to those of the cards. Default: `[]`. */
  readonly tools?: readonly JsonObjectInput[];
} & Render;

/** A prompt of the composer, and tools. */
export interface GivenCompose {
  /** The arguments of `compose`. */
  readonly compose: Compose;
  /** Tool definitions. Default: `[]`. */
  readonly tools?: readonly JsonObjectInput[];
}

/** A turn, and tools in addition to those of the turn. */
export interface GivenTurn {
  /** The arguments of `turn_view`. */
  readonly turn: JsonObjectInput;
  /** Tool definitions in addition to those of the turn. Default: `[]`. */
  readonly tools?: readonly JsonObjectInput[];
}

/** Packs by a recipe and dispatches the result in one batch. A `fork_join` answers a tool call, so it needs the turn, its epoch and the call. A refusal writes nothing. */
export interface HandOut extends RunTerms {
  /** The call of the recipe. */
  readonly call: RecipeCall | JsonText;
  /** The channel of the turn. */
  readonly channel_id?: string;
  /** The headers of the turn. Default: `{}`. */
  readonly headers?: MessageHeaders;
  /** The trace of the turn. */
  readonly trace_id?: string;
  /** The turn that calls the recipe. */
  readonly parent_agent_turn_id?: string;
  /** The epoch of the turn. Default: `0`. */
  readonly parent_turn_epoch?: number;
  /** The tool call of the turn. */
  readonly parent_tool_call_id?: string;
  /** The step of the turn. */
  readonly parent_step_id?: string;
}

/** A handoff package. */
export type HandoffPackage = InitToExecute | ExecuteToInit | JsonText;

/** The rules of one packing: which arguments become cards, and which boxes are inherited. The reader also accepts values of other types; a value or a key that it ignores is a lint. */
export interface Handover {
  /** The profile of the receiver, for calls whose arguments have no `profile_name`. */
  readonly target_profile_config?: {
    /** The name of the profile. */
    readonly profile_name?: string;
  };
  /** What goes into the context. */
  readonly context_packing_config?: {
    /** One rule for each argument that becomes a card, in order. */
    readonly pack_arguments?: readonly {
      /** The argument. A rule for a missing argument makes no card. */
      readonly arg_key: string;
      /** The type of the card. `task.instruction` by default. */
      readonly as_card_type?: string;
      /** The metadata of the card. The `role` is `user` by default. */
      readonly card_metadata?: JsonObjectInput;
    }[];
    /** What the context takes over from the sender. */
    readonly inherit_context?: {
      /** The arguments that name a box, or a list of boxes, whose cards are inherited. */
      readonly include_boxes_from_args?: readonly string[];
      /** Ends the context with a pointer to the agent that delegates. */
      readonly include_parent?: boolean;
    };
  };
  /** The boxes that can be inherited, in the dialects that check it. */
  readonly authorized_inherit_box_ids?: readonly string[];
  /** Data of the host. Packing ignores it. */
  readonly metadata?: JsonObjectInput;
}

/** Returns whether messages wait for an agent. */
export interface HasOpen extends RunTerms {
  /** The agent. */
  readonly agent_id: string;
  /** A message that does not count. */
  readonly exclude_inbox_id?: string;
}

/** The columns of a head to write. A missing one stays; `null` clears a column, except a box. */
export interface HeadColumns {
  /** The turn. */
  readonly active_agent_turn_id?: string | null;
  /** The channel of the turn. */
  readonly active_channel_id?: string | null;
  /** The depth of the turn below the first one. */
  readonly active_recursion_depth?: number | null;
  /** The step that the turn belongs to. */
  readonly parent_step_id?: string | null;
  /** The trace of the turn. */
  readonly trace_id?: string | null;
  /** The correlation that the turn expects. */
  readonly expecting_correlation_id?: string | null;
  /** The number of calls that the turn waits for. */
  readonly waiting_tool_count?: number | null;
  /** When the turn stops waiting. */
  readonly resume_deadline?: string | null;
  /** The box of the profile. */
  readonly profile_box_id?: string | null;
  /** The box of the context. */
  readonly context_box_id?: string | null;
  /** The box for the output. */
  readonly output_box_id?: string | null;
}

/** What a head must be for a change. */
export interface HeadGuard {
  /** The agent. */
  readonly agent_id: string;
  /** The turn that the head must have. */
  readonly expect_agent_turn_id?: string;
  /** The epoch that the head must have. */
  readonly expect_turn_epoch?: number;
  /** The status that the head must have. */
  readonly expect_status?: AgentStatus | null;
  /** True to raise the epoch, so that a worker of the turn can no longer write. Default: `false`. */
  readonly bump_epoch?: boolean;
}

/** The answer of a dispatcher of the host. */
export interface HostDispatch {
  /** `accepted`, `busy`, `rejected` or `error`. */
  readonly status: "accepted" | "busy" | "rejected" | "error";
  /** The code of a refusal. */
  readonly error_code?: string;
  /** The epoch of the turn. */
  readonly turn_epoch?: number;
}

/** The answers of a dispatcher of the host. */
export interface HostDispatches {
  /** The answers, in the order of the tasks. The last one counts for all further tasks. By default the operation dispatches. */
  readonly dispatch_results?: readonly HostDispatch[];
}

/** Imports logs of other tools as cards and boxes. */
export interface Import {
  /** The files to read together. */
  readonly files: readonly ImportFile[];
  /** The form of the answer. Only a report can be committed. Default: `"report"`. */
  readonly shape?: "report" | "neutral" | "snapshot" | "cache" | "compaction";
  /** The request of a `neutral` answer, by its number in the report. Default: `"last"`. */
  readonly request?: number | "last";
  /** Adds every request to a `neutral` answer. Default: `false`. */
  readonly every?: boolean;
}

/** A file of a log: its text, or its bytes as base64. */
export type ImportFile =
  | { readonly name: string; readonly text: string; readonly base64?: null }
  | { readonly name: string; readonly base64: string; readonly text?: null };

/** A package from the design agent to the execution agent. Unknown fields are kept. */
export interface InitToExecute {
  /** The version of the protocol, `2.0` by default. Only `read_handoff` accepts another one. */
  readonly version?: string;
  readonly handoff_type: "init_to_execute";
  /** The creation time. Its format is not checked. */
  readonly timestamp: string;
  /** Anything else that the sender records. */
  readonly metadata?: JsonObjectInput;
  /** The request of the user, verbatim. */
  readonly user_requirement: string;
  /** The path of each artifact by its name, relative to the root of the package. */
  readonly design_artifacts: { readonly [key: string]: string };
  /** The reasons for the design. */
  readonly design_rationale?: string | null;
  /** The earlier versions of the design. */
  readonly design_iterations?: readonly JsonObjectInput[] | null;
  /** The constraints that the design must satisfy. */
  readonly known_constraints?: readonly string[] | null;
  readonly [key: string]: JsonInput | undefined;
}

/** The price of input tokens. */
export interface InputPrice {
  /** The price of 1,000,000 input tokens. */
  readonly input: number;
  /** The currency, such as `USD`. */
  readonly currency: string;
}

/** Shows what a call packs, the content of a box, or what the model of a turn sees. It writes nothing. */
export type Inspect = {
  /** The box whose rows are shown, from 0, for a call that packs several. Default: `0`. */
  readonly shown?: number;
  /** The first position of the rows. Default: `0`. */
  readonly from?: number;
  /** The position after the last row. By default 200 rows are shown, and at most 1,000. */
  readonly to?: number;
  /** A text to find in the cards of the box, ignoring case. */
  readonly find?: string;
} & InspectSubject;

/** Explains what the provider's cache reads when boxes, turns or previewed calls are sent one after the other. */
export interface InspectCache extends RequestTerms {
  /** The requests, oldest first. */
  readonly requests: readonly CacheSubject[];
}

/** Shows the request that a model receives for a box or turn, and the cost of each part. */
export type InspectRequest = {
  /** The box to show, from 0, for a call that packs several. Default: `0`. */
  readonly shown?: number;
  /** The size of the model's window in tokens. By default it comes from the table of models. */
  readonly window?: number;
} & InspectSubject & RequestTerms;

/** A call, a stored box or a turn: the subject of an inspection. */
export type InspectSubject =
  | {
      /** The call to preview, with its name under `op`. */
      readonly call: ({
        readonly op: string;
        readonly [key: string]: JsonInput | undefined;
      }) | JsonText;
      readonly box_id?: null;
      readonly turn?: null;
    }
  | {
      /** The box to show. */
      readonly box_id: string;
      readonly call?: null;
      readonly turn?: null;
    }
  | {
      /** The arguments of `turn_view`, without `after`. */
      readonly turn: JsonObjectInput;
      readonly call?: null;
      readonly box_id?: null;
    };

/** The records of one iteration. `build_handoff` makes files, index, report and package from them. */
export interface Iteration {
  /** The directory of the iteration's files, relative to the root of the package. */
  readonly execution_output_dir: string;
  /** The time at which the iteration ended. Its format is not checked. */
  readonly timestamp: string;
  /** The number of the iteration. */
  readonly iteration: number;
  /** The reason why the package is sent back. */
  readonly trigger_reason: string;
  /** Numbers to add to those that the core counts. Default: `{}`. */
  readonly iteration_summary?: JsonObjectInput;
  /** One record for each sample. */
  readonly records: readonly SampleRecord[];
  /** The most important changes. If the list is empty, they come from the report. Default: `[]`. */
  readonly modification_suggestions_summary?: readonly string[];
  /** The finished report. By default a skeleton is made. */
  readonly report?: Layer1ProblemsReport | JsonText;
  /** Anything else that the sender records in the package. Default: `{}`. */
  readonly metadata?: JsonObjectInput;
}

/** Records who waits for whom, and the answer. */
export interface Join extends NoteEdge, RunTerms {
  /** `request` or `response`. */
  readonly phase: "request" | "response";
}

/** Delegates to a new agent with a profile: a form of `delegate_async`. */
export interface LaunchPrincipal extends Caller {
  /** The task, as a model wrote it. */
  readonly arguments: PrincipalTask | JsonText;
}

/** A problem of the design. Unknown fields are kept. */
export interface Layer1Problem {
  /** The id of the problem within the report. */
  readonly problem_id: string;
  /** The kind of problem. */
  readonly problem_type: string;
  readonly severity: "critical" | "high" | "medium" | "low";
  readonly title: string;
  readonly description: string;
  /** The ids of the affected samples. A last `...` means that the list is shortened. */
  readonly affected_samples: readonly string[];
  /** The number of affected samples. */
  readonly affected_count: number;
  readonly evidence_summary: string;
  /** The sample to read first. */
  readonly typical_case_id: string;
  readonly suggested_fix: {
    readonly target: string;
    readonly section: string;
    readonly modification: string;
    readonly rationale: string;
    readonly [key: string]: JsonInput | undefined;
  };
  readonly [key: string]: JsonInput | undefined;
}

/** The problems report: `layer1_problems_report.json`. Unknown fields are kept. */
export interface Layer1ProblemsReport {
  /** The version of the report's schema. */
  readonly report_version: string;
  /** The creation time. Its format is not checked. */
  readonly generated_at: string;
  /** The number of the iteration. */
  readonly iteration: number;
  /** The number of samples. */
  readonly total_samples: number;
  /** The number of failed samples. */
  readonly failed_samples: number;
  /** The share of failed samples. */
  readonly failure_rate: number;
  /** The problems. */
  readonly layer1_problems: readonly Layer1Problem[];
  /** The order in which to solve them. */
  readonly modification_priority: readonly ({
    readonly priority: number;
    readonly problem_id: string;
    readonly impact: string;
    readonly estimated_improvement: string;
    readonly [key: string]: JsonInput | undefined;
  })[];
  readonly [key: string]: JsonInput | undefined;
}

/** Gives an idle agent a turn. */
export type Lease = LeaseRequest & RunTerms;

/** The turn that leases an agent. */
export interface LeaseRequest {
  /** The agent. */
  readonly agent_id: string;
  /** The turn. */
  readonly agent_turn_id: string;
  /** The channel of the turn. */
  readonly active_channel_id?: string;
  /** The box of the profile. */
  readonly profile_box_id?: string;
  /** The box of the context. */
  readonly context_box_id?: string;
  /** The box for the output. */
  readonly output_box_id?: string;
  /** The step that the turn belongs to. */
  readonly parent_step_id?: string;
  /** The trace of the turn. */
  readonly trace_id?: string;
  /** The depth of the turn below the first one. Default: `0`. */
  readonly active_recursion_depth?: number;
}

/** Claims the results of a turn that are due and returns their tool calls. */
export interface LedgerClaim extends TurnWork, RunTerms {
  /** The name of the claimant. */
  readonly lease_owner: string;
  /** How long the results are leased. The setting `resume_lease_seconds` by default. */
  readonly lease_seconds?: number;
  /** The maximum number of results. Default: `20`. */
  readonly limit?: number;
  /** The content of the message. The operation ignores it. */
  readonly payload?: JsonInput;
}

/** Releases results whose lease expired. */
export interface LedgerRequeueExpired extends RunTerms {
  /** The name of the claimant. All by default. */
  readonly lease_owner?: string;
}

/** Lists the agents of the project, by id. */
export interface ListAgents {
  /** Only agents with this profile. */
  readonly profile_box_id?: string;
  /** The number of rows, at most 10,000. Default: `100`. */
  readonly limit?: number;
}

/** Lists audit entries, newest last: all of them, those of one box, or those of one agent. */
export interface ListAudit {
  /** Only entries about this box. It excludes `agent_id`. */
  readonly box_id?: string;
  /** Only entries of this agent. */
  readonly agent_id?: string;
  /** The number of rows, at most 10,000. Default: `100`. */
  readonly limit?: number;
}

/** Lists the boxes that profiles, agents and audit entries name. Stores have no list of boxes that nothing names. */
export interface ListBoxes {
  /** The number of rows that are read of each kind, at most 10,000. Default: `1000`. */
  readonly limit?: number;
}

/** Lists the calls that are due now, in order, or what one rule finds. */
export interface ListDue extends RunTerms {
  /** The only rule to ask. All by default. */
  readonly rule?: DueRule;
}

/** Lists messages that wait to be sent, oldest first. */
export interface ListOutbox extends RunTerms {
  /** The maximum number of messages. Default: `100`. */
  readonly limit?: number;
  /** Lists the quarantined messages instead. Default: `false`. */
  readonly quarantined?: boolean;
}

/** Lists the profiles of the project, by name. */
export interface ListProfiles {
  /** The number of rows, at most 10,000. Default: `100`. */
  readonly limit?: number;
}

/** Lists the sessions of an import report, the newest first. */
export interface ListSessionsArguments {
  /** The report of an import. */
  readonly report: JsonInput | JsonText;
  /** Text that the name, source, agent, model, prompt or file of a session has, ignoring case. */
  readonly find?: string;
  /** Only this session, with the files that it needs. */
  readonly session?: string;
  /** The first session of the list, from 0. Default: `0`. */
  readonly from?: number;
  /** The maximum size of the answer in tokens. Default: `2000`. */
  readonly max_tokens?: number;
}

/** Lists the tools of the project, by name. */
export interface ListTools {
  /** The number of rows, at most 10,000. Default: `100`. */
  readonly limit?: number;
}

/** Lists recorded turn views, oldest first: all of them, those of one agent, or those of one turn. */
export interface ListTurnViews {
  /** Only views of this agent. It excludes `agent_turn_id`. */
  readonly agent_id?: string;
  /** Only views of this turn. */
  readonly agent_turn_id?: string;
  /** The number of rows, at most 10,000. Default: `100`. */
  readonly limit?: number;
}

/** A view of a turn as it is, or as it will be after a call. */
export interface LiveTurn extends TurnFrame {
  /** The agent. Its state has the boxes and the profile that the call does not set. */
  readonly agent_id?: string;
  /** The box that the turn reads. An empty string means none. */
  readonly context_box_id?: string;
  /** The box that the turn writes to. An empty string means none. */
  readonly output_box_id?: string;
  /** The box of the profile. An empty string means that of the agent. */
  readonly profile_box_id?: string;
  /** The display name of the agent. */
  readonly display_name?: string;
  /** Stores the view: the prompt and the tools as cards, the rest by ids and versions. Commit it when the turn starts. Default: `false`. */
  readonly record?: boolean;
  /** Stores the view under this id, as `record` does under a new one. An empty string means none. */
  readonly view_id?: string;
  /** A call that is not committed. The view shows the turn as if it were. */
  readonly after?: Call | JsonText;
  /** The rule dialect. The dialect of the project by default. */
  readonly dialect?: Dialect;
}

/** Loads a handoff package within a token budget. The answer accounts for every piece. */
export interface LoadHandoff {
  /** The package. */
  readonly package: HandoffPackage;
  /** The maximum number of tokens. Default: `40000`. */
  readonly budget?: number;
  /** How much of the package to read. Default: `"all_cases"`. */
  readonly depth?: Depth;
}

/** An assertion about contexts. */
export interface LockAssertion {
  /** The names of the contexts; `*` is any text. All contexts by default. Default: `[]`. */
  readonly entries?: readonly string[];
  /** Only contexts of this agent. */
  readonly agent_id?: string;
  /** At most this number of tokens. */
  readonly max_tokens?: number;
  /** At most this share of the model's window, in percent. */
  readonly max_window_percent?: number;
  /** The prefix that a cache can reuse has at least this number of tokens. */
  readonly min_prefix_tokens?: number;
  /** Each of these occurs. Default: `[]`. */
  readonly contains?: readonly LockMatch[];
  /** None of these occurs. Default: `[]`. */
  readonly excludes?: readonly LockMatch[];
  /** Only these tools. */
  readonly tools?: readonly string[];
  /** These boxes are visible. Default: `[]`. */
  readonly visible_boxes?: readonly string[];
  /** These boxes are not visible. Default: `[]`. */
  readonly hidden_boxes?: readonly string[];
  /** The context can be sent to these providers. Default: `[]`. */
  readonly legal_for?: readonly string[];
  /** Conversion changes that `legal_for` forbids. All by default. Default: `[]`. */
  readonly without_losses?: readonly string[];
}

/** Compares the current contexts with a lockfile and groups the changes by cause. */
export interface LockCheck {
  /** The text of the lockfile. Missing if there is none. */
  readonly lock?: string;
  /** The current contexts. */
  readonly entries: readonly LockedContext[];
  /** A second build of contexts, to find slots that are not stable. Default: `[]`. */
  readonly again?: readonly LockedContext[];
  /** Contexts that could not be built. Default: `[]`. */
  readonly errors?: readonly BuildError[];
  /** Assertions about the contexts. Default: `[]`. */
  readonly assertions?: readonly LockAssertion[];
  /** Reports locked entries without a context. Entries of tests are ignored. Default: `true`. */
  readonly complete?: boolean;
  /** Reports locked entries of these test files without a context. Default: `[]`. */
  readonly tests?: readonly string[];
  /** The texts of locked positions by their hash, for the words that differ. Default: `{}`. */
  readonly texts?: { readonly [key: string]: string };
  /** The reports to return. Default: `[]`. */
  readonly formats?: readonly ("text" | "markdown" | "junit" | "annotations" | "sarif")[];
  /** The path of the lockfile, for reports. */
  readonly file?: string;
}

/** Shows two entries next to each other, with the changes of each line. */
export interface LockCompare {
  /** The lines of the earlier entry. Missing for a new entry. */
  readonly before?: string;
  /** The lines of the later entry. Missing for a removed entry. */
  readonly after?: string;
  /** What is known of the later context, for its texts. Default: `{}`. */
  readonly details?: LockDetails;
  /** The texts of earlier positions by their hash. Default: `{}`. */
  readonly texts?: { readonly [key: string]: string };
}

/** Compares two entries. */
export interface LockDiff {
  /** The lines of the earlier entry. */
  readonly before: string;
  /** The lines of the later entry. */
  readonly after: string;
  /** The reports to return. Default: `[]`. */
  readonly formats?: readonly ("text" | "markdown" | "junit" | "annotations" | "sarif")[];
}

/** Makes the entry of a context for a lockfile: one line for each position of its request. */
export interface LockEntry {
  /** The name of the entry. */
  readonly name: string;
  /** The arguments of `payload`: messages, a box, cards, a turn or a composition, and a provider. */
  readonly context?: JsonObjectInput;
  /** The body of a request, instead of `context`. */
  readonly request?: LockRequest;
  /** The recorded request or the test that the entry comes from. Missing for the config. */
  readonly from?: string;
  /** Slots whose content can change. One that matches nothing is a change. Default: `[]`. */
  readonly volatile?: readonly (string | VolatileText)[];
  /** Slots of many contexts whose content can change. A context need not have them. Default: `[]`. */
  readonly shared_volatile?: readonly (string | VolatileText)[];
  /** Omits the text of positions. Default: `false`. */
  readonly redact?: boolean;
  /** Returns the texts of positions and their hashes. A check reads them only for words that differ and for assertions about text. Default: `true`. */
  readonly texts?: boolean;
  /** Providers whose conversion changes an assertion needs. Default: `[]`. */
  readonly legal_for?: readonly Provider[];
}

/** A position to find. Every member that is set must match. */
export interface LockMatch {
  /** The type of the card. */
  readonly card_type?: string;
  /** The cause. */
  readonly cause?: string;
  /** Text that the position contains. */
  readonly text?: string;
  /** The role. */
  readonly role?: string;
  /** The kind, such as `text` or `tool_call`. */
  readonly kind?: string;
  /** Text that looks like a secret. Default: `false`. */
  readonly secret?: boolean;
}

/** Reads a lockfile and lists its entries. */
export interface LockRead {
  /** The text of the lockfile. */
  readonly lock: string;
}

/** The body of a request to a provider. */
export interface LockRequest {
  /** The provider. By default, the keys of the body decide. */
  readonly provider?: "anthropic" | "openai_chat" | "openai_responses" | "gemini" | "bedrock" | "mistral" | "deepseek" | "openai_compatible";
  /** The body, as it was sent. */
  readonly body: JsonObjectInput;
  /** The model, for bodies that do not name it. */
  readonly model?: string;
}

/** Returns the text of a lockfile with changed entries. */
export interface LockUpdate {
  /** The text of the lockfile. Missing for a new one. */
  readonly lock?: string;
  /** The current contexts. */
  readonly entries: readonly LockedContext[];
  /** A second build of contexts, to find slots that are not stable. Default: `[]`. */
  readonly again?: readonly LockedContext[];
  /** The names of entries to remove. Default: `[]`. */
  readonly remove?: readonly string[];
  /** Removes entries that are not in `entries`. Entries of tests stay. Default: `false`. */
  readonly prune?: boolean;
  /** Removes entries of these test files that are not in `entries`. Default: `[]`. */
  readonly tests?: readonly string[];
}

/** Makes cards of a handoff package, and a box with the cards. */
export interface MakeHandoffCards {
  /** The package. */
  readonly package: HandoffPackage;
  /** Whether the cards have references, or the content that `load_handoff` returns. Default: `"references"`. */
  readonly content?: "references" | "loaded";
  /** The maximum number of tokens of loaded content. Default: `40000`. */
  readonly budget?: number;
  /** How much of the package to load. Default: `"all_cases"`. */
  readonly depth?: Depth;
  /** The author of the cards. */
  readonly author_id: string;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Builds the request body for a provider and reports every conversion change. */
export type MakePayload = {
  /** The provider that the request is for. */
  readonly provider: Provider;
} & PromptSource & PayloadOptions;

/** Records that a tool result was applied. */
export type MarkApplied = MarkResult & RunTerms;

/** Records that a tool result arrived. */
export interface MarkReceived extends MarkResult, RunTerms {
  /** The name of the tool. The present one by default. */
  readonly tool_name?: string | null;
}

/** A result of a tool call. */
export interface MarkResult extends TurnWork {
  /** The tool call. */
  readonly tool_call_id: string;
  /** The card of the result. */
  readonly tool_result_card_id?: string;
  /** The content of the message. The operation ignores it. */
  readonly payload?: JsonInput;
}

/** Marks messages as sent. */
export interface MarkSent extends RunTerms {
  /** The messages. */
  readonly message_ids: readonly string[];
}

/** The headers of a message: `traceparent`, `tracestate`, `CG-Recursion-Depth` and those of the host. */
export type MessageHeaders = { readonly [key: string]: string };

/** One neutral message. Unknown keys travel untouched. */
export interface MessageInput {
  readonly role: JsonInput;
  readonly content?: string | readonly (MessagePart | JsonInput)[] | null;
  readonly name?: string | null;
  readonly tool_calls?: readonly JsonInput[] | null;
  readonly tool_call_id?: string | null;
  readonly id?: string | null;
  readonly [key: string]: JsonInput | undefined;
}

/** Facts about a model: an entry of the table of models. */
export interface ModelInfo {
  /** The name of the model. It also names versions with a date; with a `*` at the end it names all models that begin so. Only the table uses it. */
  readonly model?: string;
  /** The family of the provider. Only the table uses it. */
  readonly provider?: string;
  /** The maximum number of tokens of a request and its answer together. */
  readonly context_window?: number;
  /** The maximum number of tokens of an answer. */
  readonly output_limit?: number;
  /** The kinds of file that the model reads: `image`, `audio`, `video`, `document`. */
  readonly media?: readonly string[];
  /** Whether system messages can appear in the conversation. */
  readonly system_in_conversation?: boolean;
  /** How a request controls thinking. */
  readonly thinking?: "none" | "budget" | "effort" | "adaptive";
  /** Whether the last message of an assistant can be the start of the answer. */
  readonly prefill?: boolean;
  /** Whether the model accepts `temperature` and `top_p`. */
  readonly temperature?: boolean;
  /** Whether a call must carry the signature that the model gave it. */
  readonly call_signatures?: boolean;
  /** The prefix cache of the model. */
  readonly cache?: {
    /** The length of the shortest prefix that is cached, in tokens. */
    readonly least_tokens?: number;
    /** The step of the cache, in tokens. */
    readonly step?: number;
  };
  /** The prices of the model. */
  readonly price?: ModelPrice;
}

/** The prices of a model, in dollars for 1,000,000 tokens. A missing price is not known. */
export interface ModelPrice {
  /** The price of input. */
  readonly input?: number;
  /** The price of output. */
  readonly output?: number;
  /** The price of input that is read from the cache. */
  readonly read?: number;
  /** The price of input that is written to the cache. */
  readonly write?: number;
  /** The price of input that is written to the cache for 1 hour. */
  readonly write_1h?: number;
  /** The prices of requests with more input. Default: `[]`. */
  readonly above?: readonly PriceAbove[];
}

/** The answer of the model. */
export interface ModelThought {
  /** The text. */
  readonly text: string;
  /** The calls as the model wrote them. The card keeps them. Default: `[]`. */
  readonly tool_calls?: readonly JsonObjectInput[];
  /** The reasoning in the parts of the provider, signed if the provider signs them. The next request has them. Default: `[]`. */
  readonly thinking_blocks?: readonly JsonInput[];
}

/** Points an agent to other boxes: those of its turn, its memory and its last output. */
export interface MovePointers {
  /** The agent. */
  readonly agent_id: string;
  /** The box that the turn reads. `null` clears the pointer. */
  readonly context_box_id?: string | null;
  /** The box that the turn writes to. `null` clears the pointer. */
  readonly output_box_id?: string | null;
  /** The box of the agent's memory. `null` clears the pointer. */
  readonly memory_context_box_id?: string | null;
  /** The last output of the agent. `null` clears the pointer. */
  readonly last_output_box_id?: string | null;
  /** The state that the agent must have. Another one is a `conflict`. */
  readonly expected?: ExpectedState;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** A card that a call stores. */
export interface NewCard {
  /** The id of the card. A new id by default. */
  readonly card_id?: string | null;
  /** The semantic type, such as `task.instruction`. */
  readonly type: string;
  /** The author, for audit only. */
  readonly author_id: string;
  readonly content: NewContent | JsonText;
  /** Anything else, such as `role`. */
  readonly metadata?: JsonObjectInput;
  readonly tool_calls?: readonly JsonInput[] | null;
  readonly tool_call_id?: string | null;
  /** How long the card lives. */
  readonly ttl_seconds?: number | null;
  /** Ignored: a card belongs to the project of the call. */
  readonly project_id?: string;
  /** Ignored: a card is created at the time of the call. */
  readonly created_at?: JsonInput;
}

/** The content that a call can store. Files and tool definitions come from stores. */
export type NewContent =
  | { readonly __type__: "TextContent"; readonly text: string }
  | { readonly __type__: "JsonContent"; readonly data: JsonInput }
  | { readonly __type__: "FieldsSchemaContent"; readonly fields: readonly { readonly name: string; readonly description?: string }[] }
  | { readonly __type__: "ToolCallContent"; readonly tool_name: string; readonly arguments: JsonInput; readonly status: string; readonly target_subject?: string | null }
  | { readonly __type__: "ToolResultContent"; readonly status: string; readonly after_execution: "suspend" | "terminate"; readonly result?: JsonInput; readonly error?: JsonInput };

/** An edge between two agents: who waits for whom, or who called which tool. */
export interface NoteEdge {
  /** The id that a request and its response share. */
  readonly correlation_id: string;
  /** The channel of the edge. */
  readonly channel_id?: string;
  /** The agent that asks. */
  readonly source_agent_id?: string;
  /** The turn that asks. */
  readonly source_agent_turn_id?: string;
  /** The step that asks. */
  readonly source_step_id?: string;
  /** The agent that is asked. */
  readonly target_agent_id?: string;
  /** The turn that is asked. */
  readonly target_agent_turn_id?: string;
  /** The depth of the request. A request needs it; a response has that of its request. */
  readonly recursion_depth?: number | null;
  /** The trace of the edge. */
  readonly trace_id?: string;
  /** The step that the edge belongs to. */
  readonly parent_step_id?: string;
  /** More about the edge. Default: `{}`. */
  readonly metadata?: JsonObjectInput;
}

/** Records that an agent called a tool. The result of the call must have the same depth. */
export type NoteToolCall = NoteEdge & RunTerms;

/** The origin of a message, and what a budget can do to it. An entry of the composer's ledger is one too. */
export interface Origin {
  /** The layer of a composed prompt. */
  readonly layer?: string;
  /** The card of a rendered prompt. */
  readonly card_id?: string;
  /** True for the message that has the query. Default: `false`. */
  readonly is_query?: boolean;
  /** True for a message that a budget never drops. Default: `false`. */
  readonly protected?: boolean;
  /** A budget drops lower numbers first. */
  readonly priority?: number;
  /** The position in a ledger. Ignored. */
  readonly position?: JsonInput;
  /** The source in a ledger. Ignored. */
  readonly from?: JsonInput;
  /** The message in a ledger. Ignored. */
  readonly message_id?: JsonInput;
  /** The position in the checkpoint in a ledger. Ignored. */
  readonly checkpoint_position?: JsonInput;
  /** Whether white space was removed, in a ledger. Ignored. */
  readonly trimmed?: JsonInput;
}

/** Packs a context box for another agent. */
export interface PackContext {
  /** The tool that packs. It is the author of the new cards. */
  readonly tool_suffix: string;
  /** The agent that delegates. */
  readonly source_agent_id: string;
  /** The arguments of the tool call. */
  readonly arguments: JsonObjectInput;
  /** The packing rules. */
  readonly handover: Handover | JsonText;
  /** The rule dialect. The dialect of the project by default. */
  readonly dialect?: Dialect;
  /** Reads every inherited card and reports those that are missing, deleted or expired. Default: `false`. */
  readonly check_liveness?: boolean;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Packs an instruction, the cards of some boxes and the pointer to the parent. */
export interface PackWithInstruction extends Caller {
  /** The profile of the receiver. A value that is not a string becomes one. */
  readonly profile_name: JsonInput;
  /** The instruction. A value that is not a string becomes one. */
  readonly instruction: JsonInput;
  /** The boxes whose cards are inherited. A value that is not a string becomes one. Default: `[]`. */
  readonly inherit_box_ids?: readonly JsonInput[];
}

/** Options of a request: what a host passes with the prompt. */
export interface PayloadOptions {
  /** The model. `payload` needs one for most providers; counting and comparing do not. */
  readonly model?: string;
  /** The maximum length of the answer, in tokens. */
  readonly max_output_tokens?: number;
  /** Fails instead of changing what the model sees. Default: `false`. */
  readonly strict?: boolean;
  /** The changes that `strict` allows. Default: `[]`. */
  readonly allow?: readonly ChangeCode[];
  /** Sends `reasoning_content` back, to servers of chat completions that know the key. Default: `false`. */
  readonly keep_reasoning?: boolean;
  /** Treats the last message of the assistant as the start of the answer, for models that continue it. Default: `false`. */
  readonly prefill?: boolean;
  /** Whether the model calls a tool, and which one. */
  readonly tool_choice?: ToolChoice;
  /** Whether the model can make several calls at once. */
  readonly parallel_tool_calls?: boolean;
  /** The temperature. */
  readonly temperature?: number;
  /** The limit of nucleus sampling. */
  readonly top_p?: number;
  /** The strings at which the answer stops. Default: `[]`. */
  readonly stop?: readonly string[];
  /** The schema of the answer. */
  readonly response_schema?: ResponseSchema;
  /** How much the model thinks. */
  readonly effort?: Effort;
  /** The maximum number of thinking tokens, for models that count them. */
  readonly thinking_tokens?: number;
  /** Names and values that the provider stores with the request. Default: `{}`. */
  readonly metadata?: JsonObjectInput;
  /** The layers after whose last message the provider's cache can end. Default: `[]`. */
  readonly cache_after?: readonly string[];
  /** How the provider's cache is marked. */
  readonly cache?: CachePlan;
  /** The response that this request continues, at OpenAI. */
  readonly previous_response_id?: string;
  /** The differences of a server that offers chat completions. Default: `[]`. */
  readonly quirks?: readonly Quirk[];
  /** Facts about the model that replace those of the table of models. Default: `{}`. */
  readonly model_info?: ModelInfo;
  /** Further keys of the body. Default: `{}`. */
  readonly extra?: JsonObjectInput;
  /** The form of the body: that of the HTTP request, or the whole argument of the call of the provider's library. Default: `"http"`. */
  readonly form?: "http" | "client";
}

/** One of two requests that are compared. */
export type PayloadSide = {
  /** The provider of this request. That of the call by default. */
  readonly provider?: Provider;
} & PromptSource & PayloadOptions;

/** Plans what to read of a handoff package within a token budget. */
export interface PlanHandoff {
  /** The package. */
  readonly package: HandoffPackage;
  /** The report that the package refers to. */
  readonly report?: Layer1ProblemsReport | JsonText;
  /** The maximum number of tokens. Default: `40000`. */
  readonly budget?: number;
  /** How much of the package to read. Default: `"all_cases"`. */
  readonly depth?: Depth;
  /** The measured tokens of files, by path from the root of the package. Other files are estimated. Default: `{}`. */
  readonly sizes?: { readonly [key: string]: number };
}

/** Sends the wakeup of an unclaimed message again. */
export interface PokeInbox extends RunTerms {
  /** The message. */
  readonly inbox_id: string;
}

/** Shows what the receiver of a delegation will see next to what the sender sees. It writes nothing. */
export interface PreviewHandover extends TurnFrame {
  /** The call that delegates. It is not committed. */
  readonly call: HandoverCall | JsonText;
  /** The index of the context, from 0, if the call packs several. Default: `0`. */
  readonly task?: number;
  /** True if the model of the receiver takes files. The profile of the receiver decides by default. */
  readonly takes_files?: boolean;
}

/** The prices of requests with more than a number of input tokens. A missing price is the usual one. */
export interface PriceAbove {
  /** The number of input tokens. */
  readonly tokens: number;
  /** The price of input. */
  readonly input?: number;
  /** The price of output. */
  readonly output?: number;
  /** The price of input that is read from the cache. */
  readonly read?: number;
  /** The price of input that is written to the cache. */
  readonly write?: number;
  /** The price of input that is written to the cache for 1 hour. */
  readonly write_1h?: number;
}

/** The arguments of a `launch_principal` tool. */
export interface PrincipalTask {
  /** The profile of the new agent. */
  readonly profile_name: string;
  /** The instruction for the agent. */
  readonly instruction: string;
}

/** The optional columns of a profile. */
export interface ProfileColumns {
  /** The tags that delegation policies can require. */
  readonly tags?: readonly string[] | null;
  /** The subject of the worker that runs its agents. */
  readonly worker_target?: string | null;
  /** The profiles that its agents can delegate to. A policy in the `sys.profile` card applies only if this is `null`. */
  readonly delegation_policy?: JsonInput | null;
  /** The compiled system prompt. */
  readonly system_prompt_compiled?: string | null;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** The source of a prompt: messages that come with the call, cards, a turn, or the composer. */
export type PromptSource =
  | {
      /** The messages, in order. */
      readonly messages: readonly (MessageInput | JsonText)[] | JsonText;
      /** The origin of each message, in the same order. The list can be shorter. Default: `[]`. */
      readonly origins?: readonly (Origin | null)[];
      /** Tool definitions: `{"type": "function", "function": {..}}`, or bare functions. Default: `[]`. */
      readonly tools?: readonly JsonObjectInput[];
    }
  | GivenCards
  | GivenTurn
  | GivenCompose;

/** Writes an agent into the roster with every value given, and records the action. The agent gets its head with its first turn. */
export interface ProvisionIdentity extends AgentDetails, AgentRequest, RunTerms {
  /** The agent. */
  readonly target_agent_id: string;
  /** The action to record, for example `provision` or `update`. */
  readonly action: string;
  /** The span of the change. Its trace must be `trace_id`, if both are given. */
  readonly traceparent?: string;
  /** The box of its profile. */
  readonly profile_box_id: string;
  /** The kind of worker that runs it. */
  readonly worker_target: string;
}

/** Deletes rows of work that ended long ago: processed messages of agents, and the steps, calls, results and recorded views of turns. */
export interface Prune extends RunTerms {
  /** The age of the deleted rows: what ended later stays. 30 days by default. Default: `2592000`. */
  readonly older_than_seconds?: number;
  /** The number of rows of each kind and status that a call looks at, the oldest first. Default: `100`. */
  readonly limit?: number;
}

/** Stores cards. A card without an id gets a new one. A card of a standard type without a role gets the role of its type. Storing an id again with the same content changes nothing. With other content it is a `conflict`, because cards never change. */
export interface PutCards {
  /** The cards, in order. */
  readonly cards: readonly NewCard[];
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Declares a profile: its card, its box and its entry. A profile that differs from the declaration changes, in one batch. The next step of every turn with this profile uses it. */
export interface PutProfile {
  /** The name. Calls find it in any case. */
  readonly name: string;
  /** The system prompt. It can have placeholders. */
  readonly system_prompt?: string;
  /** The profiles that its agents can delegate to. None by default. */
  readonly delegation_policy?: JsonInput;
  /** The tags that delegation policies can require. */
  readonly tags?: readonly string[];
  /** The subject of the worker that runs its agents. Default: `"generic"`. */
  readonly worker_target?: string;
  /** Further keys of the profile's card, such as `llm_config` and `allowed_tools`. Default: `{}`. */
  readonly config?: JsonObjectInput;
  /** The author of the card. Default: `"host"`. */
  readonly author_id?: string;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Stores the results of tools that ran, each as the card `result_<tool_call_id>`. Only the first result of a call counts. A result that cannot be stored fails only its call. */
export interface PutToolResults extends RunTerms {
  /** The turn that made the calls. */
  readonly agent_turn_id: string;
  /** The step that made the calls. */
  readonly step_id: string;
  /** The calls that ran, in order. Default: `[]`. */
  readonly results?: readonly RanTool[];
  /** The calls of tools that must not run twice, before they run. Each gets the card `start_<tool_call_id>`. A card of another step is a `conflict`: another worker started the tool. Default: `[]`. */
  readonly started?: readonly StartedTool[];
}

/** Quarantines messages that cannot be sent. They wait no longer, and delay no other messages. */
export interface QuarantineMessages extends RunTerms {
  /** The messages. */
  readonly message_ids: readonly string[];
  /** Why they cannot be sent. */
  readonly error: string;
}

/** A difference of a server from OpenAI, or a server with all its differences. */
export type Quirk = "system_first" | "alternate" | "text_content" | "no_tool_choice" | "max_completion_tokens" | "developer" | "vllm" | "llama_cpp" | "ollama";

/** A call of a tool that ran, and its result. */
export interface RanTool extends ToolOutput {
  /** The id of the call. */
  readonly tool_call_id: string;
  /** The name of the tool. */
  readonly tool_name: string;
}

/** Returns a box as it would be read. */
export interface ReadBox {
  /** The box, as on the wire. */
  readonly box: JsonInput;
}

/** Returns a card as it would be read, and the text that a model reads. A card without an id gets a new one. */
export interface ReadCard {
  /** The card, as on the wire. */
  readonly card: JsonInput;
}

/** Returns a content in canonical form, its type, and the text that a model reads. */
export interface ReadContent {
  /** The content, as on the wire. */
  readonly content: JsonInput;
}

/** Returns the additions of events to an answer, while they arrive. */
export interface ReadDeltas {
  /** The provider of the model. */
  readonly provider: Provider;
  /** The tools of the prompt. Default: `[]`. */
  readonly tools?: readonly JsonObjectInput[];
  /** The next events of the stream, in order. */
  readonly events: readonly JsonInput[];
}

/** Reads the arguments of a `fork_join` without running it. */
export interface ReadForkJoin {
  /** The tasks, as a model wrote them. */
  readonly arguments: ForkJoinTasks | JsonText;
}

/** Reads a handoff package. An error has every wrong field in `details.errors`. */
export interface ReadHandoff {
  /** The model to read it with. By default `handoff_type` chooses the model. */
  readonly model?: "ContextPackage" | "InitToExecuteContext" | "ExecuteToInitContext";
  /** The package. */
  readonly data: JsonInput;
}

/** Returns a card as it would be stored, and what a reader of the stored card sees. */
export interface ReadNewCard {
  /** The card as in `put_cards`, with `card_id` and `project_id`. */
  readonly card: JsonInput;
}

/** Reads the answer of a model, whole or as a stream. */
export type ReadResponse = {
  /** The provider of the model. */
  readonly provider: Provider;
  /** The tools of the prompt. Default: `[]`. */
  readonly tools?: readonly JsonObjectInput[];
} & ({
  /** The body of the response. */
  readonly response: JsonObjectInput;
} | {
  /** The events of a stream, in order. */
  readonly events: readonly JsonInput[] | JsonText;
});

/** Shows what runs: in the project, at one agent, or in one batch. */
export interface ReadRunState extends RunTerms {
  /** The only agent to show. */
  readonly agent_id?: string;
  /** The only batch to show. */
  readonly batch_id?: string;
  /** The maximum number of rows of each kind. Default: `100`. */
  readonly limit?: number;
}

/** Shows the requests of a log as steps of a timeline. */
export interface ReadTimeline extends TimelineQuestion {
  /** The files to read together. */
  readonly files: readonly ImportFile[];
}

/** Reads whether a turn has ended, its result, and the cards of its output. */
export interface ReadTurnResult extends RunTerms {
  /** The agent. */
  readonly agent_id: string;
  /** The turn. */
  readonly agent_turn_id: string;
  /** The box that the turn writes to. */
  readonly output_box_id: string;
  /** Also returns the cards of the output box from this index on. */
  readonly after?: number;
}

/** Ends a turn that made no progress within its time limit. */
export interface ReapTurn extends RunTerms {
  /** The agent. */
  readonly agent_id: string;
  /** Which turn ends. */
  readonly which: ReapedTurns;
  /** The box with the output of the turn. */
  readonly output_box_id?: string | null;
}

/** A call of a recipe that can be dispatched. */
export type RecipeCall =
  | { readonly op: "delegate_async" } & DelegateAsync
  | { readonly op: "launch_principal" } & LaunchPrincipal
  | { readonly op: "ask_expert" } & AskExpert
  | { readonly op: "fork_join" } & ForkJoin;

/** Rebuilds a lost head from the latest recorded state of its turn, which continues. */
export interface ReclaimAgent extends RunTerms {
  /** The agent. */
  readonly agent_id: string;
}

/** Checks a task whose end was not reported. */
export interface ReconcileTask extends RunTerms {
  /** The task. */
  readonly batch_task_id: string;
}

/** A recorded view of a turn. It returns the same bytes, even after boxes and pointers change. */
export interface RecordedTurn {
  /** The `view_id` of a view with `record: true`. */
  readonly recorded: string;
}

/** Releases a turn whose worker did not renew its lease. After `max_attempts` the turn fails. */
export interface RecoverTurn extends RunTerms {
  /** The agent. */
  readonly agent_id: string;
}

/** Adds an agent to the roster. Either `profile_box_id` or `profile_name` is required. */
export interface RegisterAgent extends AgentColumns {
  /** The id. */
  readonly agent_id: string;
  /** The box of a registered profile. */
  readonly profile_box_id?: string | null;
  /** The name of a registered profile. It excludes `profile_box_id`. */
  readonly profile_name?: string;
}

/** Adds a profile to the registry. */
export interface RegisterProfile extends ProfileColumns {
  /** The name. Calls find it in any case. */
  readonly name: string;
  /** The box with the cards of the profile. It must exist. */
  readonly profile_box_id: string;
}

/** Adds a tool to the registry. */
export interface RegisterTool extends ToolColumns {
  /** The name. */
  readonly tool_name: string;
}

/** Removes an agent from the roster. Its boxes, cards and turns stay. */
export interface RemoveAgent {
  /** The id. */
  readonly agent_id: string;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Removes a profile from the registry. Its box stays. */
export interface RemoveProfile {
  /** The name, in any case. */
  readonly name: string;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Removes a tool from the registry. */
export interface RemoveTool {
  /** The name. */
  readonly tool_name: string;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Renders cards as messages, in order. An id that occurs twice is shown twice. */
export type Render =
  | {
      /** The box whose cards are rendered. */
      readonly box_id: string;
    }
  | {
      /** The ids of stored cards, in order. */
      readonly card_ids: readonly string[];
      /** Not allowed with stored cards. */
      readonly cards?: null;
    }
  | {
      /** Cards that come with the call. */
      readonly cards: readonly ({
        readonly card_id: string;
        readonly content: JsonObjectInput;
        /** Other keys, such as `role`. */
        readonly metadata?: JsonObjectInput;
        readonly [key: string]: JsonInput | undefined;
      })[];
      /** The ids in the order to render. The order of `cards` by default. */
      readonly card_ids?: readonly string[] | null;
    };

/** Replaces the cards of a box. The boxes of a running turn cannot be replaced. `move_pointers` points the turn to another box instead. */
export interface ReplaceBox extends BoxChangeOptions {
  /** The box to change. */
  readonly box_id: string;
  /** The ids of its new cards, in order. */
  readonly card_ids: readonly string[];
}

/** Records the tool calls that a turn waits for. */
export interface ReplaceWaiting extends TurnWork, RunTerms {
  /** The calls. They replace those that the turn waited for. */
  readonly wait_items: readonly WaitItem[];
  /** The content of the message. The operation ignores it. */
  readonly payload?: JsonInput;
}

/** Reports a result to the agent that asked for it. `correlation_id` is that of the request. */
export type Report = SendMessage & RunTerms;

/** The options of a request, and how to count it. */
export interface RequestTerms extends PayloadOptions {
  /** The provider. Default: `"neutral"`. */
  readonly provider?: Provider;
  /** The counts of the host's own tokenizer, or how it counts. */
  readonly counter?: CounterFigures;
}

/** Releases a message that a worker claimed and did not finish. */
export interface RequeueInbox extends RunTerms {
  /** The message. */
  readonly inbox_id: string;
}

/** Returns the box that an agent writes to. */
export interface ResolveOutputBox {
  /** The agent. */
  readonly agent_id: string;
}

/** The schema of an answer. */
export interface ResponseSchema {
  /** A name for the schema, for providers that need one. Default: `"answer"`. */
  readonly name?: string;
  /** The JSON Schema. */
  readonly schema: JsonObjectInput;
  /** Whether the answer follows the schema exactly. The provider decides by default. */
  readonly strict?: boolean;
}

/** Restores the original name and arguments in a tool call of a model. */
export interface RestoreCall {
  /** The provider of the request. */
  readonly provider: Provider;
  /** The tools of the prompt. Default: `[]`. */
  readonly tools?: readonly JsonObjectInput[];
  /** The name of the tool in the call. */
  readonly name: string;
  /** The arguments of the call: JSON, or JSON as a string. */
  readonly arguments: JsonInput;
}

/** Applies a tool result to the turn that waits for it. */
export interface Resume extends TurnWork, RunTerms {
  /** The report of the result. */
  readonly payload: ResumePayload;
}

/** A report of a tool's result, and other members of its message. */
export interface ResumePayload {
  readonly tool_call_id: string;
  readonly tool_result_card_id?: string | null;
  readonly status?: string | null;
  /** `suspend` to continue the turn, `terminate` to end it. */
  readonly after_execution?: string | null;
  /** The step that made the call. */
  readonly step_id?: string | null;
  readonly [key: string]: JsonInput | undefined;
}

/** Releases messages from quarantine: they wait to be sent again. */
export interface RetryMessages extends RunTerms {
  /** The messages. */
  readonly message_ids: readonly string[];
}

/** Sends the wakeup of a dispatched turn again. */
export interface RingAgain extends RunTerms {
  /** The agent. */
  readonly agent_id: string;
}

/** Runs a recipe: a definition, or the name of one that the project was opened with. */
export interface RunRecipe extends Caller {
  /** The definition, or the name. */
  readonly recipe: CustomRecipe | string | JsonText;
  /** The arguments of the recipe. */
  readonly arguments: JsonObjectInput;
}

/** The times and counts of orchestration. Times are in seconds. */
export interface RunSettings {
  /** Turns at this depth are rejected. Default: `20`. */
  readonly max_recursion_depth?: number;
  /** The maximum number of steps of a turn. Default: `8`. */
  readonly max_steps?: number;
  /** How long a turn waits for its tools. Default: `30`. */
  readonly suspend_timeout_seconds?: number;
  /** The number of messages of one claim. Default: `20`. */
  readonly fetch_limit?: number;
  /** The number of messages of a queue that are searched for a turn that can run. Default: `32`. */
  readonly queue_search?: number;
  /** A message that is processed for longer returns to its inbox; 0 means never. Default: `300`. */
  readonly processing_timeout_seconds?: number;
  /** The worker of a dispatched turn gets another wakeup after this time. Default: `10`. */
  readonly dispatched_retry_seconds?: number;
  /** A dispatched turn that no worker starts ends after this time; 0 means never. Default: `30`. */
  readonly dispatched_timeout_seconds?: number;
  /** A running turn without progress ends after this time. Default: `300`. */
  readonly active_timeout_seconds?: number;
  /** A worker renews the lease of its turn. Without a renewal within this time, another worker runs the turn again from its last recorded step; 0 means never. Default: `15`. */
  readonly lease_seconds?: number;
  /** The number of workers that a turn can lose before it fails. Default: `3`. */
  readonly max_attempts?: number;
  /** A message that no worker claims causes a wakeup after this time. Default: `5`. */
  readonly pending_wakeup_seconds?: number;
  /** A message without a channel is skipped after this time. Default: `300`. */
  readonly pending_skip_seconds?: number;
  /** How long a result is leased. Default: `10`. */
  readonly resume_lease_seconds?: number;
  /** The maximum number of times that a task is dispatched. Default: `5`. */
  readonly dispatch_attempts?: number;
  /** The first delay between two dispatches of a task. Default: `2`. */
  readonly dispatch_retry_seconds?: number;
  /** The longest delay between two dispatches of a task. Default: `30`. */
  readonly dispatch_retry_max_seconds?: number;
  /** A task without an epoch is checked after this time. Default: `2`. */
  readonly reconcile_after_seconds?: number;
  /** A task without an epoch gets a warning after this time. Default: `60`. */
  readonly revert_after_seconds?: number;
  /** A recorded view is deleted after this time, when its agent starts a step; 0 means never. Default: `604800`. */
  readonly view_retention_seconds?: number;
  /** The number of rows of a kind that a watchdog reads. Default: `200`. */
  readonly watchdog_limit?: number;
}

/** The arguments that every operation of orchestration has. */
export interface RunTerms {
  /** The project of the workspace. Another project is an error. */
  readonly project_id?: string;
  /** Settings that differ from the defaults. Default: `{}`. */
  readonly settings?: RunSettings;
}

/** The records of one sample. */
export interface SampleRecord {
  /** The id of the sample. It becomes part of file names. */
  readonly sample_id: string;
  /** The sample itself. */
  readonly sample: JsonInput;
  /** The trace: an object with `conversation_history`, or the list of turns. */
  readonly trace: JsonInput;
  /** The evaluation, with `passed`, `checkers_failed` or `checker_results`. */
  readonly evaluation: JsonInput;
  /** The attribution of a failure. It can have `failure_type`, `problem_id`, `problem_type`, `severity` and `priority`. */
  readonly attribution?: JsonInput;
}

/** Finds the cards of boxes by text, ignoring case. Boxes that do not exist are skipped. */
export interface SearchCards {
  /** The text to find. The empty text matches every card. */
  readonly text: string;
  /** The ids of the boxes to search. */
  readonly box_ids: readonly string[];
  /** The maximum number of hits. Values over 1,000 count as 1,000. Default: `100`. */
  readonly limit?: number;
}

/** A message to an agent. */
export interface SendMessage {
  /** The agent that receives the message. */
  readonly target_agent_id: string;
  /** `turn`, `ui_action`, `tool_result`, `timeout`, `stop`, or a type of the host. */
  readonly message_type: string;
  /** The content of the message. */
  readonly payload: JsonObjectInput;
  /** The channel of the message. Default: `"public"`. */
  readonly channel_id?: string;
  /** The turn of the receiver that the message is for. */
  readonly target_agent_turn_id?: string;
  /** The id under which the message is sent once. */
  readonly correlation_id?: string;
  /** The depth of the call. `CG-Recursion-Depth` of the headers by default. */
  readonly recursion_depth?: number;
  /** The headers of the message. Default: `{}`. */
  readonly headers?: MessageHeaders;
  /** The trace. That of the headers, or a new one by default. */
  readonly trace_id?: string;
  /** The agent that sends the message. */
  readonly source_agent_id?: string;
  /** The turn that sends the message. */
  readonly source_agent_turn_id?: string;
  /** The step that sends the message. */
  readonly source_step_id?: string;
  /** The step that the work of the message belongs to. */
  readonly parent_step_id?: string;
  /** False to send no wakeup. Default: `true`. */
  readonly wakeup?: boolean;
}

/** The log, the session and the size of the answer. */
export interface SessionQuestion {
  /** The files to read together. */
  readonly files: readonly ImportFile[];
  /** The session. By default the newest one. */
  readonly session?: string;
  /** The first entry of the list, from 0. Default: `0`. */
  readonly from?: number;
  /** The maximum size of the answer in tokens. Default: `2000`. */
  readonly max_tokens?: number;
}

/** Changes the status of a message, if it has the expected one. */
export interface SetInboxStatus extends RunTerms {
  /** The message. */
  readonly inbox_id: string;
  /** The new status. Default: `"pending"`. */
  readonly status?: InboxStatus;
  /** The status that the message must have. Any status by default. */
  readonly expected_status?: InboxStatus | null;
}

/** A call of a tool that starts. */
export interface StartedTool {
  /** The id of the call. */
  readonly tool_call_id: string;
  /** The name of the tool. */
  readonly tool_name: string;
}

/** The state of a call: the keys of memory, and any others. */
export type StateInput =
  | {
      /** The remembered messages, each with an id. */
      readonly messages?: readonly MessageInput[] | null;
      /** The summary of covered messages. */
      readonly compression__context?: string | null;
      /** The records of covered messages. */
      readonly memory_records?: {
        readonly compactions?: readonly {
          readonly id: string;
          /** The messages it covers, in the order they had. */
          readonly covers: readonly string[];
          /** The compaction whose summary it includes. */
          readonly replaces?: string;
        }[];
        readonly repeats?: readonly { readonly id: string; readonly of: string }[];
        readonly replaced?: readonly string[];
      } | null;
      readonly [key: string]: JsonInput | undefined;
    }
  | JsonText;

/** Changes the status of an agent's head. */
export interface StateUpdate extends HeadColumns, HeadGuard, RunTerms {
  /** The new status. The present one by default. */
  readonly new_status?: AgentStatus;
}

/** Stops a turn. */
export interface Stop extends TurnWork, RunTerms {
  /** The content of the command. Its `reason` becomes the error of the turn. Default: `{}`. */
  readonly payload?: JsonObjectInput;
}

/** Stores a handoff package and its files in one batch. Every file that the package refers to must be in the call or in the store. */
export interface StoreHandoff {
  /** The package. */
  readonly package: HandoffPackage;
  /** The files to store. */
  readonly files: readonly ArtifactFile[];
  /** The path at which to store the package itself. It is not stored by default. */
  readonly package_path?: string;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** Claims results that wait for a suspended turn. */
export interface TakeUpResults extends ForWorkers, RunTerms {
  /** The agent. */
  readonly agent_id: string;
  /** The name of the claimant. Default: `"agent-worker:1"`. */
  readonly owner?: string;
  /** True to look also for the cards of calls whose result arrived and was not applied, as a worker does when it starts. Default: `false`. */
  readonly include_received?: boolean;
  /** True to claim also calls that no worker started within `lease_seconds`. Default: `false`. */
  readonly include_unstarted?: boolean;
  /** For how many milliseconds the caller has seen the head of the agent unchanged, if hosts do not share a clock. A call is not claimed as unstarted before `lease_seconds` of this time. */
  readonly unchanged_ms?: number;
}

/** One task. */
export interface Task {
  /** How the receiver is found. */
  readonly target_strategy: Strategy;
  /** The profile or the agent. */
  readonly target_ref: string;
  /** The instruction for the receiver. */
  readonly instruction: string;
  /** The box whose cards the receiver sees. */
  readonly context_box_id?: string;
}

/** A task of a new batch. */
export interface TaskSpec {
  /** The agent of the task. */
  readonly agent_id?: string;
  /** True to make an agent for the task. Default: `false`. */
  readonly provision?: boolean;
  /** The box of the profile. */
  readonly profile_box_id: string;
  /** The box of the context. */
  readonly context_box_id: string;
  /** The box for the output. A new box by default. */
  readonly output_box_id?: string;
  /** The arguments of the task: an object, or one value. Its `task_index` orders the results. */
  readonly task_args?: JsonInput;
  /** Values for the worker that runs the task. */
  readonly runtime_config?: JsonObjectInput;
  /** More about an agent that the task makes. */
  readonly metadata?: JsonObjectInput;
}

/** Returns the text of a value on a text card, and its JSON as a model reads it. */
export interface TextForm {
  /** The value. */
  readonly value: JsonInput;
}

/** Reports a timeout for every tool call that is past its deadline. */
export interface TimeOutTools extends RunTerms {
  /** The agent. */
  readonly agent_id: string;
}

/** What to show of a timeline: by default all steps. */
export interface TimelineQuestion {
  /** The index of the session in `sessions`. By default it is the newest. */
  readonly session?: number;
  /** Shows one step, by its number. */
  readonly step?: number;
  /** Shows one message, by its id. */
  readonly message?: string;
  /** Finds messages with this text, ignoring case. */
  readonly find?: string;
  /** Omits the messages of a step. Default: `false`. */
  readonly brief?: boolean;
}

/** Lists the strings of a request that the host's own counter has to count. */
export type TokenTexts = MakePayload;

/** Whether the model calls a tool, and which one. The forms of providers are read too. */
export type ToolChoice =
  | "auto" | "none" | "required" | "any" | "AUTO" | "NONE" | "ANY"
  | {
      /** The name of the tool in the prompt. */
      readonly tool: string | ({
        readonly name: string;
        readonly [key: string]: JsonInput | undefined;
      });
      readonly [key: string]: JsonInput | undefined;
    }
  | {
      readonly function: {
        readonly name: string;
        readonly [key: string]: JsonInput | undefined;
      };
      readonly [key: string]: JsonInput | undefined;
    }
  | {
      readonly name: string;
      readonly [key: string]: JsonInput | undefined;
    }
  | {
      readonly toolName: string;
      readonly [key: string]: JsonInput | undefined;
    }
  | {
      readonly type: "auto" | "none" | "required" | "any";
      readonly [key: string]: JsonInput | undefined;
    }
  | {
      readonly mode: "auto" | "none" | "required" | "any" | "AUTO" | "NONE" | "ANY";
      readonly [key: string]: JsonInput | undefined;
    };

/** The optional columns of a tool. */
export interface ToolColumns {
  /** The description for the model. */
  readonly description?: string | null;
  /** The JSON Schema of the parameters. */
  readonly parameters?: JsonInput | null;
  /** The subject of the worker that runs it. */
  readonly target_subject?: string | null;
  /** What happens to the turn after a call: `suspend` or `terminate`. */
  readonly after_execution?: string | null;
  /** Options of the host. */
  readonly options?: JsonInput | null;
  /** The id under which the commit applies once. A new id by default. */
  readonly operation_id?: string;
}

/** The result of a tool. Above 256 KiB of JSON it is stored as text on cards of the type `tool.file`, at most 32 MiB. The model then sees an excerpt of 4,000 characters and the ids of these cards. */
export interface ToolOutput {
  /** The result; `null` by default. */
  readonly result?: JsonInput;
  /** The result as JSON text, instead of `result`. It can have any number of values. */
  readonly result_text?: string;
}

/** Merges the context box and the output box of a turn. */
export interface TurnBoxes {
  /** The box that the turn reads. An empty string means none. */
  readonly context_box_id?: string;
  /** The box that the turn writes to. An empty string means none. */
  readonly output_box_id?: string;
  /** The rule dialect, which decides which box comes first. The dialect of the project by default. */
  readonly dialect?: Dialect;
}

/** Completes a turn. */
export interface TurnComplete extends WrittenCards, TurnWork, RunTerms {
  /** The answer of the model. */
  readonly thought?: ModelThought;
  /** The content of the message. The operation ignores it. */
  readonly payload?: JsonInput;
}

/** The end of the turn of a task. */
export interface TurnEnd {
  /** The turn. */
  readonly agent_turn_id: string;
  /** The status of the turn. An unknown status counts as `failed`. */
  readonly status: string;
  /** The box with the output of the turn. */
  readonly output_box_id?: string | null;
  /** The card that the turn delivered. */
  readonly deliverable_card_id?: string | null;
  /** The card of the tool result that ended the turn. */
  readonly tool_result_card_id?: string | null;
  /** The error of the turn. */
  readonly error?: string | null;
}

/** Fails a turn. */
export interface TurnFail extends WrittenCards, TurnWork, RunTerms {
  /** The error. Default: `"failed"`. */
  readonly error?: string;
  /** The stable code of the error. */
  readonly error_code?: string;
  /** The answer of the model. */
  readonly thought?: ModelThought;
  /** The content of the message. The operation ignores it. */
  readonly payload?: JsonInput;
}

/** The parts of a turn that the host adds. */
export interface TurnFrame {
  /** The tools that the host offers. The profile selects among them. Default: `[]`. */
  readonly tools?: readonly JsonObjectInput[];
  /** The text to append to the system prompt. */
  readonly system_append?: string;
  /** The description of the profiles that the agent can delegate to, for the prompt. */
  readonly downstream_desc?: string;
}

/** Releases a turn for another worker, at the next epoch and the same step. */
export interface TurnGiveBack extends TurnWork, RunTerms {
  /** The content of the message. The operation ignores it. */
  readonly payload?: JsonInput;
}

/** Builds the request that the worker of a turn sends. The `llm_config` of the profile sets the provider, the model and the options. */
export interface TurnRequest {
  /** The arguments of `turn_view`. */
  readonly turn: JsonObjectInput;
  /** The provider. By default that of the profile, or else `openai_chat`. */
  readonly provider?: Provider;
}

/** Starts a turn, or its next step. */
export interface TurnStart extends TurnWork, RunTerms {
  /** The content of the message. The operation ignores it. */
  readonly payload?: JsonInput;
  /** Records what the model of the step will see, as `turn_view` with `record` does. The view has the id of the step. */
  readonly record?: TurnFrame;
}

/** Records the tool calls of the model: the turn runs, waits, continues or ends. */
export interface TurnTools extends TurnWork, RunTerms {
  /** The calls, in order. */
  readonly tool_calls: readonly CalledTool[];
  /** The answer of the model. */
  readonly thought?: ModelThought;
  /** How long the turn waits for a tool, in seconds, by the name of the tool. Default: `{}`. */
  readonly tool_suspend_timeouts?: { readonly [key: string]: number };
  /** The content of the message. The operation ignores it. */
  readonly payload?: JsonInput;
}

/** A view of a turn: a recorded one, or a live one of an agent or of explicit boxes. */
export type TurnView =
  | RecordedTurn
  | LiveTurn & ({ readonly agent_id: string } | { readonly context_box_id: string } | { readonly output_box_id: string } | { readonly profile_box_id: string }) & ({ readonly after?: null } | { readonly record?: false | null; readonly view_id?: "" | null });

/** A piece of work on a turn. The items of `claim_inbox` and the work that an operation queues have this form. */
export interface TurnWork {
  /** The agent. */
  readonly agent_id: string;
  /** The turn. */
  readonly agent_turn_id: string;
  /** The epoch of the turn. Work with another epoch than the head changes nothing. */
  readonly turn_epoch: number;
  /** The channel of the turn. That of the head by default. */
  readonly channel_id?: string;
  /** The box of the profile. */
  readonly profile_box_id?: string | null;
  /** The box of the context. */
  readonly context_box_id?: string | null;
  /** The box for the output. */
  readonly output_box_id?: string | null;
  /** The headers of the turn. Default: `{}`. */
  readonly headers?: MessageHeaders;
  /** The trace of the turn. */
  readonly trace_id?: string | null;
  /** The step that the turn belongs to. */
  readonly parent_step_id?: string | null;
  /** The step that runs. */
  readonly step_id?: string;
  /** The number of steps before this one. Default: `0`. */
  readonly step_count?: number;
  /** True for a further step of a turn. Default: `false`. */
  readonly continuation?: boolean;
  /** The message of the work. */
  readonly inbox_id?: string;
  /** Consumes the message `inbox_id` in the same commit, as `consume_inbox` does. `turn_start` consumes it only if the turn cannot start. The message of a released turn stays. Default: `false`. */
  readonly consume?: boolean;
  /** The kind of the message. Operations ignore it. */
  readonly kind?: JsonInput;
  /** Values for the worker. Operations ignore them. */
  readonly runtime_config?: JsonInput | null;
  /** The result to resume with. Operations ignore it. */
  readonly resume?: ToolReport;
}

/** Changes an agent of the roster. Missing arguments keep their value. */
export interface UpdateAgent extends AgentColumns {
  /** The id. */
  readonly agent_id: string;
  /** The box of a registered profile. */
  readonly profile_box_id?: string | null;
  /** The name of a registered profile. It excludes `profile_box_id`. */
  readonly profile_name?: string;
}

/** Changes a profile of the registry. Missing arguments keep their value. */
export interface UpdateProfile extends ProfileColumns {
  /** The name, in any case. */
  readonly name: string;
  /** The box with the cards of the profile. It must exist. */
  readonly profile_box_id?: string | null;
}

/** Changes a tool of the registry. Missing arguments keep their value. */
export interface UpdateTool extends ToolColumns {
  /** The name. */
  readonly tool_name: string;
}

/** Checks that an agent can pass on these boxes, and that they exist. */
export interface ValidateBoxes {
  /** The agent. */
  readonly source_agent_id: string;
  /** The boxes. A value that is not a string becomes one; an empty one is ignored. */
  readonly box_ids: readonly JsonInput[];
  /** Boxes that the host grants in addition to the agent's own. A project whose dialect checks authority ignores them, unless its setting `authority.granted_by` is `call`. Default: `[]`. */
  readonly authorized_box_ids?: readonly JsonInput[];
  /** The rule dialect. The dialect of the project by default. */
  readonly dialect?: Dialect;
}

/** Volatile text inside of a position. */
export interface VolatileText {
  /** The slot or the cause of the position. */
  readonly slot: string;
  /** The text before the volatile text. */
  readonly after: string;
  /** The text after it. The end of the line by default. */
  readonly before?: string;
}

/** A tool call to wait for. */
export interface WaitItem {
  /** The id of the call. A call without an id is skipped. */
  readonly tool_call_id?: string | null;
  /** The name of the tool. `unknown` by default. */
  readonly tool_name?: string | null;
  /** The step that made the call. That of the work by default. */
  readonly step_id?: string | null;
}

/** Wakes an agent. `dispatch_next` promotes its next turn first. */
export interface Wakeup extends RunTerms {
  /** The agent. */
  readonly target_agent_id: string;
  /** What the wakeup does. Default: `"default"`. */
  readonly mode?: "default" | "dispatch_next";
  /** The channel of the wakeup. Default: `"public"`. */
  readonly channel_id?: string;
  /** The message that the wakeup is for. */
  readonly inbox_id?: string;
  /** The reason, for logs. */
  readonly reason?: string;
  /** More about the wakeup, for logs. */
  readonly metadata?: JsonObjectInput;
  /** The headers of the wakeup. */
  readonly headers?: MessageHeaders;
}

/** Returns what a memory state persists. */
export interface WriteBack {
  /** The state. */
  readonly state: StateInput;
  /** The blocks of the call. Default: `{}`. */
  readonly contexts?: Contexts;
  /** The blocks that a restore must return verbatim. Default: `{}`. */
  readonly policy?: {
    /** The keys of the blocks. `framework__context` is never written. */
    readonly reproducible?: readonly ContextKey[];
  };
}

/** The cards that a worker wrote before it ends its turn. */
export interface WrittenCards {
  /** The card that the turn delivers. By default that of the output box, or a new one. */
  readonly deliverable_card_id?: string | null;
  /** Further cards of the step, for its event. Default: `[]`. */
  readonly new_card_ids?: readonly string[];
}

/** Every operation: its arguments and its answer. */
export interface DeclaredOperations {
  /** Reads cards, each once, and lists the missing ones with the reason. */
  get_cards: { args: GetCards; value: Results["get_cards"] };
  /** Reads boxes, each once, and lists the missing ones with the reason. */
  get_boxes: { args: GetBoxes; value: Results["get_boxes"] };
  /** Reads the cards of a box, each once. */
  get_box_cards: { args: GetBoxCards; value: Results["get_box_cards"] };
  /** Packs a context box for another agent. */
  pack_context: { args: PackContext; value: Results["pack_context"] };
  /** Stores cards. Storing an id again with the same content changes nothing; with other content it is a `conflict`. */
  put_cards: { args: PutCards; value: Results["put_cards"] };
  /** Creates a box with these cards. */
  create_box: { args: CreateBox; value: Results["create_box"] };
  /** Appends cards to a box. */
  append_to_box: { args: AppendToBox; value: Results["append_to_box"] };
  /** Replaces the cards of a box. */
  replace_box: { args: ReplaceBox; value: Results["replace_box"] };
  /** Creates a box with the cards of another box, or with the first `take` of them. */
  fork_box: { args: ForkBox; value: Results["fork_box"] };
  /** Creates a box with the cards of several boxes, in order, each card once. */
  concat_boxes: { args: ConcatBoxes; value: Results["concat_boxes"] };
  /** Deletes cards softly. Boxes keep their ids. */
  delete_cards: { args: DeleteCards; value: Results["delete_cards"] };
  /** Erases the content of cards for privacy, and leaves an audit entry. */
  erase_cards: { args: EraseCards; value: Results["erase_cards"] };
  /** Deletes a box softly. Its cards stay. */
  delete_box: { args: DeleteBox; value: Results["delete_box"] };
  /** Finds cards by text, ignoring case, with the text around each match. */
  search_cards: { args: SearchCards; value: Results["search_cards"] };
  /** Finds every position of a card in boxes. */
  find_cards: { args: FindCards; value: Results["find_cards"] };
  /** Returns the text of a value on a text card, and its JSON as a model reads it. */
  text_form: { args: TextForm; value: Results["text_form"] };
  /** Returns a content in canonical form, its type, and the text that a model reads. */
  read_content: { args: ReadContent; value: Results["read_content"] };
  /** Returns a card as it would be read, and the text that a model reads. */
  read_card: { args: ReadCard; value: Results["read_card"] };
  /** Returns a card as it would be stored. */
  read_new_card: { args: ReadNewCard; value: Results["read_new_card"] };
  /** Returns a box as it would be read. */
  read_box: { args: ReadBox; value: Results["read_box"] };
  /** Packs an instruction and boxes for a profile. */
  pack_context_with_instruction: { args: PackWithInstruction; value: Results["pack_context_with_instruction"] };
  /** Delegates one task to a new, a reused or a cloned agent. */
  delegate_async: { args: DelegateAsync; value: Results["delegate_async"] };
  /** Delegates to a new agent with a profile: a form of `delegate_async`. */
  launch_principal: { args: LaunchPrincipal; value: Results["launch_principal"] };
  /** Asks a new agent with an expert profile: a form of `delegate_async`. */
  ask_expert: { args: AskExpert; value: Results["ask_expert"] };
  /** Delegates many tasks in one batch. An error names its task: `tasks[3].target_ref`. */
  fork_join: { args: ForkJoin; value: Results["fork_join"] };
  /** Reads the arguments of a `fork_join` without running it. */
  fork_join_args: { args: ReadForkJoin; value: Results["fork_join_args"] };
  /** Runs a recipe: a definition, or the name of one that the project was opened with. */
  run_recipe: { args: RunRecipe; value: Results["run_recipe"] };
  /** Checks the definition of a recipe and returns it with its defaults, and with lints for likely mistakes. */
  check_recipe: { args: CheckRecipe; value: Results["check_recipe"] };
  /** Shows what the receiver of a delegation will see next to what the sender sees, with lints. It writes nothing. */
  preview_handover: { args: PreviewHandover; value: Results["preview_handover"] };
  /** Lists what the receiver of a delegation will see and what it will not see. It writes nothing. */
  brief_handover: { args: BriefHandover; value: Results["brief_handover"] };
  /** Returns the box that an agent writes to. */
  resolve_current_output_box_id: { args: ResolveOutputBox; value: Results["resolve_current_output_box_id"] };
  /** Checks that an agent can pass on these boxes, and that they exist. */
  validate_box_ids_exist: { args: ValidateBoxes; value: Results["validate_box_ids_exist"] };
  /** Shows what the model of a turn sees: now, as recorded, or after a call that is not committed. */
  turn_view: { args: TurnView; value: Results["turn_view"] };
  /** Lists recorded turn views. */
  list_turn_views: { args: ListTurnViews; value: Results["list_turn_views"] };
  /** Merges the context box and the output box of a turn. */
  turn_boxes: { args: TurnBoxes; value: Results["turn_boxes"] };
  /** Adds a profile to the registry. */
  register_profile: { args: RegisterProfile; value: Results["register_profile"] };
  /** Declares a profile: creates it, or changes what differs from the declaration. */
  put_profile: { args: PutProfile; value: Results["put_profile"] };
  /** Changes a profile of the registry. */
  update_profile: { args: UpdateProfile; value: Results["update_profile"] };
  /** Removes a profile from the registry. */
  remove_profile: { args: RemoveProfile; value: Results["remove_profile"] };
  /** Adds an agent to the roster. */
  register_agent: { args: RegisterAgent; value: Results["register_agent"] };
  /** Changes an agent of the roster. */
  update_agent: { args: UpdateAgent; value: Results["update_agent"] };
  /** Removes an agent from the roster. */
  remove_agent: { args: RemoveAgent; value: Results["remove_agent"] };
  /** Adds a tool to the registry. */
  register_tool: { args: RegisterTool; value: Results["register_tool"] };
  /** Changes a tool of the registry. */
  update_tool: { args: UpdateTool; value: Results["update_tool"] };
  /** Removes a tool from the registry. */
  remove_tool: { args: RemoveTool; value: Results["remove_tool"] };
  /** Lists the profiles of the project. */
  list_profiles: { args: ListProfiles; value: Results["list_profiles"] };
  /** Lists the agents of the project. */
  list_agents: { args: ListAgents; value: Results["list_agents"] };
  /** Lists the tools of the project. */
  list_tools: { args: ListTools; value: Results["list_tools"] };
  /** Stores an audit entry about a call that a policy refuses. Nothing else of the call is written. */
  audit_refusal: { args: AuditRefusal; value: Results["audit_refusal"] };
  /** Lists audit entries, newest last. */
  list_audit: { args: ListAudit; value: Results["list_audit"] };
  /** Lists the boxes that profiles, agents and audit entries name. */
  list_boxes: { args: ListBoxes; value: Results["list_boxes"] };
  /** Points an agent to other boxes. */
  move_pointers: { args: MovePointers; value: Results["move_pointers"] };
  /** Appends cards to the output box of an agent. */
  append_output: { args: AppendOutput; value: Results["append_output"] };
  /** Renders cards as the messages that a model sees. */
  render: { args: Render; value: Results["render"] };
  /** Builds the request body for a provider and reports every conversion change. */
  payload: { args: MakePayload; value: Results["payload"] };
  /** Builds the request that the worker of a turn sends, as the profile of the turn sets it. */
  turn_request: { args: TurnRequest; value: Results["turn_request"] };
  /** Lists the strings of a request that the host's own counter has to count. */
  token_texts: { args: TokenTexts; value: Results["token_texts"] };
  /** Counts the tokens of a request, each in exactly one bucket. */
  count_tokens: { args: CountTokens; value: Results["count_tokens"] };
  /** Fits a request into a budget and lists what is dropped. */
  budget: { args: FitBudget; value: Results["budget"] };
  /** Compares two requests: where they first differ, why, and what a cache can reuse. */
  diff_payloads: { args: DiffPayloads; value: Results["diff_payloads"] };
  /** Composes a prompt from its layers. */
  compose: { args: Compose; value: Results["compose"] };
  /** Lists the contexts that a kind of process takes. */
  allowed_contexts: { args: AllowedContexts; value: Results["allowed_contexts"] };
  /** Returns the tables of layers, processes and lifecycles. */
  prompt_tables: { args: { readonly [key: string]: never }; value: Results["prompt_tables"] };
  /** Collects contexts from a state snapshot and retrieved material. */
  collect_contexts: { args: CollectContexts; value: Results["collect_contexts"] };
  /** Applies changes to a memory state and returns the new state. */
  change_memory: { args: ChangeMemory; value: Results["change_memory"] };
  /** Adds a query to a memory state, exactly once. */
  enter_query: { args: EnterQuery; value: Results["enter_query"] };
  /** Returns what a memory state persists. */
  write_back: { args: WriteBack; value: Results["write_back"] };
  /** Reads the answer of a model, whole or as a stream. */
  read_response: { args: ReadResponse; value: Results["read_response"] };
  /** Reads what events of a stream add to the answer, while they arrive. */
  read_deltas: { args: ReadDeltas; value: Results["read_deltas"] };
  /** Restores the original names in a tool call of a model. */
  restore_call: { args: RestoreCall; value: Results["restore_call"] };
  /** Reads a handoff package. */
  read_handoff: { args: ReadHandoff; value: Results["read_handoff"] };
  /** Checks a handoff package and lists findings. */
  check_handoff: { args: CheckHandoff; value: Results["check_handoff"] };
  /** Builds a handoff package from an iteration. */
  build_handoff: { args: Iteration; value: Results["build_handoff"] };
  /** Stores a handoff package and its files in one batch. */
  store_handoff: { args: StoreHandoff; value: Results["store_handoff"] };
  /** Compares a handoff package with the files in the store. */
  audit_handoff: { args: AuditHandoff; value: Results["audit_handoff"] };
  /** Plans what to read of a handoff package within a token budget. */
  plan_handoff: { args: PlanHandoff; value: Results["plan_handoff"] };
  /** Loads a handoff package within a token budget. */
  load_handoff: { args: LoadHandoff; value: Results["load_handoff"] };
  /** Makes cards of a handoff package: its references, or its loaded content. */
  make_handoff_cards: { args: MakeHandoffCards; value: Results["make_handoff_cards"] };
  /** Sends a message to an agent. A turn waits in the queue until the agent is idle. */
  enqueue: { args: Enqueue; value: Results["enqueue"] };
  /** Packs by a recipe and dispatches the result in one batch. A refusal writes nothing. */
  hand_out: { args: HandOut; value: Results["hand_out"] };
  /** Reports a result to the agent that asked for it. */
  report: { args: Report; value: Results["report"] };
  /** Records who waits for whom, and the answer. */
  join: { args: Join; value: Results["join"] };
  /** Shows what runs: in the project, at one agent, or in one batch. */
  run_state: { args: ReadRunState; value: Results["run_state"] };
  /** Reads whether a turn has ended, its result, and the cards of its output. */
  turn_result: { args: ReadTurnResult; value: Results["turn_result"] };
  /** Cancels a queued turn. */
  cancel: { args: Cancel; value: Results["cancel"] };
  /** Wakes an agent. `dispatch_next` promotes its next turn first. */
  wakeup: { args: Wakeup; value: Results["wakeup"] };
  /** Dispatches a turn with its boxes. */
  dispatch: { args: Dispatch; value: Results["dispatch"] };
  /** Makes an agent ready: in the roster, with a head. */
  ensure_agent: { args: EnsureAgent; value: Results["ensure_agent"] };
  /** Makes an agent ready as `ensure_agent` does, with every value given. */
  provision_identity: { args: ProvisionIdentity; value: Results["provision_identity"] };
  /** Gives an idle agent a turn. The answer is `null` when it has one. */
  lease: { args: Lease; value: Results["lease"] };
  /** Changes the status of an agent's head. */
  state_update: { args: StateUpdate; value: Results["state_update"] };
  /** Sets an agent's head to idle. */
  finish_idle: { args: FinishIdle; value: Results["finish_idle"] };
  /** Records the tool calls that a turn waits for. */
  replace_waiting: { args: ReplaceWaiting; value: Results["replace_waiting"] };
  /** Records that a tool result arrived. */
  mark_received: { args: MarkReceived; value: Results["mark_received"] };
  /** Records that a tool result was applied. */
  mark_applied: { args: MarkApplied; value: Results["mark_applied"] };
  /** Claims the results of a turn that are due and returns their tool calls. */
  ledger_claim: { args: LedgerClaim; value: Results["ledger_claim"] };
  /** Releases results whose lease expired. */
  ledger_requeue_expired: { args: LedgerRequeueExpired; value: Results["ledger_requeue_expired"] };
  /** Changes the status of a message, if it has the expected one. */
  inbox_status: { args: SetInboxStatus; value: Results["inbox_status"] };
  /** Returns whether messages wait for an agent. */
  has_open: { args: HasOpen; value: Results["has_open"] };
  /** Claims messages of an agent for a worker. */
  claim_inbox: { args: ClaimInbox; value: Results["claim_inbox"] };
  /** Marks a message as processed. */
  consume_inbox: { args: ConsumeInbox; value: Results["consume_inbox"] };
  /** Releases a message that a worker claimed and did not finish. */
  requeue_inbox: { args: RequeueInbox; value: Results["requeue_inbox"] };
  /** Sends the wakeup of an unclaimed message again. */
  poke_inbox: { args: PokeInbox; value: Results["poke_inbox"] };
  /** Starts a turn, or its next step. */
  turn_start: { args: TurnStart; value: Results["turn_start"] };
  /** Records the tool calls of the model: the turn runs, waits, continues or ends. */
  turn_tools: { args: TurnTools; value: Results["turn_tools"] };
  /** Completes a turn. */
  turn_complete: { args: TurnComplete; value: Results["turn_complete"] };
  /** Fails a turn. */
  turn_fail: { args: TurnFail; value: Results["turn_fail"] };
  /** Releases a turn for another worker, at the next epoch and the same step. */
  turn_give_back: { args: TurnGiveBack; value: Results["turn_give_back"] };
  /** Applies a tool result to the turn that waits for it. */
  resume: { args: Resume; value: Results["resume"] };
  /** Stops a turn. */
  stop: { args: Stop; value: Results["stop"] };
  /** Sends the wakeup of a dispatched turn again. */
  ring_again: { args: RingAgain; value: Results["ring_again"] };
  /** Rebuilds a lost head at an epoch above all earlier ones. */
  reclaim_agent: { args: ReclaimAgent; value: Results["reclaim_agent"] };
  /** Records that an agent called a tool. */
  tool_call: { args: NoteToolCall; value: Results["tool_call"] };
  /** Stores the results of tools that ran. A result that cannot be stored fails only its call. */
  put_tool_results: { args: PutToolResults; value: Results["put_tool_results"] };
  /** Answers a tool call that a turn waits for: stores the result and reports it. Only the first answer counts. */
  answer_tool_call: { args: AnswerToolCall; value: Results["answer_tool_call"] };
  /** Releases a turn whose worker did not renew its lease. After `max_attempts` the turn fails. */
  recover_turn: { args: RecoverTurn; value: Results["recover_turn"] };
  /** Ends a turn that made no progress within its time limit. */
  reap_turn: { args: ReapTurn; value: Results["reap_turn"] };
  /** Deletes rows of work that ended long ago. */
  prune: { args: Prune; value: Results["prune"] };
  /** Reports a timeout for every tool call that is past its deadline. */
  time_out_tools: { args: TimeOutTools; value: Results["time_out_tools"] };
  /** Claims results that wait for a suspended turn. */
  take_up_results: { args: TakeUpResults; value: Results["take_up_results"] };
  /** Lists the calls that are due now, in order, or what one rule finds. */
  due: { args: ListDue; value: Results["due"] };
  /** Creates a batch. With `activate` it also dispatches the tasks. */
  create_batch: { args: CreateBatch; value: Results["create_batch"] };
  /** Starts a batch: the join request, then every task. */
  activate_batch: { args: ActivateBatch; value: Results["activate_batch"] };
  /** Dispatches the tasks that are due. */
  dispatch_pending: { args: DispatchPending; value: Results["dispatch_pending"] };
  /** Dispatches one task. The answer is `false` when it is not due or its batch ended. */
  dispatch_task: { args: DispatchTask; value: Results["dispatch_task"] };
  /** Records that the turn of a task ended. */
  child_event: { args: ChildEvent; value: Results["child_event"] };
  /** Checks a task whose end was not reported. */
  reconcile_task: { args: ReconcileTask; value: Results["reconcile_task"] };
  /** Ends a batch whose tasks or deadline allow it. */
  end_batch: { args: EndBatch; value: Results["end_batch"] };
  /** Builds the result of a batch. */
  build_batch_result: { args: BuildBatchResult; value: Results["build_batch_result"] };
  /** Lists messages that wait to be sent, oldest first. */
  outbox: { args: ListOutbox; value: Results["outbox"] };
  /** Marks messages as sent. */
  mark_sent: { args: MarkSent; value: Results["mark_sent"] };
  /** Quarantines messages that cannot be sent. */
  quarantine_messages: { args: QuarantineMessages; value: Results["quarantine_messages"] };
  /** Releases messages from quarantine: they wait to be sent again. */
  retry_messages: { args: RetryMessages; value: Results["retry_messages"] };
  /** Imports logs of other tools as cards and boxes. */
  import: { args: Import; value: Results["import"] };
  /** Lists the sessions of an import report, the newest first. */
  list_sessions: { args: ListSessionsArguments; value: Results["list_sessions"] };
  /** Explains a request of a log: where its tokens go, why the cache missed, what the log lacks. */
  explain_request: { args: ExplainRequestArguments; value: Results["explain_request"] };
  /** Compares two requests of a session: what was added, what was removed, and the effect on the cache. */
  compare_requests: { args: CompareRequestsArguments; value: Results["compare_requests"] };
  /** Explains the requests of a session that lost tokens of the cache, the most expensive first. */
  explain_misses: { args: ExplainMissesArguments; value: Results["explain_misses"] };
  /** Lists the messages that the compactions of a session removed from the context. */
  explain_compactions: { args: ExplainCompactionsArguments; value: Results["explain_compactions"] };
  /** Shows the requests of a log as steps of a timeline: what each did, its cost, and what the cache read. Also shows everything about one step or message. */
  timeline: { args: ReadTimeline; value: Results["timeline"] };
  /** Shows what a call packs, the content of a box, or what the model of a turn sees. */
  inspect: { args: Inspect; value: Results["inspect"] };
  /** Shows the request that a model receives for a box or turn, and the cost of each part. */
  inspect_request: { args: InspectRequest; value: Results["inspect_request"] };
  /** Compares two contexts: which cards stayed, moved, were added or removed. */
  compare: { args: Compare; value: Results["compare"] };
  /** Explains what the provider's cache reads when boxes, turns or previewed calls are sent one after the other. */
  inspect_cache: { args: InspectCache; value: Results["inspect_cache"] };
  /** Explains why requests of a session read less from the provider's cache than they could. */
  explain_cache: { args: ExplainCacheArguments; value: Results["explain_cache"] };
  /** Accounts for the messages of every compaction between the requests of a session. */
  explain_compaction: { args: ExplainCompactionArguments; value: Results["explain_compaction"] };
  /** Makes the entry of a context for a lockfile: one line for each position of its request. */
  lock_entry: { args: LockEntry; value: Results["lock_entry"] };
  /** Reads a lockfile and lists its entries. */
  lock_read: { args: LockRead; value: Results["lock_read"] };
  /** Returns the text of a lockfile with changed entries. */
  lock_update: { args: LockUpdate; value: Results["lock_update"] };
  /** Compares the current contexts with a lockfile and groups the changes by cause. */
  lock_check: { args: LockCheck; value: Results["lock_check"] };
  /** Compares two entries of lockfiles. */
  lock_diff: { args: LockDiff; value: Results["lock_diff"] };
  /** Shows two entries of lockfiles next to each other. */
  lock_compare: { args: LockCompare; value: Results["lock_compare"] };
}

/** The operations of orchestration. */
export type RunOperations = Pick<
  DeclaredOperations,
  | "enqueue"
  | "hand_out"
  | "report"
  | "join"
  | "run_state"
  | "turn_result"
  | "cancel"
  | "wakeup"
  | "dispatch"
  | "ensure_agent"
  | "provision_identity"
  | "lease"
  | "state_update"
  | "finish_idle"
  | "replace_waiting"
  | "mark_received"
  | "mark_applied"
  | "ledger_claim"
  | "ledger_requeue_expired"
  | "inbox_status"
  | "has_open"
  | "claim_inbox"
  | "consume_inbox"
  | "requeue_inbox"
  | "poke_inbox"
  | "turn_start"
  | "turn_tools"
  | "turn_complete"
  | "turn_fail"
  | "turn_give_back"
  | "resume"
  | "stop"
  | "ring_again"
  | "reclaim_agent"
  | "tool_call"
  | "put_tool_results"
  | "answer_tool_call"
  | "recover_turn"
  | "reap_turn"
  | "prune"
  | "time_out_tools"
  | "take_up_results"
  | "due"
  | "create_batch"
  | "activate_batch"
  | "dispatch_pending"
  | "dispatch_task"
  | "child_event"
  | "reconcile_task"
  | "end_batch"
  | "build_batch_result"
  | "outbox"
  | "mark_sent"
  | "quarantine_messages"
  | "retry_messages"
>;
