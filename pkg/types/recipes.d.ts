import type { JsonInput, JsonObject, JsonText } from "./json.js";
import type { Audit, Cause } from "./ledger.js";
import type { Dialect, Handover, Operation, Packed } from "./operations.js";
import type { Turn, TurnFrame } from "./turn.js";

/** Who hands over, and how. */
export interface Caller extends Operation {
  /** The agent that hands over. */
  readonly source_agent_id: string;
  /** The tool that was called: the author of the new cards where the dialect says so. */
  readonly tool_suffix?: string;
  /** The rule dialect; that of the workspace by default. */
  readonly dialect?: Dialect;
  /** How deep the agent stands below the first caller; 0 by default. */
  readonly recursion_depth?: number | string | null;
  /** Read every inherited card, and report those that are gone. */
  readonly check_liveness?: boolean;
}

/** How a receiver is found: a new agent of a profile, one of the roster, or a new one like it. */
export type Strategy = "new" | "reuse" | "clone";

/** One task. */
export interface Task {
  readonly target_strategy: Strategy;
  /** The profile or the agent. */
  readonly target_ref: string;
  /** What the receiver is told. */
  readonly instruction: string;
  /** The box whose cards it sees. */
  readonly context_box_id?: string;
}

/** A request to start a turn of the receiver. It names everything but the turn itself. */
export interface DispatchRequest {
  readonly target_agent_id: string;
  /** True when the commit puts the receiver into the roster. */
  readonly provision: boolean;
  readonly profile_box_id: string;
  /** What the turn reads. */
  readonly context_box_id: string;
  /** The output box that the turn goes on with; a new one is made when null. */
  readonly output_box_id: string | null;
  readonly display_name: string;
  /** How deep the receiver stands; null when the caller's own depth is not known. */
  readonly recursion_depth: number | null;
}

/** One context that was handed over. */
export interface Handed {
  readonly target_strategy: Strategy;
  /** The profile or agent that the call named. */
  readonly target_ref: string;
  readonly profile_name: string;
  readonly instruction: string | null;
  /** The boxes that were handed on, each once. */
  readonly inherit_box_ids: readonly string[];
  /** The cards of the new context, in order. */
  readonly card_ids: readonly string[];
  /** What the orchestrator is asked to do. */
  readonly dispatch: DispatchRequest;
}

/** A batch that was handed over. */
export interface Forked {
  readonly fail_fast: boolean;
  readonly deadline_seconds: number | null;
  /** How the results come back. */
  readonly structured_output: string;
  /** The tasks, in the order of the call. */
  readonly tasks: readonly {
    /** Its place in the call, counted from 0. */
    readonly task_index: number;
    readonly label: string;
    readonly handed: Handed;
  }[];
}

/** The arguments of a tool as a model wrote them. */
type Arguments<Known> = Known | JsonText | { readonly [name: string]: JsonInput | undefined };

/** What a `fork_join` tool is called with. */
export interface ForkJoin {
  readonly tasks: readonly Task[];
  readonly fail_fast?: boolean;
  readonly deadline_seconds?: number;
}

/** What an argument of a recipe may be. */
export type ArgumentType = "text" | "number" | "integer" | "boolean" | "object" | "list" | "result_fields" | "box_id" | "box_ids" | "any";

/**
 * A recipe of a host's own, as data: a handover under a name.
 *
 * @example
 * const project = await open(store, { project_id: "p1", recipes: [{
 *   name: "ask_for_review",
 *   arguments: [{ name: "what", type: "text" }, { name: "drafts", type: "box_ids" }],
 *   handover: {
 *     target_profile_config: { profile_name: "Reviewer" },
 *     context_packing_config: {
 *       pack_arguments: [{ arg_key: "what" }],
 *       inherit_context: { include_boxes_from_args: ["drafts"], include_parent: true },
 *     },
 *   },
 * }] });
 * await project.runRecipe({ recipe: "ask_for_review", source_agent_id: "a", arguments: { what: "Is it true?", drafts: ["d1"] } });
 */
export interface CustomRecipe {
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly { readonly name: string; readonly type: ArgumentType; readonly required?: boolean }[];
  readonly handover: Handover;
}

