import type { JsonInput, JsonText } from "./json.js";
import type { Dialect, Operation } from "./operations.js";
import type { Results, Strategy } from "./results.js";

/** Who hands over, and how. */
export interface Caller extends Operation {
  /** The agent that hands over. */
  readonly source_agent_id: string;
  /** The tool that was called: the author of the new cards where the dialect says so. */
  readonly tool_suffix?: string;
  /** The name under which a model called the tool; another than the recipe's own is refused. */
  readonly tool_name?: string;
  /** The rule dialect; that of the workspace by default. */
  readonly dialect?: Dialect;
  /** How deep the agent stands below the first caller; 0 by default. */
  readonly recursion_depth?: number | string | null;
  /** Read every inherited card, and report those that are gone. */
  readonly check_liveness?: boolean;
}

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

/** What a `fork_join` tool is called with. */
export interface ForkJoin {
  /** At most `max_tasks`; an agent can be reused once. */
  readonly tasks: readonly Task[];
  /** Whether the first failure ends the batch; false by default. */
  readonly fail_fast?: boolean;
  /** When the batch is over. */
  readonly deadline_seconds?: number;
}

/** What a `launch_principal` tool is called with. */
export interface LaunchPrincipal {
  readonly profile_name: string;
  readonly instruction: string;
}

/** What an `ask_expert` tool is called with. */
export interface AskExpert {
  readonly expert_profile: string;
  readonly question: string;
  /** Whether the expert sees what the asking agent has put out; false by default. */
  readonly include_history?: boolean;
}

/**
 * The operations that hand work over. The arguments of a tool that a model wrote can go in as they came:
 * `arguments: jsonText(call.function.arguments)`.
 */
export interface RecipeOperations {
  /** Packs an instruction with boxes, and nothing else. */
  pack_context_with_instruction: {
    args: Caller & {
      readonly profile_name: JsonInput;
      readonly instruction: JsonInput;
      readonly inherit_box_ids?: JsonInput;
    };
    value: Results["pack_context_with_instruction"];
  };
  /**
   * Hands one task to a new, a reused or a cloned agent.
   *
   * @example
   * const preview = await project.preview("delegate_async", {
   *   source_agent_id: "agent_a",
   *   arguments: { target_strategy: "new", target_ref: "Writer", instruction: "Draft it.", context_box_id: "notes" },
   * });
   * const { target_agent_id, context_box_id } = preview.value.dispatch;
   */
  delegate_async: { args: Caller & { readonly arguments: Task | JsonText }; value: Results["delegate_async"] };
  /** Starts a principal: a kind of `delegate_async`. */
  launch_principal: { args: Caller & { readonly arguments: LaunchPrincipal | JsonText }; value: Results["launch_principal"] };
  /** Asks an expert: a kind of `delegate_async`. */
  ask_expert: { args: Caller & { readonly arguments: AskExpert | JsonText }; value: Results["ask_expert"] };
  /** Hands many tasks over in one batch. A fault names its task: `tasks[3].target_ref`. */
  fork_join: {
    args: Caller & {
      readonly arguments: ForkJoin | JsonText;
      /** How many tasks there may be; 8 by default. */
      readonly max_tasks?: number;
      /** The deadline of calls that name none. */
      readonly default_deadline_seconds?: number;
    };
    value: Results["fork_join"];
  };
  /** Reads the arguments of a `fork_join`, and does nothing else. */
  fork_join_args: { args: { readonly arguments: ForkJoin | JsonText }; value: Results["fork_join_args"] };
  /** The box an agent writes to now. */
  resolve_current_output_box_id: { args: { readonly agent_id: string }; value: Results["resolve_current_output_box_id"] };
  /** Checks that an agent may hand on these boxes, and that they are there. */
  validate_box_ids_exist: {
    args: {
      readonly source_agent_id: string;
      readonly box_ids: readonly JsonInput[];
      readonly authorized_box_ids?: readonly JsonInput[];
      readonly dialect?: Dialect;
    };
    value: Results["validate_box_ids_exist"];
  };
}
