import type { HostRecipes } from "./custom.js";
import type { JsonText } from "./json.js";
import type { Results } from "./results.js";
import type { TurnFrame } from "./turn.js";
import type { Call } from "./workspace.js";

/** The operations that hand something over. */
export type HandoverName =
  | "pack_context"
  | "pack_context_with_instruction"
  | "delegate_async"
  | "launch_principal"
  | "ask_expert"
  | "fork_join"
  | "run_recipe"
  | keyof HostRecipes;

/**
 * A call that hands something over, told apart by its `op`.
 *
 * @example
 * const call: HandoverCall = {
 *   op: "ask_expert",
 *   source_agent_id: "agent_a",
 *   arguments: { expert_profile: "Lawyer", question: "May we?", include_history: true },
 * };
 */
export type HandoverCall = Call<HandoverName>;

/** A handover to look at from both sides. */
export interface PreviewHandover extends TurnFrame {
  /** The call that would hand over. */
  readonly call: HandoverCall | JsonText;
  /** Which context, where the call packs several; the first by default. */
  readonly task?: number;
  /** Whether the receiver's model takes files; what its profile says by default. */
  readonly takes_files?: boolean;
}

/** The operation that looks at a handover from both sides. */
export interface HandoverOperations {
  /**
   * What the receiver will see against what the sender sees, with lints for what a careful person would ask
   * about: `unauthorised_box`, `repeated_instruction`, `secret_looking_text`, .. It writes nothing; the call
   * is committed by itself.
   *
   * @example
   * const { receiver, not_passed_on } = await project.previewHandover({
   *   call: { op: "delegate_async", source_agent_id: "agent_a", arguments: { target_strategy: "new", target_ref: "Writer", instruction: "Draft it." } },
   * });
   */
  preview_handover: { args: PreviewHandover; value: Results["preview_handover"] };
}
