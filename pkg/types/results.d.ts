// Written by `cargo xtask test --only results` from the declarations of the core: do not edit.
// `TUCKBOX_BLESS=1` writes it anew.
import type { ContentType } from "./cards.js";
import type { ChangeCode, DropReason, FindingType, ImportLintCode, LintCode, Provider } from "./codes.js";
import type { ContextKey } from "./compose.js";
import type { ExecuteToInit, Layer1ProblemsReport } from "./handoff.js";
import type { Json, JsonObject } from "./json.js";
import type { Dialect } from "./operations.js";

/** Where the tokens of a payload go. The buckets add up to the whole. */
export interface Account {
  /** Whose payload. */
  readonly provider: Provider;
  /** All tokens. */
  readonly tokens: number;
  /** True when every bucket is exact. */
  readonly exact: boolean;
  /** The buckets: sources in the order of their first message, then tools, then framing. */
  readonly buckets: readonly Bucket[];
  /** The same tokens by what they are for, every section in its order. They add up to the whole. */
  readonly sections: readonly Section[];
  /** What is kept free for the answer; no part of the whole. */
  readonly reserve: number;
  /** The cost of every neutral message that is in the payload, without framing. */
  readonly messages: readonly {
    /** Its position. */
    readonly position: number;
    /** How many tokens. */
    readonly tokens: number;
    /** True when it is the model's own count. */
    readonly exact: boolean;
  }[];
  /** The cost of every tool definition. */
  readonly tools: readonly {
    /** Its name in the payload. */
    readonly name: string;
    /** How many tokens. */
    readonly tokens: number;
    /** Never true: no provider says how it shows tools to a model. */
    readonly exact: boolean;
  }[];
}

/** Whether the roster changed, or why not. */
export interface AgentReady {
  readonly roster_updated: boolean;
  readonly error_code?: "missing_profile_name" | "missing_derived_profile_name" | "profile_not_found" | "profile_mismatch" | "derived_agent_conflict" | "worker_target_missing";
}

/** Where an agent stands. */
export type AgentStatus = "idle" | "dispatched" | "running" | "suspended";

/** The record of one packed context: who packed what, from where, under which authority. */
export interface Audit {
  readonly context_box_id: string;
  /** The agent that handed over. */
  readonly packed_by: string;
  /** The tool that packed: the author of the new cards. */
  readonly tool_suffix: string;
  /** The recipe that asked for it; absent for a plain `pack_context`. */
  readonly recipe?: string;
  readonly dialect: Dialect;
  /** The profile of the receiver. */
  readonly target_profile: string;
  /** The box of that profile. */
  readonly target_profile_box_id: string;
  /** The receiver, where the recipe knows it. */
  readonly target_agent_id?: string;
  /** The output that the receiver goes on with, where there is one. */
  readonly target_output_box_id?: string;
  /** How people call the receiver, where the recipe knows it. */
  readonly target_display_name?: string;
  /** What the delegation policy of the sender's profile says; absent where no policy was asked. */
  readonly permission?: {
    readonly profile_box_id: string;
    /** The profiles it lists; null when it allows every one. */
    readonly target_profiles: readonly string[] | null;
    /** The tags of which the receiver's profile has one; empty when tags do not count. */
    readonly target_tags: readonly string[];
  };
  /** The boxes that were handed on. */
  readonly sources: readonly {
    readonly box_id: string;
    readonly version: number;
    /** How many cards stood in it. */
    readonly cards: number;
    readonly authority: Authority;
    /** The value that named it. */
    readonly path: string;
  }[];
}

/** Why a box could be handed on. */
export type Authority =
  | {
      /** The dialect lets any box of the project be inherited. */
      readonly kind: "project";
    }
  | {
      /** `authorized_inherit_box_ids` lists it. */
      readonly kind: "listed";
    }
  | {
      /** It is one of the sender's own boxes. */
      readonly kind: "own";
      readonly as_what: "profile_box_id" | "context_box_id" | "output_box_id" | "memory_context_box_id" | "last_output_box_id";
    }
  | {
      /** It is the output of the agent that is cloned. */
      readonly kind: "clone_source";
      readonly agent_id: string;
    }
  | {
      /** The host granted it in the call. */
      readonly kind: "granted";
    };

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
  readonly metadata: JsonObject;
  readonly created_at: string;
  readonly updated_at: string;
  readonly open_count?: number;
  readonly events?: number;
}

/** Where a batch stands. */
export type BatchStatus = "running" | "success" | "failed" | "timeout" | "partial";

/** A box as a row of a store. */
export interface BoxRow {
  readonly box_id: string;
  /** The cards in order; one may stand here twice. */
  readonly card_ids: readonly string[];
  /** The boxes it was made from. */
  readonly parent_ids: readonly string[];
  /** Goes up with every change; a new box starts at 1. */
  readonly version: number;
  readonly deleted_at: string | null;
}

/** A box at a version. */
export interface BoxVersion {
  /** Which box. */
  readonly box_id: string;
  /** Which version of it; a new box starts at 1. */
  readonly version: number;
}

/** One box, summed up. */
export interface BoxView {
  /** Which box. */
  readonly box_id: string;
  /** How many positions it has. */
  readonly cards: number;
  /** How many later duplicates were left out. */
  readonly swallowed: number;
}

/** The boxes that are there, in the order asked, and those that are not. */
export interface Boxes {
  /** What was found. */
  readonly boxes: readonly BoxRow[];
  /** What was not. */
  readonly missing_boxes: readonly Missing[];
}

/** One bucket. */
export type Bucket = {
  /** How many tokens. */
  readonly tokens: number;
  /** True when it is the model's own count. */
  readonly exact: boolean;
  /** The neutral messages in it. */
  readonly positions?: readonly number[];
} & ({
  /** A card. */
  readonly kind: "card";
  /** Its id. */
  readonly card_id: string;
} | {
  /** A layer of a composed prompt. */
  readonly kind: "layer";
  /** Its name. */
  readonly layer: string;
} | {
  /** A message of which nothing else is known. */
  readonly kind: "message";
  /** Its position. */
  readonly position: number;
} | {
  /** Tool definitions. */
  readonly kind: "tools";
} | {
  /** The provider's own marks, and texts that the legaliser added. */
  readonly kind: "framing";
});

/** What a provider's prefix cache demands. */
export interface CachePolicy {
  /** A shorter beginning is not cached. */
  readonly least_tokens: number;
  /** The cache works in steps of so many tokens. */
  readonly step: number;
  /** Only whole blocks are kept, never half of one. */
  readonly whole_blocks: boolean;
  /** The host has to mark where the cache ends. */
  readonly marked: boolean;
}

/** What became of a card, and what that costs. */
export type CardCost = {
  /** How many tokens. */
  readonly tokens: number;
  /** True when it is the model's own count. */
  readonly exact?: boolean;
} & ({
  /** The message at this position of the turn. */
  readonly became: "message";
  /** Which, counted from 0. */
  readonly position: number;
} | {
  /** Fields that the system prompt asks for. */
  readonly became: "system_prompt";
} | {
  /** Tool definitions. */
  readonly became: "tools";
} | {
  /** Nothing that the model gets. */
  readonly became: "nothing";
  /** Why: `absent`, `deleted`, `expired`, `call_record`, `repeated`, or the code of the change that dropped it on the way to the provider. */
  readonly reason: string;
});

/** The kind of a card: its standard type, or what its content makes of it. */
export type CardKind = "instruction" | "contract" | "thought" | "tool_call" | "tool_result" | "deliverable" | "system" | "pointer" | "file" | "other" | "missing";

/** A card as a row of a store. */
export interface CardRow {
  readonly card_id: string;
  readonly content: Content;
  /** `type`, `role`, `author_id`, `project_id`, `created_at`, and anything else. */
  readonly metadata: JsonObject;
  readonly tool_calls: readonly JsonObject[] | null;
  readonly tool_call_id: string | null;
  readonly ttl_seconds: number | null;
  /** The project it is stored under. */
  readonly tenant_id: string | null;
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
}

/** The cards that are there, in the order asked, and those that are not. */
export interface Cards {
  /** What was found. */
  readonly cards: readonly CardRow[];
  /** What was not. */
  readonly missing_cards: readonly Missing[];
}

/** Why one card is in a box. */
export type Cause =
  | {
      /** A rule of `pack_arguments` made it from an argument. */
      readonly kind: "argument";
      /** The argument's name. */
      readonly arg_key: string;
      /** The rule. */
      readonly path: string;
    }
  | {
      /** It stood in a box that was inherited. */
      readonly kind: "inherited";
      /** Which box. */
      readonly box_id: string;
      /** Where in that box, counted from 0. */
      readonly position: number;
      /** The argument that named the box. */
      readonly path: string;
    }
  | {
      /** The parent pointer. */
      readonly kind: "parent";
      /** The switch that asked for it. */
      readonly path: string;
    }
  | {
      /** It was read in the log of another tool. */
      readonly kind: "imported";
      /** The name of the file. */
      readonly file: string;
      /** The line, from 1; nothing where the file is one value. */
      readonly line?: number;
      /** The place inside the value as a JSON pointer; empty for the whole of it. */
      readonly pointer?: string;
    };

