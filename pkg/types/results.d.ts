// Written by `cargo xtask test --only schema` from the declarations of the core: do not edit.
// `TUCKBOX_BLESS=1` writes it again.
import type { Dialect, ExecuteToInit, Layer1ProblemsReport } from "./arguments.js";
import type { ContentType } from "./cards.js";
import type { ChangeCode, DropReason, FindingType, ImportLintCode, LintCode, Provider } from "./codes.js";
import type { ContextKey } from "./compose.js";
import type { Json, JsonObject } from "./json.js";

/** The tokens of a payload by source and by section. The buckets add up to the whole. */
export interface Account {
  /** The provider. */
  readonly provider: Provider;
  /** All tokens. */
  readonly tokens: number;
  /** The price of the tokens in dollars, without a cache. `null` if no price is known. */
  readonly cost: number | null;
  /** True if all counts are exact. */
  readonly exact: boolean;
  /** The buckets: sources in the order of their first message, then tools, then framing. */
  readonly buckets: readonly Bucket[];
  /** The same tokens by section. They add up to the whole. */
  readonly sections: readonly Section[];
  /** The tokens that are reserved for the answer. The whole does not include them. */
  readonly reserve: number;
  /** The tokens of each message of the prompt that is in the payload, without framing. */
  readonly messages: readonly {
    /** The position. */
    readonly position: number;
    /** The number of tokens. */
    readonly tokens: number;
    /** True if the count is exact. */
    readonly exact: boolean;
  }[];
  /** The tokens of each tool definition. */
  readonly tools: readonly {
    /** The name in the payload. */
    readonly name: string;
    /** The number of tokens. */
    readonly tokens: number;
    /** Always false: no provider documents how it shows tools to a model. */
    readonly exact: boolean;
  }[];
}

/** The account of one compaction. */
export interface AccountedCompaction {
  /** The request before. */
  readonly before: number;
  /** The request after. */
  readonly after: number;
  /** The summaries: messages of the request after. Empty if messages were only removed. */
  readonly summaries: readonly number[];
  /** Every message of the request before. */
  readonly messages: readonly AccountedMessage[];
  /** The totals. */
  readonly totals: FateTotals;
}

/** A message of the request before a compaction. */
export interface AccountedMessage {
  /** The position in the body. */
  readonly message: number;
  /** The role. */
  readonly role: string;
  /** What happened to it. */
  readonly fate: "kept" | "covered" | "dropped" | "unknown";
  /** The position of a kept message in the request after. */
  readonly kept_at?: number;
  /** The summary that covers it: a message of the request after. */
  readonly covered_by?: number;
  /** True for the summary of an earlier compaction. */
  readonly summary: boolean;
  /** The tokens, estimated. */
  readonly tokens: number;
}

/** Whether the roster changed, or why not. */
export interface AgentReady {
  readonly roster_updated: boolean;
  readonly error_code?: "missing_profile_name" | "missing_derived_profile_name" | "profile_box_missing" | "profile_not_found" | "profile_mismatch" | "derived_agent_conflict" | "worker_target_missing";
}

/** The status of an agent. */
export type AgentStatus = "idle" | "dispatched" | "running" | "suspended";

/** A further cause. */
export interface AlsoCause {
  /** The cause. */
  readonly cause: CacheCause;
  /** The region of the cause. */
  readonly region: CacheRegion;
  /** The position of the cause. */
  readonly at: CachePlace;
  /** The tokens that this cause alone loses. */
  readonly lost_tokens: number;
  /** The id of the fact that decides it. */
  readonly rule: string;
}

/** A file of a package. */
export interface ArtifactFile {
  /** The path of the file, relative to the root of the package. */
  readonly path: string;
  /** The content of the file. */
  readonly text: string;
}

/** The record of one packed context: the sender, the receiver, the sources and their authority. */
export interface Audit {
  readonly context_box_id: string;
  /** The agent that delegated. */
  readonly packed_by: string;
  /** The tool that packed. It is the author of the new cards. */
  readonly tool_suffix: string;
  /** The recipe of the call. Missing for `pack_context`. */
  readonly recipe?: string;
  readonly dialect: Dialect;
  /** The profile of the receiver. */
  readonly target_profile: string;
  /** The box of that profile. */
  readonly target_profile_box_id: string;
  /** The receiver, if the recipe has one. */
  readonly target_agent_id?: string;
  /** The output box that the receiver continues with, if any. */
  readonly target_output_box_id?: string;
  /** The display name of the receiver, if the recipe has one. */
  readonly target_display_name?: string;
  /** The delegation policy of the sender's profile. Missing if no policy was checked. */
  readonly permission?: {
    readonly profile_box_id: string;
    /** The profiles that the policy lists. Null if it allows every profile. */
    readonly target_profiles: readonly string[] | null;
    /** The tags of which the receiver's profile needs one. Empty if tags do not matter. */
    readonly target_tags: readonly string[];
  };
  /** The inherited boxes. */
  readonly sources: readonly {
    readonly box_id: string;
    readonly version: number;
    /** The number of its cards. */
    readonly cards: number;
    readonly authority: Authority;
    /** The path of the argument that names it. */
    readonly path: string;
  }[];
}

/** The reason why a call can inherit a box. */
export type Authority =
  | {
      /** The dialect allows every box of the project. */
      readonly kind: "project";
    }
  | {
      /** `authorized_inherit_box_ids` lists the box. */
      readonly kind: "listed";
    }
  | {
      /** The box belongs to the sender. */
      readonly kind: "own";
      readonly as_what: "profile_box_id" | "context_box_id" | "output_box_id" | "memory_context_box_id" | "last_output_box_id";
    }
  | {
      /** The box is the output of the cloned agent. */
      readonly kind: "clone_source";
      readonly agent_id: string;
    }
  | {
      /** The project or the call grants the box. */
      readonly kind: "granted";
    };

/** Tasks that are dispatched together. */
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

/** The status of a batch. */
export type BatchStatus = "running" | "success" | "failed" | "timeout" | "partial";

/** A box as a row of a store. */
export interface BoxRow {
  readonly box_id: string;
  /** The card ids in order; an id can appear twice. */
  readonly card_ids: readonly string[];
  /** The boxes that this box was made from. */
  readonly parent_ids: readonly string[];
  /** The version; a new box starts at 1, and every change increases it. */
  readonly version: number;
  readonly deleted_at: string | null;
}

/** A box at a version. */
export interface BoxVersion {
  /** The id of the box. */
  readonly box_id: string;
  /** The version of the box; a new box starts at 1. */
  readonly version: number;
}

/** A box in numbers. */
export interface BoxView {
  /** The box. */
  readonly box_id: string;
  /** The number of its positions. */
  readonly cards: number;
  /** The number of later duplicates that were dropped. */
  readonly swallowed: number;
}

/** The result of reading boxes, in the requested order. */
export interface Boxes {
  /** The boxes that were found. */
  readonly boxes: readonly BoxRow[];
  /** The missing boxes. */
  readonly missing_boxes: readonly Missing[];
}

/** The tokens of one source. */
export type Bucket = {
  /** The number of tokens. */
  readonly tokens: number;
  /** True if the count is exact. */
  readonly exact: boolean;
  /** The positions of its messages in the prompt. */
  readonly positions?: readonly number[];
} & ({
  /** A card. */
  readonly kind: "card";
  /** The id. */
  readonly card_id: string;
} | {
  /** A layer of a composed prompt. */
  readonly kind: "layer";
  /** The name. */
  readonly layer: string;
} | {
  /** A message without a card or a layer. */
  readonly kind: "message";
  /** The position. */
  readonly position: number;
} | {
  /** Tool definitions. */
  readonly kind: "tools";
} | {
  /** The framing of the provider, and text that the conversion added. */
  readonly kind: "framing";
});

/** Why a request reads less from the cache than it could. */
export type CacheCause = "first" | "no_breakpoint" | "too_many_breakpoints" | "ttl_order" | "scope_changed" | "model_changed" | "service_tier_changed" | "prompt_cache_key_changed" | "below_minimum" | "tools_changed" | "reasoning_effort_changed" | "text_format_changed" | "verbosity_changed" | "parallel_tool_calls_changed" | "context_management_changed" | "system_changed" | "tool_choice_changed" | "effort_changed" | "images_changed" | "thinking_stripped" | "context_compacted" | "messages_changed" | "lookback_exceeded" | "expired" | "not_yet_written" | "appended" | "unexplained_miss" | "unknown";

/** The explanation of the requests of a session. */
export interface CacheExplanation {
  /** The provider. */
  readonly provider: "anthropic" | "openai_chat" | "openai_responses" | "gemini" | "bedrock" | "mistral" | "deepseek" | "openai_compatible";
  /** One entry for each request. */
  readonly requests: readonly RequestCache[];
  /** The totals of the session. */
  readonly summary: CacheSummary;
  /** The rules of the last request's model. */
  readonly policy: CacheRules;
  /** The documented facts that the explanations refer to. */
  readonly facts: readonly CacheFact[];
}

/** A documented fact about a provider's cache. */
export interface CacheFact {
  /** The name of the fact: the `rule` of an explanation. */
  readonly id: string;
  /** The fact. */
  readonly text: string;
  /** The page that documents it. */
  readonly source: string;
  /** The date of the page that was read. */
  readonly seen: string;
}

/** The position of a cause. Members that do not apply are missing. */
export interface CachePlace {
  /** The name of the tool. */
  readonly tool?: string;
  /** The position of the tool, from 0. */
  readonly tool_index?: number;
  /** The message, from 0. */
  readonly message?: number;
  /** The block of the message or of the system prompt, from 0. */
  readonly block?: number;
  /** The kind of change: `added`, `removed`, `reordered`, `edited`, `inserted`, `text`, `schema`, `key_order`, `mark_moved`. */
  readonly change?: string;
  /** The path inside of the tool or block. */
  readonly path?: string;
  /** The parameter of the request. */
  readonly parameter?: string;
  /** The number of equal characters before the change. */
  readonly character?: number;
  /** The words that differ. */
  readonly words?: {
    /** The words of the earlier request. */
    readonly before: string;
    /** The words of this request. */
    readonly after: string;
  };
  /** The kind of value that changes with each request: `date`, `time`, `uuid`, `id`, `counter`. */
  readonly volatile?: string;
  /** Positions, marks, tokens or seconds that were found. */
  readonly found?: number;
  /** The limit that they are compared with. */
  readonly limit?: number;
}

/** The rules of a provider's prefix cache. */
export interface CachePolicy {
  /** The shortest prefix that is cached, in tokens. */
  readonly least_tokens: number;
  /** The step of the cache in tokens: a cached prefix is a multiple of it. */
  readonly step: number;
  /** True if only whole blocks are cached. */
  readonly whole_blocks: boolean;
  /** True if the host must mark the end of the cached prefix. */
  readonly marked: boolean;
}

/** The price of a request: multiples of the input price and sums of them. */
export interface CachePrice {
  /** The price of a token of input, in the currency. */
  readonly input: number;
  /** The price of a read token, as a multiple of the input price. `null` if it is unknown. */
  readonly read: number | null;
  /** The price of a written token, likewise. */
  readonly write: number | null;
  /** The price of any other token of the input, likewise. */
  readonly fresh: number;
  /** The price of the expected tokens. */
  readonly expected: number | null;
  /** The price of the recorded tokens. */
  readonly recorded?: number;
  /** The price of what was lost. */
  readonly lost: number | null;
  /** The currency of the host, `USD` for prices of the table of models, or `input_tokens`: the price of one token of input. */
  readonly currency: string;
  /** The date on which the multiples were checked. */
  readonly checked: string;
}

/** A region of a request. */
export type CacheRegion = "tools" | "system" | "messages" | "request" | "time" | "none";

/** The rules of a cache for one model. */
export interface CacheRules {
  /** The family of the provider: `anthropic`, `openai`, `google`, `bedrock`, `mistral`, `deepseek`. */
  readonly family: string;
  /** How entries are found. */
  readonly mode: "marked" | "breakpoints" | "prefix" | "units" | "unknown";
  /** The length of the shortest prefix that is cached, in tokens. */
  readonly minimum?: number;
  /** The step of the cache, in tokens. */
  readonly step?: number;
  /** The maximum number of marks of a request. */
  readonly max_marks?: number;
  /** The number of positions that a read looks back. */
  readonly lookback?: number;
  /** The lifetime without a request that sets one. */
  readonly lifetime: {
    /** An entry lives at least this long after its last use. */
    readonly least?: number;
    /** An entry is removed after this time without use. */
    readonly most?: number;
  };
  /** The price of a read, as a multiple of the input price. */
  readonly read?: number;
  /** The price of a write that lives the shorter time, likewise. */
  readonly write?: number;
  /** The price of a write that lives 1 hour, likewise. */
  readonly write_1h?: number;
  /** Above this number of input tokens, `threshold_times` multiplies all prices. */
  readonly threshold?: number;
  /** The factor above the threshold. */
  readonly threshold_times?: number;
  /** Whether a user message removes earlier thinking from the prefix. */
  readonly strips_thinking?: boolean;
  /** Whether the conversation can have system messages, which keep the prefix. */
  readonly system_messages?: boolean;
  /** Whether tools can have marks. */
  readonly marks_tools?: boolean;
  /** True if the provider guarantees that a matching prefix is read within the lifetime. */
  readonly guaranteed: boolean;
  /** The fact that documents the minimum. */
  readonly rule: string;
  /** The date on which these numbers were checked. */
  readonly checked: string;
}

/** The totals of a session. */
export interface CacheSummary {
  /** The number of requests. */
  readonly requests: number;
  /** The number of requests that lost tokens. */
  readonly misses: number;
  /** True if all numbers are from usage, false if some are predictions. */
  readonly recorded: boolean;
  /** Tokens of the input of all requests. */
  readonly input_tokens: number;
  /** Tokens read from the cache. */
  readonly read_tokens: number;
  /** Tokens written to the cache. */
  readonly write_tokens: number;
  /** Tokens that were in the cache and were not read. */
  readonly lost_tokens: number;
  /** The share of the input that was read from the cache, from 0 to 1. */
  readonly hit_rate: number;
  /** The hit rate by money: what reads saved, of what they would have saved without misses. Missing without prices, and if nothing could be saved. */
  readonly money_hit_rate?: number;
  /** The share of the input price that the cache saved, from 0 to 1. Missing without prices; negative if writes cost more than reads saved. */
  readonly saved_rate?: number;
  /** The price of all requests. */
  readonly price?: number;
  /** What the session would have saved without misses. */
  readonly lost_price?: number;
  /** The causes of lost tokens, the most expensive first. */
  readonly causes: readonly {
    /** The cause. */
    readonly cause: CacheCause;
    /** The number of requests. */
    readonly requests: number;
    /** Tokens that were lost. */
    readonly lost_tokens: number;
    /** The price of what was lost. */
    readonly lost_price?: number;
    /** How to keep the prefix: the fix of the first such request. */
    readonly fix?: string;
  }[];
}

/** The lifetime of an entry. */
export interface CacheTtl {
  /** The lifetime in seconds. `null` if it is not documented. */
  readonly seconds: number | null;
  /** The seconds that were left when the request started; 0 for an expired entry. */
  readonly left_seconds?: number;
  /** The seconds since the last use of the entry. */
  readonly idle_seconds?: number;
  /** The start of the lifetime. */
  readonly from: string;
}

/** The result for a card, and its cost. */
export type CardCost = {
  /** The tokens. */
  readonly tokens: number;
  /** True if `tokens` is the model's own count. */
  readonly exact?: boolean;
} & ({
  /** The message at a position of the turn. */
  readonly became: "message";
  /** The position, from 0. */
  readonly position: number;
} | {
  /** Fields in the system prompt. */
  readonly became: "system_prompt";
} | {
  /** Tool definitions. */
  readonly became: "tools";
} | {
  /** Nothing: the model does not get it. */
  readonly became: "nothing";
  /** The reason: `absent`, `deleted`, `expired`, `call_record`, `repeated`, or the code of the conversion change that dropped it. */
  readonly reason: string;
});

