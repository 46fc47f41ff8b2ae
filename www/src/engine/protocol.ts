// The messages between the page and its worker. Facts are the core's JSON with the core's names; the page only displays
// them.

import type {
  Account,
  PayloadOptions as AnyOptions,
  Provider as AnyProvider,
  Audit,
  CardCost,
  CardKind,
  Cause,
  Comparison,
  Composed,
  Dialect,
  Fitted as FittedPrompt,
  Found,
  Hits,
  ImportReport,
  Lint,
  MessageDetail,
  MessageRow,
  OpenOptions,
  OtherFit,
  Payload,
  PayloadDiff,
  Receipt,
  RequestView,
  StepDetail,
  Store,
  TimelineHits,
  TimelineOverview,
  Turn,
  View,
} from "tuckbox/web";

import type { LiveFile } from "../live.ts";
import type { RunRows, SimAction, SimulationResult } from "../runs/types.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** The built-in operations that pack contexts; each of them takes a dialect. */
export const PACKING: readonly string[] = [
  "pack_context",
  "pack_context_with_instruction",
  "delegate_async",
  "launch_principal",
  "ask_expert",
  "fork_join",
  "run_recipe",
];

export const DIALECTS: readonly Dialect[] = ["current", "v1r3", "v1r4", "v1r4_hotfix"];

export type {
  BoxView,
  CardCost,
  CardKind,
  Cause,
  Dialect,
  Loss,
  Message,
  Part,
  PartSource,
  Problem,
  Reader,
  Receipt,
  RequestView,
  Row,
  Section,
  Turn,
  TurnEntry,
  View,
  WindowLevel,
} from "tuckbox/web";
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
  "user",
  "assistant",
  "other",
  "missing",
] as const satisfies readonly CardKind[];

export type { LiveFile } from "../live.ts";

/** An error of the package, or of the page itself. */
export interface ErrorData {
  code: string;
  message: string;
  path: string;
  details: Json;
}

/** A call that can be shown: one of the project, or one that the user writes. */
export interface NamedCall {
  id: string;
  title: Record<"en" | "zh", string>;
  note: Record<"en" | "zh", string>;
  call: JsonObject;
  /** The edited call as text; it may be invalid while the user types. */
  draft?: string;
}

export interface ProjectInfo {
  project_id: string;
  /** The ids of all projects in the same snapshot. */
  projects: string[];
  cards: number;
  boxes: { box_id: string; cards: number; parent_ids: string[] }[];
  profiles: { name: string; profile_box_id: string | null }[];
  agents: { agent_id: string; display_name: string | null; profile_box_id: string | null; status: string | null }[];
  calls: NamedCall[];
}

/** What to inspect: a call as JSON text, a stored box, or an agent's turn. */
export type Subject = { call: string } | { box_id: string } | { turn: { agent_id: string } | { recorded: string } };

/** One context of a subject. `shown` selects it if a call packs several. */
export interface ContextRef {
  subject: Subject;
  shown: number;
}

/** A context and its number of cards. */
export interface SizedContextRef extends ContextRef {
  cards: number;
}

/** A range of rows of a context. */
export interface RowRange extends ContextRef {
  from: number;
  to: number;
}

/** Outcome and cost of every card of a context, in columns to keep large contexts small. */
export interface CardCosts {
  tokens: Float64Array;
  /** An index into `outcomes`. */
  outcome: Uint16Array;
  outcomes: CardOutcome[];
  /** The index of the message that the card became. */
  message: Uint32Array;
}

/** The outcome of a card, without what differs from card to card. */
export type CardOutcome = { exact: boolean } & Without<CardCost, "tokens" | "exact" | "position">;
type Without<Cost, Keys extends PropertyKey> = Cost extends unknown ? Omit<Cost, Keys> : never;

/** A request without what only its payload shows. */
export type CountedRequest = Omit<RequestView, "cards" | "losses"> & { cards: CardCosts };

// --- what the model sees

export type { Account, Bucket, ComparedRun, Comparison, Found, PayloadDiff, PayloadPlace } from "tuckbox/web";
/** The providers that the page offers. */
export const PROVIDERS = ["neutral", "openai_chat", "openai_responses", "anthropic", "gemini"] as const satisfies readonly AnyProvider[];
export type Provider = (typeof PROVIDERS)[number];

/** The options of a request that the page lets the user set. */
export type PayloadOptions = { provider: Provider } & {
  -readonly [Option in "model" | "strict" | "max_output_tokens"]?: NonNullable<AnyOptions[Option]>;
};

/** How a request is made and counted. */
export interface RequestTerms {
  options: PayloadOptions;
  counting: Counting;
}

/** How tokens are counted: by the core's estimate, or exactly by an OpenAI encoding. */
export const COUNTINGS = ["estimate", "o200k_base", "cl100k_base"] as const;
export type Counting = (typeof COUNTINGS)[number];

