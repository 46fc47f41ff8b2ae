import type { HostRecipes } from "./custom.js";
import type { Call } from "./workspace.js";

/** The operations that delegate. */
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
 * A call that delegates.
 *
 * @example
 * const call: HandoverCall = {
 *   op: "ask_expert",
 *   source_agent_id: "agent_a",
 *   arguments: { expert_profile: "Lawyer", question: "May we?", include_history: true },
 * };
 */
export type HandoverCall = Call<HandoverName>;
