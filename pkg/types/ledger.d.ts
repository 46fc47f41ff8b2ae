/** Why one card is in a box. */
export type Cause =
  /** A rule of `pack_arguments` made it from an argument. */
  | { readonly kind: "argument"; readonly arg_key: string; readonly path: string }
  /** It stood in a box that was inherited. */
  | { readonly kind: "inherited"; readonly box_id: string; readonly position: number; readonly path: string }
  /** The parent pointer. */
  | { readonly kind: "parent"; readonly path: string };

/** One position of a box, explained. */
export interface LedgerEntry {
  /** The position in the box, counted from 0. */
  readonly position: number;
  readonly card_id: string;
  /** Why the card is there. */
  readonly cause: Cause;
  /** The later duplicates that it stands for. */
  readonly swallowed?: readonly Cause[];
}

/** The account of one box; entries are made when they are asked for. */
export interface BoxLedger {
  readonly box_id: string;
  /** How many positions the box has. */
  readonly length: number;
  /** How many duplicates were left out. */
  readonly swallowed: number;
  /** The entries from one position up to another, which is not among them; all by default. */
  entries(from?: number, to?: number): LedgerEntry[];
}

/** Why a box could be handed on. */
export type Authority =
  /** The dialect lets any box of the project be inherited. */
  | { readonly kind: "project" }
  /** `authorized_inherit_box_ids` lists it. */
  | { readonly kind: "listed" }
  /** It is one of the sender's own boxes. */
  | { readonly kind: "own"; readonly as_what: string }
  /** It is the output of the agent that is cloned. */
  | { readonly kind: "clone_source"; readonly agent_id: string }
  /** The host granted it in the call. */
  | { readonly kind: "granted" };

/** Who packed what from where, under which authority. */
export interface Audit {
  readonly context_box_id: string;
  readonly packed_by: string;
  readonly tool_suffix: string;
  /** The recipe that asked for it; absent for a plain `pack_context`. */
  readonly recipe?: string;
  readonly dialect: string;
  readonly target_profile: string;
  readonly target_agent_id?: string;
  /** What the delegation policy of the sender's profile says; absent where none was asked. */
  readonly permission?: {
    readonly profile_box_id: string;
    readonly target_profiles: readonly string[] | null;
    readonly target_tags: readonly string[];
  };
  readonly sources: readonly {
    readonly box_id: string;
    readonly version: number;
    readonly cards: number;
    readonly authority: Authority;
    /** The value that named it. */
    readonly path: string;
  }[];
}

/** The whole account of one call. */
export interface Ledger {
  /** One account for each box that was packed. */
  readonly boxes: readonly BoxLedger[];
  /** What never became a card, and why: `argument_absent`, `not_an_object`, .. */
  readonly dropped: readonly { readonly path: string; readonly reason: string }[];
  /** One record for each context that was packed: by whom, from where, under which authority. */
  readonly audit: readonly Audit[];
}

/** Something that was followed, but should be known. */
export interface Lint {
  /** What it is about; stable. */
  readonly code: string;
  /** Where the value is. */
  readonly path: string;
  readonly message: string;
  /** The card it is about, where it is about one. */
  readonly card_id?: string;
}
