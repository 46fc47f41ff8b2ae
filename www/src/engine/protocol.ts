// What crosses between the page and its worker. Facts are the core's own JSON, named as the core
// names them; the page only shows them.

import type { Account, Audit, CardCost, CardKind, Cause, Comparison, Composed, Dialect, Figure, Fitted as FittedPrompt, Found, Hits, ImportOrigin, ImportReport, Lint, OpenOptions, OtherFit, Payload, PayloadDiff, PayloadOptions as AnyOptions, Provider as AnyProvider, Receipt, RequestView, Store, Turn, View } from "tuckbox/web";

import type { RunsNow, Simulated, SimStep } from "../runs/types.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** The built-in operations that pack contexts; each of them knows dialects. */
export const PACKING: readonly string[] = [
  "pack_context",
  "pack_context_with_instruction",
  "delegate_async",
  "launch_principal",
  "ask_expert",
  "fork_join",
  "run_recipe",
];

export const DIALECTS: readonly Dialect[] = ["v1r3", "v1r4", "v1r4_hotfix"];

export type { BoxView, CardCost, CardKind, Cause, Dialect, Loss, Message, Part, PartSource, Problem, Reader, RequestView, Receipt, Row, Section, Turn, TurnEntry, View, WindowLevel } from "tuckbox/web";
export type PlacedLint = View["lints"][number];

export const CARD_KINDS = [
  "instruction",
  "contract",
  "thought",
  "tool_call",
  "tool_result",
  "deliverable",
  "system",
  "pointer",
  "file",
  "other",
  "missing",
] as const satisfies readonly CardKind[];

/** A fault as the package throws it, or one of the page's own. */
export interface Fault {
  code: string;
  message: string;
  path: string;
  details: Json;
}

/** A call that can be shown: one of the project's, or one being written. */
export interface NamedCall {
  id: string;
  title: Record<"en" | "zh", string>;
  note: Record<"en" | "zh", string>;
  call: JsonObject;
  /** What somebody made of it, as text; it may be anything while somebody writes. */
  draft?: string;
}

export interface ProjectInfo {
  project_id: string;
  /** Every project that lies beside it. */
  projects: string[];
  cards: number;
  boxes: { box_id: string; cards: number; parent_ids: string[] }[];
  profiles: { name: string; profile_box_id: string | null }[];
  agents: { agent_id: string; display_name: string | null; profile_box_id: string | null; status: string | null }[];
  calls: NamedCall[];
}

/** What to look at: a call that would be made, as JSON text, a box that is stored, or an agent's turn. */
export type Subject = { call: string } | { box_id: string } | { turn: { agent_id: string } | { recorded: string } };

/** One context of a subject: which, when a call packs several. */
export interface Seen {
  subject: Subject;
  shown: number;
}

/** The same, and how many cards there are in it. */
export interface Sized extends Seen {
  cards: number;
}

/** Which rows of it. */
export interface Question extends Seen {
  from: number;
  to: number;
}

/** What became of every card of a context and what that costs, in columns: ten thousand cards are three lists. */
export interface CardCosts {
  tokens: Float64Array;
  /** Which of `fates`. */
  fate: Uint16Array;
  fates: Fate[];
  /** The message that a card became, where it became one. */
  message: Uint32Array;
}

/** What became of a card, without what differs from card to card. */
export type Fate = { exact: boolean } & Without<CardCost, "tokens" | "exact" | "position">;
type Without<Cost, Keys extends PropertyKey> = Cost extends unknown ? Omit<Cost, Keys> : never;

/** A request without what only its payload shows. */
export type CountedRequest = Omit<RequestView, "cards" | "losses"> & { cards: CardCosts };

// --- what the model sees

export type { Account, Bucket, Comparison, ComparedRun, Found, PayloadDiff, PayloadPlace } from "tuckbox/web";
/** The providers that the page offers. */
export const PROVIDERS = ["neutral", "openai_chat", "openai_responses", "anthropic", "gemini"] as const satisfies readonly AnyProvider[];
export type Provider = (typeof PROVIDERS)[number];

/** What the page lets a person say of a request. */
export type PayloadOptions = { provider: Provider } & { -readonly [Option in "model" | "strict" | "max_output_tokens"]?: NonNullable<AnyOptions[Option]> };

/** How a request is made and counted. */
export interface Terms {
  options: PayloadOptions;
  counting: Counting;
}