/** What `change_memory` answers. */
export interface ChangedMemory {
  /** Memory after all changes. */
  readonly state: Memory;
  /** What became of each message of the state that came in, where it did not simply stay. */
  readonly restored: readonly MemoryStep[];
  /** What became of each message, change by change. */
  readonly ledger: readonly (readonly MemoryStep[])[];
}

/** A handover under a name. */
export interface CheckedRecipe {
  /** The name by which it is called. */
  readonly name: string;
  /** What it is for, in a host's words. */
  readonly description?: string;
  /** What it takes. */
  readonly arguments: readonly {
    /** Its name. */
    readonly name: string;
    /** What it may be. */
    readonly type: "text" | "number" | "integer" | "boolean" | "object" | "list" | "result_fields" | "box_id" | "box_ids" | "any";
    /** Whether the recipe needs it. */
    readonly required: boolean;
    /** What it is for, in a host's words. */
    readonly description?: string;
  }[];
  /** What it makes of them. */
  readonly handover: JsonObject;
}

/** The composer's blocks, and where each came from. */
export interface Collected {
  readonly contexts: { readonly [key: ContextKey]: string };
  readonly entries: readonly {
    /** The block. */
    readonly layer: Layer;
    /** The place of its value in the input. */
    readonly from: string;
    /** True when white space around the text was taken off. */
    readonly trimmed: boolean;
  }[];
  readonly left_out: readonly LeftOut[];
}

/** Neighbouring cards to which the same happened. */
export interface ComparedRun {
  /** What happened. */
  readonly change: "kept" | "moved_away" | "moved_here" | "removed" | "added";
  /** The first position on the left; absent where the run stands only on the right. */
  readonly left?: number;
  /** The first position on the right; absent where the run stands only on the left. */
  readonly right?: number;
  /** How many cards. */
  readonly cards: number;
  /** What they cost. */
  readonly tokens: number;
}

/** One of the two contexts. */
export interface ComparedSide {
  /** The box. */
  readonly box_id: string;
  /** How many cards it has. */
  readonly cards: number;
  /** What they cost. */
  readonly tokens: number;
  /** True when `tokens` are the model's own count, not an estimate. */
  readonly exact: boolean;
}

/** Two contexts, aligned. */
export interface Comparison {
  /** The one on the left. */
  readonly left: ComparedSide;
  /** The one on the right. */
  readonly right: ComparedSide;
  /** How much stands at the beginning of both: what a provider's prefix cache can keep. */
  readonly same_prefix: {
    /** How many cards. */
    readonly cards: number;
    /** What they cost. */
    readonly tokens: number;
  };
  /** The alignment, from top to bottom. */
  readonly runs: readonly ComparedRun[];
  /** What each source brings on either side. */
  readonly growth: readonly {
    /** The source. */
    readonly source: PartSource;
    /** What its cards cost on the left. */
    readonly left_tokens: number;
    /** What they cost on the right. */
    readonly right_tokens: number;
    /** How many there are on the left. */
    readonly left_cards: number;
    /** How many there are on the right. */
    readonly right_cards: number;
  }[];
  /** Cards on the right that say which cards on the left they stand for. */
  readonly summaries?: readonly {
    /** Where it stands on the right. */
    readonly right: number;
    /** What it costs. */
    readonly tokens: number;
    /** The positions on the left that it covers. */
    readonly covers: readonly number[];
    /** What those cost. */
    readonly covered_tokens: number;
    /** How many of the cards it names do not stand on the left. */
    readonly elsewhere: number;
  }[];
}

/** What `compose` answers. */
export interface Composed {
  /** What the model sees, in order. */
  readonly messages: readonly Message[];
  /** Where each message came from, and what was left out. */
  readonly ledger: {
    /** One entry a message, in the order of the messages. */
    readonly entries: readonly {
      /** The message's place in the prompt. */
      readonly position: number;
      /** The layer it belongs to. */
      readonly layer: Layer;
      /** The place of its value in the input. */
      readonly from: string;
      /** The id it carries, if it is a remembered message with one. */
      readonly message_id?: string;
      /** Its place in the checkpoint, if it is a remembered message. */
      readonly checkpoint_position?: number;
      /** True for the one message that holds the query. */
      readonly is_query: boolean;
      /** True when white space around the text was taken off. */
      readonly trimmed: boolean;
    }[];
    /** What was given and did not become a message, in the order in which it was met. */
    readonly left_out: readonly LeftOut[];
  };
}

/** The content of a card, as it comes out of the core. */
export type Content =
  | { readonly __type__: "TextContent"; readonly text: string }
  | { readonly __type__: "JsonContent"; readonly data: JsonObject | readonly Json[] }
  | { readonly __type__: "FieldsSchemaContent"; readonly fields: readonly FieldSchema[] }
  | FileContent
  | { readonly __type__: "MultiFileContent"; readonly files: readonly FileContent[] }
  | { readonly __type__: "ToolContent"; readonly tools: readonly JsonObject[] }
  | { readonly __type__: "ToolCallContent"; readonly tool_name: string; readonly arguments: JsonObject; readonly status: string; readonly target_subject: string | null }
  | { readonly __type__: "ToolResultContent"; readonly status: string; readonly after_execution: "suspend" | "terminate"; readonly result: Json; readonly error: JsonObject | null };

/** How much of something is kept. */
export type Cut =
  | {
      /** All of it. */
      readonly keep: "whole";
    }
  | {
      /** All but the index, whose entries are read case by case. */
      readonly keep: "head";
    }
  | {
      /** The report's figures and its first problems without their lists of samples. */
      readonly keep: "summary";
      /** How many problems. */
      readonly problems: number;
      /** Of how many. */
      readonly of: number;
    }
  | {
      /** The beginning and the end of a text. */
      readonly keep: "head_and_tail";
      /** The most tokens it may cost. */
      readonly tokens: number;
    }
  | {
      /** Some turns of a conversation. */
      readonly keep: "turns";
      /** The first ones. */
      readonly head: number;
      /** The last ones. */
      readonly tail: number;
      /** Between them, those that name a failed checker, then those that call a tool. */
      readonly key: number;
      /** The most tokens one turn may cost. */
      readonly turn_tokens: number;
    };

/** How far to read. */
export type Depth = "report_summary" | "typical_cases" | "all_cases";

/** Why a dispatch is refused. */
export type DispatchRefusal = RunRefusal | "missing_project_id" | "missing_agent_id" | "missing_profile_box_id" | "missing_context_box_id" | "missing_channel_id" | "unknown_context_box" | "worker_target_missing" | "l0_required";

/** A request to start a turn of the receiver. It names everything but the turn itself. */
export interface DispatchRequest {
  /** The receiver. */
  readonly target_agent_id: string;
  /** True when the commit puts the receiver into the roster. */
  readonly provision: boolean;
  /** The receiver's profile. */
  readonly profile_box_id: string;
  /** What the turn reads. */
  readonly context_box_id: string;
  /** The output box that the turn goes on with; a new one is made when absent. */
  readonly output_box_id: string | null;
  /** How people call the receiver. */
  readonly display_name: string;
  /** How deep the receiver stands below the first caller; absent when the caller's own depth is not known, and then it follows from the caller's turn. */
  readonly recursion_depth: number | null;
}

/** What became of a dispatch. */
export type Dispatched =
  | {
      readonly status: "accepted";
      readonly agent_id: string;
      readonly agent_turn_id: string;
      /** Absent while the turn waits behind another one. */
      readonly turn_epoch?: number;
      readonly output_box_id: string;
      readonly trace_id: string;
    }
  | { readonly status: "busy" | "rejected" | "error"; readonly error_code: DispatchRefusal; readonly agent_id?: string; readonly agent_turn_id?: string; readonly output_box_id?: string; readonly trace_id?: string };

/** One dropped message. */
export interface DroppedMessage {
  /** Its position in the prompt as it was given. */
  readonly position: number;
  /** The card it came from. */
  readonly card_id?: string;
  /** The layer it came from. */
  readonly layer?: string;
  /** What its texts cost. */
  readonly tokens: number;
  /** True when that is the model's own count. */
  readonly exact: boolean;
  /** Its priority. */
  readonly priority: number;
  /** Why it went. */
  readonly reason: {
    /** The prompt was over the limit, and this was next. */
    readonly kind: "over_budget";
  } | {
    /** It belongs to a message that went: a call and its results stay together. */
    readonly kind: "with_its_call";
    /** The first message of the group. */
    readonly first: number;
  };
}

