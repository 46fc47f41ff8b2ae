import type { DropReason, LintCode } from "./codes.js";
import type { Dialect } from "./operations.js";

/** Why one card is in a box. */
export type Cause =
  /** A rule of `pack_arguments` made it from an argument. */
  | { readonly kind: "argument"; readonly arg_key: string; readonly path: string }
  /** It stood in a box that was inherited. */
  | { readonly kind: "inherited"; readonly box_id: string; readonly position: number; readonly path: string }
  /** The parent pointer. */
  | { readonly kind: "parent"; readonly path: string }
  /** It was read in the log of another tool: the file, the line from 1, and a JSON pointer inside the value. */
  | { readonly kind: "imported"; readonly file: string; readonly line?: number; readonly pointer?: string };

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

/** Why a row changed. */
export interface Transition {
  /** The rule that changed it: `enqueue`, `lease`, `resume`, .. */
  readonly rule: string;
  /** What held, so that it could. */
  readonly guard: string;
  readonly table: string;
  readonly key: readonly string[];
  /** The version that the row had; absent for a new row. */
  readonly version?: string;
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

/** The record of one packed context: who packed what, from where, under which authority. */
export interface Audit {
  readonly context_box_id: string;
  /** The agent that handed over. */
  readonly packed_by: string;
  /** The tool that packed: the author of the new cards. */
  readonly tool_suffix: string;
  /** The recipe that asked for it; absent for a plain `pack_context`. */
  readonly recipe?: string;
  readonly dialect: Dialect;
  /** The profile of the receiver. */
  readonly target_profile: string;
  /** The box of that profile. */
  readonly target_profile_box_id: string;
  /** The receiver, where the recipe knows it. */
  readonly target_agent_id?: string;
  /** The output that the receiver goes on with, where there is one. */
  readonly target_output_box_id?: string;
  /** How people call the receiver, where the recipe knows it. */
  readonly target_display_name?: string;
  /** What the delegation policy of the sender's profile says; absent where no policy was asked. */
  readonly permission?: {
    readonly profile_box_id: string;
    /** The profiles it lists; null when it allows every one. */
    readonly target_profiles: readonly string[] | null;
    /** The tags of which the receiver's profile has one; empty when tags do not count. */
    readonly target_tags: readonly string[];
  };
  /** The boxes that were handed on. */
  readonly sources: readonly {
    readonly box_id: string;
    readonly version: number;
    /** How many cards stood in it. */
    readonly cards: number;
    readonly authority: Authority;
    /** The value that named it. */
    readonly path: string;
  }[];
}

/** Why a box could be handed on. */
export type Authority =
  /** The dialect lets any box of the project be inherited. */
  | { readonly kind: "project" }
  /** `authorized_inherit_box_ids` lists it. */
  | { readonly kind: "listed" }
  /** It is one of the sender's own boxes. */
  | {
      readonly kind: "own";
      readonly as_what: "profile_box_id" | "context_box_id" | "output_box_id" | "memory_context_box_id" | "last_output_box_id";
    }
  /** It is the output of the agent that is cloned. */
  | { readonly kind: "clone_source"; readonly agent_id: string }
  /** The host granted it in the call. */
  | { readonly kind: "granted" };

/** Something that was followed, but should be known. */
export interface Lint {
  /** What it is about. */
  readonly code: LintCode;
  /** Where the value is. */
  readonly path: string;
  readonly message: string;
  /** The card it is about, where it is about one. */
  readonly card_id?: string;
}
