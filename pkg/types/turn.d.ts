import type { Message } from "./compose.js";
import type { Json, JsonInput, JsonObject, JsonText } from "./json.js";
import type { Dialect } from "./operations.js";
import type { ListedRows } from "./registry.js";
import type { RenderedCard } from "./render.js";
import type { Call } from "./workspace.js";

/** Which of the two boxes of a turn: what it reads, or what it has put out. */
export type Side = "context" | "output";

/** A place in one of the two boxes. */
export interface Place {
  readonly side: Side;
  /** Where in that box, counted from 0. */
  readonly position: number;
}

/** A card of a turn and where it stands. */
export interface Seat extends Place {
  readonly card_id: string;
}

/** The profile of a turn. */
export interface TurnProfile {
  readonly profile_box_id: string;
  /** The card that holds it. */
  readonly card_id: string;
  readonly name: string;
  /** How people call the agent. */
  readonly display_name: string | null;
  /** The model and how it is called, as the profile says it. */
  readonly llm_config: Json;
  /** The tools it may use; null when it may use all. */
  readonly allowed_tools: readonly string[] | null;
}

/** What the model of a turn will see, and what every part of it came from. */
export interface Turn {
  /** The name of this view, where it is recorded: `{ recorded }` shows it again. */
  readonly view_id?: string;
  /** Whose turn it is, where that is known. */
  readonly agent_id: string | null;
  readonly profile: TurnProfile | null;
  /** What the turn reads. */
  readonly context_box_id: string | null;
  /** What the turn has put out. */
  readonly output_box_id: string | null;
  /** What the model is sent, before any provider's own shape; the system prompt is the first message. */
  readonly request: { readonly messages: readonly Message[]; readonly tools?: readonly JsonObject[] };
  /** Every card behind the request, in order, without those that were lifted into the prompt. */
  readonly source_card_ids: readonly string[];
  /** What each of those cards became, in the same order. */
  readonly entries: readonly TurnEntry[];
  /** The fields that the result must have, as the prompt lists them. */
  readonly result_fields?: readonly { readonly card_id: string; readonly name: string; readonly description: string }[];
  /** Cards that stand in the boxes and cannot be read. */
  readonly missing?: readonly (Seat & { readonly reason: "absent" | "deleted" | "expired" | "unreadable"; readonly why?: string })[];
  /** Repetitions that the merge of the boxes left out. */
  readonly swallowed?: readonly Seat[];
  /** Tools that the host offers and the profile does not allow. */
  readonly tools_left_out?: readonly string[];
}

/** What one card of a turn became, and where it stands; a recorded prompt stands in no box. */
export type TurnEntry = RenderedCard & { readonly seat?: Place };

/** What the host adds to a turn. */
export interface TurnFrame {
  /** The tools that the host offers; the profile chooses among them. */
  readonly tools?: readonly (JsonText | { readonly [key: string]: JsonInput | undefined })[];
  /** What the host puts behind the prompt. */
  readonly system_append?: string;
  /** Whom the agent may hand over to, in words, for the prompt. */
  readonly downstream_desc?: string;
}

/** Whose turn: an agent's, with the boxes its state tells, or that of explicit boxes. An empty id says: none. */
type Whose =
  | { readonly agent_id: string; readonly context_box_id?: string; readonly output_box_id?: string; readonly profile_box_id?: string }
  | { readonly agent_id?: string; readonly context_box_id: string; readonly output_box_id?: string; readonly profile_box_id?: string }
  | { readonly agent_id?: string; readonly context_box_id?: string; readonly output_box_id: string; readonly profile_box_id?: string }
  | { readonly agent_id?: string; readonly context_box_id?: string; readonly output_box_id?: string; readonly profile_box_id: string };

/**
 * A turn to look at.
 *
 * @example
 * // what the agent's model would see now
 * await project.turnView({ agent_id: "agent_a" });
 * // and kept
 * const { view_id } = await project.turnView({ agent_id: "agent_a", record: true });
 * // the same bytes later
 * await project.turnView({ recorded: view_id });
 * // what it would see once a call is committed that is not committed yet
 * await project.turnView({ agent_id: "agent_b", after: { op: "append_to_box", box_id: "notes", card_ids: ["c9"] } });
 */
export type TurnView = RecordedTurn | LiveTurn;

/** A view that was recorded: the same bytes, wherever the boxes and pointers are by now. */
export interface RecordedTurn {
  /** The `view_id` of a turn that was looked at with `record: true`. */
  readonly recorded: string;
}

/** A turn as it stands, or as it would stand after a call. */
export type LiveTurn = Whose &
  TurnFrame & {
    readonly recorded?: undefined;
    /** How people call the agent. */
    readonly display_name?: string;
    readonly dialect?: Dialect;
  } & (
    | {
        /** Keeps what is seen, to be committed when the turn starts: prompt and tools as cards, the rest by ids and versions. */
        readonly record?: boolean;
        readonly after?: undefined;
      }
    | {
        /** A call that is not committed: the turn is shown as it would be then. */
        readonly after: Call | JsonText;
        readonly record?: false;
      }
  );

/** The cards of a turn's two boxes, in the order in which they are shown. */
export interface TurnCards {
  readonly card_ids: readonly string[];
  /** Where each of them stands. */
  readonly seats: readonly Seat[];
  /** Repetitions that were left out. */
  readonly swallowed: readonly Seat[];
}

/** The operations that show a turn. */
export interface TurnOperations {
  /** What the model of a turn will see. */
  turn_view: { args: TurnView; value: Turn };
  /** Views that were recorded, the first first: all of them, those of one agent, or those of one turn. */
  list_turn_views: { args: { readonly agent_id?: string; readonly agent_turn_id?: string; readonly limit?: number }; value: ListedRows };
  /** What the two boxes of a turn come down to; the dialect says which goes first. */
  turn_boxes: {
    args: { readonly context_box_id?: string; readonly output_box_id?: string; readonly dialect?: Dialect };
    value: TurnCards;
  };
}