/** The kind of a card: by its standard type, otherwise by its content. */
export type CardKind = "instruction" | "contract" | "thought" | "tool_call" | "tool_result" | "deliverable" | "system" | "pointer" | "file" | "user" | "assistant" | "other" | "missing";

/** A card as a row of a store. */
export interface CardRow {
  readonly card_id: string;
  readonly content: Content;
  /** `type`, `role`, `author_id`, `project_id`, `created_at`, and any other keys. */
  readonly metadata: JsonObject;
  readonly tool_calls: readonly JsonObject[] | null;
  readonly tool_call_id: string | null;
  readonly ttl_seconds: number | null;
  /** The project that stores the card. */
  readonly tenant_id: string | null;
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
}

/** The result of reading cards, in the requested order. */
export interface Cards {
  /** The cards that were found. */
  readonly cards: readonly CardRow[];
  /** The missing cards. */
  readonly missing_cards: readonly Missing[];
}

/** The reason for one card in a box. */
export type Cause =
  | {
      /** A rule in `pack_arguments` made the card from an argument. */
      readonly kind: "argument";
      /** The name of the argument. */
      readonly arg_key: string;
      /** The path of the rule. */
      readonly path: string;
    }
  | {
      /** The card comes from an inherited box. */
      readonly kind: "inherited";
      /** The id of the box. */
      readonly box_id: string;
      /** The position in that box, from 0. */
      readonly position: number;
      /** The path of the argument that names the box. */
      readonly path: string;
    }
  | {
      /** The card is the parent pointer. */
      readonly kind: "parent";
      /** The path of the switch that includes it. */
      readonly path: string;
    }
  | {
      /** The card comes from the log of another tool. */
      readonly kind: "imported";
      /** The name of the file. */
      readonly file: string;
      /** The line, from 1. `None` if the file is one value. */
      readonly line?: number;
      /** The JSON pointer inside the value. Empty for the whole value. */
      readonly pointer?: string;
    };

/** The answer of `change_memory`. */
export interface ChangedMemory {
  /** Memory after all changes. */
  readonly state: Memory;
  /** The effect on each message of the given state, unless it stayed unchanged. */
  readonly restored: readonly MemoryStep[];
  /** The effects on messages, by change. */
  readonly ledger: readonly (readonly MemoryStep[])[];
}

/** A handover under a name. */
export interface CheckedRecipe {
  /** The name of the operation. */
  readonly name: string;
  /** The purpose of the recipe, for people. */
  readonly description?: string;
  /** The arguments. */
  readonly arguments: readonly {
    /** The name. */
    readonly name: string;
    /** The type of the value. */
    readonly type: "text" | "number" | "integer" | "boolean" | "object" | "list" | "result_fields" | "box_id" | "box_ids" | "any";
    /** Rejects a call without the argument. */
    readonly required: boolean;
    /** The purpose of the argument, for people. */
    readonly description?: string;
  }[];
  /** The packing rules. */
  readonly handover: JsonObject;
}

/** The answer of `collect_contexts`. */
export interface Collected {
  /** The blocks by key, for the composer. */
  readonly contexts: { readonly [key: ContextKey]: string };
  /** The origin of each block, in the order of `contexts`. */
  readonly entries: readonly {
    /** The block. */
    readonly layer: Layer;
    /** The path of its value in the input. */
    readonly from: string;
    /** True if white space around the text was removed. */
    readonly trimmed: boolean;
  }[];
  /** The values with the key of a block that did not become one. */
  readonly left_out: readonly LeftOut[];
}

/** The account of the compactions of a session. */
export interface CompactionAccount {
  /** The compactions, in order. */
  readonly compactions: readonly AccountedCompaction[];
  /** The totals of all compactions. */
  readonly totals: FateTotals;
  /** Messages and summaries that were lost. */
  readonly findings: readonly CompactionFinding[];
}

/** A message or a summary that was lost. */
export interface CompactionFinding {
  /** The kind of loss. */
  readonly loss: "dropped" | "lost_after_second" | "summary_not_continued";
  /** The index of the compaction. */
  readonly compaction: number;
  /** The position in the request before. */
  readonly message: number;
  /** The tokens, estimated. */
  readonly tokens: number;
}

/** Adjacent cards with the same change. */
export interface ComparedRun {
  /** The change. */
  readonly change: "kept" | "moved_away" | "moved_here" | "removed" | "added";
  /** The first position on the left. Missing for a run that is only on the right. */
  readonly left?: number;
  /** The first position on the right. Missing for a run that is only on the left. */
  readonly right?: number;
  /** The number of cards. */
  readonly cards: number;
  /** The tokens of the cards. */
  readonly tokens: number;
}

/** One of the two contexts. */
export interface ComparedSide {
  /** The box. */
  readonly box_id: string;
  /** The number of its cards. */
  readonly cards: number;
  /** The tokens of its cards. */
  readonly tokens: number;
  /** True if `tokens` is the model's own count, not an estimate. */
  readonly exact: boolean;
}

/** Two contexts and their alignment. */
export interface Comparison {
  /** The left context. */
  readonly left: ComparedSide;
  /** The right context. */
  readonly right: ComparedSide;
  /** The common prefix, which the prefix cache of a provider can reuse. */
  readonly same_prefix: {
    /** The number of cards. */
    readonly cards: number;
    /** The tokens of the cards. */
    readonly tokens: number;
  };
  /** The alignment, in order. */
  readonly runs: readonly ComparedRun[];
  /** The tokens and cards of each source, on both sides. */
  readonly growth: readonly {
    /** The source. */
    readonly source: PartSource;
    /** The tokens of its cards on the left. */
    readonly left_tokens: number;
    /** The tokens of its cards on the right. */
    readonly right_tokens: number;
    /** The number of its cards on the left. */
    readonly left_cards: number;
    /** The number of its cards on the right. */
    readonly right_cards: number;
  }[];
  /** The cards on the right that summarize cards on the left. */
  readonly summaries?: readonly {
    /** Its position on the right. */
    readonly right: number;
    /** Its tokens. */
    readonly tokens: number;
    /** The positions on the left that it covers. */
    readonly covers: readonly number[];
    /** The tokens of the covered cards. */
    readonly covered_tokens: number;
    /** The number of covered cards that are not on the left. */
    readonly elsewhere: number;
  }[];
}

/** The answer of `compose`. */
export interface Composed {
  /** The messages, in order. */
  readonly messages: readonly Message[];
  /** The origin of each message, and what was omitted. */
  readonly ledger: {
    /** The origin of each message, in order. */
    readonly entries: readonly {
      /** The position in the prompt. */
      readonly position: number;
      /** The layer. */
      readonly layer: Layer;
      /** The path of its value in the input. */
      readonly from: string;
      /** The id, if it is a remembered message with one. */
      readonly message_id?: string;
      /** The position in the checkpoint, if it is a remembered message. */
      readonly checkpoint_position?: number;
      /** True for the message with the query. */
      readonly is_query: boolean;
      /** True if white space around the text was removed. */
      readonly trimmed: boolean;
    }[];
    /** The values that did not become a message, in the order of reading. */
    readonly left_out: readonly LeftOut[];
  };
}

/** The content of a card, as the core returns it. */
export type Content =
  | { readonly __type__: "TextContent"; readonly text: string }
  | { readonly __type__: "JsonContent"; readonly data: JsonObject | readonly Json[] }
  | { readonly __type__: "FieldsSchemaContent"; readonly fields: readonly FieldSchema[] }
  | FileContent
  | { readonly __type__: "MultiFileContent"; readonly files: readonly FileContent[] }
  | { readonly __type__: "ToolContent"; readonly tools: readonly JsonObject[] }
  | { readonly __type__: "ToolCallContent"; readonly tool_name: string; readonly arguments: JsonObject; readonly status: string; readonly target_subject: string | null }
  | { readonly __type__: "ToolResultContent"; readonly status: string; readonly after_execution: "suspend" | "terminate"; readonly result: Json; readonly error: JsonObject | null };

/** The part of an item that is kept. */
export type Cut =
  | {
      /** All of it. */
      readonly keep: "whole";
    }
  | {
      /** All except the index, whose entries are read case by case. */
      readonly keep: "head";
    }
  | {
      /** The numbers of the report and its first problems, without lists of samples. */
      readonly keep: "summary";
      /** The number of problems. */
      readonly problems: number;
      /** The number of all problems. */
      readonly of: number;
    }
  | {
      /** The start and the end of a text. */
      readonly keep: "head_and_tail";
      /** The maximum number of tokens. */
      readonly tokens: number;
    }
  | {
      /** Some turns of a conversation. */
      readonly keep: "turns";
      /** The number of turns at the start. */
      readonly head: number;
      /** The number of turns at the end. */
      readonly tail: number;
      /** The number of turns between them: first those that name a failed checker, then those that call a tool. */
      readonly key: number;
      /** The maximum number of tokens of one turn. */
      readonly turn_tokens: number;
    };

/** How much of a package to read. */
export type Depth = "report_summary" | "typical_cases" | "all_cases";

/** Why a dispatch is refused. */
export type DispatchRefusal = RunRefusal | "missing_project_id" | "missing_agent_id" | "missing_profile_box_id" | "missing_context_box_id" | "missing_channel_id" | "missing_instruction" | "instruction_with_box" | "unknown_context_box" | "worker_target_missing" | "l0_required" | "same_box" | "box_in_use";

/** A request to start a turn of the receiver. Orchestration makes the id of the turn. */
export interface DispatchRequest {
  /** The receiver. */
  readonly target_agent_id: string;
  /** True if the commit adds the receiver to the roster. */
  readonly provision: boolean;
  /** The receiver's profile. */
  readonly profile_box_id: string;
  /** The box that the turn reads. */
  readonly context_box_id: string;
  /** The output box that the turn continues. Without it, the turn gets a new one. */
  readonly output_box_id: string | null;
  /** The display name of the receiver. */
  readonly display_name: string;
  /** The depth of the receiver below the first caller. Without it, orchestration derives the depth from the caller's turn. */
  readonly recursion_depth: number | null;
}

/** The outcome of a dispatch. */
export type Dispatched =
  | {
      readonly status: "accepted";
      readonly agent_id: string;
      readonly agent_turn_id: string;
      /** Absent while the turn waits for another turn. */
      readonly turn_epoch?: number;
      readonly output_box_id: string;
      readonly trace_id: string;
    }
  | { readonly status: "busy" | "rejected" | "error"; readonly error_code: DispatchRefusal; readonly agent_id?: string; readonly agent_turn_id?: string; readonly output_box_id?: string; readonly trace_id?: string };

/** A dropped message. */
export interface DroppedMessage {
  /** The position in the given prompt. */
  readonly position: number;
  /** The card of the message. */
  readonly card_id?: string;
  /** The layer of the message. */
  readonly layer?: string;
  /** The tokens of its strings. */
  readonly tokens: number;
  /** True if the count is exact. */
  readonly exact: boolean;
  /** The priority. */
  readonly priority: number;
  /** The reason. */
  readonly reason: {
    /** The prompt exceeded the limit, and the message was the next in order. */
    readonly kind: "over_budget";
  } | {
    /** It belongs to a dropped message: a call and its results are dropped together. */
    readonly kind: "with_its_call";
    /** The first message of the group. */
    readonly first: number;
  };
}

/** A call that is due: `op` and its arguments. */
export type DueCall =
  | { readonly op: "requeue_inbox" | "poke_inbox"; readonly inbox_id: string }
  | { readonly op: "ledger_requeue_expired" }
  | { readonly op: "time_out_tools" | "ring_again" | "recover_turn" | "reclaim_agent" | "take_up_results"; readonly agent_id: string }
  | { readonly op: "reap_turn"; readonly agent_id: string; readonly which: ReapedTurns; readonly output_box_id: string | null }
  | { readonly op: "wakeup"; readonly target_agent_id: string; readonly mode: "dispatch_next"; readonly reason: string }
  | { readonly op: "reconcile_task" | "dispatch_task"; readonly batch_task_id: string }
  | { readonly op: "end_batch"; readonly batch_id: string };

/** A request between agents, or its answer. */
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

/** The answer of `enter_query`. */
export interface EnteredQuery {
  /** Memory with the query. */
  readonly state: Memory;
  /** The composer's `query`. */
  readonly query: Query;
  /** The effect on each message of the given state, unless it stayed unchanged. */
  readonly restored: readonly MemoryStep[];
  /** The effect on the message of the query. */
  readonly ledger: readonly MemoryStep[];
}

/** Numbers of messages and their tokens, by fate. */
export interface FateTotals {
  /** All messages. */
  readonly messages: number;
  /** Kept messages. */
  readonly kept: number;
  /** Covered messages. */
  readonly covered: number;
  /** Dropped messages. */
  readonly dropped: number;
  /** Messages of which it is not known. */
  readonly unknown: number;
  /** Tokens of kept messages, estimated. */
  readonly kept_tokens: number;
  /** Tokens of covered messages, estimated. */
  readonly covered_tokens: number;
  /** Tokens of dropped messages, estimated. */
  readonly dropped_tokens: number;
  /** Tokens of the others, estimated. */
  readonly unknown_tokens: number;
}

/** A field that a result must have. */
export interface FieldSchema {
  /** The name, trimmed and not blank. */
  readonly name: string;
  /** The description, trimmed; can be empty. */
  readonly description: string;
}

/** A file that a card refers to. */
export interface FileContent {
  readonly __type__: "FileContent" | "ImageFileContent" | "PdfFileContent" | "TextFileContent" | "VideoFileContent" | "AudioFileContent";
  readonly uri: string;
  readonly checksum: string;
  readonly [key: string]: Json | undefined;
}

/** A finding about a package. */
export interface Finding {
  /** Whether the value is rejected. */
  readonly weight: "error" | "lint";
  /** The kind of the finding. */
  readonly type: FindingType;
  /** The path of the value. */
  readonly path: string;
  /** A sentence that describes the finding. */
  readonly message: string;
  /** Structured details. */
  readonly details?: Json;
}

/** A prompt within a budget. */
export interface Fitted {
  /** The prompt without the dropped messages. */
  readonly prompt: {
    /** The messages, in order. */
    readonly messages: readonly Message[];
    /** The origin of each message, in the same order. The list can be shorter. */
    readonly origins: readonly {
      /** The layer of a composed prompt. */
      readonly layer?: string;
      /** The card of a rendered prompt. */
      readonly card_id?: string;
      /** True for the message that has the query. */
      readonly is_query?: boolean;
      /** A budget never drops it. */
      readonly protected?: boolean;
      /** A budget drops lower numbers first. Its layer decides by default. */
      readonly priority?: number;
    }[];
    /** Tool definitions, `{"type": "function", "function": {..}}` or a bare function. */
    readonly tools: readonly JsonObject[];
  };
  /** The positions of the kept messages in the given prompt. */
  readonly kept: readonly number[];
  /** The dropped messages, in the order of the drops. */
  readonly dropped: readonly DroppedMessage[];
  /** The limit. */
  readonly limit: number;
  /** The tokens of the messages that are never dropped, including framing, which is always an estimate. */
  readonly protected_tokens: number;
  /** The tokens of the kept messages by source. */
  readonly account: Account;
  /** The numbers for each of the other limits. `None` if the messages that are never dropped do not fit. */
  readonly also?: readonly (OtherFit | null)[];
}

/** The arguments of a `fork_join`. */
export interface ForkJoinArguments {
  /** The tasks, in the order of the call. */
  readonly tasks: readonly {
    /** How the receiver is found. */
    readonly target_strategy: Strategy;
    /** The profile or the agent. */
    readonly target_ref: string;
    /** The instruction for the receiver. */
    readonly instruction: string;
    /** The box whose cards the receiver sees. */
    readonly context_box_id: string | null;
  }[];
  /** Ends the batch at the first failure. */
  readonly fail_fast: boolean;
  /** The deadline of the batch, if it has one. */
  readonly deadline_seconds: number | null;
}

