import type { JsonInput, JsonText } from "./json.js";
import type { Content } from "./results.js";

/** The type of a content. */
export type ContentType = Content["__type__"];

/** A card that a call makes. Without a `card_id` it gets a new one. */
export interface NewCard {
  readonly card_id?: string;
  /** Its semantic type, such as `task.instruction`. */
  readonly type: string;
  /** Who made it; for audit only. */
  readonly author_id: string;
  readonly content: NewContent | JsonText;
  /** Anything else, such as `role`. */
  readonly metadata?: { readonly [key: string]: JsonInput | undefined } | JsonText;
  readonly tool_calls?: readonly JsonInput[] | null;
  readonly tool_call_id?: string | null;
  /** How long it lives. */
  readonly ttl_seconds?: number | null;
}

/** The content that a call can make. Files and tool definitions come from stores. */
export type NewContent =
  | { readonly __type__: "TextContent"; readonly text: string }
  | { readonly __type__: "JsonContent"; readonly data: JsonInput }
  | { readonly __type__: "FieldsSchemaContent"; readonly fields: readonly { readonly name: string; readonly description?: string }[] }
  | {
      readonly __type__: "ToolCallContent";
      readonly tool_name: string;
      readonly arguments: JsonInput;
      readonly status: string;
      readonly target_subject?: string | null;
    }
  | {
      readonly __type__: "ToolResultContent";
      readonly status: string;
      readonly after_execution: "suspend" | "terminate";
      readonly result?: JsonInput;
      readonly error?: JsonInput;
    };

/** A profile as it is found by name. */
export interface ProfileRow {
  readonly name: string;
  readonly profile_box_id?: string | null;
  readonly tags?: readonly string[];
  readonly worker_target?: string | null;
  readonly delegation_policy?: JsonInput;
}

/** An agent: its roster entry, its state while a turn is on, its pointers between turns. */
export interface AgentRow {
  readonly agent_id: string;
  readonly in_roster?: boolean;
  readonly profile_box_id?: string | null;
  readonly display_name?: string | null;
  readonly tags?: readonly string[];
  readonly worker_target?: string | null;
  readonly state?: {
    readonly status?: string;
    readonly profile_box_id?: string | null;
    readonly context_box_id?: string | null;
    readonly output_box_id?: string | null;
  } | null;
  readonly pointers?: {
    readonly last_output_box_id?: string | null;
    readonly memory_context_box_id?: string | null;
  } | null;
}