/** A call that is due: `op` and its arguments. */
export type DueCall =
  | { readonly op: "requeue_inbox" | "poke_inbox"; readonly inbox_id: string }
  | { readonly op: "ledger_requeue_expired" }
  | { readonly op: "time_out_tools" | "ring_again" | "reclaim_agent" | "take_up_results"; readonly agent_id: string }
  | { readonly op: "reap_turn"; readonly agent_id: string; readonly which: ReapedTurns; readonly output_box_id: string | null }
  | { readonly op: "wakeup"; readonly target_agent_id: string; readonly mode: "dispatch_next"; readonly reason: string }
  | { readonly op: "reconcile_task" | "dispatch_task"; readonly batch_task_id: string }
  | { readonly op: "end_batch"; readonly batch_id: string };

/** Who asked whom for what, and the answers. */
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
  readonly metadata: JsonObject;
  readonly created_at: string;
  readonly seq: number;
}

/** What `enter_query` answers. */
export interface EnteredQuery {
  /** Memory with the query in it. */
  readonly state: Memory;
  /** Where the composer finds the query. */
  readonly query: Query;
  /** What became of each message of the state that came in, where it did not simply stay. */
  readonly restored: readonly MemoryStep[];
  /** What became of the query. */
  readonly ledger: readonly MemoryStep[];
}

/** One field that a result must have. */
export interface FieldSchema {
  /** Trimmed and not blank. */
  readonly name: string;
  /** Trimmed; may be empty. */
  readonly description: string;
}

/** A number of tokens, exact or estimated. */
export interface Figure {
  /** How many. */
  readonly tokens: number;
  /** True when it is the model's own count. */
  readonly exact: boolean;
}

/** A file that a card points to. */
export interface FileContent {
  readonly __type__: "FileContent" | "ImageFileContent" | "PdfFileContent" | "TextFileContent" | "VideoFileContent" | "AudioFileContent";
  readonly uri: string;
  readonly checksum: string;
  readonly [key: string]: Json | undefined;
}

/** One thing that is wrong or odd, and where. */
export interface Finding {
  /** Whether the value is refused. */
  readonly weight: "error" | "lint";
  /** What kind of finding it is. */
  readonly type: FindingType;
  /** The place of the value. */
  readonly path: string;
  /** One sentence for a person. */
  readonly message: string;
  /** Structured facts beside the sentence. */
  readonly details?: Json;
}

/** A prompt that fits. */
export interface Fitted {
  /** What is left of the prompt. */
  readonly prompt: {
    /** The messages, in order. */
    readonly messages: readonly Message[];
    /** Where each message came from, in the same order; shorter where nothing is known. */
    readonly origins: readonly {
      /** The layer of a composed prompt. */
      readonly layer?: string;
      /** The card of a rendered one. */
      readonly card_id?: string;
      /** True for the message that holds the query. */
      readonly is_query?: boolean;
      /** A budget never drops it. */
      readonly protected?: boolean;
      /** A budget drops lower figures first; without one, its layer decides. */
      readonly priority?: number;
    }[];
    /** Tool definitions, `{"type": "function", "function": {..}}` or a bare function. */
    readonly tools: readonly JsonObject[];
  };
  /** The positions that stayed, of the prompt as it was given. */
  readonly kept: readonly number[];
  /** What was dropped, in the order of the drops. */
  readonly dropped: readonly DroppedMessage[];
  /** The limit. */
  readonly limit: number;
  /** What the part that is never dropped costs, with its framing, which is always an estimate. */
  readonly protected_tokens: number;
  /** Where the tokens of what is left go. */
  readonly account: Account;
  /** What each of the other limits would do; nothing where the part that is never dropped does not fit. */
  readonly also?: readonly (OtherFit | null)[];
}

/** The arguments of a `fork_join` as they were understood: what a form can show before anything is looked up. */
export interface ForkJoinArguments {
  /** The tasks, in the order of the call. */
  readonly tasks: readonly {
    /** How the receiver is found. */
    readonly target_strategy: Strategy;
    /** The profile or the agent. */
    readonly target_ref: string;
    /** What the receiver is told. */
    readonly instruction: string;
    /** The box whose cards it sees. */
    readonly context_box_id: string | null;
  }[];
  /** Whether the first failure ends the batch. */
  readonly fail_fast: boolean;
  /** When the batch is over. */
  readonly deadline_seconds: number | null;
}

/** A batch that was handed over, ready for an orchestrator. */
export interface Forked {
  /** Whether the first failure ends the batch. */
  readonly fail_fast: boolean;
  /** When the batch is over. */
  readonly deadline_seconds: number | null;
  /** How the results come back. */
  readonly structured_output: string;
  /** The tasks, in the order of the call. */
  readonly tasks: readonly {
    /** Its place in the call, counted from 0: how its result is found again. */
    readonly task_index: number;
    /** How people call it. */
    readonly label: string;
    /** What was handed over. */
    readonly handed: Handed;
  }[];
}

/** A box in which the card stands. */
export interface Found {
  /** Which box. */
  readonly box_id: string;
  /** Where in it, counted from 0. */
  readonly positions: readonly number[];
}

/** One context that was handed over. */
export interface Handed {
  /** How the receiver was found. */
  readonly target_strategy: Strategy;
  /** The profile or agent that the call named. */
  readonly target_ref: string;
  /** The name of the receiver's profile. */
  readonly profile_name: string;
  /** What the receiver is told. */
  readonly instruction: string | null;
  /** The boxes that were handed on, each once. */
  readonly inherit_box_ids: readonly string[];
  /** The cards of the new context, in order. */
  readonly card_ids: readonly string[];
  /** What the orchestrator is asked to do. */
  readonly dispatch: DispatchRequest;
}

/** What was handed over, what became of it, and whether the turn that called waits. A `fork_join` that was handed out before is not handed over again. */
export type HandedOut =
  | {
      readonly handed: Handed;
      readonly result: {
        readonly status: "accepted";
        readonly agent_id: string;
        readonly agent_turn_id: string;
        /** Absent while the turn waits behind another one. */
        readonly turn_epoch?: number;
        readonly context_box_id: string;
        readonly output_box_id: string;
        readonly trace_id: string;
      } | { readonly status: "busy" | "rejected" | "error"; readonly error_code: DispatchRefusal; readonly agent_id: string; readonly trace_id?: string };
      readonly defer_resume: false;
    }
  | { readonly handed: Forked | null; readonly result: { readonly status: "accepted"; readonly batch_id: string; readonly task_count: number }; readonly defer_resume: true };

/** What is not read of one sample, or of the package. */
export interface HandoffLeftOut {
  /** The sample or artefact it belongs to. */
  readonly name?: string;
  /** What is not read. */
  readonly parts: readonly HandoffPart[];
  /** What reading all of it would cost. */
  readonly tokens: number;
  /** Why. */
  readonly because: "budget" | "depth";
}

/** What is read. */
export type HandoffPart = "package" | "report" | "entry" | "sample" | "trace" | "evaluation" | "attribution" | "artifact";

/** Both sides of a handover. */
export interface HandoverPreview {
  /** Which of the contexts this is about, counted from 0. */
  readonly task: number;
  /** How many the call packs. */
  readonly tasks: number;
  /** Who receives, and where. */
  readonly receiver_is: Receiver;
  /** What the sender sees now; absent when the sender is not known. */
  readonly sender: Turn | null;
  /** What the receiver will see. */
  readonly receiver: Turn;
  /** The cards that both see, in the receiver's order. */
  readonly shared: readonly {
    /** The card. */
    readonly card_id: string;
    /** Its place in the sender's turn. */
    readonly sender: number;
    /** Its place in the receiver's turn. */
    readonly receiver: number;
  }[];
  /** The cards that only the receiver sees, in its order. */
  readonly added: readonly {
    /** The card. */
    readonly card_id: string;
    /** Its place in the receiver's turn. */
    readonly position: number;
    /** Why it is in the new context; absent for what the receiver has put out itself. */
    readonly cause: Cause | null;
  }[];
  /** The cards that the sender sees and does not pass on, in its order. */
  readonly not_passed_on: readonly {
    /** The card. */
    readonly card_id: string;
    /** Its place. */
    readonly position: number;
  }[];
  /** Who packs what from where, under which authority. */
  readonly audit: Audit | null;
  /** The hash of everything the call makes, the same after it is committed. */
  readonly content_hash: string;
}

/** The head of an agent's state: the lease of its turn. */
export interface HeadRow {
  readonly agent_id: string;
  readonly status: AgentStatus;
  readonly active_agent_turn_id?: string;
  readonly active_channel_id?: string;
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
  readonly rung_at?: string;
}

