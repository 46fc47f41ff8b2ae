import type { Json, JsonInput, JsonObject, JsonText } from "./json.js";
import type { MessagePart } from "./payload.js";

/** One neutral message, as it is handed in. Unknown keys travel untouched. */
export interface MessageInput {
  readonly role: JsonInput;
  readonly content?: string | null | readonly (MessagePart | JsonInput)[];
  readonly name?: string | null;
  readonly tool_calls?: readonly JsonInput[] | null;
  readonly tool_call_id?: string | null;
  /** By this id memory appends, replaces and covers it. */
  readonly id?: string | null;
  readonly [key: string]: JsonInput | undefined;
}

/** One neutral message, as it comes back. */
export interface Message {
  readonly role: Json;
  readonly content?: string | null | readonly Json[];
  readonly name?: string | null;
  readonly tool_calls?: readonly Json[] | null;
  readonly tool_call_id?: string | null;
  readonly id?: string | null;
  readonly [key: string]: Json | undefined;
}

/** The kind of process that runs the agent. */
export type Process =
  | "sequential"
  | "dynamic"
  | "hierarchical"
  | "react"
  | "mapreduce_worker"
  | "mapreduce_planner"
  | "mapreduce_reducer";

/** The key of a block. */
export type ContextKey = `${string}__context`;

/** Blocks by key. A value that is not text is left out, with a lint. */
export type Contexts = { readonly [key in ContextKey]?: JsonInput };

/** Where the query is: with this call, or one of the checkpoint's messages. Never both. */
export type Query = { readonly runtime: string } | { readonly in_checkpoint: true | string };

/** A call of `compose`: everything a prompt is made of, never a state. */
export interface Compose {
  readonly process: Process;
  /** The agent's private system prompt. */
  readonly system_prompt: string;
  readonly contexts?: Contexts | JsonText | null;
  readonly checkpoint_messages?: readonly (MessageInput | JsonText)[] | JsonText | null;
  /** An instruction the framework speaks as a human, for this call only. It takes the place of a query. */
  readonly human_message?: string | null;
  /** Exactly one, or none where the process goes on by itself. */
  readonly query?: string | Query | null;
}

/** How prompts are composed. Decided once for a project; no call can say otherwise. */
export interface ComposerPolicy {
  /** Whether shared blocks are injected; the default of each process when absent. */
  readonly enable_share_context?: boolean;
  /** Where the summary of the history stands. */
  readonly compression?: "before_checkpoint" | "after_checkpoint";
}

/** Where a message of the prompt comes from: a block's key, or one of the fixed layers. */
export type Layer = "system_prompt" | "checkpoint_messages" | "human_message" | "query" | ContextKey;

/** A prompt and its account. */
export interface Composed {
  readonly messages: readonly Message[];
  readonly ledger: {
    /** One entry a message, in the order of the messages. */
    readonly entries: readonly {
      readonly position: number;
      readonly layer: Layer;
      readonly from: string;
      readonly message_id?: string;
      readonly checkpoint_position?: number;
      readonly is_query: boolean;
      readonly trimmed: boolean;
    }[];
    readonly left_out: readonly LeftOut[];
  };
}

/** Something that was given and did not become a message or a block. */
export interface LeftOut {
  readonly layer: Layer;
  readonly from: string;
  readonly message_id?: string;
  readonly rule: "blank" | "not_text" | "sharing_off" | "not_in_process" | "no_checkpoint_in_process" | "overridden";
}

/** A call of `collect_contexts`: a state snapshot, and what was retrieved or rendered for this call. */
export interface CollectContexts {
  readonly state: { readonly [key: string]: JsonInput | undefined } | JsonText;
  /** Text, or the host's own template; `{name}` is filled from `values`, or from the state. */
  readonly retrieved?: {
    readonly [key in ContextKey]?:
      | string
      | null
      | { readonly template: string; readonly values?: { readonly [name: string]: JsonInput | undefined } };
  };
}

/** The composer's blocks, and where each came from. */
export interface Collected {
  readonly contexts: { readonly [key in ContextKey]?: string };
  readonly entries: readonly { readonly layer: Layer; readonly from: string; readonly trimmed: boolean }[];
  readonly left_out: readonly LeftOut[];
}

