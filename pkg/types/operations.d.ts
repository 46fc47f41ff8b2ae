import type { NewCard } from "./cards.js";
import type { Provider } from "./codes.js";
import type { ComposeOperations } from "./compose.js";
import type { CustomOperations, HostOperations } from "./custom.js";
import type { HandoffOperations } from "./handoff.js";
import type { HandoverOperations } from "./handover.js";
import type { ImportOperations } from "./import.js";
import type { JsonInput, JsonText } from "./json.js";
import type { CounterFigures, PayloadOperations, PayloadOptions } from "./payload.js";
import type { ReadingOperations } from "./reading.js";
import type { RecipeOperations } from "./recipes.js";
import type { RegistryOperations } from "./registry.js";
import type { Results } from "./results.js";
import type { RunOperations } from "./run.js";
import type { TurnOperations } from "./turn.js";

/** The rule dialects: how the systems that these rules come from differ. */
export type Dialect = "v1r3" | "v1r4" | "v1r4_hotfix";

/** What every call that writes may say. */
export interface Operation {
  /** The id under which the commit applies once; minted when absent. */
  readonly operation_id?: string;
}

/** What every call that changes a box may say. */
export interface BoxOperation extends Operation {
  /**
   * Changes the box even if a running turn reads it or puts out into it. Without it, what a running turn reads cannot
   * be changed and what it puts out only grows; anything else is a `conflict` that names the turn.
   */
  readonly even_during_turn?: boolean;
}

/** A call of `pack_context`: hand over context to another agent. */
export interface PackContext extends Operation {
  /** Which tool packs: the author of the new cards. */
  readonly tool_suffix: string;
  /** Which agent hands over. */
  readonly source_agent_id: string;
  /** The arguments of the tool call. */
  readonly arguments: { readonly [name: string]: JsonInput | undefined } | JsonText;
  /** The packing rules. */
  readonly handover: Handover | JsonText;
  /** The rule dialect; that of the workspace by default. */
  readonly dialect?: Dialect;
  /** Read every inherited card, and report those that are gone. */
  readonly check_liveness?: boolean;
}

/** The packing rules of a handover. Values of other types are legal and reported as lints. */
export interface Handover {
  readonly target_profile_config?: { readonly profile_name?: JsonInput; readonly [key: string]: JsonInput | undefined };
  readonly context_packing_config?: {
    readonly pack_arguments?: readonly {
      readonly arg_key?: string;
      readonly as_card_type?: string;
      readonly card_metadata?: JsonInput;
      readonly [key: string]: JsonInput | undefined;
    }[];
    readonly inherit_context?: {
      readonly include_boxes_from_args?: readonly string[];
      readonly include_parent?: JsonInput;
      readonly [key: string]: JsonInput | undefined;
    };
    readonly [key: string]: JsonInput | undefined;
  };
  /** The boxes that may be inherited, in the dialects that check it. */
  readonly authorized_inherit_box_ids?: readonly string[];
  readonly [key: string]: JsonInput | undefined;
}

/** What to look at: what a call would pack, a stored box, or what the model of a turn sees. */
export type InspectSubject =
  | { readonly call: { readonly op: string; readonly [key: string]: JsonInput | undefined } | JsonText }
  | { readonly box_id: string }
  | { readonly turn: { readonly [key: string]: JsonInput | undefined } | JsonText };

/** A call of `inspect`. */
export type Inspect = InspectSubject & {
  /** Which box the rows are of, when a call packs several. */
  readonly shown?: number;
  /** The first position of the rows, and the one after the last. */
  readonly from?: number;
  readonly to?: number;
  /** A text to look for, in any case. */
  readonly find?: string;
};

/** How a request is made and counted. */
export type RequestTerms = PayloadOptions & {
  /** `neutral` by default. */
  readonly provider?: Provider;
  readonly counter?: CounterFigures;
};

/** A call of `inspect_request`. */
export type InspectRequest = InspectSubject &
  RequestTerms & {
    /** Which box, when a call packs several. */
    readonly shown?: number;
    /** How many tokens fit into the model's window. */
    readonly window?: number;
  };