/** A card that holds the text. */
export interface Hit {
  /** The card. */
  readonly card_id: string;
  /** The first box it stands in. */
  readonly box_id: string;
  /** Where in that box, counted from 0. */
  readonly position: number;
  /** In how many of the boxes it stands. */
  readonly boxes: number;
  /** What it is. */
  readonly kind: CardKind;
  /** Its semantic type. */
  readonly type: string | null;
  /** How it reads there. */
  readonly snippet: {
    /** What stands before it. */
    readonly before: string;
    /** The text as the card has it; empty where the card's id or type holds it. */
    readonly found: string;
    /** What stands after it. */
    readonly after: string;
  };
}

/** What was found. */
export interface Hits {
  /** Every card that holds the text once, in the order of the boxes. */
  readonly hits: readonly Hit[];
  /** How many cards hold it, also those beyond the limit. */
  readonly total: number;
  /** How many cards were looked at. */
  readonly searched: number;
}

/** Where something was read. */
export interface ImportOrigin {
  readonly file: string | null;
  /** From 1; absent where the file is one value. */
  readonly line?: number;
  /** A JSON pointer; absent for the whole. */
  readonly pointer?: string;
}

/** What an import found. */
export interface ImportReport {
  readonly files: readonly { readonly name: string; readonly format: string | null }[];
  /** The one with the newest request last. */
  readonly sessions: readonly ImportedSession[];
  /** For each model, over the requests that their log holds whole: what was recorded, what is estimated, and the factor between them. */
  readonly calibration: readonly {
    readonly model: string;
    readonly requests: number;
    readonly recorded: number;
    readonly estimated: number;
    /** What 100 estimated tokens are for the model; `null` where nothing is estimated. */
    readonly factor_percent: number | null;
    /** How far the estimates of single requests are off, in hundredths of what was recorded. */
    readonly off_percent: number | null;
    /** The same with every estimate multiplied by the factor. */
    readonly off_percent_scaled: number | null;
  }[];
  readonly notes: readonly { readonly code: ImportLintCode; readonly origin: ImportOrigin; readonly message: string }[];
}

/** Something that cannot be known from the log, and why. */
export interface ImportUnknown {
  readonly what: UnknownWhat;
  readonly why: string;
}

/** One request of a session. */
export interface ImportedRequest {
  /** Its number among all requests of the import, from 0. */
  readonly request: number;
  readonly kind: "main" | "sub" | "compaction" | "side";
  /** The box with everything the request held, as far as the log has it. */
  readonly box_id: string;
  /** The box with the answer; absent where the log has none. */
  readonly answer_box_id?: string;
  readonly model: string | null;
  readonly api: "openai_chat" | "openai_responses" | "anthropic" | "gemini" | null;
  readonly agent: string | null;
  readonly at: string | null;
  readonly origin: ImportOrigin;
  readonly messages: number;
  readonly tools: number;
  /** How many messages it begins with as the request before did. */
  readonly shared: number;
  readonly came: number;
  readonly went: number;
  /** True when a summary stands for what went. */
  readonly compacted: boolean;
  /** The box of the summary that stands for what went, over the boxes that it covers; absent where nothing was compacted. */
  readonly summary_box_id?: string;
  /** How often it was repeated after a failure. */
  readonly retries: number;
  /** Tokens as the log recorded them. */
  readonly recorded: { readonly input: number | null; readonly output: number | null; readonly cached: number | null };
  /** An estimate of the tokens of what the log holds. */
  readonly estimated: number;
  /** The estimate as the model counts; `null` where `calibration` does not know the model. */
  readonly calibrated: number | null;
  /** Recorded tokens that are not in the log; `null` where nothing is missing. */
  readonly residual: number | null;
  readonly unknown: readonly ImportUnknown[];
}

export interface ImportedSession {
  readonly id: string;
  readonly source: string;
  readonly parent?: string;
  readonly agent?: string;
  readonly requests: readonly ImportedRequest[];
}

/** A message that was taken from an inbox: what `turn_start`, `resume` or `stop` is called with. */
export type InboxItem =
  | {
      readonly inbox_id: string;
      readonly agent_id: string;
      readonly agent_turn_id: string;
      readonly turn_epoch: number;
      readonly channel_id: string;
      readonly headers: { readonly [key: string]: string };
      readonly trace_id: string | null;
      readonly parent_step_id: string | null;
      readonly kind: "turn";
      readonly profile_box_id: string | null;
      readonly context_box_id: string | null;
      readonly output_box_id: string | null;
      readonly runtime_config: JsonObject | null;
      /** The step at which a turn was given back. */
      readonly step_count?: number;
    }
  | { readonly inbox_id: string; readonly agent_id: string; readonly agent_turn_id: string; readonly turn_epoch: number; readonly channel_id: string; readonly headers: { readonly [key: string]: string }; readonly trace_id: string | null; readonly parent_step_id: string | null; readonly kind: "resume" | "stop"; readonly payload: JsonObject; readonly profile_box_id?: string | null; readonly context_box_id?: string | null; readonly output_box_id?: string | null };

/** What waits for an agent. */
export interface InboxRow {
  readonly inbox_id: string;
  readonly agent_id: string;
  readonly message_type: string;
  readonly enqueue_mode?: string;
  readonly correlation_id?: string;
  readonly recursion_depth: number;
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly trace_id?: string;
  readonly parent_step_id?: string;
  readonly source_agent_id?: string;
  readonly source_step_id?: string;
  readonly payload?: Json;
  readonly status: InboxStatus;
  readonly processed_at?: string;
  readonly archived_at?: string;
  readonly created_at: string;
  readonly seq: number;
  readonly agent_turn_id?: string;
}

/** Where a message to an agent stands. */
export type InboxStatus = "pending" | "queued" | "processing" | "consumed" | "error" | "skipped" | "deferred";

/** Where a message of the prompt comes from: a block's key, or one of the fixed layers. */
export type Layer = "system_prompt" | "checkpoint_messages" | "human_message" | "query" | ContextKey;

/** One position of a box, explained. */
export interface LedgerEntry {
  /** The position in the box, counted from 0. */
  readonly position: number;
  /** The card there. */
  readonly card_id: string;
  /** Why it is there. */
  readonly cause: Cause;
  /** The later duplicates that it stands for, as inherited places. */
  readonly swallowed?: readonly Cause[];
}

/** Something that was given and did not become a message. */
export interface LeftOut {
  /** The layer it belongs to. */
  readonly layer: Layer;
  /** The place of its value in the input. */
  readonly from: string;
  /** The id it carries, if it is a remembered message with one. */
  readonly message_id?: string;
  /** The rule that kept it out. */
  readonly rule: "blank" | "not_text" | "sharing_off" | "not_in_process" | "no_checkpoint_in_process" | "overridden";
}

/** One remark about the caller's value. */
export interface Lint {
  /** What it is about. */
  readonly code: LintCode;
  /** Where the value is. */
  readonly path: string;
  /** One sentence for a person, in the style of an error message. */
  readonly message: string;
  /** The card it is about, where it is about one. */
  readonly card_id?: string;
}

/** The rows of a `ListRows`. */
export interface ListedRows {
  /** The rows. */
  readonly rows: readonly JsonObject[];
}

/** A plan. `spent` is the sum of its steps and never above `budget`. */
export interface LoadPlan {
  /** The most tokens that may be spent. */
  readonly budget: number;
  /** What the steps cost together. */
  readonly spent: number;
  /** How far it was to read. */
  readonly depth: Depth;
  /** What to read, in order. */
  readonly steps: readonly LoadStep[];
  /** What is not read. */
  readonly left_out: readonly HandoffLeftOut[];
  /** What a person should look at. */
  readonly findings: readonly Finding[];
}

/** One thing to read. */
export interface LoadStep {
  /** What it is. */
  readonly read: HandoffPart;
  /** Where it is, from the package's root; nothing for what the package itself holds. */
  readonly path?: string;
  /** The sample or artefact it belongs to. */
  readonly name?: string;
  /** How much of it is kept. */
  readonly cut: Cut;
  /** What that costs. */
  readonly tokens: number;
  /** What all of it would cost. */
  readonly whole_tokens: number;
  /** Why it has its place. */
  readonly reason: {
    /** The problem whose typical case this is. */
    readonly typical_of?: string;
    /** The sample's priority. */
    readonly priority?: "high" | "medium" | "low";
    /** How many samples its largest problem touches. */
    readonly affected_count?: number;
  };
}