/** Who receives, and where. */
export interface Receiver {
  readonly agent_id: string | null;
  readonly profile_box_id: string;
  readonly context_box_id: string;
  readonly output_box_id: string | null;
  readonly display_name: string | null;
}

/** What a receiver will see, against what the sender sees. */
export interface HandoverPreview {
  /** Which of the contexts this is about, counted from 0. */
  readonly task: number;
  /** How many the call packs. */
  readonly tasks: number;
  readonly receiver_is: Receiver;
  /** What the sender sees now; null when the sender is not known. */
  readonly sender: Turn | null;
  readonly receiver: Turn;
  /** The cards that both see, in the receiver's order. */
  readonly shared: readonly { readonly card_id: string; readonly sender: number; readonly receiver: number }[];
  /** The cards that only the receiver sees. */
  readonly added: readonly { readonly card_id: string; readonly position: number; readonly cause: Cause | null }[];
  /** The cards that the sender sees and does not pass on. */
  readonly not_passed_on: readonly { readonly card_id: string; readonly position: number }[];
  readonly audit: Audit | null;
  readonly content_hash: string;
}

/** The operations that hand work over. */
export interface RecipeOperations {
  /** Packs an instruction with boxes, and nothing else. */
  pack_context_with_instruction: {
    args: Caller & {
      readonly profile_name: JsonInput;
      readonly instruction: JsonInput;
      readonly inherit_box_ids?: JsonInput;
    };
    value: { readonly recipe: { readonly arguments: JsonObject; readonly handover: JsonObject }; readonly packed: Packed };
  };
  /** Hands one task to a new, a reused or a cloned agent. */
  delegate_async: { args: Caller & { readonly arguments: Arguments<Task> }; value: Handed };
  /** Starts a principal: a kind of `delegate_async`. */
  launch_principal: { args: Caller & { readonly arguments: Arguments<object> }; value: Handed };
  /** Asks an expert: a kind of `delegate_async`. */
  ask_expert: { args: Caller & { readonly arguments: Arguments<object> }; value: Handed };
  /** Hands many tasks over in one batch. */
  fork_join: {
    args: Caller & {
      readonly arguments: Arguments<ForkJoin>;
      readonly max_tasks?: number;
      readonly default_deadline_seconds?: number;
    };
    value: Forked;
  };
  /** Reads the arguments of a `fork_join`, and does nothing else. */
  fork_join_args: { args: { readonly arguments: Arguments<ForkJoin> }; value: JsonObject };
  /** The box an agent writes to now. */
  resolve_current_output_box_id: { args: { readonly agent_id: string }; value: { readonly output_box_id: string } };
  /** Checks that an agent may hand on these boxes, and that they are there. */
  validate_box_ids_exist: {
    args: {
      readonly source_agent_id: string;
      readonly box_ids: readonly JsonInput[];
      readonly authorized_box_ids?: readonly JsonInput[];
      readonly dialect?: Dialect;
    };
    value: { readonly box_ids: readonly string[] };
  };
  /** Runs a recipe of the host's own: a registered one by name, or one that comes with the call. */
  run_recipe: { args: Caller & { readonly recipe: string | CustomRecipe | JsonText; readonly arguments: Arguments<object> }; value: Handed };
  /** Checks a recipe, with every fault named, and gives it as it is read. */
  check_recipe: {
    args: { readonly recipe: CustomRecipe | JsonText };
    value: {
      readonly name: string;
      readonly description?: string;
      readonly arguments: readonly { readonly name: string; readonly type: ArgumentType; readonly required: boolean }[];
      readonly handover: JsonObject;
    };
  };
  /** Shows what a receiver will see, before anything is handed over. */
  preview_handover: {
    args: TurnFrame & {
      /** A call of `pack_context` or of any recipe. */
      readonly call: { readonly op: string; readonly [key: string]: JsonInput | undefined } | JsonText;
      /** Which context to look at, where the call packs several. */
      readonly task?: number;
      /** Whether the receiver's model takes files. */
      readonly takes_files?: boolean;
    };
    value: HandoverPreview;
  };
}