/** A batch for an orchestrator. */
export interface Forked {
  /** Ends the batch at the first failure. */
  readonly fail_fast: boolean;
  /** The deadline of the batch, if it has one. */
  readonly deadline_seconds: number | null;
  /** The form of the results. */
  readonly structured_output: string;
  /** The tasks, in the order of the call. */
  readonly tasks: readonly {
    /** Its index in the call, from 0. Its result has the same index. */
    readonly task_index: number;
    /** Its label for people. */
    readonly label: string;
    /** The delegated context. */
    readonly handed: Handed;
  }[];
}

/** A box that has the card. */
export interface Found {
  /** The box. */
  readonly box_id: string;
  /** The positions of the card in it, from 0. */
  readonly positions: readonly number[];
}

/** One delegated context. */
export interface Handed {
  /** How the receiver was found. */
  readonly target_strategy: Strategy;
  /** The profile or agent of the call. */
  readonly target_ref: string;
  /** The name of the receiver's profile. */
  readonly profile_name: string;
  /** The instruction, if the recipe has one. */
  readonly instruction: string | null;
  /** The inherited boxes, each once. */
  readonly inherit_box_ids: readonly string[];
  /** The cards of the new context, in order. */
  readonly card_ids: readonly string[];
  /** The request to the orchestrator. */
  readonly dispatch: DispatchRequest;
}

/** The contexts that a recipe packed, the turn or the batch, and whether the calling turn waits. A `fork_join` that is repeated packs nothing. */
export type HandedOut =
  | {
      readonly handed: Handed;
      readonly result: {
        readonly status: "accepted";
        readonly agent_id: string;
        readonly agent_turn_id: string;
        /** Absent while the turn waits for another turn. */
        readonly turn_epoch?: number;
        readonly context_box_id: string;
        readonly output_box_id: string;
        readonly trace_id: string;
      } | { readonly status: "busy" | "rejected" | "error"; readonly error_code: DispatchRefusal; readonly agent_id: string; readonly trace_id?: string };
      readonly defer_resume: false;
    }
  | { readonly handed: Forked | null; readonly result: { readonly status: "accepted"; readonly batch_id: string; readonly task_count: number }; readonly defer_resume: true };

/** The parts of a sample or of the package that are omitted. */
export interface HandoffLeftOut {
  /** The sample or artifact that they belong to. */
  readonly name?: string;
  /** The omitted parts. */
  readonly parts: readonly HandoffPart[];
  /** The tokens of the whole parts. */
  readonly tokens: number;
  /** The reason. */
  readonly because: "budget" | "depth";
}

/** A part of a handoff. */
export type HandoffPart = "package" | "report" | "entry" | "sample" | "trace" | "evaluation" | "attribution" | "artifact";

/** Both sides of a delegation. */
export interface HandoverPreview {
  /** The index of the context, from 0. */
  readonly task: number;
  /** The number of contexts that the call packs. */
  readonly tasks: number;
  /** The receiver and its boxes. */
  readonly receiver_is: Receiver;
  /** The turn of the sender, if it is registered. */
  readonly sender: Turn | null;
  /** The turn of the receiver. */
  readonly receiver: Turn;
  /** The cards that both see, in the receiver's order. */
  readonly shared: readonly {
    /** The card. */
    readonly card_id: string;
    /** Its index in the sender's turn. */
    readonly sender: number;
    /** Its index in the receiver's turn. */
    readonly receiver: number;
  }[];
  /** The cards that only the receiver sees, in its order. */
  readonly added: readonly {
    /** The card. */
    readonly card_id: string;
    /** Its index in the receiver's turn. */
    readonly position: number;
    /** Why it is in the new context; missing for a card of the receiver's own output. */
    readonly cause: Cause | null;
  }[];
  /** The cards that only the sender sees, in its order. */
  readonly not_passed_on: readonly {
    /** The card. */
    readonly card_id: string;
    /** Its index. */
    readonly position: number;
  }[];
  /** The audit entry: the sender, the sources and the authority. */
  readonly audit: Audit | null;
  /** The hash of everything that the call makes. It is the same after the commit. */
  readonly content_hash: string;
}

/** The head of an agent: the lease of its turn. */
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

/** A card that matches. */
export interface Hit {
  /** The card. */
  readonly card_id: string;
  /** The first box that has the card. */
  readonly box_id: string;
  /** The position of the card in that box, from 0. */
  readonly position: number;
  /** The number of boxes that have the card. */
  readonly boxes: number;
  /** The kind of the card. */
  readonly kind: CardKind;
  /** Its semantic type. */
  readonly type: string | null;
  /** The text around the match. */
  readonly snippet: {
    /** The text before the match. */
    readonly before: string;
    /** The match as the card has it. Empty if the id or the type of the card matches. */
    readonly found: string;
    /** The text after the match. */
    readonly after: string;
  };
}

/** The result of a search. */
export interface Hits {
  /** The cards that match, each once, in the order of the boxes. */
  readonly hits: readonly Hit[];
  /** The number of cards that match, also beyond the limit. */
  readonly total: number;
  /** The number of cards that were searched. */
  readonly searched: number;
}

/** The place that a value was read from. */
export interface ImportOrigin {
  readonly file: string | null;
  /** The line, from 1. Missing if the file is one value. */
  readonly line?: number;
  /** A JSON pointer. Missing for the whole value. */
  readonly pointer?: string;
}

/** The report of an import. */
export interface ImportReport {
  readonly files: readonly { readonly name: string; readonly format: string | null }[];
  /** The sessions, the one with the newest request last. */
  readonly sessions: readonly ImportedSession[];
  /** The calibration of each model: recorded and estimated tokens of the requests that the log has completely, and their factor. */
  readonly calibration: readonly {
    readonly model: string;
    readonly requests: number;
    readonly recorded: number;
    readonly estimated: number;
    /** The tokens of the model for 100 estimated ones. `null` without an estimate. */
    readonly factor_percent: number | null;
    /** The error of single estimates, in percent of the recorded tokens. */
    readonly off_percent: number | null;
    /** The same after scaling by the factor. */
    readonly off_percent_scaled: number | null;
  }[];
  readonly notes: readonly { readonly code: ImportLintCode; readonly origin: ImportOrigin; readonly message: string }[];
}

/** Something that the log does not have, and why. */
export interface ImportUnknown {
  readonly what: UnknownSubject;
  readonly why: string;
}

