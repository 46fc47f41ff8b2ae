// Written by tests/native/call/code_tables.rs from the enum of the core: do not edit.

/** The names of all providers. */
export const PROVIDERS = [
  "neutral",
  "openai_chat",
  "openai_responses",
  "anthropic",
  "gemini",
  "bedrock",
  "mistral",
  "openai_compatible",
  "ai_sdk",
];
