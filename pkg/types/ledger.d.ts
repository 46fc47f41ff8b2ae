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

/** The whole account of one call. */
export interface Ledger {
  /** One account for each box that was packed. */
  readonly boxes: readonly BoxLedger[];
  /** What never became a card, and why: `argument_absent`, `not_an_object`, .. */
  readonly dropped: readonly { readonly path: string; readonly reason: string }[];
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