/** A loaded context. */
export interface LoadedHandoff {
  /** The most tokens that may be spent. */
  readonly budget: number;
  /** What the pieces cost together. */
  readonly spent: number;
  /** How far it was to read. */
  readonly depth: Depth;
  /** What a model reads, in order, each piece with its account. */
  readonly pieces: readonly ({
    /** What a model reads: a line that says what it is, and the content. */
    readonly text: string;
  } & LoadStep)[];
  /** What is not read. */
  readonly left_out: readonly HandoffLeftOut[];
  /** What could not be read. */
  readonly missing: readonly MissingFile[];
  /** What a person should look at. */
  readonly findings: readonly Finding[];
}

/** One change. */
export interface Loss {
  /** What kind of change. */
  readonly code: ChangeCode;
  /** What was done. */
  readonly action: "merge" | "move" | "drop" | "rewrite" | "add";
  /** True when the model no longer sees the same. */
  readonly lossy: boolean;
  /** The neutral message it happened to. */
  readonly position?: number;
  /** The tool definition it happened to. */
  readonly tool?: number;
  /** The card that the message came from. */
  readonly card_id?: string;
  /** The layer that the message came from. */
  readonly layer?: string;
  /** Why, in one sentence. */
  readonly reason: string;
}

/** A state that memory is part of: the remembered messages, the summary of those that left, what is known of both, and whatever else a state holds. */
export interface Memory {
  readonly messages: readonly Message[];
  readonly compression__context?: string;
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
  };
  readonly [key: string]: Json | undefined;
}

/** What became of one message or result. */
export type MemoryStep = {
  /** The message's id, or the task's. */
  readonly id: string;
} & ({
  /** It is new and stands at the end. */
  readonly effect: "appended";
  /** Where it stands. */
  readonly position: number;
} | {
  /** It stands there already. */
  readonly effect: "already_there";
  /** Where it stands. */
  readonly position: number;
} | {
  /** It left before; a summary covers it. */
  readonly effect: "already_covered";
  /** The compaction. */
  readonly by: string;
} | {
  /** It asks the open query once more in the same words. */
  readonly effect: "repeat";
  /** The message that asked first. */
  readonly of: string;
} | {
  /** It took the place of an earlier version. */
  readonly effect: "replaced";
  /** Where it stands. */
  readonly position: number;
} | {
  /** It left; a summary covers it from now on. */
  readonly effect: "left";
  /** The compaction. */
  readonly by: string;
} | {
  /** It was forgotten with all results. */
  readonly effect: "cleared";
} | {
  /** Its kind is never remembered, so the checkpoint's copy was left behind. */
  readonly effect: "not_remembered";
});

/** One neutral message, as it comes back. Unknown keys travel untouched. */
export interface Message {
  readonly role: Json;
  readonly content?: string | readonly Json[] | null;
  readonly name?: string | null;
  readonly tool_calls?: readonly Json[] | null;
  readonly tool_call_id?: string | null;
  readonly id?: string | null;
  readonly [key: string]: Json | undefined;
}

/** One thing that is not there. */
export interface Missing {
  /** Its id. */
  readonly id: string;
  /** Why. */
  readonly reason: "absent" | "deleted" | "expired" | "unreadable";
  /** What is wrong with something that cannot be read. */
  readonly why?: string;
}

/** A file that something points to and that is not stored. */
export interface MissingFile {
  /** What it would be. */
  readonly read: HandoffPart;
  /** Where it should be, from the package's root. */
  readonly path: string;
  /** The sample or artefact it belongs to. */
  readonly name: string;
}

/** Where the pointers of an agent stand after a move. */
export interface MovedPointers {
  /** Whose they are. */
  readonly agent_id: string;
  /** The row of its state. */
  readonly head: JsonObject;
  /** The row of what it keeps between turns. */
  readonly pointers: JsonObject;
}

/** A request in the neutral shape. */
export interface NeutralRequest {
  readonly system: readonly string[];
  readonly messages: readonly { readonly role: "system" | "user" | "assistant" | "tool"; readonly parts: readonly Json[] }[];
  readonly tools: readonly { readonly name: string; readonly description?: string; readonly schema?: Json }[];
  readonly unknown: readonly ImportUnknown[];
  readonly output?: readonly Json[];
  /** Every request, where `every` was asked for. */
  readonly requests?: readonly ({ readonly index?: number } & NeutralRequest)[];
}

/** An edge that was noted. */
export interface Noted {
  readonly edge_id: string;
  readonly correlation_id: string;
  readonly trace_id: string | null;
}

/** What another limit would do to the same prompt. Drops happen in one order: the smaller of two limits drops what the larger one does, and then more. */
export interface OtherFit {
  /** The limit. */
  readonly limit: number;
  /** How many messages go. */
  readonly dropped: number;
  /** What is left costs. */
  readonly tokens: number;
}

/** A message that is to be sent. */
export interface OutboxMessage {
  readonly message_id: string;
  readonly subject: string;
  readonly payload: JsonObject;
  readonly headers: { readonly [key: string]: string } | null;
  /** True for a message that nobody stores. */
  readonly core: boolean;
}

/** A packed context. */
export interface Packed {
  /** The new box. */
  readonly context_box_id: string;
  /** The target's profile. */
  readonly target_profile_box_id: string;
  /** The target's profile name, in its own case. */
  readonly profile_name: string;
  /** The cards of the new box, in order. */
  readonly attached_card_ids: readonly string[];
}

/** Tokens of one source, and where they are cards, of one kind. */
export interface Part {
  /** Where they come from. */
  readonly source: PartSource;
  /** What the cards are; absent for what is no card of the box. */
  readonly kind?: CardKind;
  /** The first position among the cards; absent for what is no card of the box. */
  readonly first?: number;
  /** How many cards they are. */
  readonly cards: number;
  /** What they cost. */
  readonly tokens: number;
  /** True when that is the model's own count. */
  readonly exact: boolean;
}

/** Where the cards of a part come from. */
export type PartSource =
  | {
      /** Made from arguments of the call. */
      readonly kind: "argument";
    }
  | {
      /** Inherited from a box. */
      readonly kind: "inherited";
      /** Which box. */
      readonly box_id: string;
    }
  | {
      /** The parent pointer. */
      readonly kind: "parent";
    }
  | {
      /** They stand in the box that is looked at. */
      readonly kind: "stored";
    }
  | {
      /** What the receiver has put out before. */
      readonly kind: "output";
      /** In which box. */
      readonly box_id: string;
    }
  | {
      /** The system prompt. */
      readonly kind: "system_prompt";
    }
  | {
      /** Tool definitions. */
      readonly kind: "tools";
    }
  | {
      /** The provider's own marks. */
      readonly kind: "framing";
    };

/** A payload, and what was changed to make it one. */
export interface Payload {
  readonly provider: Provider;
  readonly model: string | null;
  /** What is sent as it stands. */
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
  /** Tools that have another name for the provider. */
  readonly renamed_tools: readonly RenamedTool[];
}

/** Where two payloads part, and what a cache keeps. */
export interface PayloadDiff {
  /** Whose payloads. */
  readonly provider: Provider;
  /** How many messages at the beginning are the same, as the provider sees messages. */
  readonly same_messages: number;
  /** How many tokens at the beginning are the same. */
  readonly same_tokens: Figure;
  /** All tokens of the payload before; with framing, which is always an estimate. */
  readonly before_tokens: number;
  /** All tokens of the payload after, likewise. */
  readonly after_tokens: number;
  /** Where they part; nothing when they are the same. */
  readonly first_difference: {
    /** Why. */
    readonly why: "tools_changed" | "changed" | "inserted" | "removed" | "replaced" | "appended" | "shortened";
    /** What stands there before; nothing at the end. */
    readonly before: PayloadPlace | null;
    /** What stands there after; nothing at the end. */
    readonly after: PayloadPlace | null;
    /** How many characters of the two texts are still the same. */
    readonly same_characters: number;
  } | null;
  /** What a prefix cache keeps. */
  readonly cache: {
    /** Under these demands. */
    readonly policy: CachePolicy;
    /** Tokens that are read from the cache. */
    readonly kept_tokens: number;
    /** Tokens that are read anew. */
    readonly fresh_tokens: number;
    /** True when every figure behind it is exact. */
    readonly exact: boolean;
  };
}

/** One place in a payload. */
export interface PayloadPlace {
  /** The provider's message. */
  readonly message?: number;
  /** The neutral message. */
  readonly position?: number;
  /** The card. */
  readonly card_id?: string;
  /** The layer. */
  readonly layer?: string;
  /** The tool. */
  readonly tool?: string;
  /** Who speaks. */
  readonly role?: string;
}

/** A place in one of the two boxes. */
export interface Place {
  /** Which box. */
  readonly side: Side;
  /** Where in that box, counted from 0. */
  readonly position: number;
}

