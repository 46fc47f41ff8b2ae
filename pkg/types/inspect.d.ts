import type { DropReason, Provider } from "./codes.js";
import type { Json } from "./json.js";
import type { Cause, Lint } from "./ledger.js";
import type { Dialect } from "./operations.js";
import type { Figure, Loss, Section } from "./payload.js";

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
  readonly dropped: readonly { readonly path: string; readonly reason: DropReason }[];
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
}

/** The request behind a box: what the model of its receiver gets, and what every part of it costs. */
export interface RequestView extends Figure {
  /** The turn that makes it, as a call of `turn_view`. */
  readonly turn: Reader;
  readonly provider: Provider;
  /** The tokens by what they are for. They add up to the whole. */
  readonly sections: readonly Section[];
  /** What is kept free for the answer; no part of the whole. */
  readonly reserve: number;
  /** How full the window is; the one that was named, or that of the model; absent without either. */
  readonly window?: { readonly size: number; readonly free: number; readonly over: number; readonly level: WindowLevel };
  /** The tokens by source and kind, in the order in which the model meets them. They add up to the whole. */
  readonly parts: readonly Part[];
  /** What became of every card of the box, in order. */
  readonly cards: readonly CardCost[];
  /** How many of the cards the model never gets. */
  readonly never_sent: number;
  /** What was changed on the way to the provider. */
  readonly losses: readonly Loss[];
  /** Everything that was noticed, left out, changed or never sent, the worst first. */
  readonly problems: readonly Problem[];
}

/** One thing about a request that a careful person would want to know. */
export interface Problem {
  readonly severity: "error" | "warning" | "info";
  /** A rule noticed it, it never became a card, it was changed on the way, the model never gets it, or the window. */
  readonly source: "lint" | "left_out" | "loss" | "never_sent" | "window";
  /** Stable. */
  readonly code: string;
  readonly message: string;
  readonly path?: string;
  readonly place?: { readonly shown: number; readonly position: number };
  readonly card_id?: string;
  /** What would end it: a value to take out of the call, or a budget. */
  readonly fix?: { readonly kind: "remove"; readonly path: string } | { readonly kind: "fit" };
}

/** The cards that hold a text. */
export interface Hits {
  /** Every card once, in the order of the boxes. */
  readonly hits: readonly Hit[];
  /** How many cards hold it, also those beyond the limit. */
  readonly total: number;
  /** How many cards were looked at. */
  readonly searched: number;
}

/** A card that holds a text. */
export interface Hit {
  readonly card_id: string;
  /** The first box it stands in, and where. */
  readonly box_id: string;
  readonly position: number;
  /** In how many of the boxes it stands. */
  readonly boxes: number;
  readonly kind: CardKind;
  readonly type: string | null;
  /** The text as the card has it, and what stands around it; `found` is empty where the id or the type holds it. */
  readonly snippet: { readonly before: string; readonly found: string; readonly after: string };
}

/** How worried to be about a window: below 70 %, from 70 % on, from 90 % on, more than fits. */
export type WindowLevel = "calm" | "high" | "full" | "over";

/** Whose turn reads a box, and with what else. */
export interface Reader {
  readonly agent_id?: string;
  readonly context_box_id?: string;
  /** Empty when the turn starts with nothing. */
  readonly output_box_id?: string;
  readonly profile_box_id?: string;
  readonly display_name?: string;
  readonly dialect: Dialect;
}

/** What became of a card, and what that costs. */
export type CardCost = { readonly tokens: number; readonly exact?: boolean } & (
  | { readonly became: "message"; readonly position: number }
  /** Its fields stand in the system prompt. */
  | { readonly became: "system_prompt" }
  | { readonly became: "tools" }
  /** `absent`, `deleted`, `expired`, `call_record`, `repeated`, or the code of the change that dropped it. */
  | { readonly became: "nothing"; readonly reason: string }
);

/** Where tokens come from. */
export type PartSource =
  | { readonly kind: "argument" | "parent" | "stored" | "system_prompt" | "tools" | "framing" }
  | { readonly kind: "inherited" | "output"; readonly box_id: string };

/** Tokens of one source, and where they are cards of the box, of one kind. */
export interface Part extends Figure {
  readonly source: PartSource;
  /** Absent for what is no card of the box. */
  readonly kind?: CardKind;
  /** The first position among the cards. */
  readonly first?: number;
  readonly cards: number;
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
  /** How it begins, on one line. */
  readonly excerpt: string;
  /** What is wrong with a card that is there and cannot be read. */
  readonly fault?: string;
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
    readonly source: PartSource;
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
