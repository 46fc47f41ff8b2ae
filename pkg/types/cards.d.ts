import type { JsonInput } from "./json.js";
import type { Content } from "./results.js";

/** The type of a content. */
export type ContentType = Content["__type__"];

/** A profile. */
export interface ProfileRow {
  readonly name: string;
  readonly profile_box_id?: string | null;
  readonly tags?: readonly string[];
  readonly worker_target?: string | null;
  readonly delegation_policy?: JsonInput;
}

/** An agent: its registration, the state of its running turn, and its pointers between turns. */
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
