import type { Message } from "./compose.js";
import type { Json, JsonInput, JsonObject, JsonText } from "./json.js";
import type { Dialect } from "./operations.js";
import type { RenderedCard } from "./render.js";

/** Which of the two boxes of a turn. */
export type Side = "context" | "output";

/** A card of a turn and where it stands. */
export interface Seat {
  readonly card_id: string;
  readonly side: Side;
  /** Where in that box, counted from 0. */
  readonly position: number;
}

/** What the host adds to a turn. */
export interface TurnFrame {
  /** Whom the agent may hand over to, in words, for the prompt. */
  readonly downstream_desc?: string;
  /** The tools that the host offers; the profile chooses among them. */
  readonly tools?: readonly JsonInput[];
  /** What the host puts behind the prompt. */
  readonly system_append?: string;
}

/** A call of `turn_view`: an agent, explicit boxes, or an agent with other boxes. */
export interface TurnView extends TurnFrame {
  /** Its state tells the boxes and the profile that are not given here. */
  readonly agent_id?: string;
  /** What the turn reads; an empty text says none, whatever the agent's state says. */
  readonly context_box_id?: string;
  /** What the turn has put out. */
  readonly output_box_id?: string;
  readonly profile_box_id?: string;
  readonly display_name?: string;
  /** True to make cards of the prompt and the tools, which a commit stores. */
  readonly record?: boolean;
  readonly dialect?: Dialect;
  /** A call that is not committed yet: the view is of the project as it would be then. */
  readonly after?: { readonly op: string; readonly [key: string]: JsonInput | undefined } | JsonText;
}

/** What the model of a turn will see, and what every part of it came from. */
export interface Turn {
  readonly agent_id: string | null;
  readonly profile: {
    readonly profile_box_id: string;
    readonly card_id: string;
    readonly name: string;
    readonly display_name: string | null;
    readonly llm_config: Json;
    /** The tools it may use; null when it may use all. */
    readonly allowed_tools: readonly string[] | null;
  } | null;
  readonly context_box_id: string | null;
  readonly output_box_id: string | null;
  /** What the model is sent, the system prompt first. */
  readonly request: { readonly messages: readonly Message[]; readonly tools?: readonly JsonObject[] };
  /** Every card behind the request, in order. */
  readonly source_card_ids: readonly string[];
  /** What each of those cards became, in the same order. */
  readonly entries: readonly (RenderedCard & { readonly seat?: { readonly side: Side; readonly position: number } })[];
  /** The fields that the result must have, as the prompt lists them. */
  readonly result_fields?: readonly { readonly card_id: string; readonly name: string; readonly description: string }[];
  /** Cards that stand in the boxes and cannot be read. */
  readonly missing?: readonly (Seat & { readonly reason: "call_record" | "absent" | "deleted" | "expired" })[];
  /** Repetitions that the merge of the boxes left out. */
  readonly swallowed?: readonly Seat[];
  /** Tools that the host offers and the profile does not allow. */
  readonly tools_left_out?: readonly string[];
}

/** The operations on turns. */
export interface TurnOperations {
  /** What the model of a turn will see. Writes nothing unless `record` is true. */
  turn_view: { args: TurnView; value: Turn };
  /** The cards of the two boxes of a turn, merged as the dialect says. */
  turn_boxes: {
    args: { readonly context_box_id?: string; readonly output_box_id?: string; readonly dialect?: Dialect };
    value: { readonly card_ids: readonly string[]; readonly seats: readonly Seat[]; readonly swallowed: readonly Seat[] };
  };
}