/** One request of a session. */
export interface ImportedRequest {
  /** The number of the request in the import, from 0. */
  readonly request: number;
  readonly kind: "main" | "sub" | "compaction" | "side";
  /** The box with the context of the request, as far as the log has it. */
  readonly box_id: string;
  /** The box with the answer. Missing if the log has no answer. */
  readonly answer_box_id?: string;
  readonly model: string | null;
  readonly api: "openai_chat" | "openai_responses" | "anthropic" | "gemini" | null;
  readonly agent: string | null;
  readonly at: string | null;
  readonly origin: ImportOrigin;
  readonly messages: number;
  readonly tools: number;
  /** The number of messages in common with the start of the previous request. */
  readonly shared: number;
  readonly came: number;
  readonly went: number;
  /** True if a summary replaces removed messages. */
  readonly compacted: boolean;
  /** The box of that summary, which covers the boxes of earlier requests. Missing without a compaction. */
  readonly summary_box_id?: string;
  /** The number of retries after a failure. */
  readonly retries: number;
  /** The tokens that the log recorded. */
  readonly recorded: { readonly input: number | null; readonly output: number | null; readonly cached: number | null };
  /** The cost in dollars, input and output. `null` without recorded tokens or prices. */
  readonly cost: number | null;
  /** The estimated tokens of what the log has. */
  readonly estimated: number;
  /** The estimate scaled to the model. `null` if `calibration` does not have the model. */
  readonly calibrated: number | null;
  /** Recorded tokens that the log does not explain. `null` if nothing is missing. */
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

/** The work in a message: the arguments of `turn_start`, `resume` or `stop`. */
export type InboxItem =
  | {
      readonly inbox_id: string;
      readonly agent_id: string;
      readonly agent_turn_id: string;
      readonly turn_epoch: number;
      readonly channel_id: string;
      readonly headers: { readonly [key: string]: string };
      readonly trace_id: string;
      readonly parent_step_id: string | null;
      readonly kind: "turn";
      readonly profile_box_id: string | null;
      readonly context_box_id: string | null;
      readonly output_box_id: string | null;
      readonly runtime_config: JsonObject | null;
      /** The step at which a turn was released. */
      readonly step_count?: number;
    }
  | { readonly inbox_id: string; readonly agent_id: string; readonly agent_turn_id: string; readonly turn_epoch: number; readonly channel_id: string; readonly headers: { readonly [key: string]: string }; readonly trace_id: string; readonly parent_step_id: string | null; readonly kind: "resume" | "stop"; readonly payload: JsonObject; readonly profile_box_id?: string | null; readonly context_box_id?: string | null; readonly output_box_id?: string | null };

/** A message to an agent. */
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

/** The status of a message to an agent. */
export type InboxStatus = "pending" | "queued" | "processing" | "consumed" | "error" | "skipped" | "deferred";

/** The layer of a message: the key of a block, or one of the fixed layers. */
export type Layer = "system_prompt" | "checkpoint_messages" | "human_message" | "query" | ContextKey;

/** One position of a box and its reason. */
export interface LedgerEntry {
  /** The position in the box, from 0. */
  readonly position: number;
  /** The card at this position. */
  readonly card_id: string;
  /** The reason for the card. */
  readonly cause: Cause;
  /** The later duplicates of the card, as causes. */
  readonly swallowed?: readonly Cause[];
}

/** A value that did not become a message. */
export interface LeftOut {
  /** The layer. */
  readonly layer: Layer;
  /** The path of its value in the input. */
  readonly from: string;
  /** The id, if it is a remembered message with one. */
  readonly message_id?: string;
  /** The rule that excluded it. */
  readonly rule: "blank" | "not_text" | "sharing_off" | "not_in_process" | "no_checkpoint_in_process" | "runtime_only" | "overridden";
}

/** A finding about a value of the caller. */
export interface Lint {
  /** The code. */
  readonly code: LintCode;
  /** The path of the value. */
  readonly path: string;
  /** One sentence for users, in the style of an error message. */
  readonly message: string;
  /** The card that the lint is about, if any. */
  readonly card_id?: string;
}

/** The rows of a list. */
export interface ListedRows {
  /** The rows. */
  readonly rows: readonly JsonObject[];
}

/** A load plan. `spent` is the sum of its steps and at most `budget`. */
export interface LoadPlan {
  /** The maximum number of tokens. */
  readonly budget: number;
  /** The tokens of all steps. */
  readonly spent: number;
  /** The requested depth. */
  readonly depth: Depth;
  /** The steps, in order. */
  readonly steps: readonly LoadStep[];
  /** The parts that are omitted. */
  readonly left_out: readonly HandoffLeftOut[];
  /** The findings. */
  readonly findings: readonly Finding[];
}

/** A step of a plan. */
export interface LoadStep {
  /** The part to read. */
  readonly read: HandoffPart;
  /** The path, relative to the root of the package. Missing for content of the package itself. */
  readonly path?: string;
  /** The sample or artifact that it belongs to. */
  readonly name?: string;
  /** The excerpt to keep. */
  readonly cut: Cut;
  /** The tokens of the excerpt. */
  readonly tokens: number;
  /** The tokens of the whole part. */
  readonly whole_tokens: number;
  /** The reason for its position. */
  readonly reason: {
    /** The problem whose typical case this is. */
    readonly typical_of?: string;
    /** The priority of the sample. */
    readonly priority?: "high" | "medium" | "low";
    /** The number of samples that its largest problem affects. */
    readonly affected_count?: number;
  };
}

/** A loaded package. */
export interface LoadedHandoff {
  /** The maximum number of tokens. */
  readonly budget: number;
  /** The tokens of all pieces. */
  readonly spent: number;
  /** The requested depth. */
  readonly depth: Depth;
  /** The pieces, in reading order. */
  readonly pieces: readonly ({
    /** The text that a model reads: a heading and the content. */
    readonly text: string;
  } & LoadStep)[];
  /** The parts that were not loaded. */
  readonly left_out: readonly HandoffLeftOut[];
  /** The files that the store does not have. */
  readonly missing: readonly MissingFile[];
  /** The findings. */
  readonly findings: readonly Finding[];
}

/** What a check needs of a context and the lockfile does not keep. */
export interface LockDetails {
  /** The text of each position. Default: `[]`. */
  readonly texts?: readonly string[];
  /** The hash of each position, for a cache of texts. Empty if the position is volatile, has a secret or is redacted. Default: `[]`. */
  readonly hashes?: readonly string[];
  /** The tokens of each position. Default: `[]`. */
  readonly tokens?: readonly number[];
  /** The size of the model's window, if it is known. */
  readonly window?: number;
  /** The agent of a turn. */
  readonly agent_id?: string;
  /** The boxes that a turn or a box reads. Default: `[]`. */
  readonly boxes?: readonly string[];
  /** Text that looks like a secret. Default: `[]`. */
  readonly secrets?: readonly LockSecret[];
  /** The conversion changes of the providers of `legal_for`. Default: `[]`. */
  readonly losses?: readonly LockLosses[];
  /** The declared volatile slots that match nothing. Default: `[]`. */
  readonly unmatched?: readonly string[];
}

/** The conversion changes for a provider. */
export interface LockLosses {
  /** The provider. */
  readonly provider: string;
  /** The codes of the changes. */
  readonly codes: readonly string[];
  /** The first place of each change, such as `messages[2]`, and its reason. Default: `[]`. */
  readonly places?: readonly string[];
}

/** The position of text that looks like a secret. */
export interface LockSecret {
  /** The slot. */
  readonly slot: string;
  /** The kind of the secret. The text is never stated. */
  readonly kind: string;
}

/** A context as an entry. */
export interface LockedContext {
  /** The name. */
  readonly name: string;
  /** The lines of the entry, as in the lockfile. */
  readonly block: string;
  /** What a check needs of the context. Default: `{}`. */
  readonly details?: LockDetails;
}

/** One change. */
export interface Loss {
  /** The kind of the change. */
  readonly code: ChangeCode;
  /** The action. */
  readonly action: "merge" | "move" | "drop" | "rewrite" | "add";
  /** True if the change affects what the model sees. */
  readonly lossy: boolean;
  /** The changed neutral message. */
  readonly position?: number;
  /** The changed tool definition. */
  readonly tool?: number;
  /** The card of the message. */
  readonly card_id?: string;
  /** The layer of the message. */
  readonly layer?: string;
  /** The reason, in one sentence. */
  readonly reason: string;
}

/** A state with memory: the remembered messages, the summary of covered messages, the records, and the other keys. */
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

/** The effect on a message or a result. */
export type MemoryStep = {
  /** The id of the message or of the task. */
  readonly id: string;
} & ({
  /** The message is new and was appended. */
  readonly effect: "appended";
  /** The position. */
  readonly position: number;
} | {
  /** Memory already has the message. */
  readonly effect: "already_there";
  /** The position. */
  readonly position: number;
} | {
  /** A summary already covers the message. */
  readonly effect: "already_covered";
  /** The compaction. */
  readonly by: string;
} | {
  /** The message repeats the open query in the same words. */
  readonly effect: "repeat";
  /** The first message with the query. */
  readonly of: string;
} | {
  /** The message replaced an earlier version. */
  readonly effect: "replaced";
  /** The position. */
  readonly position: number;
} | {
  /** The message was removed; a summary covers it. */
  readonly effect: "left";
  /** The compaction. */
  readonly by: string;
} | {
  /** The result was removed, with all others. */
  readonly effect: "cleared";
} | {
  /** Memory has no messages of this kind, so the copy in the checkpoint was dropped. */
  readonly effect: "not_remembered";
});

/** One neutral message. Unknown keys travel untouched. */
export interface Message {
  readonly role: Json;
  readonly content?: string | readonly Json[] | null;
  readonly name?: string | null;
  readonly tool_calls?: readonly Json[] | null;
  readonly tool_call_id?: string | null;
  readonly id?: string | null;
  readonly [key: string]: Json | undefined;
}

/** Everything about one message. */
export interface MessageDetail {
  /** The message with its whole content. */
  readonly message: MessageRow;
  /** The place in the log. */
  readonly origin: TimelineOrigin;
  /** The first step that sends it. `null` for an answer that no later step sends. */
  readonly first_step: number | null;
  /** The last step that sends it. */
  readonly last_step: number | null;
  /** The step that no longer sends it. */
  readonly dropped_step: number | null;
  /** The number of steps that send it. */
  readonly times: number;
  /** Tokens of all these steps, estimated. */
  readonly resent_tokens: number;
  /** The reason: `system`, `prompt`, `attachment`, `answer`, `result`, `summary`. */
  readonly reason: string;
  /** The step that made it. */
  readonly made_by: number | null;
}

/** A message of a request. */
export interface MessageRow {
  /** The id: `m` and a number, or `a` or `s` and the number of a step. */
  readonly id: string;
  /** The role. */
  readonly role: string;
  /** Tokens, estimated. */
  readonly tokens: number;
  /** The parts. */
  readonly parts: readonly TimelinePart[];
}

/** A missing card or box. */
export interface Missing {
  /** Its id. */
  readonly id: string;
  /** The reason. */
  readonly reason: "absent" | "deleted" | "expired" | "unreadable";
  /** The error, if it cannot be read. */
  readonly why?: string;
}

/** A file that the package refers to and the store does not have. */
export interface MissingFile {
  /** The part that the file has. */
  readonly read: HandoffPart;
  /** The path of the file, relative to the root of the package. */
  readonly path: string;
  /** The sample or artifact that it belongs to. */
  readonly name: string;
}

/** The pointers of an agent after a move. */
export interface MovedPointers {
  /** The agent. */
  readonly agent_id: string;
  /** The row of its state. */
  readonly head: JsonObject;
  /** The row of the pointers that outlive a turn. */
  readonly pointers: JsonObject;
}

/** A request in the neutral shape. */
export interface NeutralRequest {
  readonly system: readonly string[];
  readonly messages: readonly { readonly role: "system" | "user" | "assistant" | "tool"; readonly parts: readonly Json[] }[];
  readonly tools: readonly { readonly name: string; readonly description?: string; readonly schema?: Json }[];
  readonly unknown: readonly ImportUnknown[];
  readonly output?: readonly Json[];
  /** Every request, if the call has `every`. */
  readonly requests?: readonly ({ readonly index?: number } & NeutralRequest)[];
}

/** An edge that was recorded. */
export interface Noted {
  /** The id of the edge. */
  readonly edge_id: string;
  /** The id that a request and its response share. */
  readonly correlation_id: string;
  /** The trace of the edge. */
  readonly trace_id: string | null;
}

/** The numbers of the same prompt for another limit. Of two limits, the smaller one drops the same messages as the larger one, and then more. */
export interface OtherFit {
  /** The limit. */
  readonly limit: number;
  /** The number of dropped messages. */
  readonly dropped: number;
  /** The tokens of the kept messages. */
  readonly tokens: number;
  /** The price of these tokens in dollars, without a cache. `null` if no price is known. */
  readonly cost: number | null;
}

/** A message to send. */
export interface OutboxMessage {
  readonly message_id: string;
  readonly subject: string;
  readonly payload: JsonObject;
  readonly headers: { readonly [key: string]: string } | null;
  /** True for a message that no stream stores. */
  readonly core: boolean;
  /** Why a quarantined message could not be sent. */
  readonly error?: string;
}

/** A packed context. */
export interface Packed {
  /** The new box. */
  readonly context_box_id: string;
  /** The box of the target's profile. */
  readonly target_profile_box_id: string;
  /** The name of the target's profile, in its own case. */
  readonly profile_name: string;
  /** The cards of the new box, in order. */
  readonly attached_card_ids: readonly string[];
}

/** The tokens of one source and, for cards, of one kind. */
export interface Part {
  /** The source. */
  readonly source: PartSource;
  /** The kind of the cards. Missing for parts that are not cards of the box. */
  readonly kind?: CardKind;
  /** The first position of the cards. Missing for parts that are not cards of the box. */
  readonly first?: number;
  /** The number of cards. */
  readonly cards: number;
  /** The tokens. */
  readonly tokens: number;
  /** True if `tokens` is the model's own count. */
  readonly exact: boolean;
}

/** The kind of a part of a request. */
export type PartKind = "system" | "tools" | "user" | "attachment" | "thinking" | "assistant" | "tool_call" | "tool_result" | "summary" | "other";

/** The source of the cards of a part. */
export type PartSource =
  | {
      /** Made from arguments of the call. */
      readonly kind: "argument";
    }
  | {
      /** Inherited from a box. */
      readonly kind: "inherited";
      /** The box. */
      readonly box_id: string;
    }
  | {
      /** The parent pointer. */
      readonly kind: "parent";
    }
  | {
      /** Cards of the box itself. */
      readonly kind: "stored";
    }
  | {
      /** The earlier output of the receiver. */
      readonly kind: "output";
      /** The output box. */
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
      /** The framing tokens of the provider. */
      readonly kind: "framing";
    };

/** A payload, and the changes of its conversion. */
export interface Payload {
  readonly provider: Provider;
  readonly model: string | null;
  /** The body, verbatim. */
  readonly body: JsonObject;
  readonly losses: readonly Loss[];
  /** Tools that have another name for the provider. */
  readonly renamed_tools: readonly RenamedTool[];
  /** The values of the body that are not JSON in the library of the provider, with the form `client`. The package for JavaScript has converted them. */
  readonly native?: readonly {
    /** The JSON pointer of the value in the body. */
    readonly pointer: string;
    /** The type in the library. */
    readonly kind: "bytes" | "schema";
  }[];
}

/** The first difference of two payloads, and the tokens that a cache can reuse. */
export interface PayloadDiff {
  /** The provider of both payloads. */
  readonly provider: Provider;
  /** The number of equal messages at the start. Messages are counted as the provider sees them. */
  readonly same_messages: number;
  /** The number of equal tokens at the start. */
  readonly same_tokens: TokenCount;
  /** The tokens of the payload before, including framing, which is always an estimate. */
  readonly before_tokens: number;
  /** The tokens of the payload after, including framing. */
  readonly after_tokens: number;
  /** The first difference. Missing if the payloads are equal. */
  readonly first_difference: {
    /** The reason. */
    readonly why: "tools_changed" | "changed" | "inserted" | "removed" | "replaced" | "appended" | "shortened";
    /** The message of the payload before. Missing at its end. */
    readonly before: PayloadPlace | null;
    /** The message of the payload after. Missing at its end. */
    readonly after: PayloadPlace | null;
    /** The number of equal characters at the start of both strings. */
    readonly same_characters: number;
  } | null;
  /** The tokens that a prefix cache can reuse. */
  readonly cache: {
    /** The rules of the cache. */
    readonly policy: CachePolicy;
    /** Tokens that are read from the cache. */
    readonly kept_tokens: number;
    /** Tokens that are not read from the cache. */
    readonly fresh_tokens: number;
    /** True if all counts are exact. */
    readonly exact: boolean;
  };
}

/** A place in a payload. */
export interface PayloadPlace {
  /** The position of the message in the payload. */
  readonly message?: number;
  /** The position of the message in the prompt. */
  readonly position?: number;
  /** The card. */
  readonly card_id?: string;
  /** The layer. */
  readonly layer?: string;
  /** The tool. */
  readonly tool?: string;
  /** The role. */
  readonly role?: string;
}

/** A position in one of the two boxes. */
export interface Place {
  /** The box. */
  readonly side: Side;
  /** The index in that box, from 0. */
  readonly position: number;
}

/** A problem of a request. */
export interface Problem {
  /** The severity. */
  readonly severity: "error" | "warning" | "info";
  /** The source of the problem. */
  readonly source: "lint" | "left_out" | "loss" | "never_sent" | "window";
  /** The code of the problem, in `snake_case`. Codes are stable. */
  readonly code: string;
  /** A sentence that describes the problem. */
  readonly message: string;
  /** The path of the value. Missing without a value. */
  readonly path?: string;
  /** The position of the card. */
  readonly place?: {
    /** The index of the box, from 0. */
    readonly shown: number;
    /** The position in the box, from 0. */
    readonly position: number;
  };
  /** The card. */
  readonly card_id?: string;
  /** A fix. */
  readonly fix?: {
    /** Remove this value from the call. */
    readonly kind: "remove";
    /** The path of the value. */
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
  /** The message of the turn. */
  readonly inbox_id: string;
  /** The turn. */
  readonly agent_turn_id: string;
  /** The epoch of the turn. */
  readonly turn_epoch: number;
  /** The channel of the turn. */
  readonly channel_id: string;
  /** The span of its message. */
  readonly traceparent: string | null;
  /** The state of its trace. */
  readonly tracestate: string | null;
  /** The trace. */
  readonly trace_id: string | null;
  /** The depth of the turn below the first one. */
  readonly recursion_depth: number;
}

/** The tables of the composer. */
export interface PromptTables {
  /** The blocks that each kind of process sees. */
  readonly processes: readonly {
    /** The kind of process. */
    readonly process: Process;
    /** Whether the remembered conversation is injected. */
    readonly checkpoint: boolean;
    /** The default of `enable_share_context`. */
    readonly share_by_default: boolean;
    /** The blocks that it always sees. */
    readonly always: readonly Layer[];
    /** The blocks that it sees while sharing. */
    readonly when_sharing: readonly Layer[];
    /** True if it sees blocks without a fixed position while sharing. */
    readonly other_blocks: boolean;
    /** True if a prompt must have a query. An agent that continues from its memory, after a handover or a tool's result, needs none. */
    readonly needs_query: boolean;
    /** True if the switch of the project changes what it sees. A worker always sees only its part of the task. */
    readonly follows_switch: boolean;
  }[];
  /** The lifetime of each layer. */
  readonly layers: readonly {
    /** The layer. `*__context` represents every block without a fixed position. */
    readonly layer: Layer;
    /** The lifetime. */
    readonly lifetime: "call_only" | "runtime_only" | "persistent";
    /** True if agents share it. */
    readonly shared: boolean;
  }[];
}

/** The place of the query: the call or a message of the checkpoint, never both. */
export type Query =
  | { readonly runtime: string }
  | { readonly in_checkpoint: true | string };

/** Work that follows from other work. */
export interface QueuedWork {
  /** The agent. */
  readonly agent_id: string;
  /** The turn. */
  readonly agent_turn_id: string;
  /** The epoch of the turn. */
  readonly turn_epoch: number;
  /** Always true: the turn runs already. */
  readonly continuation: boolean;
  /** The number of steps before this one. */
  readonly step_count: number;
  /** The box for the output. */
  readonly output_box_id: string | null;
  /** A result to resume with, if there is one. */
  readonly resume?: ToolReport;
  /** A tool call to start, if its worker was lost before it started it. */
  readonly start?: {
    /** The call. */
    readonly tool_call_id: string;
    /** The name of the tool. */
    readonly tool_name: string;
    /** The step that made the call. */
    readonly step_id: string;
  };
}

/** The turn that reads a box. */
export interface Reader {
  /** The agent. */
  readonly agent_id?: string;
  /** The context box of the turn. */
  readonly context_box_id?: string;
  /** The output box of the turn. Empty if the turn starts without output. */
  readonly output_box_id?: string;
  /** The profile of the turn. */
  readonly profile_box_id?: string;
  /** The display name of the agent. */
  readonly display_name?: string;
  /** The rule dialect. */
  readonly dialect: Dialect;
}

/** Which turns a reaper ends. */
export type ReapedTurns = "dispatched" | "active" | "suspended";

/** The answer of a store to a commit. */
export interface Receipt {
  /** The operation that was applied. */
  readonly operation_id: string;
  /** Whether the operation was applied before, so that nothing changed now. */
  readonly repeated: boolean;
  /** The new versions of the changed boxes, in the order of their first change. */
  readonly boxes: readonly BoxVersion[];
}

/** The receiver of a context and its boxes. */
export interface Receiver {
  /** The agent; missing if the call names only a profile. */
  readonly agent_id: string | null;
  /** The box of its profile. */
  readonly profile_box_id: string;
  /** The box that its turn reads. */
  readonly context_box_id: string;
  /** The output box that it continues. */
  readonly output_box_id: string | null;
  /** Its display name. */
  readonly display_name: string | null;
}

/** The answer of a primitive that writes nothing. */
export interface Refused {
  readonly status: "busy" | "rejected" | "error";
  readonly error_code: RunRefusal;
}

/** An entry of the registry after a change. */
export interface RegistryChange {
  /** The name or id. */
  readonly key: string;
  /** The entry; missing after a removal. */
  readonly row: JsonObject | null;
}

/** A tool whose calls differ from its definition: a host restores them. */
export interface RenamedTool {
  /** The name in the prompt. */
  readonly given: string;
  /** The name in the payload, and in the model's answers. */
  readonly sent: string;
  /** The arguments are wrapped in an object, under `value`. */
  readonly wrapped?: boolean;
  /** Renamed properties. */
  readonly properties?: readonly {
    /** The name in the prompt. */
    readonly given: string;
    /** The name in the payload, and in the model's answers. */
    readonly sent: string;
  }[];
}

/** A list of rendered cards. */
export interface Rendered {
  /** The messages, in order. */
  readonly messages: readonly Message[];
  /** The tool definitions of all cards, in order. */
  readonly tools?: readonly JsonObject[];
  /** Every requested card, in order, including missing ones. */
  readonly source_card_ids: readonly string[];
  /** The result for each of them, in the same order. */
  readonly entries: readonly RenderedCard[];
}

/** The result for a card: a message, tool definitions, or nothing that a model sees. */
export type RenderedCard = { readonly card_id: string } & ({ readonly became: "message"; readonly position: number } | { readonly became: "tools"; readonly first: number; readonly count: number } | { readonly became: "nothing"; readonly reason: "call_record" | "absent" | "deleted" | "expired" | "unreadable" });

/** The explanation of one request. */
export interface RequestCache {
  /** The cause: the first one in the order of the provider. */
  readonly cause: CacheCause;
  /** Further causes, in the order of the provider. */
  readonly also: readonly AlsoCause[];
  /** The region of the cause. */
  readonly region: CacheRegion;
  /** The position of the cause. */
  readonly at: CachePlace;
  /** True if a documented rule or the usage decides it. */
  readonly sure: boolean;
  /** Why the cause is unknown or not sure. */
  readonly reason?: string;
  /** The request that it is compared with. */
  readonly compared_with?: number;
  /** The tokens that the rules predict. */
  readonly expected: {
    /** Tokens read from the cache. */
    readonly read: number;
    /** Tokens written to the cache. */
    readonly write: number;
    /** Those of `write` that live 1 hour. Missing if no mark asks for it. */
    readonly write_1h?: number;
    /** Other tokens of the input. */
    readonly fresh: number;
    /** True if all are based on the usage of requests, not on an estimate. */
    readonly exact: boolean;
  };
  /** The tokens that the usage reports. */
  readonly recorded?: {
    /** Tokens read from the cache. */
    readonly read: number;
    /** Tokens written to the cache. */
    readonly write: number;
    /** Those of `write` that live 1 hour. Missing if the usage has no such number. */
    readonly write_1h?: number;
    /** Other tokens of the input. */
    readonly fresh: number;
  };
  /** Tokens that were in the cache and are not read. */
  readonly lost_tokens: number;
  /** The lifetime of the entry. */
  readonly ttl: CacheTtl;
  /** The price. */
  readonly price: CachePrice;
  /** How to keep the prefix. Missing if no fix is needed. */
  readonly fix?: string;
  /** The id of the fact that decides it. */
  readonly rule: string;
}

/** A request and its cost. */
export interface RequestView {
  /** The turn that makes the request, as arguments of `turn_view`. */
  readonly turn: Reader;
  /** The provider. */
  readonly provider: Provider;
  /** The tokens of the request. */
  readonly tokens: number;
  /** The price of the tokens in dollars, without a cache. `null` if no price is known. */
  readonly cost: number | null;
  /** True if `tokens` is the model's own count, not an estimate. */
  readonly exact: boolean;
  /** The tokens by section. */
  readonly sections: readonly Section[];
  /** The tokens that are reserved for the answer. */
  readonly reserve: number;
  /** The use of the window. Missing if neither the call nor the model has a size. */
  readonly window?: {
    /** The size in tokens. */
    readonly size: number;
    /** The tokens that are left after the reserve for the answer. */
    readonly free: number;
    /** The tokens over the size. */
    readonly over: number;
    /** The fill level. */
    readonly level: WindowLevel;
  };
  /** The tokens by source and kind, in the order in which the model reads them. */
  readonly parts: readonly Part[];
  /** The result for every card of the box, in order. */
  readonly cards: readonly CardCost[];
  /** The number of cards that the model does not get. */
  readonly never_sent: number;
  /** The changes of the conversion to the provider. */
  readonly losses: readonly Loss[];
  /** All problems of the request, the highest severity first. */
  readonly problems: readonly Problem[];
}

/** A model's answer. */
export interface Response {
  /** The provider. */
  readonly provider: Provider;
  /** The provider's id of the answer. */
  readonly id?: string;
  /** The model that answered. */
  readonly model?: string;
  /** The answer as a message. */
  readonly message: Message;
  /** The answer as a card for `put_cards`. */
  readonly card: Json;
  /** The reason why the model stopped. */
  readonly stop: "end" | "tool_calls" | "length" | "refusal" | "pause" | "other";
  /** The provider's word for the reason. */
  readonly stop_reason?: string;
  /** False if the stream ended early. */
  readonly complete: boolean;
  /** The tokens. */
  readonly usage: Usage;
  /** The provider's report about its cache, verbatim: `diagnostics` of `explain_cache`. */
  readonly cache_diagnostics?: Json;
  /** The parts of the answer that were changed or dropped. */
  readonly losses: readonly Loss[];
}

/** The card at a position of a box. */
export interface Row {
  /** The position, from 0. */
  readonly position: number;
  /** The id of the card. */
  readonly card_id: string;
  /** Whether the card can be read. */
  readonly presence: "new" | "live" | "deleted" | "expired" | "absent" | "unreadable";
  /** The kind of the card. */
  readonly kind: CardKind;
  /** The role as the card has it. */
  readonly role: Json;
  /** Its semantic type. */
  readonly type: string | null;
  /** The type of its content, as in `__type__`. */
  readonly content_type: string | null;
  /** The author. */
  readonly author_id: string | null;
  /** The start of the content, on one line. */
  readonly excerpt: string;
  /** The error of a card that cannot be read. */
  readonly fault?: string;
  /** The cause of the card. Missing for a stored box. */
  readonly cause?: Cause;
  /** The later duplicates that were dropped in favor of it. */
  readonly swallowed?: readonly Cause[];
}

/** The answer of a primitive. */
export type RunAnswer<Made> =
  | {
      /** `accepted`. */
      readonly status: "accepted";
      /** What the call made. */
      readonly payload: Made;
    }
  | Refused;

/** Why a primitive refuses. */
export type RunRefusal = "protocol_violation" | "recursion_depth_exceeded" | "agent_busy" | "unknown_agent" | "invalid_box_id" | "missing_required_fields" | "conflict";

/** What runs in a project, at one agent, or in one batch. */
export type RunState =
  | {
      readonly agents: readonly HeadRow[];
      readonly queued: readonly InboxRow[];
      readonly batches: readonly BatchRow[];
      /** Rows that cannot be read, and so are not shown. */
      readonly unreadable?: readonly {
        /** The table. */
        readonly table: string;
        /** The key. */
        readonly key: readonly string[];
        /** Why it cannot be read. */
        readonly error: string;
      }[];
    }
  | { readonly agents: readonly HeadRow[]; readonly queued: readonly InboxRow[]; readonly waiting: readonly WaitingRow[]; readonly steps: readonly StepRow[] }
  | { readonly batches: readonly BatchRow[]; readonly tasks: readonly TaskRow[]; readonly edges: readonly EdgeRow[] };

/** A card of a turn and its position. */
export interface Seat {
  /** The card. */
  readonly card_id: string;
  /** The box. */
  readonly side: Side;
  /** The index in that box, from 0. */
  readonly position: number;
}

/** The tokens of a section. */
export interface Section {
  /** The section. */
  readonly section: "system_prompt" | "tools" | "media" | "messages" | "framing";
  /** The number of tokens. */
  readonly tokens: number;
  /** True if the count is exact. */
  readonly exact: boolean;
}

/** A message in an inbox. */
export interface Sent {
  /** The id of the message. */
  readonly inbox_id: string;
  /** The id under which the message is sent once. */
  readonly correlation_id: string;
  /** The trace of the message. */
  readonly trace_id: string;
  /** The turn, for a `turn` or a `ui_action`. */
  readonly agent_turn_id?: string;
  /** The epoch of the turn; absent while it waits for another turn. */
  readonly turn_epoch?: number;
}

/** One of the two boxes of a turn. */
export type Side = "context" | "output";

/** A change since the step before. */
export interface StepChange {
  /** The change: `added`, `removed`, `kept` (by a compaction), `changed`. */
  readonly change: string;
  /** The subject: `message`, `system`, `tool`, `parameter`, `model`. */
  readonly subject: string;
  /** The name of the tool or the parameter. */
  readonly name: string | null;
  /** The message. */
  readonly message: MessageRow | null;
  /** The value before. */
  readonly before: string | null;
  /** The value after. */
  readonly after: string | null;
}

/** Everything about one step. */
export interface StepDetail {
  /** The number of the step. */
  readonly step: number;
  /** The step that it is compared with. */
  readonly before: number | null;
  /** What changed since the step before. */
  readonly changes: readonly StepChange[];
  /** The messages of the request. Empty for a brief question. */
  readonly messages: readonly MessageRow[];
  /** The number of messages. */
  readonly message_count: number;
  /** The answer. */
  readonly answer: MessageRow | null;
  /** Tokens by kind, tool and file, the largest first. */
  readonly groups: readonly TokenGroup[];
  /** Files, the largest first. */
  readonly files: readonly {
    /** The path. */
    readonly file: string;
    /** The number of results that have it. */
    readonly times: number;
    /** Tokens, estimated. */
    readonly tokens: number;
  }[];
  /** The tools. */
  readonly tools: {
    /** False if the log does not list the tools; they are then those that are called. */
    readonly known: boolean;
    /** The tools, the largest first. */
    readonly list: readonly {
      /** The name. */
      readonly name: string;
      /** The description. */
      readonly description: string | null;
      /** Tokens of the definition, estimated. `null` if the log has only its name. */
      readonly tokens: number | null;
      /** The number of calls in the session. */
      readonly calls: number;
      /** The number of failed calls. */
      readonly failed: number;
      /** Tokens of its results in this request, estimated. */
      readonly result_tokens: number;
    }[];
    /** The number of tools that the session never calls. */
    readonly unused: number;
    /** Tokens of their definitions, in this request. */
    readonly unused_tokens: number;
    /** Tokens of their definitions, in all requests of the session. */
    readonly unused_tokens_in_all: number;
  };
  /** Parameters of the request, if the log has them. */
  readonly parameters: readonly {
    /** The name. */
    readonly name: string;
    /** The value as JSON text. */
    readonly value: string;
  }[];
  /** The maximum number of tokens of the answer. `null` if the log does not have it. */
  readonly output_limit: number | null;
  /** The explanation of the cache. */
  readonly cache: RequestCache | null;
  /** The step that the cache explanation compares with. */
  readonly cache_step: number | null;
  /** The account of the compaction before this step. */
  readonly compaction: {
    /** The summaries. */
    readonly summaries: readonly MessageRow[];
    /** Messages that left, in order. */
    readonly replaced: readonly MessageRow[];
    /** The account of each message of the step before. */
    readonly account: AccountedCompaction;
  } | null;
  /** What the log does not have, and why. */
  readonly unknown: readonly {
    /** The missing part. */
    readonly what: string;
    /** The reason, as a sentence. */
    readonly why: string;
  }[];
  /** Recorded tokens that the log does not explain. */
  readonly residual: number | null;
  /** The place of the request in the log. */
  readonly origin: TimelineOrigin;
  /** The body as it was sent. `null` if the log does not have it. */
  readonly body: Json | null;
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
  readonly metadata: JsonObject;
  readonly started_at: string;
  readonly ended_at?: string;
  readonly outcome?: string;
}

/** How the receiver is found. */
export type Strategy = "new" | "reuse" | "clone";

/** The result of a task. */
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

/** The status of a task of a batch. */
export type TaskStatus = "pending" | "dispatched" | "success" | "failed" | "canceled" | "timeout" | "partial";

/** The matches of a search. */
export interface TimelineHits {
  /** The matches, in order. */
  readonly hits: readonly {
    /** The message. */
    readonly message: string;
    /** The first step that sends it, or that it answers. */
    readonly step: number;
    /** The kind of the part. */
    readonly kind: PartKind;
    /** The tool of a call or a result. */
    readonly tool: string | null;
    /** The file, the command or the pattern of a call. */
    readonly target: string | null;
    /** The text before the match. */
    readonly before: string;
    /** The match. */
    readonly found: string;
    /** The text after the match. */
    readonly after: string;
  }[];
  /** The number of parts that match. */
  readonly count: number;
}

/** A place in a log. */
export interface TimelineOrigin {
  /** The file. */
  readonly file: string;
  /** The line, from 1. `null` if the file is one value. */
  readonly line: number | null;
  /** A JSON pointer; empty for the whole value. */
  readonly pointer: string;
}

/** The timeline of a session: one step for each request. */
export interface TimelineOverview {
  /** All sessions, the newest last. */
  readonly sessions: readonly {
    /** The id in the log. */
    readonly id: string;
    /** The name of the format. */
    readonly source: string;
    /** The first words of the user. */
    readonly title: string | null;
    /** The session that it was forked from. */
    readonly parent?: string;
    /** The number of requests, those of sub-agents included. */
    readonly steps: number;
    /** The time of the last request. */
    readonly at: string | null;
  }[];
  /** The index of the session that is shown. */
  readonly session: number | null;
  /** The order of `tokens_by_kind`. */
  readonly kinds: readonly PartKind[];
  /** The prompts of the user, in order. */
  readonly prompts: readonly {
    /** The first words. */
    readonly text: string;
    /** The first step that answers it. */
    readonly step: number;
  }[];
  /** The agents. The first is the main one. */
  readonly agents: readonly {
    /** The name in the log. */
    readonly name: string | null;
    /** The number of agents around it. */
    readonly depth: number;
    /** The task of a sub-agent: the first words that it receives. */
    readonly task: string | null;
    /** The number of steps. */
    readonly steps: number;
  }[];
  /** The requests, in order. */
  readonly steps: readonly TimelineStep[];
  /** The totals. */
  readonly totals: {
    /** Steps. */
    readonly steps: number;
    /** Input of all steps: recorded, or estimated where it is not. */
    readonly input: number;
    /** True if all of the input is recorded. */
    readonly recorded: boolean;
    /** Recorded output of all steps. */
    readonly output: number;
    /** Input that was read from the cache. */
    readonly cached: number;
    /** The share of recorded input that was read from the cache. */
    readonly share: number | null;
    /** The cost in dollars. `null` if no step has one. */
    readonly cost: number | null;
    /** True if all steps have a cost. */
    readonly all_costs: boolean;
    /** What the session would have saved without cache breaks, in dollars. */
    readonly lost_cost: number | null;
    /** Tokens that cache breaks lost. */
    readonly lost_tokens: number;
    /** Seconds from the first request to the last. */
    readonly seconds: number | null;
    /** Steps with a cache break. */
    readonly breaks: number;
    /** Steps after a compaction. */
    readonly compactions: number;
    /** Steps with a failed tool. */
    readonly failed: number;
    /** The step with the highest cost; without costs the one with the most input. */
    readonly most_expensive: number | null;
  };
  /** The names of the called tools, the most called first. */
  readonly tools: readonly string[];
}

/** A part of a message. */
export interface TimelinePart {
  /** The kind. */
  readonly kind: PartKind;
  /** The tool of a call or a result. */
  readonly tool: string | null;
  /** The file, the command or the pattern of a call. */
  readonly target: string | null;
  /** Tokens, estimated. */
  readonly tokens: number;
  /** The content as text: the first characters in a list, all of it in a message. */
  readonly text: string;
  /** True if the text is longer. */
  readonly cut: boolean;
  /** True for a tool result with an error. */
  readonly failed: boolean;
  /** True if the log has only the encrypted form. */
  readonly sealed: boolean;
}

/** One request. */
export interface TimelineStep {
  /** The number, from 1. */
  readonly step: number;
  /** The number of the request in the report of the import. */
  readonly request: number;
  /** The box of the request in the project of the import. */
  readonly box_id: string;
  /** The purpose: `main`, `sub`, `compaction`, `side`. */
  readonly kind: string;
  /** The index of the agent. */
  readonly agent: number;
  /** The index of the prompt that it belongs to. */
  readonly prompt: number | null;
  /** The time of sending. */
  readonly at: string | null;
  /** The provider API, if the log shows it. */
  readonly provider: string | null;
  /** The model, if the log shows it. */
  readonly model: string | null;
  /** The context window of the model. `null` if it is not known. */
  readonly window: number | null;
  /** What the model did. */
  readonly did: readonly {
    /** The tool. `null` for words. */
    readonly tool: string | null;
    /** The file name, the command or the pattern; the first words of an answer. */
    readonly target: string | null;
    /** The number of such calls. */
    readonly count: number;
    /** True if one of them failed. */
    readonly failed: boolean;
  }[];
  /** True if the provider did not answer, or a tool failed that the model called. */
  readonly failed: boolean;
  /** Why the provider did not answer. */
  readonly error: string | null;
  /** True if the log has no answer. */
  readonly unanswered: boolean;
  /** The number of retries after a failure. */
  readonly retries: number;
  /** The number of messages. */
  readonly messages: number;
  /** Recorded tokens. */
  readonly recorded: {
    /** The whole input. */
    readonly input: number | null;
    /** The answer. */
    readonly output: number | null;
    /** Input that was read from the cache. */
    readonly cached: number | null;
    /** Input that was written to the cache. */
    readonly written: number | null;
  };
  /** Tokens of what the log has, estimated. */
  readonly estimated: number;
  /** The same by kind, in the order of `kinds`. */
  readonly tokens_by_kind: readonly number[];
  /** Tokens of new messages since the step before, estimated. */
  readonly added: number;
  /** Tokens of messages that left since the step before, estimated. */
  readonly removed: number;
  /** The cost in dollars, input and output. `null` without recorded tokens or prices. */
  readonly cost: number | null;
  /** What the cache read. `null` for requests outside of the conversation. */
  readonly cache: {
    /** The cause. */
    readonly cause: CacheCause;
    /** True if a documented rule or the usage decides it. */
    readonly sure: boolean;
    /** The share of the input that was read, from 0 to 1. `null` without recorded tokens. */
    readonly share: number | null;
    /** Tokens that were in the cache and were not read, as the usage or a documented rule shows. */
    readonly lost_tokens: number;
    /** Their price in dollars. */
    readonly lost_cost: number | null;
    /** True if the cache was lost. */
    readonly is_break: boolean;
  } | null;
  /** The number of messages that a compaction replaced before this step. */
  readonly compacted: number | null;
}

/** A number of tokens, exact or estimated. */
export interface TokenCount {
  /** The number. */
  readonly tokens: number;
  /** True if the number is exact. */
  readonly exact: boolean;
}

/** Tokens of parts with one kind, tool and file. */
export interface TokenGroup {
  /** The kind. */
  readonly kind: PartKind;
  /** The tool. */
  readonly tool: string | null;
  /** The file. */
  readonly file: string | null;
  /** Tokens, estimated. */
  readonly tokens: number;
  /** The number of parts. */
  readonly parts: number;
}

/** A report of a tool's result: the call, the card of the result, and what follows. */
export interface ToolReport {
  readonly tool_call_id: string;
  readonly tool_result_card_id?: string | null;
  readonly status?: string | null;
  /** `suspend` to continue the turn, `terminate` to end it. */
  readonly after_execution?: string | null;
  /** The step that made the call. */
  readonly step_id?: string | null;
}

/** The reason for a changed row. */
export interface Transition {
  /** The rule that changed the row. */
  readonly rule: string;
  /** The condition that allowed the change. */
  readonly guard: string;
  /** The table of the row. */
  readonly table: string;
  /** The key of the row. */
  readonly key: readonly string[];
  /** The version before the change. `None` for a new row. */
  readonly version?: string;
}

/** The request of a turn, and the cards that it is made from. */
export interface Turn {
  /** The id of this view, if it is recorded: `turn_view` returns it again. */
  readonly view_id?: string;
  /** The agent, if it is known. */
  readonly agent_id: string | null;
  /** The profile. */
  readonly profile: TurnProfile | null;
  /** The box that the turn reads. */
  readonly context_box_id: string | null;
  /** The box that the turn writes to. */
  readonly output_box_id: string | null;
  /** The request to the model. */
  readonly request: {
    /** The messages, the system prompt first. */
    readonly messages: readonly Message[];
    /** The tool definitions. */
    readonly tools?: readonly JsonObject[];
  };
  /** Every card of the request, in order: the recorded prompt and tools, then the cards of the boxes. Cards that were moved to the prompt are omitted. */
  readonly source_card_ids: readonly string[];
  /** The result for each of these cards, in the same order. */
  readonly entries: readonly TurnEntry[];
  /** The fields that the result must have, as the prompt lists them. */
  readonly result_fields?: readonly {
    /** The card that requires it. */
    readonly card_id: string;
    /** Its name. */
    readonly name: string;
    /** The description; can be empty. */
    readonly description: string;
  }[];
  /** Cards of the boxes that cannot be read. */
  readonly missing?: readonly ({
    /** Why it is hidden. */
    readonly reason: "call_record" | "absent" | "deleted" | "expired" | "unreadable";
    /** The error of a card that exists and cannot be read. */
    readonly why?: string;
  } & Seat)[];
  /** Repetitions that the merge of the boxes removed. */
  readonly swallowed?: readonly Seat[];
  /** Tools of the host that the profile does not allow. */
  readonly tools_left_out?: readonly string[];
}

/** The cards of a turn, in the order of the request. */
export interface TurnCards {
  /** The cards. */
  readonly card_ids: readonly string[];
  /** The position of each card. */
  readonly seats: readonly Seat[];
  /** Removed repetitions. */
  readonly swallowed: readonly Seat[];
}

/** The result for a card of a turn, and its position. A recorded prompt is in no box. */
export type TurnEntry = { readonly card_id: string; readonly seat?: Place } & ({ readonly became: "message"; readonly position: number } | { readonly became: "tools"; readonly first: number; readonly count: number } | { readonly became: "nothing"; readonly reason: "call_record" | "absent" | "deleted" | "expired" | "unreadable" });

/** The profile of a turn. */
export interface TurnProfile {
  /** Its box. */
  readonly profile_box_id: string;
  /** The card with its configuration. */
  readonly card_id: string;
  /** Its name. */
  readonly name: string;
  /** The display name of the agent. */
  readonly display_name: string | null;
  /** The model and its options, from the profile. */
  readonly llm_config: Json;
  /** The tools that it can use; missing if it can use all. */
  readonly allowed_tools: readonly string[] | null;
}

/** A part of a request that a log may not have. */
export type UnknownSubject = "system" | "tools" | "tool_descriptions" | "tool_schemas" | "messages" | "reasoning" | "images" | "files" | "tool_calls" | "tool_results" | "order" | "params";

/** The usage of an answer, as far as the provider reports it. */
export interface Usage {
  /** Tokens of the request, including those from the cache. */
  readonly input_tokens?: number;
  /** Tokens of the answer, including thinking. */
  readonly output_tokens?: number;
  /** Tokens that were read from the cache. */
  readonly cache_read_tokens?: number;
  /** Tokens that were written to the cache. */
  readonly cache_write_tokens?: number;
  /** Tokens that were written for 5 minutes, if the provider reports it. */
  readonly cache_write_5m_tokens?: number;
  /** Tokens that were written for 1 hour, if the provider reports it. */
  readonly cache_write_1h_tokens?: number;
  /** Tokens of thinking. */
  readonly reasoning_tokens?: number;
}

/** The view of a context. */
export interface View {
  /** One entry for each box, in packing order. */
  readonly boxes: readonly BoxView[];
  /** The index of the box that the rows belong to. */
  readonly shown: number;
  /** The rows of the range. */
  readonly rows: readonly Row[];
  /** The positions of the cards that match `find`. Missing without `find`. */
  readonly matches?: readonly number[];
  /** Values of the call that did not become a card. */
  readonly dropped: readonly {
    /** The path of the value. */
    readonly path: string;
    /** The reason. */
    readonly reason: DropReason;
  }[];
  /** The lints, with positions. */
  readonly lints: readonly ({
    /** The position of the card. Missing for a lint without a card. */
    readonly place?: {
      /** The index of the box, from 0. */
      readonly shown: number;
      /** The position in the box, from 0. */
      readonly position: number;
    };
  } & Lint)[];
  /** The hash of what the call makes. Missing for a stored box. */
  readonly content_hash?: string;
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

/** The fill level of a window. */
export type WindowLevel = "calm" | "high" | "full" | "over";

/** A card as callers send it, with every field. */
export interface WireCard {
  readonly card_id: string;
  readonly content: Content;
  readonly metadata: JsonObject;
  readonly tool_calls: readonly JsonObject[] | null;
  readonly tool_call_id: string | null;
  readonly ttl_seconds: number | null;
}

/** The answer of `write_back`. */
export interface WrittenBack {
  /** The state to store. */
  readonly state: JsonObject;
  /** The layers that were written. */
  readonly written: readonly Layer[];
  /** The blocks that were not written, with the reason. */
  readonly left_out: readonly {
    /** The block. */
    readonly layer: Layer;
    /** The path: in the call's `contexts` or in the state. */
    readonly from: string;
    /** The rule that excluded it. */
    readonly rule: "call_only" | "runtime_only" | "kept_by_memory" | "overridden" | "not_text";
  }[];
  /** The effect on each message of the given state, unless it stayed unchanged. */
  readonly restored: readonly MemoryStep[];
}

/** What every operation answers. */
export interface Results {
  get_cards: Cards;
  get_boxes: Boxes;
  get_box_cards: Cards;
  pack_context: Packed;
  put_cards: {
    /** The ids of the cards, in order. */
    readonly card_ids: readonly string[];
  };
  create_box: BoxRow;
  append_to_box: BoxRow;
  replace_box: BoxRow;
  fork_box: BoxRow;
  concat_boxes: BoxRow;
  delete_cards: {
    /** The cards, each once. `delete_cards` omits cards that were deleted before. */
    readonly card_ids: readonly string[];
  };
  erase_cards: {
    /** The cards, each once. `delete_cards` omits cards that were deleted before. */
    readonly card_ids: readonly string[];
  };
  delete_box: string;
  search_cards: Hits;
  find_cards: readonly Found[];
  text_form: {
    /** The text on a text card. */
    readonly text: string;
    /** The JSON as a model reads it. */
    readonly json: string;
  };
  read_content: {
    /** The type of the content. */
    readonly type: ContentType;
    /** The content in canonical form. */
    readonly content: Content;
    /** The text that a model reads. */
    readonly text: string;
  };
  read_card: {
    /** The card with every field present. */
    readonly card: WireCard;
    /** The text that a model reads. */
    readonly text: string;
  };
  read_new_card: {
    /** The card as it would be stored. */
    readonly stored: WireCard;
    /** The semantic type. */
    readonly type: string;
    /** The author; `unknown` if the card names none. */
    readonly author_id: string;
    /** The project; `public` if the card names none. */
    readonly project_id: string;
  };
  read_box: {
    /** The box, without empty and repeated parents. */
    readonly box: { readonly box_id?: string; readonly card_ids: readonly string[]; readonly parent_ids?: readonly string[] };
  };
  pack_context_with_instruction: {
    /** The arguments of `pack_context`. */
    readonly recipe: {
      /** The arguments. */
      readonly arguments: Json;
      /** The packing rules. */
      readonly handover: Json;
    };
    /** The context. */
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
  brief_handover: {
    /** The box that the receiver's turn reads. */
    readonly context_box_id: string;
    /** The number of contexts that the call packs. */
    readonly tasks: number;
    /** The tokens of the receiver's messages and tools, estimated. */
    readonly tokens: number;
    /** The number of cards that both see. */
    readonly shared: number;
    /** The number of cards that only the receiver sees. */
    readonly added: number;
    /** The number of cards that only the sender sees. */
    readonly not_passed_on: number;
    /** The hash of everything that the call makes. It is the same after the commit. */
    readonly content_hash: string;
    /** Likely mistakes. */
    readonly lints: readonly {
      /** The code. */
      readonly code: string;
      /** A sentence. */
      readonly message: string;
    }[];
    /** The cards of the receiver in order, then those that are not passed on. */
    readonly cards: readonly {
      /** The card. */
      readonly card_id: string;
      /** `shared`, `added` or `not_passed_on`. */
      readonly seen: string;
      /** Why the receiver gets it: `argument`, `inherited`, `parent` or `imported`. */
      readonly why?: string;
      /** The box that it comes from. */
      readonly box_id?: string;
      /** The tokens of its message, estimated. */
      readonly tokens?: number;
      /** An excerpt of its message. */
      readonly text?: string;
    }[];
    /** The `from` of the next page. Missing on the last one. */
    readonly next?: number;
  };
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
  put_profile: {
    /** The box of the profile. */
    readonly profile_box_id: string;
    /** True if the profile is new. */
    readonly made: boolean;
    /** The keys of an existing profile that changed. */
    readonly changed: readonly string[];
    /** The version of the box. */
    readonly version: number;
  };
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
  audit_refusal: {
    /** The stored refusal. Null if the call is not refused. */
    readonly refusal: {
      /** The operation. */
      readonly op: string;
      /** The agent that asked. Null if the call names none. */
      readonly source_agent_id: string | null;
      /** The box or the profile that the call asked for. Empty if the call lists no box. */
      readonly subject: string;
      /** The code of the error. */
      readonly code: "bad_request" | "not_found" | "invalid_content" | "auth_failed" | "conflict" | "limit" | "store";
      /** The path of the value that was refused. */
      readonly path: string;
      /** The message of the error. */
      readonly message: string;
      /** The policy. */
      readonly policy: {
        /** The sender can pass on its own boxes, and those that the project grants. */
        readonly kind: "own_boxes";
        /** The first 100 of them. */
        readonly box_ids: readonly string[];
        readonly count: number;
      } | {
        /** The list `authorized_inherit_box_ids` of the call. */
        readonly kind: "listed_boxes";
        /** The first 100 of them. */
        readonly box_ids: readonly string[];
        readonly count: number;
      } | {
        /** The delegation policy of the sender's profile. */
        readonly kind: "delegation";
        readonly profile_box_id: string;
        /** False if the profile has no policy. Then it cannot delegate. */
        readonly exists: boolean;
        /** The profiles that the policy lists. Null if it lists none. */
        readonly target_profiles: readonly string[] | null;
        /** The tags of which the receiver's profile needs one. */
        readonly target_tags: readonly string[];
      };
    } | null;
  };
  list_audit: ListedRows;
  list_boxes: {
    /** The boxes: of profiles, then of agents, then of audit entries. Each box is listed once. */
    readonly boxes: readonly {
      /** The id of the box. */
      readonly box_id: string;
      /** The rows that name it. */
      readonly uses: readonly {
        /** How the row uses the box. */
        readonly kind: "profile" | "context" | "output" | "audit";
        /** The name of the profile, the id of the agent, or the action of the audit entry. */
        readonly name: string;
      }[];
    }[];
  };
  move_pointers: MovedPointers;
  append_output: {
    /** The agent. */
    readonly agent_id: string;
    /** The output box. */
    readonly output_box_id: string;
  };
  render: Rendered;
  payload: Payload;
  turn_request: {
    /** The turn. */
    readonly turn: Turn;
    /** The body of the request, and the changes of its conversion. */
    readonly payload: Payload;
    /** The messages that do not fit into `max_input_tokens`, in the order of the drops. */
    readonly dropped: readonly DroppedMessage[];
  };
  token_texts: {
    /** The strings, each once, in order. */
    readonly texts: readonly string[];
  };
  count_tokens: Account;
  budget: Fitted;
  diff_payloads: PayloadDiff;
  compose: Composed;
  allowed_contexts: {
    /** The keys of the blocks, in the order of the composer. */
    readonly keys: readonly ContextKey[];
  };
  prompt_tables: PromptTables;
  collect_contexts: Collected;
  change_memory: ChangedMemory;
  enter_query: EnteredQuery;
  write_back: WrittenBack;
  read_response: Response;
  read_deltas: {
    /** The additions, in the order of the events. */
    readonly deltas: readonly ({
      /** More text. */
      readonly type: "text";
      /** The text to append. */
      readonly text: string;
    } | {
      /** More reasoning. */
      readonly type: "reasoning";
      /** The text to append. */
      readonly text: string;
    } | {
      /** More of a refusal. */
      readonly type: "refusal";
      /** The text to append. */
      readonly refusal: string;
    } | {
      /** A tool call, or a piece of one. */
      readonly type: "tool_call";
      /** The index of the call. A call without an index is whole. */
      readonly index?: number;
      /** The id of the call, in its first piece. */
      readonly id?: string;
      /** The name of the tool in the prompt, in the first piece. */
      readonly name?: string;
      /** The JSON text to append to the arguments, with the keys of the payload. */
      readonly arguments: string;
    } | {
      /** The tokens that the provider has reported so far. */
      readonly type: "usage";
      /** The tokens. */
      readonly usage: Usage;
    })[];
  };
  restore_call: {
    /** The name in the prompt. */
    readonly name: string;
    /** The arguments by the schema of the prompt: a string if the call has a string. */
    readonly arguments: Json;
  };
  read_handoff: {
    /** The package with every default written out. */
    readonly dump: Json;
    /** The names of the fields that the model does not declare, sorted. */
    readonly extra_fields: readonly string[];
  };
  check_handoff: {
    /** True if no finding is an error. */
    readonly accepted: boolean;
    /** The findings of the package, then those of the report. */
    readonly findings: readonly Finding[];
    /** The tokens of the package. */
    readonly size: {
      /** The tokens of the package as a model reads it. */
      readonly tokens: number;
      /** True if the counter is the model's own. */
      readonly exact: boolean;
      /** The lower end of the estimate. */
      readonly low: number;
      /** The upper end of the estimate. */
      readonly high: number;
      /** The comparison with the estimate. */
      readonly fit: "below" | "within" | "above";
      /** The largest values, largest first. */
      readonly contributors: readonly {
        /** The field, or the entry of a list. */
        readonly path: string;
        /** The tokens. */
        readonly tokens: number;
      }[];
    };
  };
  build_handoff: {
    /** The package. */
    readonly package: ExecuteToInit;
    /** The report. A skeleton has blank fields, each with a lint. */
    readonly report: Layer1ProblemsReport;
    /** Every file of the layout; summary and report last. */
    readonly files: readonly ArtifactFile[];
    /** The findings. */
    readonly findings: readonly Finding[];
  };
  store_handoff: {
    /** The files of the batch, in order. */
    readonly stored: readonly string[];
    /** The files that the package refers to and the store already has. */
    readonly already_stored: readonly string[];
    /** The findings. */
    readonly findings: readonly Finding[];
  };
  audit_handoff: {
    /** True if there are no findings. */
    readonly complete: boolean;
    /** Files that the package refers to and the store does not have. */
    readonly dangling: readonly string[];
    /** Files that the layout requires and the store does not have. */
    readonly missing: readonly string[];
    /** Stored files that belong to no sample and are not part of the layout. */
    readonly orphans: readonly string[];
    /** A finding for each of these files. */
    readonly findings: readonly Finding[];
  };
  plan_handoff: LoadPlan;
  load_handoff: LoadedHandoff;
  make_handoff_cards: {
    /** The new box. */
    readonly box_id: string;
    /** The ids of its cards, in order. */
    readonly card_ids: readonly string[];
    /** The tokens of the loaded content. Missing for references. */
    readonly spent?: number;
    /** The parts that were not loaded. */
    readonly left_out: readonly HandoffLeftOut[];
    /** The files that the store does not have. */
    readonly missing: readonly MissingFile[];
  };
  enqueue: RunAnswer<Sent>;
  hand_out: HandedOut;
  report: RunAnswer<Sent>;
  join: RunAnswer<Noted>;
  run_state: RunState;
  turn_result: {
    /** The cards of the output box from `after` on. */
    readonly cards: readonly CardRow[];
    /** The result; missing for a turn that waits or runs. */
    readonly result: {
      readonly status: "success" | "failed";
      /** The number of workers that ran the turn. All but the last were lost. */
      readonly attempts: number;
      /** The last deliverable; missing if the output has none. */
      readonly deliverable: CardRow | null;
      /** The fields of the deliverable. */
      readonly fields: JsonObject;
      /** Why the turn failed. */
      readonly error: string | null;
    } | null;
  };
  cancel: RunAnswer<{
    /** False if the turn is not queued. */
    readonly canceled: boolean;
    /** The turn. */
    readonly agent_turn_id: string;
  }>;
  wakeup: {
    /** `accepted`. */
    readonly status: "accepted";
    /** The turn that `dispatch_next` promoted, if there is one. */
    readonly payload?: Promoted;
  };
  dispatch: Dispatched;
  ensure_agent: AgentReady;
  provision_identity: {
    /** The record. */
    readonly edge_id: string;
    /** The agent. */
    readonly target_agent_id: string;
    /** The action. */
    readonly action: string;
    /** The trace of the change. */
    readonly trace_id: string | null;
  };
  lease: {
    /** The epoch of the turn; `None` if the agent has another turn. */
    readonly turn_epoch: number | null;
  };
  state_update: {
    /** False if the row is missing, or is not as expected. */
    readonly updated: boolean;
  };
  finish_idle: {
    /** False if the row is missing, or is not as expected. */
    readonly updated: boolean;
  };
  replace_waiting: {
    /** The number of calls. */
    readonly waiting: number;
  };
  mark_received: {
    /** False if the row is missing, or is not as expected. */
    readonly updated: boolean;
  };
  mark_applied: {
    /** False if the row is missing, or is not as expected. */
    readonly updated: boolean;
  };
  ledger_claim: {
    /** The ids of the calls. */
    readonly claimed: readonly string[];
  };
  ledger_requeue_expired: {
    /** The number of results. */
    readonly requeued: number;
  };
  inbox_status: {
    /** False if the row is missing, or is not as expected. */
    readonly updated: boolean;
  };
  has_open: {
    /** True if a message waits. */
    readonly open: boolean;
  };
  claim_inbox: {
    /** The work in each message. */
    readonly items: readonly InboxItem[];
  };
  consume_inbox: {
    /** False if the row is missing, or is not as expected. */
    readonly updated: boolean;
  };
  requeue_inbox: boolean;
  poke_inbox: boolean;
  turn_start: {
    readonly entered: true;
    readonly step_id: string;
    readonly output_box_id: string;
    /** The id of the recorded view: that of the step. Missing if the turn cannot be shown. */
    readonly view_id?: string;
  } | { readonly entered: false; readonly stage: "guard" | "depth_or_steps" };
  turn_tools: {
    /** The work, in order. */
    readonly queued: readonly QueuedWork[];
  };
  turn_complete: {
    /** False if the turn has another epoch, or ended before. */
    readonly ended: boolean;
  };
  turn_fail: {
    /** False if the turn has another epoch, or ended before. */
    readonly ended: boolean;
  };
  turn_give_back: { readonly given_back: true; readonly turn_epoch: number } | { readonly given_back: false };
  resume: {
    /** The work, in order. */
    readonly queued: readonly QueuedWork[];
  };
  stop: {
    /** False if the turn has another epoch, or ended before. */
    readonly ended: boolean;
  };
  ring_again: boolean;
  reclaim_agent: boolean;
  tool_call: RunAnswer<Noted>;
  put_tool_results: {
    /** The first results of the call, in its order. One commit stores at most 32 MiB of JSON: a second call stores the others. */
    readonly results: readonly {
      /** The id of the call. */
      readonly tool_call_id: string;
      /** The card with the result; empty if there is an error. */
      readonly card_ids: readonly string[];
      /** Why the result cannot be stored. */
      readonly error?: string;
    }[];
  };
  answer_tool_call: { readonly accepted: boolean; readonly error_code?: RunRefusal };
  recover_turn: boolean;
  reap_turn: boolean;
  prune: {
    /** The processed messages of agents. */
    readonly messages: number;
    /** The steps of turns. */
    readonly steps: number;
    /** The tool calls that turns waited for, and their results. */
    readonly calls: number;
    /** The recorded views. */
    readonly views: number;
    /** True if older rows can be left. */
    readonly more: boolean;
  };
  time_out_tools: boolean;
  take_up_results: {
    /** The work, in order. */
    readonly queued: readonly QueuedWork[];
    /** The turn of the work; absent without work. */
    readonly turn?: {
      /** The channel of the turn. */
      readonly channel_id?: string;
      /** The box of its profile. */
      readonly profile_box_id?: string;
      /** The box of its context. */
      readonly context_box_id?: string;
      /** The headers of the turn. */
      readonly headers: { readonly [key: string]: string };
      /** The trace of the turn. */
      readonly trace_id?: string;
      /** The step that the turn belongs to. */
      readonly parent_step_id?: string;
    };
  };
  due: {
    /** The calls, in the order to make them. */
    readonly calls: readonly DueCall[];
    /** Rows that cannot be read, and so are not considered. */
    readonly unreadable?: readonly {
      /** The table. */
      readonly table: string;
      /** The key. */
      readonly key: readonly string[];
      /** Why it cannot be read. */
      readonly error: string;
    }[];
  };
  create_batch: { readonly batch_id: string } | { readonly accepted: true; readonly batch_id: string; readonly task_count: number };
  activate_batch: null;
  dispatch_pending: null;
  dispatch_task: boolean;
  child_event: boolean;
  reconcile_task: boolean;
  end_batch: boolean;
  build_batch_result: { readonly status: string; readonly results: readonly TaskResult[] };
  outbox: {
    /** The messages, oldest first. */
    readonly messages: readonly OutboxMessage[];
  };
  mark_sent: {
    /** The number of messages. */
    readonly sent: number;
  };
  quarantine_messages: {
    /** The number of messages. */
    readonly changed: number;
  };
  retry_messages: {
    /** The number of messages. */
    readonly changed: number;
  };
  import: ImportReport | NeutralRequest | { readonly projects: readonly Json[] } | {
    readonly sessions: readonly {
      readonly id: string;
      readonly source: string;
      /** The numbers of the explained requests in the report of the session. */
      readonly numbers: readonly number[];
      readonly explanation: CacheExplanation;
    }[];
  } | {
    readonly sessions: readonly {
      readonly id: string;
      readonly source: string;
      /** The numbers of the accounted requests in the report of the session. */
      readonly numbers: readonly number[];
      readonly account: CompactionAccount;
    }[];
  };
  list_sessions: {
    /** The sessions, the newest first. */
    readonly sessions: readonly {
      /** The name of the session. */
      readonly session: string;
      /** The format of the log. */
      readonly source: string;
      /** The agent, for a session of a sub-agent. */
      readonly agent?: string;
      /** The session that started it. */
      readonly parent?: string;
      /** The number of requests. */
      readonly requests: number;
      /** The model of the last request that names one. */
      readonly model?: string;
      /** The time of the last request. */
      readonly at?: string;
      /** The tokens of the largest request: recorded, otherwise estimated. */
      readonly largest: number;
      /** The number of compactions. */
      readonly compactions: number;
      /** The files to read for questions about the session. Only if the call names it. */
      readonly files?: readonly string[];
    }[];
    /** The number of sessions that match. */
    readonly total: number;
    /** The `from` of the next page. Missing on the last one. */
    readonly next?: number;
  };
  explain_request: {
    /** The session. */
    readonly session: string;
    /** The number of the request, from 0. */
    readonly request: number;
    /** The number of requests of the session. */
    readonly requests: number;
    /** The purpose: `main`, `sub`, `compaction` or `side`. */
    readonly kind: string;
    /** The model. */
    readonly model?: string;
    /** The time of sending. */
    readonly at?: string;
    /** The tokens. */
    readonly tokens: {
      /** The recorded input. */
      readonly input?: number;
      /** The recorded part of it that was read from the cache. */
      readonly cached?: number;
      /** The recorded output. */
      readonly output?: number;
      /** The estimate of what the log has. */
      readonly estimated: number;
    };
    /** Where the tokens go, the largest bucket first. */
    readonly buckets: readonly {
      /** The kind: `system`, `tools`, `framing`, `rest`, or the kind of a part. */
      readonly kind: string;
      /** The tool of calls and results. */
      readonly tool?: string;
      /** The number of parts, or of definitions. */
      readonly count: number;
      /** The tokens, estimated. */
      readonly tokens: number;
    }[];
    /** Why less was read from the cache than possible. Missing for requests next to the conversation. */
    readonly cause?: string;
    /** The tokens that were in the cache and were not read. */
    readonly lost_tokens?: number;
    /** What the log lacks, and tools that the request sends and the model never calls. */
    readonly lints: readonly {
      /** The code: `not_in_log` or `unused_tools`. */
      readonly code: string;
      /** A sentence. */
      readonly message: string;
    }[];
    /** The parts of its messages, the last one first. */
    readonly messages: readonly {
      /** The position of the message in the request, from 0. */
      readonly message: number;
      /** The role. */
      readonly role: string;
      /** The kind: `text`, `thinking`, `tool_call`, `tool_result`, `summary`, `image`, `file`, `other`. */
      readonly kind: string;
      /** The tool of a call or a result. */
      readonly tool?: string;
      /** True for the result of a tool that failed. */
      readonly failed?: boolean;
      /** The tokens, estimated. */
      readonly tokens: number;
      /** An excerpt, as the log has it. */
      readonly text: string;
    }[];
    /** The `from` of the next page. Missing on the last one. */
    readonly next?: number;
  };
  compare_requests: {
    /** The session. */
    readonly session: string;
    /** The earlier request. */
    readonly before: number;
    /** The later request. */
    readonly after: number;
    /** The number of equal messages at the start. */
    readonly same_messages: number;
    /** The number of messages that only the later request has. */
    readonly came: number;
    /** The number of messages that only the earlier request has. */
    readonly went: number;
    /** The tokens of the earlier request. */
    readonly before_tokens: {
      /** The recorded input. */
      readonly input?: number;
      /** The recorded part of it that was read from the cache. */
      readonly cached?: number;
      /** The recorded output. */
      readonly output?: number;
      /** The estimate of what the log has. */
      readonly estimated: number;
    };
    /** The tokens of the later request. */
    readonly after_tokens: {
      /** The recorded input. */
      readonly input?: number;
      /** The recorded part of it that was read from the cache. */
      readonly cached?: number;
      /** The recorded output. */
      readonly output?: number;
      /** The estimate of what the log has. */
      readonly estimated: number;
    };
    /** Why the later request reads less from the cache than it could. */
    readonly cause?: string;
    /** The tokens that were in the cache and were not read. */
    readonly lost_tokens?: number;
    /** How to keep the prefix. */
    readonly fix?: string;
    /** The changes: model, system prompt and tools, then messages in order. */
    readonly changes: readonly {
      /** The change: `came`, `went` or `changed`. */
      readonly change: string;
      /** The place: `message`, `tool`, `system` or `model`. */
      readonly place: string;
      /** The name of the tool, or both models. */
      readonly name?: string;
      /** The tokens of a tool or a system prompt, estimated. */
      readonly tokens?: number;
      /** The part of the message. */
      readonly part?: {
        /** The position of the message in the request, from 0. */
        readonly message: number;
        /** The role. */
        readonly role: string;
        /** The kind: `text`, `thinking`, `tool_call`, `tool_result`, `summary`, `image`, `file`, `other`. */
        readonly kind: string;
        /** The tool of a call or a result. */
        readonly tool?: string;
        /** True for the result of a tool that failed. */
        readonly failed?: boolean;
        /** The tokens, estimated. */
        readonly tokens: number;
        /** An excerpt, as the log has it. */
        readonly text: string;
      };
    }[];
    /** The `from` of the next page. Missing on the last one. */
    readonly next?: number;
  };
  explain_misses: {
    /** The session. */
    readonly session: string;
    /** The number of requests of the conversation. */
    readonly requests: number;
    /** The share of the input that was read from the cache, from 0 to 1. */
    readonly hit_rate: number;
    /** True if all numbers are from usage, false if some are predictions. */
    readonly recorded: boolean;
    /** Tokens that were in the cache and were not read. */
    readonly lost_tokens: number;
    /** The price of those tokens in `currency`. */
    readonly lost_price?: number;
    /** The currency; `input_tokens` is the price of one token of input. */
    readonly currency?: string;
    /** The causes, the most expensive first. */
    readonly causes: readonly {
      /** The cause. */
      readonly cause: CacheCause;
      /** The number of requests. */
      readonly requests: number;
      /** Tokens that were lost. */
      readonly lost_tokens: number;
      /** The price of what was lost. */
      readonly lost_price?: number;
      /** How to keep the prefix: the fix of the first such request. */
      readonly fix?: string;
    }[];
    /** The requests that lost tokens, the most expensive first; or the request of the call. */
    readonly misses: readonly {
      /** The number of the request in the session. */
      readonly request: number;
      /** The cause. */
      readonly cause: string;
      /** The region of the cause. */
      readonly region: string;
      /** True if a documented rule or the usage decides it. */
      readonly sure: boolean;
      /** The tokens that were lost. */
      readonly lost_tokens: number;
      /** The tokens that were read: recorded, otherwise expected. */
      readonly read_tokens: number;
      /** The message of the cause, from 0. */
      readonly message?: number;
      /** The tool of the cause. */
      readonly tool?: string;
      /** The words of the earlier request that differ. */
      readonly before?: string;
      /** The words of this request that differ. */
      readonly after?: string;
      /** How to keep the prefix. */
      readonly fix?: string;
      /** Why the cause is unknown or not sure. */
      readonly reason?: string;
    }[];
    /** The `from` of the next page. Missing on the last one. */
    readonly next?: number;
  };
  explain_compactions: {
    /** The session. */
    readonly session: string;
    /** The number of compactions. */
    readonly compactions: number;
    /** The totals of the listed compactions. */
    readonly totals: FateTotals;
    /** The messages that were not kept, in order. */
    readonly lost: readonly {
      /** The compaction, from 0. */
      readonly compaction: number;
      /** The request before the compaction, by its number in the session. */
      readonly request: number;
      /** The position of the message in that request, from 0. */
      readonly message: number;
      /** The role. */
      readonly role: string;
      /** What happened to it: `covered`, `dropped` or `unknown`. */
      readonly fate: string;
      /** The tokens, estimated. */
      readonly tokens: number;
      /** An excerpt, as the log has it. */
      readonly text: string;
    }[];
    /** The `from` of the next page. Missing on the last one. */
    readonly next?: number;
  };
  timeline: TimelineOverview | StepDetail | MessageDetail | TimelineHits;
  inspect: View;
  inspect_request: RequestView;
  compare: Comparison;
  inspect_cache: CacheExplanation;
  explain_cache: CacheExplanation;
  explain_compaction: CompactionAccount;
  lock_entry: LockedContext;
  lock_read: {
    /** The version of the format. */
    readonly version: string;
    /** The entries, by name. */
    readonly entries: readonly {
      /** The name. */
      readonly name: string;
      /** The recorded request or the test that it comes from. */
      readonly from?: string;
      /** The provider. */
      readonly provider: string;
      /** The model. */
      readonly model: string | null;
      /** The number of positions. */
      readonly positions: number;
      /** The locked tokens. */
      readonly tokens: {
        /** All tokens. */
        readonly all: number;
        /** The tool definitions. */
        readonly tools: number;
        /** The system prompt. */
        readonly system: number;
        /** The messages. */
        readonly messages: number;
        /** The prefix that a cache can reuse. */
        readonly prefix: number;
      };
      /** The lines of the entry. */
      readonly block: string;
    }[];
  };
  lock_update: {
    /** The text of the lockfile. */
    readonly lock: string;
    /** The names of new entries. */
    readonly added: readonly string[];
    /** The names of changed entries. */
    readonly changed: readonly string[];
    /** The names of removed entries. */
    readonly removed: readonly string[];
    /** The slots that differ between two builds of one context. */
    readonly unstable: readonly {
      /** The context. */
      readonly name: string;
      /** The slot. */
      readonly slot: string;
      /** The cause. */
      readonly cause: string;
      /** The kind of value that changes: `date`, `time`, `uuid`, `id`, `counter`. */
      readonly kind?: string;
      /** How to declare it. */
      readonly suggestion: string;
    }[];
    /** Declared volatile slots that match nothing. */
    readonly unmatched: readonly {
      /** The context. */
      readonly name: string;
      /** The slot, as it was declared. */
      readonly slot: string;
    }[];
  };
  lock_check: {
    /** The result. */
    readonly status: "same" | "changed" | "undecided";
    /** The exit code of a command: 0 same, 1 changed, 2 undecided. */
    readonly exit_code: number;
    /** The number of contexts that were checked. */
    readonly contexts: number;
    /** The contexts that are not in the lockfile. */
    readonly added: readonly string[];
    /** The entries of the lockfile whose context no longer exists. */
    readonly removed: readonly string[];
    /** The changes, grouped by cause. The group with the most contexts is first. */
    readonly groups: readonly {
      /** The change in one line. */
      readonly title: string;
      /** The kind of the change. */
      readonly change: "provider" | "model" | "parameter" | "tool_added" | "tool_removed" | "tool_edited" | "schema_edited" | "tools_reordered" | "added" | "removed" | "moved" | "edited" | "retyped" | "regrouped" | "recaused" | "mark_changed" | "volatility_changed" | "volatile_missing" | "volatile_range" | "lint_added" | "lint_removed" | "loss_added" | "loss_removed";
      /** The cause. */
      readonly cause: string;
      /** The contexts. */
      readonly entries: readonly string[];
      /** The smallest change of the locked tokens of a context. */
      readonly least_tokens: number;
      /** The largest change. */
      readonly most_tokens: number;
      /** The slot from which the first context loses its cached prefix. */
      readonly prefix_lost_from?: string;
      /** The largest number of tokens of the prefix that a context loses. */
      readonly prefix_lost_tokens: number;
      /** True if a lost prefix had enough tokens for the cache of the provider. */
      readonly prefix_was_cached: boolean;
      /** The price of the added tokens for 1,000 turns in dollars, on average. Missing if no price is known. */
      readonly price_per_1000?: number;
      /** The words of the first context that differ. */
      readonly words?: {
        /** The words of the earlier request. */
        readonly before: string;
        /** The words of this request. */
        readonly after: string;
      };
    }[];
    /** The contexts that changed. */
    readonly entries: readonly {
      /** The name. */
      readonly name: string;
      /** The changes, in the order of the request. */
      readonly changes: readonly {
        /** The kind. */
        readonly change: "provider" | "model" | "parameter" | "tool_added" | "tool_removed" | "tool_edited" | "schema_edited" | "tools_reordered" | "added" | "removed" | "moved" | "edited" | "retyped" | "regrouped" | "recaused" | "mark_changed" | "volatility_changed" | "volatile_missing" | "volatile_range" | "lint_added" | "lint_removed" | "loss_added" | "loss_removed";
        /** The cause: what the position, tool or parameter comes from. */
        readonly cause: string;
        /** The slot in the current context, or in the locked one if it was removed. */
        readonly slot: string;
        /** The locked tokens that were added; negative if they were removed. */
        readonly tokens: number;
        /** The words that differ, as far as the lockfile has them. */
        readonly words?: {
          /** The words of the earlier request. */
          readonly before: string;
          /** The words of this request. */
          readonly after: string;
        };
        /** The kind of value that changes with each run: `date`, `time`, `uuid`, `id`, `counter`. */
        readonly volatile?: string;
      }[];
      /** The locked tokens: all, tools, system prompt, messages. */
      readonly before: {
        /** All tokens. */
        readonly all: number;
        /** The tool definitions. */
        readonly tools: number;
        /** The system prompt. */
        readonly system: number;
        /** The messages. */
        readonly messages: number;
        /** The prefix that a cache can reuse. */
        readonly prefix: number;
      };
      /** The current ones. */
      readonly after: {
        /** All tokens. */
        readonly all: number;
        /** The tool definitions. */
        readonly tools: number;
        /** The system prompt. */
        readonly system: number;
        /** The messages. */
        readonly messages: number;
        /** The prefix that a cache can reuse. */
        readonly prefix: number;
      };
    }[];
    /** The assertions that fail. */
    readonly failures: readonly {
      /** The context. */
      readonly name: string;
      /** The member of the assertion. */
      readonly assertion: string;
      /** The slot, if the failure has one. */
      readonly slot?: string;
      /** What is wrong. */
      readonly message: string;
    }[];
    /** The slots that differ between two builds of one context. */
    readonly unstable: readonly {
      /** The context. */
      readonly name: string;
      /** The slot. */
      readonly slot: string;
      /** The cause. */
      readonly cause: string;
      /** The kind of value that changes: `date`, `time`, `uuid`, `id`, `counter`. */
      readonly kind?: string;
      /** How to declare it. */
      readonly suggestion: string;
    }[];
    /** Declared volatile slots that match nothing. */
    readonly unmatched: readonly {
      /** The context. */
      readonly name: string;
      /** The slot, as it was declared. */
      readonly slot: string;
    }[];
    /** The contexts that could not be built. */
    readonly errors: readonly {
      /** The context. */
      readonly name: string;
      /** The reason. */
      readonly message: string;
    }[];
    /** The reports that the call asks for. */
    readonly reports: readonly {
      /** The format. */
      readonly format: "text" | "markdown" | "junit" | "annotations" | "sarif";
      /** The text. */
      readonly text: string;
    }[];
  };
  lock_diff: {
    /** The result. */
    readonly status: "same" | "changed" | "undecided";
    /** The exit code of a command: 0 same, 1 changed, 2 undecided. */
    readonly exit_code: number;
    /** The number of contexts that were checked. */
    readonly contexts: number;
    /** The contexts that are not in the lockfile. */
    readonly added: readonly string[];
    /** The entries of the lockfile whose context no longer exists. */
    readonly removed: readonly string[];
    /** The changes, grouped by cause. The group with the most contexts is first. */
    readonly groups: readonly {
      /** The change in one line. */
      readonly title: string;
      /** The kind of the change. */
      readonly change: "provider" | "model" | "parameter" | "tool_added" | "tool_removed" | "tool_edited" | "schema_edited" | "tools_reordered" | "added" | "removed" | "moved" | "edited" | "retyped" | "regrouped" | "recaused" | "mark_changed" | "volatility_changed" | "volatile_missing" | "volatile_range" | "lint_added" | "lint_removed" | "loss_added" | "loss_removed";
      /** The cause. */
      readonly cause: string;
      /** The contexts. */
      readonly entries: readonly string[];
      /** The smallest change of the locked tokens of a context. */
      readonly least_tokens: number;
      /** The largest change. */
      readonly most_tokens: number;
      /** The slot from which the first context loses its cached prefix. */
      readonly prefix_lost_from?: string;
      /** The largest number of tokens of the prefix that a context loses. */
      readonly prefix_lost_tokens: number;
      /** True if a lost prefix had enough tokens for the cache of the provider. */
      readonly prefix_was_cached: boolean;
      /** The price of the added tokens for 1,000 turns in dollars, on average. Missing if no price is known. */
      readonly price_per_1000?: number;
      /** The words of the first context that differ. */
      readonly words?: {
        /** The words of the earlier request. */
        readonly before: string;
        /** The words of this request. */
        readonly after: string;
      };
    }[];
    /** The contexts that changed. */
    readonly entries: readonly {
      /** The name. */
      readonly name: string;
      /** The changes, in the order of the request. */
      readonly changes: readonly {
        /** The kind. */
        readonly change: "provider" | "model" | "parameter" | "tool_added" | "tool_removed" | "tool_edited" | "schema_edited" | "tools_reordered" | "added" | "removed" | "moved" | "edited" | "retyped" | "regrouped" | "recaused" | "mark_changed" | "volatility_changed" | "volatile_missing" | "volatile_range" | "lint_added" | "lint_removed" | "loss_added" | "loss_removed";
        /** The cause: what the position, tool or parameter comes from. */
        readonly cause: string;
        /** The slot in the current context, or in the locked one if it was removed. */
        readonly slot: string;
        /** The locked tokens that were added; negative if they were removed. */
        readonly tokens: number;
        /** The words that differ, as far as the lockfile has them. */
        readonly words?: {
          /** The words of the earlier request. */
          readonly before: string;
          /** The words of this request. */
          readonly after: string;
        };
        /** The kind of value that changes with each run: `date`, `time`, `uuid`, `id`, `counter`. */
        readonly volatile?: string;
      }[];
      /** The locked tokens: all, tools, system prompt, messages. */
      readonly before: {
        /** All tokens. */
        readonly all: number;
        /** The tool definitions. */
        readonly tools: number;
        /** The system prompt. */
        readonly system: number;
        /** The messages. */
        readonly messages: number;
        /** The prefix that a cache can reuse. */
        readonly prefix: number;
      };
      /** The current ones. */
      readonly after: {
        /** All tokens. */
        readonly all: number;
        /** The tool definitions. */
        readonly tools: number;
        /** The system prompt. */
        readonly system: number;
        /** The messages. */
        readonly messages: number;
        /** The prefix that a cache can reuse. */
        readonly prefix: number;
      };
    }[];
    /** The assertions that fail. */
    readonly failures: readonly {
      /** The context. */
      readonly name: string;
      /** The member of the assertion. */
      readonly assertion: string;
      /** The slot, if the failure has one. */
      readonly slot?: string;
      /** What is wrong. */
      readonly message: string;
    }[];
    /** The slots that differ between two builds of one context. */
    readonly unstable: readonly {
      /** The context. */
      readonly name: string;
      /** The slot. */
      readonly slot: string;
      /** The cause. */
      readonly cause: string;
      /** The kind of value that changes: `date`, `time`, `uuid`, `id`, `counter`. */
      readonly kind?: string;
      /** How to declare it. */
      readonly suggestion: string;
    }[];
    /** Declared volatile slots that match nothing. */
    readonly unmatched: readonly {
      /** The context. */
      readonly name: string;
      /** The slot, as it was declared. */
      readonly slot: string;
    }[];
    /** The contexts that could not be built. */
    readonly errors: readonly {
      /** The context. */
      readonly name: string;
      /** The reason. */
      readonly message: string;
    }[];
    /** The reports that the call asks for. */
    readonly reports: readonly {
      /** The format. */
      readonly format: "text" | "markdown" | "junit" | "annotations" | "sarif";
      /** The text. */
      readonly text: string;
    }[];
  };
  lock_compare: {
    /** The lines, in the order of the request. */
    readonly rows: readonly {
      /** What the row shows. */
      readonly kind: "provider" | "model" | "parameter" | "tool" | "system" | "message" | "finding";
      /** The earlier line. Missing if it was added. */
      readonly before?: {
        /** The slot. */
        readonly slot: string;
        /** The cause. */
        readonly cause: string;
        /** The kind of the content, for positions. */
        readonly kind?: string;
        /** The role, for positions. */
        readonly role?: string;
        /** The locked tokens, for positions and tools. Volatile positions have none. */
        readonly tokens?: number;
        /** The cache mark. */
        readonly mark?: string;
        /** True if the content can change. */
        readonly is_volatile: boolean;
        /** The text of a position as far as it is known, or the value. */
        readonly text?: string;
      };
      /** The later line. Missing if it was removed. */
      readonly after?: {
        /** The slot. */
        readonly slot: string;
        /** The cause. */
        readonly cause: string;
        /** The kind of the content, for positions. */
        readonly kind?: string;
        /** The role, for positions. */
        readonly role?: string;
        /** The locked tokens, for positions and tools. Volatile positions have none. */
        readonly tokens?: number;
        /** The cache mark. */
        readonly mark?: string;
        /** True if the content can change. */
        readonly is_volatile: boolean;
        /** The text of a position as far as it is known, or the value. */
        readonly text?: string;
      };
      /** The changes between them. */
      readonly changes: readonly {
        /** The kind. */
        readonly change: "provider" | "model" | "parameter" | "tool_added" | "tool_removed" | "tool_edited" | "schema_edited" | "tools_reordered" | "added" | "removed" | "moved" | "edited" | "retyped" | "regrouped" | "recaused" | "mark_changed" | "volatility_changed" | "volatile_missing" | "volatile_range" | "lint_added" | "lint_removed" | "loss_added" | "loss_removed";
        /** The cause: what the position, tool or parameter comes from. */
        readonly cause: string;
        /** The slot in the current context, or in the locked one if it was removed. */
        readonly slot: string;
        /** The locked tokens that were added; negative if they were removed. */
        readonly tokens: number;
        /** The words that differ, as far as the lockfile has them. */
        readonly words?: {
          /** The words of the earlier request. */
          readonly before: string;
          /** The words of this request. */
          readonly after: string;
        };
        /** The kind of value that changes with each run: `date`, `time`, `uuid`, `id`, `counter`. */
        readonly volatile?: string;
      }[];
    }[];
    /** The number of rows with a change. */
    readonly changed: number;
    /** The tokens of the earlier entry. */
    readonly before?: {
      /** All tokens. */
      readonly all: number;
      /** The tool definitions. */
      readonly tools: number;
      /** The system prompt. */
      readonly system: number;
      /** The messages. */
      readonly messages: number;
      /** The prefix that a cache can reuse. */
      readonly prefix: number;
    };
    /** The tokens of the later entry. */
    readonly after?: {
      /** All tokens. */
      readonly all: number;
      /** The tool definitions. */
      readonly tools: number;
      /** The system prompt. */
      readonly system: number;
      /** The messages. */
      readonly messages: number;
      /** The prefix that a cache can reuse. */
      readonly prefix: number;
    };
  };
}
