import type { Json } from "./json.js";
import type { Cause, Lint } from "./ledger.js";

/** What a call would pack, what stands in a box or what a turn sees, ready to be shown. */
export interface View {
  /** One picture for each box, in the order in which the call packs them. */
  readonly boxes: readonly BoxView[];
  /** Which of the boxes the rows are of. */
  readonly shown: number;
  readonly rows: readonly Row[];
  /** The positions of the cards that hold the text looked for; absent when none was. */
  readonly matches?: readonly number[];
  /** What was named in the call and never became a card. */
  readonly dropped: readonly { readonly path: string; readonly reason: string }[];
  /** What was noticed, and where. */
  readonly lints: readonly (Lint & { readonly place?: { readonly shown: number; readonly position: number } })[];
  /** The hash of what the call makes; absent for a stored box. */
  readonly content_hash?: string;
}

/** One box, summed up. */
export interface BoxView {
  readonly box_id: string;
  /** How many positions it has. */
  readonly cards: number;
  /** How many later duplicates were left out. */
  readonly swallowed: number;
  /** How many of its cards cannot be read. */
  readonly gone: number;
  readonly tokens: number;
  /** True when `tokens` are the model's own count, not an estimate. */
  readonly exact: boolean;
  /** How full the window is; absent when no window was named. */
  readonly window?: { readonly size: number; readonly free: number; readonly over: number; readonly level: "calm" | "high" | "full" | "over" };
  /** The parts, by source and kind, in the order in which they begin. */
  readonly parts: readonly Part[];
}

/** Cards of one kind from one source. */
export interface Part {
  readonly source: { readonly kind: "argument" | "parent" | "stored" } | { readonly kind: "inherited"; readonly box_id: string };
  readonly kind: CardKind;
  /** The first position among them. */
  readonly first: number;
  readonly cards: number;
  readonly tokens: number;
}

/** What a card is, in one word that a picture can colour. */
export type CardKind =
  | "instruction"
  | "contract"
  | "thought"
  | "tool_call"
  | "tool_result"
  | "deliverable"
  | "system"
  | "pointer"
  | "file"
  | "other"
  | "missing";

/** One position of a box, ready to be shown. */
export interface Row {
  readonly position: number;
  readonly card_id: string;
  readonly presence: "new" | "live" | "deleted" | "expired" | "absent" | "unreadable";
  readonly kind: CardKind;
  readonly role: Json;
  readonly type: string | null;
  readonly content_type: string | null;
  readonly author_id: string | null;
  readonly tokens: number;
  /** How it begins, on one line. */
  readonly excerpt: string;
  /** Why it is there; absent for a stored box. */
  readonly cause?: Cause;
  /** The later duplicates that it stands for. */
  readonly swallowed?: readonly Cause[];
}

/** Two contexts, aligned. Cards are the same when they have one id, or were made by the calls and say the same. */
export interface Comparison {
  readonly left: ComparedSide;
  readonly right: ComparedSide;
  /** How much stands at the beginning of both. */
  readonly same_prefix: { readonly cards: number; readonly tokens: number };
  /** The alignment, from top to bottom. */
  readonly runs: readonly ComparedRun[];
  /** What each source brings on either side. */
  readonly growth: readonly {
    readonly source: Part["source"];
    readonly left_tokens: number;
    readonly right_tokens: number;
    readonly left_cards: number;
    readonly right_cards: number;
  }[];
  /** Cards on the right that say which cards on the left they stand for. */
  readonly summaries?: readonly {
    readonly right: number;
    readonly tokens: number;
    /** The positions on the left that it covers. */
    readonly covers: readonly number[];
    readonly covered_tokens: number;
    /** How many of the cards it names do not stand on the left. */
    readonly elsewhere: number;
  }[];
}

export interface ComparedSide {
  readonly box_id: string;
  readonly cards: number;
  readonly tokens: number;
  readonly exact: boolean;
}

/** Neighbouring cards to which the same happened, with their first position on the sides where they stand. */
export interface ComparedRun {
  readonly change: "kept" | "moved_away" | "moved_here" | "removed" | "added";
  readonly left?: number;
  readonly right?: number;
  readonly cards: number;
  readonly tokens: number;
}

/** A box in which a card stands, and where in it. */
export interface Found {
  readonly box_id: string;
  readonly positions: readonly number[];
}