/** How tokens are counted: by the core's estimate, or exactly by one of OpenAI's encodings. */
export const COUNTINGS = ["estimate", "o200k_base", "cl100k_base"] as const;
export type Counting = (typeof COUNTINGS)[number];

export interface PayloadView extends Pick<Payload, "losses" | "renamed_tools"> {
  /** The request body as JSON text, digit for digit. */
  body: string;
  account: Account;
}

// --- sender and receiver

export type { Hits } from "tuckbox/web";

/** One side of a handover. */
export interface HandoverSide {
  name: string;
  cards: number;
  messages: number;
}

interface HandedCard {
  card_id: string;
  position: number;
  cause?: Cause | undefined;
}

/** What both see, what only the receiver sees, and what the sender keeps to itself. */
export interface Handover {
  sender: HandoverSide | null;
  receiver: HandoverSide;
  /** The cards that both see, where the sender has them and where the receiver has them. */
  shared: { sender: HandedCard[]; receiver: HandedCard[] };
  added: HandedCard[];
  not_passed_on: HandedCard[];
  audit: Audit | null;
  lints: readonly Lint[];
}

// --- two contexts side by side

export interface Compared {
  comparison: Comparison;
  /** What a prefix cache keeps; a side that makes no payload has none, and says why. */
  cache: PayloadDiff | null;
  cache_fault: Fault | null;
}

// --- what if there were less room

/** A prompt to fit: the turn behind a subject, or an input of the composer as JSON text. */
export type PromptSource = Seen | { compose: string };

/** Its messages with the card or layer behind each, and the composer's own account of them, which is empty for a turn. */
export type Prompt = Pick<FittedPrompt["prompt"], "messages" | "origins"> & Composed["ledger"] & { account: Account };

export interface BudgetOptions {
  limit: number;
  pinned: number[];
}

export interface Fitted extends Pick<FittedPrompt, "limit" | "protected_tokens"> {
  /** How many messages stay, and how many fall out. */
  kept: number;
  dropped: number;
  /** For every message of the prompt the one that it falls out with: itself, or the first of its group; -1 where it stays. */
  gone: Int32Array;
  account: Figure;
}

/** What several limits do to one prompt. */
export interface Fits {
  /** The messages that may fall out, in the one order of the drops, and with each the one that it falls out with. */
  order: Int32Array;
  first: Int32Array;
  /** What each limit drops, the first so many of the order, and what is left; `null` where it is too small. */
  limits: (Pick<OtherFit, "dropped" | "tokens"> | null)[];
}

/** Where the text of a project comes from. */
export type FileOrigin =
  /** The demo; with `unless_kept` as somebody left it, where the browser keeps it. */
  | { kind: "demo"; unless_kept?: boolean }
  | { kind: "file"; blob: Blob; name: string }
  /** Several files at once: logs of other tools. */
  | { kind: "files"; files: { blob: Blob; name: string }[] }
  /** The same, at addresses of the server that the page came from. */
  | { kind: "addresses"; files: { name: string; address: string }[] }
  | { kind: "text"; text: string }
  | { kind: "link"; fragment: string }
  | { kind: "address"; address: string }
  | { kind: "kept"; id: string; project_id?: string };

/** Where a project comes from. */
export type Origin =
  | FileOrigin
  /** On a server; `listing` is an address that names boxes to list. */
  | { kind: "server"; url: string; project_id: string; token: string; box_id: string; listing?: string }
  /** A store of the page that the inspector is a part of. */
  | { kind: "host"; store: Store; settings: OpenOptions; name: string }
  /** A text that this page was given and does not keep. */
  | { kind: "given"; from: FileOrigin }
  /** A project that a page has exposed, behind a channel of the panel. */
  | { kind: "page"; channel: string; settings: string; name: string; commits: boolean };

/** A project that the browser keeps. */
export interface Kept {
  id: string;
  project_id: string;
  saved: number;
  cards: number;
  boxes: number;
  /** Goes up with every change; absent for what an older page kept. */
  revision?: number;
}

/** Where an open project lives: in the browser, on a server, or in a page that is looked at. */
export type Home = { kind: "browser"; id: string } | { kind: "server"; host: string } | { kind: "page"; name: string; commits: boolean };

/** What was looked at, for whoever opens a link. */
export interface Looking {
  target?: { kind: "call"; id: string } | { kind: "box"; box_id: string } | { kind: "agent"; agent_id: string };
  dialect?: Dialect;
  window?: number;
}