/** A state: memory's `messages`, `compression__context` and `memory_records`, and whatever else. */
export type StateInput = { readonly [key: string]: JsonInput | undefined } | JsonText;

/** One change to memory; applying it twice is applying it once. */
export type Change =
  | { readonly op: "append" | "replace"; readonly messages: readonly (MessageInput | JsonText)[] }
  | {
      readonly op: "compact";
      readonly id: string;
      /** The messages that the summary covers. */
      readonly covers: readonly string[];
      /** The compaction whose summary this one was written from. */
      readonly replaces?: string | null;
      readonly summary: string;
    }
  /** Results of map-reduce workers, kept under `mapreduce_results` by the id of their task. */
  | { readonly op: "add_results"; readonly results: readonly { readonly task_id: string; readonly [key: string]: JsonInput | undefined }[] }
  | { readonly op: "clear_results" };

/** What became of one message. */
export type MemoryStep = { readonly id: string } & (
  | { readonly effect: "appended" | "already_there" | "replaced"; readonly position: number }
  | { readonly effect: "already_covered" | "left"; readonly by: string }
  | { readonly effect: "repeat"; readonly of: string }
  | { readonly effect: "not_remembered" | "cleared" }
);

/** A state after its checkpoint was read. */
export interface MemoryState {
  readonly state: JsonObject;
  /** What became of the checkpoint's messages, where they did not simply stay. */
  readonly restored: readonly MemoryStep[];
}

/** The composer's two tables. */
export interface PromptTables {
  readonly processes: readonly {
    readonly process: Process;
    /** Whether the remembered conversation is injected. */
    readonly checkpoint: boolean;
    readonly share_by_default: boolean;
    /** The blocks it sees whichever way the switch stands. */
    readonly always: readonly Layer[];
    /** The blocks it sees while sharing. */
    readonly when_sharing: readonly Layer[];
    /** Whether blocks without a place of their own are let in while sharing. */
    readonly other_blocks: boolean;
    /** Whether a prompt must hold a query. */
    readonly needs_query: boolean;
    /** Whether the project's switch changes what it sees. */
    readonly follows_switch: boolean;
  }[];
  readonly layers: readonly {
    /** `*__context` stands for every block without a place of its own. */
    readonly layer: Layer;
    readonly lifetime: "call_only" | "runtime_only" | "persistent";
    readonly shared: boolean;
  }[];
}

/** The operations of the composer, the collector and memory. They read nothing and write nothing. */
export interface ComposeOperations {
  /** Puts layers into their fixed order and accounts for every message. */
  compose: { args: Compose; value: Composed };
  /** Makes the composer's blocks from a state snapshot and a host's own text or templates. */
  collect_contexts: { args: CollectContexts; value: Collected };
  /** Which named blocks a process sees. */
  allowed_contexts: {
    args: { readonly process: Process; readonly enable_share_context?: boolean | null };
    value: { readonly keys: readonly ContextKey[] };
  };
  /** What each kind of process sees, and how long each layer lives. */
  prompt_tables: { args: { readonly [key: string]: never }; value: PromptTables };
  /** Applies changes to a state, all or none. */
  change_memory: {
    args: { readonly state: StateInput; readonly changes: readonly Change[] };
    value: MemoryState & { readonly ledger: readonly (readonly MemoryStep[])[] };
  };
  /** Lets a query into a state once, however often it is sent, and says where the composer finds it. */
  enter_query: {
    args: { readonly state: StateInput; readonly query: MessageInput | JsonText };
    value: MemoryState & { readonly query: Query; readonly ledger: readonly MemoryStep[] };
  };
  /** Decides what of a state and a call's blocks is kept. */
  write_back: {
    args: {
      readonly state: StateInput;
      readonly contexts?: Contexts | null;
      readonly policy?: { readonly reproducible?: readonly ContextKey[] };
    };
    value: MemoryState & {
      readonly written: readonly Layer[];
      readonly left_out: readonly {
        readonly layer: Layer;
        readonly from: string;
        readonly rule: "call_only" | "runtime_only" | "kept_by_memory" | "overridden" | "not_text";
      }[];
    };
  };
}