/** One side of a comparison; `shown` chooses the box when a call packs several. */
export type CompareSide = InspectSubject & { readonly shown?: number };

/** Which cards to render: those of a box, stored ones, or cards that come with the call. */
export type Render =
  | { readonly box_id: string }
  | { readonly card_ids: readonly string[] }
  | { readonly cards: readonly JsonInput[]; readonly card_ids?: readonly string[] };

/** Every operation: what it takes and what it gives. */
export interface Operations
  extends ComposeOperations,
    CustomOperations,
    HandoffOperations,
    HandoverOperations,
    HostOperations,
    ImportOperations,
    PayloadOperations,
    ReadingOperations,
    RecipeOperations,
    RegistryOperations,
    RunOperations,
    TurnOperations {
  /** Packs a context for another agent. */
  pack_context: { args: PackContext; value: Results["pack_context"] };
  /** Puts cards. The same id with the same content again is fine; with other content it is a `conflict`. */
  put_cards: { args: Operation & { readonly cards: readonly (NewCard | JsonText)[] }; value: Results["put_cards"] };
  /** Makes a box of these cards. */
  create_box: { args: Operation & { readonly card_ids: readonly string[]; readonly box_id?: string; readonly parent_ids?: readonly string[] }; value: Results["create_box"] };
  /** Puts more cards at the end of a box; `behind_anything` goes behind whatever is there by then. */
  append_to_box: { args: BoxOperation & { readonly box_id: string; readonly card_ids: readonly string[]; readonly behind_anything?: boolean }; value: Results["append_to_box"] };
  /** Puts other cards into a box. */
  replace_box: { args: BoxOperation & { readonly box_id: string; readonly card_ids: readonly string[] }; value: Results["replace_box"] };
  /** Makes a new box with the cards of another, or with the first `take` of them. */
  fork_box: { args: Operation & { readonly box_id: string; readonly take?: number }; value: Results["fork_box"] };
  /** Makes a new box with the cards of several, in order, each card once. */
  concat_boxes: { args: Operation & { readonly box_ids: readonly string[] }; value: Results["concat_boxes"] };
  /** Deletes cards softly. */
  delete_cards: { args: Operation & { readonly card_ids: readonly string[] }; value: Results["delete_cards"] };
  /** Deletes a box softly. Its cards stay. */
  delete_box: { args: BoxOperation & { readonly box_id: string }; value: Results["delete_box"] };
  /** Reads cards, each once. */
  get_cards: { args: { readonly card_ids: readonly string[] }; value: Results["get_cards"] };
  /** Reads boxes, each once. */
  get_boxes: { args: { readonly box_ids: readonly string[] }; value: Results["get_boxes"] };
  /** Reads the cards of a box, each once. */
  get_box_cards: { args: { readonly box_id: string }; value: Results["get_box_cards"] };
  /** Shows what a call would pack, or what stands in a box. */
  inspect: { args: Inspect; value: Results["inspect"] };
  /** Two contexts side by side: what stayed, moved, came and went. */
  compare: { args: RequestTerms & { readonly left: CompareSide; readonly right: CompareSide }; value: Results["compare"] };
  /** What the model of the receiver gets of a box, and what every part of it costs. */
  inspect_request: { args: InspectRequest; value: Results["inspect_request"] };
  /** The cards of some boxes that hold a text, in any case, with what stands around it. */
  search_cards: { args: { readonly text: string; readonly box_ids: readonly string[]; readonly limit?: number }; value: Results["search_cards"] };
  /** Every place of a card in some boxes. */
  find_cards: { args: { readonly card_id: string; readonly box_ids: readonly string[] }; value: Results["find_cards"] };
  /** Turns the cards of a box, or given cards, into the messages that a model sees. */
  render: { args: Render; value: Results["render"] };
}

/** The name of an operation. */
export type OperationName = keyof Operations;

/** `pack_context` as `packContext`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