/** One entry of the list. */
export interface Problem {
  /** How bad it is. */
  readonly severity: "error" | "warning" | "info";
  /** Which part of the product says so. */
  readonly source: "lint" | "left_out" | "loss" | "never_sent" | "window";
  /** What it is about. Stable, `snake_case`. */
  readonly code: string;
  /** One sentence for a person. */
  readonly message: string;
  /** The value it is about; absent where there is none. */
  readonly path?: string;
  /** Where the card stands that it is about. */
  readonly place?: {
    /** Which box, counted from 0. */
    readonly shown: number;
    /** Which position in it, counted from 0. */
    readonly position: number;
  };
  /** The card it is about. */
  readonly card_id?: string;
  /** What would end it. */
  readonly fix?: {
    /** Take this value out of the call. */
    readonly kind: "remove";
    /** Which value. */
    readonly path: string;
  } | {
    /** Fit the request into a budget. */
    readonly kind: "fit";
  };
}

/** The kind of process that runs the agent. */
export type Process = "sequential" | "dynamic" | "hierarchical" | "react" | "mapreduce_worker" | "mapreduce_planner" | "mapreduce_reducer";

/** A queued turn that its agent was given. */
export interface Promoted {
  readonly inbox_id: string;
  readonly agent_turn_id: string;
  readonly turn_epoch: number;
  readonly channel_id: string;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  readonly trace_id: string | null;
  readonly recursion_depth: number;
}

/** The composer's two tables. */
export interface PromptTables {
  readonly processes: readonly {
    /** The kind of process. */
    readonly process: Process;
    /** Whether the remembered conversation is injected. */
    readonly checkpoint: boolean;
    /** Where `enable_share_context` stands unless the project sets it. */
    readonly share_by_default: boolean;
    /** The blocks it sees whichever way the switch stands. */
    readonly always: readonly Layer[];
    /** The blocks it sees while sharing. */
    readonly when_sharing: readonly Layer[];
    /** Whether blocks without a place of their own are let in while sharing. */
    readonly other_blocks: boolean;
    /** Whether a prompt must hold a query. An agent that goes on from what it remembers, after a handover or a tool's result, needs none. */
    readonly needs_query: boolean;
    /** Whether the project's switch changes what it sees. A worker sees its share of the task and nothing else, whichever way the switch stands. */
    readonly follows_switch: boolean;
  }[];
  readonly layers: readonly {
    /** The layer; `*__context` stands for every block without a place of its own. */
    readonly layer: Layer;
    /** How long it lives. */
    readonly lifetime: "call_only" | "runtime_only" | "persistent";
    /** Whether it is part of what agents share. */
    readonly shared: boolean;
  }[];
}

/** Where the query is: with this call, or one of the checkpoint's messages. Never both. */
export type Query =
  | { readonly runtime: string }
  | { readonly in_checkpoint: true | string };

/** Work that follows from other work. */
export interface QueuedWork {
  readonly agent_id: string;
  readonly agent_turn_id: string;
  readonly turn_epoch: number;
  readonly continuation: boolean;
  readonly step_count: number;
  readonly output_box_id: string | null;
  /** A result to resume with, where there is one. */
  readonly resume?: ToolReport;
}

/** Whose turn reads a box, and with what else. */
export interface Reader {
  /** The agent. */
  readonly agent_id?: string;
  /** What the turn reads. */
  readonly context_box_id?: string;
  /** What the turn has put out; empty when it starts with nothing. */
  readonly output_box_id?: string;
  /** The profile under which it runs. */
  readonly profile_box_id?: string;
  /** How people call the agent. */
  readonly display_name?: string;
  /** The rule dialect. */
  readonly dialect: Dialect;
}

/** Which turns a reaper ends. */
export type ReapedTurns = "dispatched" | "active" | "suspended";

/** What a store says after a commit. */
export interface Receipt {
  /** The operation that was applied. */
  readonly operation_id: string;
  /** True when it had been applied before, and nothing changed now. */
  readonly repeated: boolean;
  /** The versions of the boxes it changed, in the order of their first change. */
  readonly boxes: readonly BoxVersion[];
}

/** Who receives a context, and where. */
export interface Receiver {
  /** The agent; absent where only a profile is known. */
  readonly agent_id: string | null;
  /** Its profile. */
  readonly profile_box_id: string;
  /** What its turn reads. */
  readonly context_box_id: string;
  /** The output it goes on with. */
  readonly output_box_id: string | null;
  /** How people call it. */
  readonly display_name: string | null;
}

/** What a primitive answers when it writes nothing. */
export interface Refused {
  readonly status: "busy" | "rejected" | "error";
  readonly error_code: RunRefusal;
}

/** A row of the registry after a change. */
export interface RegistryChange {
  /** The name or id. */
  readonly key: string;
  /** What is registered from now on; nothing after a removal. */
  readonly row: JsonObject | null;
}

/** A tool whose calls differ from its definition: a host restores them. */
export interface RenamedTool {
  /** The name in the prompt. */
  readonly given: string;
  /** The name in the payload, and in the model's answers. */
  readonly sent: string;
  /** The arguments stand inside an object, under `value`. */
  readonly wrapped?: boolean;
  /** Properties that go under another name. */
  readonly properties?: readonly {
    /** The name in the prompt. */
    readonly given: string;
    /** The name in the payload, and in the model's answers. */
    readonly sent: string;
  }[];
}

/** What a list of cards became. */
export interface Rendered {
  /** What the model sees, in order. */
  readonly messages: readonly Message[];
  /** The tool definitions of all cards, in order. */
  readonly tools?: readonly JsonObject[];
  /** Every card that was asked for, in order, missing ones too. */
  readonly source_card_ids: readonly string[];
  /** What each of them became, in the same order. */
  readonly entries: readonly RenderedCard[];
}

/** What one card became: a message, tool definitions, or nothing that a model sees. */
export type RenderedCard = { readonly card_id: string } & ({ readonly became: "message"; readonly position: number } | { readonly became: "tools"; readonly first: number; readonly count: number } | { readonly became: "nothing"; readonly reason: "call_record" | "absent" | "deleted" | "expired" | "unreadable" });

/** A request, counted. */
export interface RequestView {
  /** The turn that makes it, as a call of `turn_view`. */
  readonly turn: Reader;
  /** To whom it goes. */
  readonly provider: Provider;
  /** What it costs. */
  readonly tokens: number;
  /** True when `tokens` are the model's own count, not an estimate. */
  readonly exact: boolean;
  /** The tokens by what they are for. */
  readonly sections: readonly Section[];
  /** What is kept free for the answer. */
  readonly reserve: number;
  /** How full the window is: the one that was named, or that of the model; absent without either. */
  readonly window?: {
    /** How many tokens fit. */
    readonly size: number;
    /** How many are left, once the answer has what is kept for it. */
    readonly free: number;
    /** How many do not fit. */
    readonly over: number;
    /** How worried to be. */
    readonly level: WindowLevel;
  };
  /** The tokens by source and kind, in the order in which the model meets them. */
  readonly parts: readonly Part[];
  /** What became of every card of the box, in order. */
  readonly cards: readonly CardCost[];
  /** How many of the cards the model never gets. */
  readonly never_sent: number;
  /** What was changed on the way to the provider. */
  readonly losses: readonly Loss[];
  /** Everything that was noticed, left out, changed or never sent, the worst first. */
  readonly problems: readonly Problem[];
}

/** A model's answer. */
export interface Response {
  /** Who answered. */
  readonly provider: Provider;
  /** The provider's id of the answer. */
  readonly id?: string;
  /** The model that answered. */
  readonly model?: string;
  /** The answer as a neutral message. */
  readonly message: Message;
  /** The answer as a card: what `put_cards` takes. */
  readonly card: Json;
  /** Why the model stopped. */
  readonly stop: "end" | "tool_calls" | "length" | "refusal" | "pause" | "other";
  /** The provider's own word for it. */
  readonly stop_reason?: string;
  /** False when a stream was cut before its end. */
  readonly complete: boolean;
  /** What the answer cost. */
  readonly usage: Usage;
  /** What could not be kept. */
  readonly losses: readonly Loss[];
}

/** One position of a box, ready to be shown. */
export interface Row {
  /** The position, counted from 0. */
  readonly position: number;
  /** The card there. */
  readonly card_id: string;
  /** Whether the card can be read. */
  readonly presence: "new" | "live" | "deleted" | "expired" | "absent" | "unreadable";
  /** What it is. */
  readonly kind: CardKind;
  /** The role a model sees, as it stands. */
  readonly role: Json;
  /** Its semantic type. */
  readonly type: string | null;
  /** The type of its content on the wire. */
  readonly content_type: string | null;
  /** Who made it. */
  readonly author_id: string | null;
  /** How it begins, on one line. */
  readonly excerpt: string;
  /** What is wrong with a card that is there and cannot be read. */
  readonly fault?: string;
  /** Why it is there; absent for a stored box. */
  readonly cause?: Cause;
  /** The later duplicates that it stands for. */
  readonly swallowed?: readonly Cause[];
}

