import type { DropReason } from "./codes.js";
import type { Audit, LedgerEntry, Transition } from "./results.js";

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
  readonly dropped: readonly { readonly path: string; readonly reason: DropReason }[];
  /** Who packed what from where, one record for each packed context. */
  readonly audit: readonly Audit[];
  /** Which rows changed, and what held so that they could. */
  readonly transitions: readonly Transition[];
}
