/** The key of a block. */
export type ContextKey = `${string}__context`;

/** How prompts are composed: a setting of the project, which a call cannot change. */
export interface ComposerPolicy {
  /** Whether shared blocks are included. That of each process by default. */
  readonly enable_share_context?: boolean;
  /** The position of the summary of the history. */
  readonly compression?: "before_checkpoint" | "after_checkpoint";
}
