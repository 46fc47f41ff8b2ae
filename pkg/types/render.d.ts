import type { Message } from "./compose.js";
import type { JsonObject } from "./json.js";

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
  | { readonly became: "nothing"; readonly reason: "call_record" | "absent" | "deleted" | "expired" | "unreadable" }
);
