import type { JsonInput } from "./json.js";
import type { BoxOperation, Operation } from "./operations.js";

/** What a profile is registered with; the name finds it, in any case. */
export interface ProfileEntry {
  readonly name: string;
  /** The box that holds its cards; it must be there. */
  readonly profile_box_id?: string | null;
  readonly tags?: readonly string[] | null;
  readonly worker_target?: string | null;
  /** Whom agents of this profile may hand over to; a `sys.profile` card that says so counts first. */
  readonly delegation_policy?: JsonInput;
  readonly system_prompt_compiled?: string | null;
}

/** What an agent is registered with. */
export interface AgentEntry {
  readonly agent_id: string;
  /** The box of a registered profile; or name the profile. */
  readonly profile_box_id?: string | null;
  readonly profile_name?: string;
  readonly display_name?: string | null;
  readonly tags?: readonly string[] | null;
  readonly worker_target?: string | null;
  readonly owner_agent_id?: string | null;
  readonly status?: string | null;
  readonly metadata?: JsonInput;
}

/** What a tool is registered with. */
export interface ToolEntry {
  readonly tool_name: string;
  readonly description?: string | null;
  readonly parameters?: JsonInput;
  readonly target_subject?: string | null;
  readonly after_execution?: string | null;
  readonly options?: JsonInput;
}

/** A row of a table as a store keeps it. */
export interface KeptRow {
  readonly [column: string]: JsonInput | undefined;
}

/** What is registered after a change; nothing after a removal. */
export interface RegistryChange {
  readonly key: string;
  readonly row: KeptRow | null;
}

/** Rows in the order of an index. */
export interface ListedRows {
  readonly rows: readonly KeptRow[];
}

export interface MovePointers extends Operation {
  readonly agent_id: string;
  /** What the turn reads; `null` lets go of it. */
  readonly context_box_id?: string | null;
  /** What the turn appends to. */
  readonly output_box_id?: string | null;
  readonly memory_context_box_id?: string | null;
  readonly last_output_box_id?: string | null;
  /** The state as the caller knows it: anything else is a `conflict`. */
  readonly expected?: {
    readonly status?: string | null;
    readonly turn_epoch?: number | null;
    readonly active_agent_turn_id?: string | null;
    readonly context_box_id?: string | null;
    readonly output_box_id?: string | null;
  };
}

interface Limited {
  /** The most rows; 100 by default. */
  readonly limit?: number;
}

/** Who is in a project, and where the turns of its agents are. */
export interface RegistryOperations {
  /** Registers a new profile. */
  register_profile: { args: Operation & ProfileEntry; value: RegistryChange };
  /** Changes a profile; what is not given stays. */
  update_profile: { args: Operation & ProfileEntry; value: RegistryChange };
  remove_profile: { args: Operation & { readonly name: string }; value: RegistryChange };
  /** Registers a new agent under a registered profile. */
  register_agent: { args: Operation & AgentEntry; value: RegistryChange };
  /** Changes an agent; what is not given stays. */
  update_agent: { args: Operation & AgentEntry; value: RegistryChange };
  /** Takes an agent out of the roster; its boxes, cards and turns stay. */
  remove_agent: { args: Operation & { readonly agent_id: string }; value: RegistryChange };
  register_tool: { args: Operation & ToolEntry; value: RegistryChange };
  update_tool: { args: Operation & ToolEntry; value: RegistryChange };
  remove_tool: { args: Operation & { readonly tool_name: string }; value: RegistryChange };
  list_profiles: { args: Limited; value: ListedRows };
  list_agents: { args: Limited & { readonly profile_box_id?: string }; value: ListedRows };
  list_tools: { args: Limited; value: ListedRows };
  /** Who packed what, from where, under which authority: all of it, of one box, or of one agent. */
  list_audit: { args: Limited & { readonly box_id?: string; readonly agent_id?: string }; value: ListedRows };
  /** Moves the boxes of an agent's turn, its memory and its last output, with their preconditions. */
  move_pointers: { args: MovePointers; value: { readonly agent_id: string; readonly head: KeptRow; readonly pointers: KeptRow } };
  /** Puts cards behind what an agent has put out. */
  append_output: {
    args: BoxOperation & { readonly agent_id: string; readonly card_ids: readonly string[] };
    value: { readonly agent_id: string; readonly output_box_id: string };
  };
}
