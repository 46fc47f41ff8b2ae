import type { DropReason } from "./codes.js";
import type { Audit, LedgerEntry, Transition } from "./results.js";

/** The ledger of a box. Entries are created on access. */
export interface BoxLedger {
  readonly box_id: string;
  /** The number of positions of the box. */
  readonly length: number;
  /** The number of omitted duplicates. */
  readonly swallowed: number;
  /** Returns the entries from one position up to, but not including, another. All by default. */
  entries(from?: number, to?: number): LedgerEntry[];
}

/** The ledger of a call. */
export interface Ledger {
  /** The ledger of each packed box. */
  readonly boxes: readonly BoxLedger[];
  /** Inputs that did not become a card, with the reason: `argument_absent`, `not_an_object`, .. */
  readonly dropped: readonly { readonly path: string; readonly reason: DropReason }[];
  /** The audit record of each packed context: the agents and the source boxes. */
  readonly audit: readonly Audit[];
  /** The changed rows, and the expectations of the commit. */
  readonly transitions: readonly Transition[];
}
