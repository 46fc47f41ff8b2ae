import type { Json, JsonInput, JsonObject, JsonText } from "./json.js";

/** The content of a card, as it comes out of the core. */
export type Content =
  | { readonly __type__: "TextContent"; readonly text: string }
  | { readonly __type__: "JsonContent"; readonly data: JsonObject | readonly Json[] }
  | { readonly __type__: "FieldsSchemaContent"; readonly fields: readonly FieldSchema[] }
  | FileContent
  | { readonly __type__: "MultiFileContent"; readonly files: readonly FileContent[] }
  | { readonly __type__: "ToolContent"; readonly tools: readonly JsonObject[] }
  | {
      readonly __type__: "ToolCallContent";
      readonly tool_name: string;
      readonly arguments: JsonObject;
      readonly status: string;
      readonly target_subject: string | null;
    }
  | {
      readonly __type__: "ToolResultContent";
      readonly status: string;
      readonly after_execution: "suspend" | "terminate";
      readonly result: Json;
      readonly error: JsonObject | null;
    };

/** One field that a result must have. */
export interface FieldSchema {
  readonly name: string;
  readonly description: string;
}

/** A file that a card points to. */
export interface FileContent {
  readonly __type__:
    | "FileContent"
    | "ImageFileContent"
    | "PdfFileContent"
    | "TextFileContent"
    | "VideoFileContent"
    | "AudioFileContent";
  readonly uri: string;
  readonly checksum: string;
  readonly [field: string]: Json;
}

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
