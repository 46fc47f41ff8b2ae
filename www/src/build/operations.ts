/** Every operation that can be built. */
export const OPS = [
  "pack_context",
  "pack_context_with_instruction",
  "delegate_async",
  "fork_join",
  "launch_principal",
  "ask_expert",
] as const;
