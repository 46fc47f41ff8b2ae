import type { Json, JsonObject } from "./json.js";

/** A message that a model sees. Keys that are not known are kept. */
export interface Message {
  /** `system`, `developer`, `user`, `assistant`, `tool`; a card may carry any other value. */
  readonly role: Json;
  /** Text, or a list of parts. */
  readonly content?: string | null | readonly Json[];
  readonly name?: string;
  /** The calls that an assistant makes. */
  readonly tool_calls?: readonly Json[];
  /** The call that a tool's message answers. */
  readonly tool_call_id?: string;
  readonly id?: string;
  readonly [key: string]: Json | undefined;
}

/** What a list of cards became. */
export interface Rendered {
  /** What the model sees, in order. */
  readonly messages: readonly Message[];
  /** The tool definitions of all cards, in order. */
  readonly tools?: readonly JsonObject[];
  /** Every card that was asked for, in order, missing ones too. */
  readonly source_card_ids: readonly string[];
  /** What each of them became, in the same order. */
  readonly entries: readonly RenderedCard[];
}

/** What one card became: a message, tool definitions, or nothing that a model sees. */
export type RenderedCard = { readonly card_id: string } & (
  | { readonly became: "message"; readonly position: number }
  | { readonly became: "tools"; readonly first: number; readonly count: number }
  | { readonly became: "nothing"; readonly reason: "call_record" | "absent" | "deleted" | "expired" }
);