export interface PayloadView extends Pick<Payload, "losses" | "renamed_tools"> {
  /** The request body as JSON text with all digits. */
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

interface HandoverCard {
  card_id: string;
  position: number;
  cause?: Cause | undefined;
}

/** What both sides see, what only the receiver sees, and what is not passed on. */
export interface Handover {
  sender: HandoverSide | null;
  receiver: HandoverSide;
  /** The cards that both see, with their positions on each side. */
  shared: { sender: HandoverCard[]; receiver: HandoverCard[] };
  added: HandoverCard[];
  not_passed_on: HandoverCard[];
  audit: Audit | null;
  lints: readonly Lint[];
}

// --- two contexts compared

export interface ComparisonResult {
  comparison: Comparison;
  /** The cacheable prefix; `null` if a side makes no payload, then `cache_error` has the reason. */
  cache: PayloadDiff | null;
  cache_error: ErrorData | null;
}

// --- what if

/** A prompt to fit: the turn of a subject, or an input of the composer as JSON text. */
export type PromptSource = ContextRef | { compose: string };

/** The messages of a prompt with the card or layer of each, and the composer's ledger, which is empty for a turn. */
export type Prompt = Pick<FittedPrompt["prompt"], "messages" | "origins"> & Composed["ledger"] & { account: Account };

export interface BudgetOptions {
  limit: number;
  pinned: number[];
}

export interface FitResult extends Pick<FittedPrompt, "limit" | "protected_tokens"> {
  /** The number of messages that stay, and of those that are dropped. */
  kept: number;
  dropped: number;
  /** For every message the one that it is dropped with: itself or the first of its group; -1 if it stays. */
  dropped_with: Int32Array;
  account: Pick<Account, "tokens" | "exact" | "cost">;
}

/** The results of several limits for one prompt. */
export interface FitResults {
  /** The messages that can be dropped, in order, and for each the one that it is dropped with. */
  order: Int32Array;
  first: Int32Array;
  /**
   * For each limit how many messages of `order` it drops, the tokens that remain and their cost; `null` if the limit is
   * too small.
   */
  limits: (Pick<OtherFit, "dropped" | "tokens" | "cost"> | null)[];
}

/** Where the text of a project comes from. */
export type FileOrigin =
  /** The demo. With `unless_saved` its saved version, if the browser has one. */
  | { kind: "demo"; unless_saved?: boolean }
  | { kind: "file"; blob: Blob; name: string }
  /** Several files: logs of other tools. */
  | { kind: "files"; files: { blob: Blob; name: string }[] }
  /** Several files at URLs of the page's server. */
  | { kind: "addresses"; files: { name: string; address: string }[] }
  | { kind: "text"; text: string }
  | { kind: "link"; fragment: string }
  | { kind: "url"; url: string }
  | { kind: "saved"; id: string; project_id?: string };

/** Where a project comes from. */
export type Origin =
  | FileOrigin
  /** On a server; `listing` is a URL that names boxes to list. */
  | { kind: "server"; url: string; project_id: string; token: string; box_id: string; listing?: string }
  /** A store of the page in which the inspector is embedded. */
  | { kind: "host"; store: Store; settings: OpenOptions; name: string }
  /** Logs of the page's server that grow; `events` is the URL of its reports. */
  | { kind: "live"; files: LiveFile[]; events: string }
  /** Text that the embedding page provides and the inspector does not save. */
  | { kind: "given"; from: FileOrigin }
  /** A project that a page has exposed, reached through a channel of the panel. */
  | { kind: "page"; channel: string; settings: string; name: string; commits: boolean };

/** A project saved in the browser. */
export interface SavedProject {
  id: string;
  project_id: string;
  saved: number;
  cards: number;
  boxes: number;
  /** The number of requests of a log. */
  requests?: number | undefined;
  /** Increases with every change; absent in entries of older pages. */
  revision?: number;
}

/** Where an open project is stored: in the browser, on a server, or in another page. */
export type StoredIn =
  | { kind: "browser"; id: string }
  | { kind: "server"; host: string }
  | { kind: "page"; name: string; commits: boolean };

/** What was shown, for links and files. */
export interface SavedView {
  target?: { kind: "call"; id: string } | { kind: "box"; box_id: string } | { kind: "agent"; agent_id: string };
  dialect?: Dialect;
  window?: number;
}

export interface Progress {
  stage: "fetch" | "read" | "check" | "import" | "open" | "connect";
  done: number;
  /** 0 if unknown. */
  total: number;
  /** The log files read last, each with its number of requests. */
  table?: { name: string; requests: number }[];
}

export type ProgressListener = (progress: Progress) => void;

/** A preview or commit in an inspected page. */
export interface PageEvent {
  call: string;
  kind: "preview" | "commit";
  entropy: string;
  at: number;
  /** The boxes that a commit changed. */
  boxes: string[];
  error: string | null;
}

/** Logs that were opened. Their project is imported when a method needs it. */
export interface OpenedLog {
  isImported: boolean;
  /** The box of the last request of the main agent. */
  box_id: string | null;
  /** The report, if it is known. */
  report: ImportReport | null;
}

/** The methods of the worker. */
export interface Methods {
  open(origin: Origin): { info: ProjectInfo; storedIn: StoredIn; savedView: SavedView; log: OpenedLog | null };
  /** Returns what is known of the project. */
  info(): ProjectInfo;
  /** Records an event of an inspected page; a call that packs becomes one of the project's calls. */
  recordEvent(event: PageEvent): { info: ProjectInfo; op: string; call_id: string | null };
  /** Sets time and randomness (hexadecimal) of the next previews. */
  setEnv(now: number, entropy: string): ProjectInfo;
  /** Saves the project in the browser. */
  save(): void;
  /** Switches to another project of the same snapshot. */
  selectProject(project_id: string): ProjectInfo;
  listSaved(): SavedProject[];
  deleteSaved(id: string): void;
  inspect(range: RowRange): View;
  /** Returns the positions of the cards that contain a string, in order. */
  findMatches(question: ContextRef & { find: string }): Uint32Array;
  /** Returns the batch that a commit would send, as JSON text, and the content hash. */
  previewWrites(call: string): { text: string; content_hash: string };
  /** Commits a call. `save_error` is the reason if the browser did not save the result. */
  commit(call: string): { receipt: Receipt; info: ProjectInfo; save_error: ErrorData | null };
  /** Returns one card as JSON text; a card that the call makes comes from its writes. */
  getCard(card_id: string, call: string | null): string;
  /** Returns what the receiver's model sees, and its token account. */
  turnView(subject: Subject, shown: number, terms: RequestTerms): { turn: Turn; account: Account };
  /** Previews both sides of a handover. */
  previewHandover(call: string, task: number): Handover;
  /** Finds the cards of the project that contain a string. */
  searchCards(text: string, limit: number): Hits;
  /** Returns the request of a context: what the receiver's model gets, and the cost of every part. */
  inspectRequest(context: SizedContextRef, terms: RequestTerms, window: number): CountedRequest;
  /** Returns the request body for a provider. */
  payload(source: PromptSource, terms: RequestTerms): PayloadView;
  compare(left: ContextRef, right: ContextRef, terms: RequestTerms): ComparisonResult;
  prompt(source: PromptSource, terms: RequestTerms): Prompt;
  budget(source: PromptSource, options: BudgetOptions, terms: RequestTerms): FitResult;
  /** Returns the results of several limits; `options.limit` is the smallest of them or below. */
  budgets(source: PromptSource, options: BudgetOptions, limits: number[], terms: RequestTerms): FitResults;
  /** Returns the call of a budget as JSON text that can be run elsewhere. */
  budgetCall(source: PromptSource, options: BudgetOptions, terms: RequestTerms): string;
  /** Returns every box that contains a card. */
  findCard(card_id: string): readonly Found[];
  /** Saves a call with the project, replacing one with the same id. */
  saveCall(call: NamedCall): ProjectInfo;
  /** Saves the draft of a call; `null` deletes it. */
  saveDraft(id: string, text: string | null): void;
  /** Imports the logs, and returns the report; `null` without logs. */
  importReport(): ImportReport | null;
  /** Returns the box to show of a project of which nothing was chosen: the newest one that an agent or a call used. */
  newestBox(): string | null;
  /** Reads what is new of the files of a growing log. */
  readLive(files: readonly LiveFile[]): { changed: boolean /** The number of older files that are not open. */; omitted: number };
  /** Returns the steps of a session of those logs; `undefined` is the newest. `null` without logs. */
  timeline(session: number | undefined): TimelineOverview | null;
  /** Returns everything about a step but its messages. */
  timelineStep(session: number | undefined, step: number): StepDetail | null;
  /** Returns the messages of a step, a message, or the matches of a search. */
  timelineRequest(session: number | undefined, step: number): readonly MessageRow[];
  timelineMessage(session: number | undefined, message: string): MessageDetail | null;
  timelineFind(session: number | undefined, find: string): TimelineHits | null;
  /** Returns the result of any call without writing anything. */
  preview(call: string): { value: Json };
  /** Returns the run state of the project's store, and of some batches. */
  runState(window: number, batch_ids: string[]): RunRows;
  /** Runs one action on the simulated team; `start` creates a new team. */
  simulate(step: SimAction, window: number): SimulationResult;
  /** Returns the simulated project at a step, as the text of a snapshot. */
  simulatedSnapshot(step: number): string;
  /** Returns the project with its calls, as JSON text that can be opened again. */
  exportProject(view: SavedView): string;
  /** Returns the same as a URL fragment. */
  exportLink(view: SavedView): string;
}

export type MethodCall = { id: number; method: keyof Methods; params: unknown[] };
/** Sent by the worker when another tab changed the project, or when logs were imported. */
export type ProjectChanged = { changed: ProjectInfo; log: OpenedLog | null };
export type MethodReply = { id: number; result: unknown } | { id: number; error: ErrorData } | { id: number; progress: Progress };
