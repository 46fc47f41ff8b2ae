import type { JsonInput } from "./json.js";
import type { BoxOperation, Operation } from "./operations.js";
import type { Results } from "./results.js";

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
  register_profile: { args: Operation & ProfileEntry; value: Results["register_profile"] };
  /** Changes a profile; what is not given stays. */
  update_profile: { args: Operation & ProfileEntry; value: Results["update_profile"] };
  remove_profile: { args: Operation & { readonly name: string }; value: Results["remove_profile"] };
  /** Registers a new agent under a registered profile. */
  register_agent: { args: Operation & AgentEntry; value: Results["register_agent"] };
  /** Changes an agent; what is not given stays. */
  update_agent: { args: Operation & AgentEntry; value: Results["update_agent"] };
  /** Takes an agent out of the roster; its boxes, cards and turns stay. */
  remove_agent: { args: Operation & { readonly agent_id: string }; value: Results["remove_agent"] };
  register_tool: { args: Operation & ToolEntry; value: Results["register_tool"] };
  update_tool: { args: Operation & ToolEntry; value: Results["update_tool"] };
  remove_tool: { args: Operation & { readonly tool_name: string }; value: Results["remove_tool"] };
  list_profiles: { args: Limited; value: Results["list_profiles"] };
  list_agents: { args: Limited & { readonly profile_box_id?: string }; value: Results["list_agents"] };
  list_tools: { args: Limited; value: Results["list_tools"] };
  /** Who packed what, from where, under which authority: all of it, of one box, or of one agent. */
  list_audit: { args: Limited & { readonly box_id?: string; readonly agent_id?: string }; value: Results["list_audit"] };
  /** Moves the boxes of an agent's turn, its memory and its last output, with their preconditions. */
  move_pointers: { args: MovePointers; value: Results["move_pointers"] };
  /** Puts cards behind what an agent has put out. */
  append_output: {
    args: BoxOperation & { readonly agent_id: string; readonly card_ids: readonly string[] };
    value: Results["append_output"];
  };
}
