import type { JsonInput, JsonText } from "./json.js";
import type { Dialect } from "./operations.js";
import type { Results } from "./results.js";
import type { Call } from "./workspace.js";

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

/** The operations that show a turn. */
export interface TurnOperations {
  /** What the model of a turn will see. */
  turn_view: { args: TurnView; value: Results["turn_view"] };
  /** Views that were recorded, the first first: all of them, those of one agent, or those of one turn. */
  list_turn_views: { args: { readonly agent_id?: string; readonly agent_turn_id?: string; readonly limit?: number }; value: Results["list_turn_views"] };
  /** What the two boxes of a turn come down to; the dialect says which goes first. */
  turn_boxes: {
    args: { readonly context_box_id?: string; readonly output_box_id?: string; readonly dialect?: Dialect };
    value: Results["turn_boxes"];
  };
}