export interface Progress {
  stage: "fetch" | "read" | "check" | "import" | "open" | "connect";
  done: number;
  /** 0 when nobody knows. */
  total: number;
  /** The files of logs that were read last, with how many requests stand in each. */
  table?: { name: string; requests: number }[];
}

/** Something that the project of another page did. */
export interface PageEvent {
  call: string;
  kind: "preview" | "commit";
  entropy: string;
  at: number;
  /** The boxes that a commit changed. */
  boxes: string[];
  fault: string | null;
}

/** Everything the page can ask its worker. */
export interface Methods {
  open(origin: Origin): { info: ProjectInfo; home: Home; looking: Looking };
  /** What is known of the project by now. */
  info(): ProjectInfo;
  /** Takes in what the project of another page did; a call that packs is kept as one to look at. */
  happened(event: PageEvent): { info: ProjectInfo; op: string; call_id: string | null };
  /** Previews from now on have this time and this randomness, in hexadecimal. */
  moment(now: number, entropy: string): ProjectInfo;
  /** Keeps the project in the browser. */
  save(): void;
  /** Goes to another project that lies beside the open one. */
  project(project_id: string): ProjectInfo;
  kept(): Kept[];
  forget(id: string): void;
  look(question: Question): View;
  /** The positions of the cards that hold a text, in order. */
  matches(question: Seen & { find: string }): Uint32Array;
  /** The batch a commit would send, as JSON text, and the hash of what it makes. */
  writes(call: string): { text: string; content_hash: string };
  /** Commits a call; `lost` says why the browser does not keep it, if it does not. */
  commit(call: string): { receipt: Receipt; info: ProjectInfo; lost: Fault | null };
  /** One card as JSON text; a card the call makes comes from its writes. */
  card(card_id: string, call: string | null): string;
  /** What the model of the receiver sees, and what it costs. */
  turn(subject: Subject, shown: number, terms: Terms): { turn: Turn; account: Account };
  /** Both sides of a handover, before it happens. */
  handover(call: string, task: number): Handover;
  /** The cards of the project that hold a text. */
  search(text: string, limit: number): Hits;
  /** The request behind what is looked at: what the receiver's model gets, and what every part of it costs. */
  request(seen: Sized, terms: Terms, window: number): CountedRequest;
  /** The same as a request to a provider. */
  payload(source: PromptSource, terms: Terms): PayloadView;
  compare(left: Seen, right: Seen, terms: Terms): Compared;
  prompt(source: PromptSource, terms: Terms): Prompt;
  budget(source: PromptSource, options: BudgetOptions, terms: Terms): Fitted;
  /** The same for many limits in one call; `limit` is the smallest of them, or below. */
  budgets(source: PromptSource, options: BudgetOptions, limits: number[], terms: Terms): Fits;
  /** The call behind a budget, as JSON text: what somebody else can run as it stands. */
  fitting(source: PromptSource, options: BudgetOptions, terms: Terms): string;
  /** Every box in which a card stands. */
  find(card_id: string): readonly Found[];
  /** Keeps a call with the project, in place of one with the same id. */
  keep(call: NamedCall): ProjectInfo;
  drop(id: string): ProjectInfo;
  /** Keeps what somebody makes of a call; `null` is the call as it was. */
  draft(id: string, text: string | null): void;
  /** What was found in the logs that the open project was made from. */
  imported(): ImportReport | null;
  /** Where in those logs cards stand. */
  origins(card_ids: string[]): { card_id: string; origin: ImportOrigin }[];
  /** What any call would answer; nothing is written. */
  previewed(call: string): { value: Json };
  /** What runs in the store of the open project, and what became of some batches. */
  runs(window: number, batch_ids: string[]): RunsNow;
  /** Does one thing to the simulated team; `start` makes a new one. */
  simulate(step: SimStep, window: number): Simulated;
  /** The whole simulated project as it was at a moment, as the text of a snapshot. */
  simulated(moment: number): string;
  /** The whole project with its calls, as JSON text that `open` takes back. */
  export(looking: Looking): string;
  /** The same, small enough for the fragment of an address. */
  link(looking: Looking): string;
}

export type Ask = { id: number; method: keyof Methods; params: unknown[] };
/** What the worker says without being asked: another tab changed the project. */
export type Told = { changed: ProjectInfo };
export type Answer =
  | { id: number; result: unknown }
  | { id: number; fault: Fault }
  | { id: number; progress: Progress };
