import type { JsonInput, JsonText } from "./json.js";
import type { MessagePart } from "./payload.js";
import type { Process, Query, Results } from "./results.js";

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

/** The key of a block. */
export type ContextKey = `${string}__context`;

/** Blocks by key. A value that is not text is left out, with a lint. */
export type Contexts = { readonly [key in ContextKey]?: JsonInput };

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

/** The operations of the composer, the collector and memory. They read nothing and write nothing. */
export interface ComposeOperations {
  /** Puts layers into their fixed order and accounts for every message. */
  compose: { args: Compose; value: Results["compose"] };
  /** Makes the composer's blocks from a state snapshot and a host's own text or templates. */
  collect_contexts: { args: CollectContexts; value: Results["collect_contexts"] };
  /** Which named blocks a process sees. */
  allowed_contexts: {
    args: { readonly process: Process; readonly enable_share_context?: boolean | null };
    value: Results["allowed_contexts"];
  };
  /** What each kind of process sees, and how long each layer lives. */
  prompt_tables: { args: { readonly [key: string]: never }; value: Results["prompt_tables"] };
  /** Applies changes to a state, all or none. */
  change_memory: {
    args: { readonly state: StateInput; readonly changes: readonly Change[] };
    value: Results["change_memory"];
  };
  /** Lets a query into a state once, however often it is sent, and says where the composer finds it. */
  enter_query: {
    args: { readonly state: StateInput; readonly query: MessageInput | JsonText };
    value: Results["enter_query"];
  };
  /** Decides what of a state and a call's blocks is kept. */
  write_back: {
    args: {
      readonly state: StateInput;
      readonly contexts?: Contexts | null;
      readonly policy?: { readonly reproducible?: readonly ContextKey[] };
    };
    value: Results["write_back"];
  };
}