/** The answer of a primitive. */
export type RunAnswer<Made> =
  | { readonly status: "accepted"; readonly payload: Made }
  | Refused;

/** Why a primitive refuses. */
export type RunRefusal = "protocol_violation" | "recursion_depth_exceeded" | "agent_busy" | "unknown_agent" | "invalid_box_id" | "conflict";

/** What runs in a project, at one agent, or in one batch. */
export type RunState =
  | { readonly agents: readonly HeadRow[]; readonly queued: readonly InboxRow[]; readonly batches: readonly BatchRow[] }
  | { readonly agents: readonly HeadRow[]; readonly queued: readonly InboxRow[]; readonly waiting: readonly WaitingRow[]; readonly steps: readonly StepRow[] }
  | { readonly batches: readonly BatchRow[]; readonly tasks: readonly TaskRow[]; readonly edges: readonly EdgeRow[] };

/** A card of a turn and where it stands. */
export interface Seat {
  /** The card. */
  readonly card_id: string;
  /** Which box. */
  readonly side: Side;
  /** Where in that box, counted from 0. */
  readonly position: number;
}

/** What the tokens of a request are for. */
export interface Section {
  /** What for. */
  readonly section: "system_prompt" | "tools" | "media" | "messages" | "framing";
  /** How many tokens. */
  readonly tokens: number;
  /** True when it is the model's own count. */
  readonly exact: boolean;
}

/** A message that lies in an inbox. */
export interface Sent {
  readonly inbox_id: string;
  readonly correlation_id: string;
  readonly trace_id: string;
  /** The turn, for a `turn` or a `ui_action`. */
  readonly agent_turn_id?: string;
  /** The epoch of the turn; absent while it waits behind another one. */
  readonly turn_epoch?: number;
}

/** Which of the two boxes a card stands in. */
export type Side = "context" | "output";

/** Every step of every turn. */
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
  readonly metadata: JsonObject;
  readonly started_at: string;
  readonly ended_at?: string;
}

/** How the receiver is found. */
export type Strategy = "new" | "reuse" | "clone";

/** A task as the result of its batch tells it. */
export interface TaskResult {
  readonly task_index: number;
  readonly status: string;
  readonly summary?: string;
  readonly output_box_id?: string;
  readonly error?: string;
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
  readonly metadata: JsonObject;
  readonly created_at: string;
  readonly updated_at: string;
  readonly seq: number;
}

/** Where a task of a batch stands. */
export type TaskStatus = "pending" | "dispatched" | "success" | "failed" | "canceled" | "timeout" | "partial";

/** What is said of a tool's result: the call, the card that holds it, and what follows. */
export interface ToolReport {
  readonly tool_call_id: string;
  readonly tool_result_card_id?: string | null;
  readonly status?: string | null;
  /** `suspend` to go on with the turn, `terminate` to end it. */
  readonly after_execution?: string | null;
  /** The step that made the call. */
  readonly step_id?: string | null;
}

/** Why a row changed. */
export interface Transition {
  /** The rule that changed it. */
  readonly rule: string;
  /** What held, so that it could. */
  readonly guard: string;
  /** The table of the row. */
  readonly table: string;
  /** The key of the row. */
  readonly key: readonly string[];
  /** The version that it had; absent for a new row. */
  readonly version?: string;
}

/** What the model of a turn will see, and what every part of it came from. */
export interface Turn {
  /** The name of this view, where it is recorded: `TurnView` shows it again. */
  readonly view_id?: string;
  /** Whose turn it is, where that is known. */
  readonly agent_id: string | null;
  /** The profile under which it runs. */
  readonly profile: TurnProfile | null;
  /** What the turn reads. */
  readonly context_box_id: string | null;
  /** What the turn has put out. */
  readonly output_box_id: string | null;
  /** What the model is sent. */
  readonly request: {
    /** The messages, the system prompt first. */
    readonly messages: readonly Message[];
    /** The tool definitions. */
    readonly tools?: readonly JsonObject[];
  };
  /** Every card behind the request, in order: the recorded prompt and tools where there are any, then the cards of the boxes without those that were lifted into the prompt. */
  readonly source_card_ids: readonly string[];
  /** What each of those cards became, in the same order. */
  readonly entries: readonly TurnEntry[];
  /** The fields that the result must have, as the prompt lists them. */
  readonly result_fields?: readonly {
    /** The card that asks for it. */
    readonly card_id: string;
    /** Its name. */
    readonly name: string;
    /** What it should hold; may be empty. */
    readonly description: string;
  }[];
  /** Cards that stand in the boxes and cannot be read. */
  readonly missing?: readonly ({
    /** Why it is not seen. */
    readonly reason: "call_record" | "absent" | "deleted" | "expired" | "unreadable";
    /** What is wrong with a card that is there and cannot be read. */
    readonly why?: string;
  } & Seat)[];
  /** Repetitions that the merge of the boxes left out. */
  readonly swallowed?: readonly Seat[];
  /** Tools that the host offers and the profile does not allow. */
  readonly tools_left_out?: readonly string[];
}

/** The cards of a turn, in the order in which they are shown. */
export interface TurnCards {
  /** The cards. */
  readonly card_ids: readonly string[];
  /** Where each of them stands. */
  readonly seats: readonly Seat[];
  /** Repetitions that were left out. */
  readonly swallowed: readonly Seat[];
}

/** What one card of a turn became, and where it stands; a recorded prompt stands in no box. */
export type TurnEntry = { readonly card_id: string; readonly seat?: Place } & ({ readonly became: "message"; readonly position: number } | { readonly became: "tools"; readonly first: number; readonly count: number } | { readonly became: "nothing"; readonly reason: "call_record" | "absent" | "deleted" | "expired" | "unreadable" });

/** The profile of a turn. */
export interface TurnProfile {
  /** Its box. */
  readonly profile_box_id: string;
  /** The card that holds it. */
  readonly card_id: string;
  /** Its name. */
  readonly name: string;
  /** How people call the agent. */
  readonly display_name: string | null;
  /** The model and how it is called, as the profile says it. */
  readonly llm_config: Json;
  /** The tools it may use; absent when it may use all. */
  readonly allowed_tools: readonly string[] | null;
}

/** What of a request a log may not hold. */
export type UnknownWhat = "system" | "tools" | "tool_descriptions" | "tool_schemas" | "messages" | "reasoning" | "images" | "files" | "tool_calls" | "tool_results" | "order" | "params";

/** What an answer cost, as far as the provider says. */
export interface Usage {
  /** Tokens of the request, those from the cache among them. */
  readonly input_tokens?: number;
  /** Tokens of the answer, thinking among them. */
  readonly output_tokens?: number;
  /** Tokens that came from the cache. */
  readonly cache_read_tokens?: number;
  /** Tokens that went into the cache. */
  readonly cache_write_tokens?: number;
  /** Tokens that the model thought. */
  readonly reasoning_tokens?: number;
}

/** What there is to see. */
export interface View {
  /** One picture for each box, in the order in which the call packs them. */
  readonly boxes: readonly BoxView[];
  /** Which of the boxes the rows are of. */
  readonly shown: number;
  /** The rows asked for. */
  readonly rows: readonly Row[];
  /** The positions of the cards that hold the text looked for; absent when none was. */
  readonly matches?: readonly number[];
  /** What was named in the call and never became a card. */
  readonly dropped: readonly {
    /** The value that was left out. */
    readonly path: string;
    /** Why. */
    readonly reason: DropReason;
  }[];
  /** What was noticed, and where. */
  readonly lints: readonly ({
    /** Where the card stands; absent when it is about no card. */
    readonly place?: {
      /** Which box, counted from 0. */
      readonly shown: number;
      /** Which position in it, counted from 0. */
      readonly position: number;
    };
  } & Lint)[];
  /** The hash of what the call makes; absent for a stored box. */
  readonly content_hash?: string;
}

/** The tool calls that a suspended turn waits for. */
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

/** How worried to be about a window. */
export type WindowLevel = "calm" | "high" | "full" | "over";

/** A card as callers send it, every field present. */
export interface WireCard {
  readonly card_id: string;
  readonly content: Content;
  readonly metadata: JsonObject;
  readonly tool_calls: readonly JsonObject[] | null;
  readonly tool_call_id: string | null;
  readonly ttl_seconds: number | null;
}

/** What `write_back` answers. */
export interface WrittenBack {
  /** What is kept. */
  readonly state: JsonObject;
  /** The layers that were written. */
  readonly written: readonly Layer[];
  readonly left_out: readonly {
    /** The block. */
    readonly layer: Layer;
    /** Its place: in the call's `contexts`, or in the state. */
    readonly from: string;
    /** The rule that kept it out. */
    readonly rule: "call_only" | "runtime_only" | "kept_by_memory" | "overridden" | "not_text";
  }[];
  /** What became of each message of the state that came in, where it did not simply stay. */
  readonly restored: readonly MemoryStep[];
}

