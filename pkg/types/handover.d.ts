import type { HostRecipes } from "./custom.js";
import type { JsonText } from "./json.js";
import type { Audit, Cause } from "./ledger.js";
import type { Turn, TurnFrame } from "./turn.js";
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

/** Who receives a context, and where. */
export interface Receiver {
  /** The agent; null where only a profile is known. */
  readonly agent_id: string | null;
  readonly profile_box_id: string;
  /** What its turn reads. */
  readonly context_box_id: string;
  /** The output it goes on with. */
  readonly output_box_id: string | null;
  readonly display_name: string | null;
}

/** Both sides of a handover. */
export interface HandoverPreview {
  /** Which of the contexts this is about, counted from 0, and how many the call packs. */
  readonly task: number;
  readonly tasks: number;
  readonly receiver_is: Receiver;
  /** What the sender sees now; null when the sender is not known. */
  readonly sender: Turn | null;
  /** What the receiver will see: byte for byte its turn after the commit. */
  readonly receiver: Turn;
  /** The cards that both see, in the receiver's order, with their places on both sides. */
  readonly shared: readonly { readonly card_id: string; readonly sender: number; readonly receiver: number }[];
  /** The cards that only the receiver sees; a cause is null for what it has put out itself. */
  readonly added: readonly { readonly card_id: string; readonly position: number; readonly cause: Cause | null }[];
  /** The cards that the sender sees and does not pass on. */
  readonly not_passed_on: readonly { readonly card_id: string; readonly position: number }[];
  /** Who packs what from where, under which authority. */
  readonly audit: Audit | null;
  /** The hash of everything the call makes, the same after it is committed. */
  readonly content_hash: string;
}

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
  preview_handover: { args: PreviewHandover; value: HandoverPreview };
}