/** What every operation answers. */
export interface Results {
  get_cards: Cards;
  get_boxes: Boxes;
  get_box_cards: Cards;
  pack_context: Packed;
  put_cards: {
    /** Their ids. */
    readonly card_ids: readonly string[];
  };
  create_box: BoxRow;
  append_to_box: BoxRow;
  replace_box: BoxRow;
  fork_box: BoxRow;
  concat_boxes: BoxRow;
  delete_cards: {
    /** The cards that are gone now; those that were gone before are not among them. */
    readonly card_ids: readonly string[];
  };
  delete_box: string;
  pack_context_with_instruction: {
    /** What `pack_context` was called with. */
    readonly recipe: {
      /** The arguments. */
      readonly arguments: Json;
      /** The packing rules. */
      readonly handover: Json;
    };
    /** What it packed. */
    readonly packed: Packed;
  };
  delegate_async: Handed;
  launch_principal: Handed;
  ask_expert: Handed;
  fork_join: Forked;
  fork_join_args: ForkJoinArguments;
  run_recipe: Handed;
  check_recipe: CheckedRecipe;
  preview_handover: HandoverPreview;
  resolve_current_output_box_id: {
    /** The box. */
    readonly output_box_id: string;
  };
  validate_box_ids_exist: {
    /** The boxes, in order. */
    readonly box_ids: readonly string[];
  };
  turn_view: Turn;
  list_turn_views: ListedRows;
  turn_boxes: TurnCards;
  register_profile: RegistryChange;
  update_profile: RegistryChange;
  remove_profile: RegistryChange;
  register_agent: RegistryChange;
  update_agent: RegistryChange;
  remove_agent: RegistryChange;
  register_tool: RegistryChange;
  update_tool: RegistryChange;
  remove_tool: RegistryChange;
  list_profiles: ListedRows;
  list_agents: ListedRows;
  list_tools: ListedRows;
  list_audit: ListedRows;
  move_pointers: MovedPointers;
  append_output: {
    /** Whose output. */
    readonly agent_id: string;
    /** The box. */
    readonly output_box_id: string;
  };
  render: Rendered;
  payload: Payload;
  token_texts: {
    /** Each once, in order. */
    readonly texts: readonly string[];
  };
  count_tokens: Account;
  budget: Fitted;
  diff_payloads: PayloadDiff;
  compose: Composed;
  allowed_contexts: { readonly keys: readonly ContextKey[] };
  prompt_tables: PromptTables;
  collect_contexts: Collected;
  change_memory: ChangedMemory;
  enter_query: EnteredQuery;
  write_back: WrittenBack;
  read_response: Response;
  restore_call: {
    /** The name in the prompt. */
    readonly name: string;
    /** The arguments by the schema of the prompt: text where text was given. */
    readonly arguments: Json;
  };
  read_handoff: {
    /** The package with every default written out. */
    readonly dump: Json;
    /** The names of the fields that the model does not know, sorted. */
    readonly extra_fields: readonly string[];
  };
  check_handoff: {
    /** True when nothing is refused. */
    readonly accepted: boolean;
    /** Everything found, in the order of the package, then of the report. */
    readonly findings: readonly Finding[];
    /** What the package costs. */
    readonly size: {
      /** The whole package as a model reads it. */
      readonly tokens: number;
      /** True when the counter is the model's own. */
      readonly exact: boolean;
      /** The lower end of the estimate for its type. */
      readonly low: number;
      /** The upper end of the estimate for its type. */
      readonly high: number;
      /** Where the package lies. */
      readonly fit: "below" | "within" | "above";
      /** The most expensive values, largest first. */
      readonly contributors: readonly {
        /** Which field, or which entry of a list. */
        readonly path: string;
        /** What it costs. */
        readonly tokens: number;
      }[];
    };
  };
  build_handoff: {
    /** The package. */
    readonly package: ExecuteToInit;
    /** The report; as a skeleton it has blank fields, each with a lint. */
    readonly report: Layer1ProblemsReport;
    /** Every file of the layout, the report and the summary last. */
    readonly files: readonly {
      /** Where it belongs. */
      readonly path: string;
      /** What it holds. */
      readonly text: string;
    }[];
    /** What a person should look at. */
    readonly findings: readonly Finding[];
  };
  store_handoff: {
    /** The files of the batch, in order. */
    readonly stored: readonly string[];
    /** What the package points to and was stored before. */
    readonly already_stored: readonly string[];
    /** What a person should look at. */
    readonly findings: readonly Finding[];
  };
  audit_handoff: {
    /** True when nothing is wrong. */
    readonly complete: boolean;
    /** Files that the package points to and that are not stored. */
    readonly dangling: readonly string[];
    /** Files that the layout asks for and that are not stored. */
    readonly missing: readonly string[];
    /** Stored files that belong to no sample and have no place in the layout. */
    readonly orphans: readonly string[];
    /** The same, each with its place and a sentence. */
    readonly findings: readonly Finding[];
  };
  plan_handoff: LoadPlan;
  load_handoff: LoadedHandoff;
  make_handoff_cards: {
    /** The new box. */
    readonly box_id: string;
    /** Its cards, in order. */
    readonly card_ids: readonly string[];
    /** What the cards cost together, where content was loaded. */
    readonly spent?: number;
    /** What was not loaded. */
    readonly left_out: readonly HandoffLeftOut[];
    /** What could not be loaded. */
    readonly missing: readonly MissingFile[];
  };
  enqueue: RunAnswer<Sent>;
  hand_out: HandedOut;
  report: RunAnswer<Sent>;
  join: RunAnswer<Noted>;
  run_state: RunState;
  cancel: RunAnswer<{ readonly canceled: boolean; readonly agent_turn_id: string }>;
  wakeup: { readonly status: "accepted"; readonly payload?: Promoted };
  dispatch: Dispatched;
  ensure_agent: AgentReady;
  provision_identity: AgentReady;
  lease: { readonly turn_epoch: number | null };
  state_update: { readonly updated: boolean };
  finish_idle: { readonly updated: boolean };
  replace_waiting: { readonly waiting: number };
  mark_received: { readonly updated: boolean };
  mark_applied: { readonly updated: boolean };
  ledger_claim: { readonly claimed: readonly string[] };
  ledger_requeue_expired: { readonly requeued: number };
  inbox_status: { readonly updated: boolean };
  has_open: { readonly open: boolean };
  claim_inbox: { readonly items: readonly InboxItem[] };
  consume_inbox: { readonly updated: boolean };
  requeue_inbox: boolean;
  poke_inbox: boolean;
  turn_start: { readonly entered: true; readonly step_id: string; readonly output_box_id: string } | { readonly entered: false; readonly stage: "guard" | "depth_or_steps" };
  turn_tools: { readonly queued: readonly QueuedWork[] };
  turn_complete: { readonly ended: boolean };
  turn_fail: { readonly ended: boolean };
  turn_give_back: { readonly given_back: true; readonly turn_epoch: number } | { readonly given_back: false };
  resume: { readonly queued: readonly QueuedWork[] };
  stop: { readonly ended: boolean };
  ring_again: boolean;
  reclaim_agent: boolean;
  tool_call: RunAnswer<Noted>;
  reap_turn: boolean;
  time_out_tools: boolean;
  take_up_results: { readonly queued: readonly QueuedWork[] };
  due: { readonly calls: readonly DueCall[] };
  create_batch: { readonly batch_id: string } | { readonly accepted: true; readonly batch_id: string; readonly task_count: number };
  activate_batch: null;
  dispatch_pending: null;
  dispatch_task: boolean;
  child_event: boolean;
  reconcile_task: boolean;
  end_batch: boolean;
  build_batch_result: { readonly status: string; readonly results: readonly TaskResult[] };
  outbox: { readonly messages: readonly OutboxMessage[] };
  mark_sent: { readonly sent: number };
  import: ImportReport | NeutralRequest | { readonly projects: readonly Json[] };
  inspect: View;
  search_cards: Hits;
  find_cards: readonly Found[];
  text_form: { readonly text: string; readonly json: string };
  read_content: { readonly type: ContentType; readonly content: Content; readonly text: string };
  read_card: { readonly card: WireCard; readonly text: string };
  read_new_card: {
    readonly stored: WireCard;
    readonly type: string;
    /** `unknown` where nobody is named. */
    readonly author_id: string;
    /** `public` where the card names none. */
    readonly project_id: string;
  };
  read_box: { readonly box: { readonly box_id?: string; readonly card_ids: readonly string[]; readonly parent_ids?: readonly string[] } };
  inspect_request: RequestView;
  compare: Comparison;
}
