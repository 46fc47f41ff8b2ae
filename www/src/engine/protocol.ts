// What crosses between the page and its worker. Facts are the core's own JSON, named as the core
// names them; the page only shows them.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type DialectName = "v1r3" | "v1r4" | "v1r4_hotfix";
export const DIALECTS: readonly DialectName[] = ["v1r3", "v1r4", "v1r4_hotfix"];

export type Cause =
  | { kind: "argument"; arg_key: string; path: string }
  | { kind: "inherited"; box_id: string; position: number; path: string }
  | { kind: "parent"; path: string };

export type Source =
  | { kind: "argument" }
  | { kind: "inherited"; box_id: string }
  | { kind: "parent" }
  | { kind: "stored" };

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
] as const;
export type CardKind = (typeof CARD_KINDS)[number];

export type Presence = "new" | "live" | "deleted" | "expired" | "absent" | "unreadable";
export type Level = "calm" | "high" | "full" | "over";

export interface Row {
  position: number;
  card_id: string;
  presence: Presence;
  kind: CardKind;
  role: Json;
  type: string | null;
  content_type: string | null;
  author_id: string | null;
  tokens: number;
  excerpt: string;
  cause?: Cause;
  swallowed?: Cause[];
}

export interface Part {
  source: Source;
  kind: CardKind;
  first: number;
  cards: number;
  tokens: number;
}

export interface BoxView {
  box_id: string;
  cards: number;
  swallowed: number;
  gone: number;
  tokens: number;
  exact: boolean;
  window?: { size: number; free: number; over: number; level: Level };
  parts: Part[];
}

export interface PlacedLint {
  code: string;
  path: string;
  message: string;
  card_id?: string;
  place?: { shown: number; position: number };
}

export interface View {
  boxes: BoxView[];
  shown: number;
  rows: Row[];
  matches?: number[];
  dropped: { path: string; reason: string }[];
  lints: PlacedLint[];
  content_hash?: string;
}

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
}

export interface ProjectInfo {
  project_id: string;
  cards: number;
  boxes: { box_id: string; cards: number; parent_ids: string[] }[];
  profiles: { name: string; profile_box_id: string | null }[];
  agents: { agent_id: string; display_name: string | null; profile_box_id: string | null; status: string | null }[];
  calls: NamedCall[];
}

/** What to look at: a call that would be made, as JSON text, a box that is stored, or an agent's turn. */
export type Subject = { call: string } | { box_id: string } | { turn: { agent_id: string } };

/** One context of a subject: which, when a call packs several. */
export interface Seen {
  subject: Subject;
  shown: number;
}

/** A box in which a card stands, and where. */
export interface Found {
  box_id: string;
  positions: number[];
}

export interface Question {
  subject: Subject;
  window?: number;
  shown?: number;
  from?: number;
  to?: number;
  parts?: boolean;
  find?: string;
}

// --- what the model sees

export const PROVIDERS = ["neutral", "openai_chat", "openai_responses", "anthropic", "gemini"] as const;
export type Provider = (typeof PROVIDERS)[number];

export interface Message {
  role: Json;
  content?: Json;
  name?: string;
  tool_calls?: { id?: string; function?: { name?: string; arguments?: string } }[];
  tool_call_id?: string;
}

export interface Turn {
  agent_id: string | null;
  profile: { name?: string | null } | null;
  context_box_id: string | null;
  output_box_id: string | null;
  request: { messages: Message[]; tools?: JsonObject[] };
  entries: TurnEntry[];
  result_fields?: { card_id: string; name: string; description: string }[];
  missing?: { card_id: string; side: string; position: number; reason: string }[];
}

export type TurnEntry = { card_id: string; seat?: { side: "context" | "output"; position: number } } & (
  | { became: "message"; position: number }
  | { became: "tools"; first: number; count: number }
  | { became: "nothing"; reason: string }
);

export type Bucket = { tokens: number; exact: boolean; positions?: number[] } & (
  | { kind: "card"; card_id: string }
  | { kind: "layer"; layer: string }
  | { kind: "message"; position: number }
  | { kind: "tools" }
  | { kind: "framing" }
);

export interface Account {
  tokens: number;
  exact: boolean;
  buckets: Bucket[];
  messages: { position: number; tokens: number; exact: boolean }[];
  tools: { name: string; tokens: number }[];
}

export interface Loss {
  code: string;
  action: "merge" | "move" | "drop" | "rewrite" | "add";
  lossy: boolean;
  position?: number;
  tool?: number;
  card_id?: string;
  layer?: string;
  reason: string;
}

export interface PayloadOptions {
  provider: Provider;
  model?: string;
  strict?: boolean;
}

/** How tokens are counted: by the core's estimate, or exactly by one of OpenAI's encodings. */
export const COUNTINGS = ["estimate", "o200k_base", "cl100k_base"] as const;
export type Counting = (typeof COUNTINGS)[number];

export interface PayloadView {
  /** The request body as JSON text, digit for digit. */
  body: string;
  losses: Loss[];
  renamed_tools: { given: string; sent: string }[];
  account: Account;
}

// --- two contexts side by side

export type Change = "kept" | "moved_away" | "moved_here" | "removed" | "added";

export interface Run {
  change: Change;
  left?: number;
  right?: number;
  cards: number;
  tokens: number;
}

export interface Side {
  box_id: string;
  cards: number;
  tokens: number;
  exact: boolean;
}

export interface Comparison {
  left: Side;
  right: Side;
  same_prefix: { cards: number; tokens: number };
  runs: Run[];
  growth: { source: Source; left_tokens: number; right_tokens: number; left_cards: number; right_cards: number }[];
  summaries?: { right: number; tokens: number; covers: number[]; covered_tokens: number; elsewhere: number }[];
}

export interface PayloadPlace {
  message?: number;
  position?: number;
  card_id?: string;
  layer?: string;
  tool?: string;
  role?: string;
}

export interface PayloadDiff {
  same_messages: number;
  same_tokens: { tokens: number; exact: boolean };
  before_tokens: number;
  after_tokens: number;
  first_difference: { why: string; before: PayloadPlace | null; after: PayloadPlace | null; same_characters: number } | null;
  cache: { kept_tokens: number; fresh_tokens: number; exact: boolean; policy: { least_tokens: number; marked: boolean } };
}

export interface Compared {
  comparison: Comparison;
  /** What a prefix cache keeps; a side that makes no payload has none, and says why. */
  cache: PayloadDiff | null;
  cache_fault: Fault | null;
}

// --- what if there were less room

/** A prompt to fit: the turn behind a subject, or an input of the composer as JSON text. */
export type PromptSource = Seen | { compose: string };

export interface Prompt {
  messages: Message[];
  /** The card or layer behind each message, as far as it is known. */
  origins: { card_id?: string; layer?: string; is_query?: boolean }[];
  account: Account;
  /** The composer's own account of every message; empty for a turn. */
  entries: { position: number; layer: string; from: string; message_id?: string; is_query: boolean; trimmed: boolean }[];
  /** What never became a message, and the rule that kept it out. */
  left_out: { layer: string; from: string; rule: string }[];
}

export interface BudgetOptions {
  provider: Provider;
  limit: number;
  pinned: number[];
}

export interface Fitted {
  kept: number[];
  dropped: { position: number; tokens: number; priority: number; reason: { kind: string; first?: number } }[];
  limit: number;
  protected_tokens: number;
  account: { tokens: number; exact: boolean };
}

/** Where a project comes from. */
export type Origin =
  | { kind: "demo" }
  | { kind: "file"; blob: Blob; name: string }
  | { kind: "text"; text: string }
  | { kind: "link"; fragment: string }
  | { kind: "address"; address: string }
  | { kind: "kept"; id: string }
  | { kind: "server"; url: string; project_id: string; token: string; box_id: string }
  /** A project that a page has exposed, behind a channel of the panel. */
  | { kind: "page"; channel: string; settings: string; name: string; commits: boolean };

/** A project that the browser keeps. */
export interface Kept {
  id: string;
  project_id: string;
  saved: number;
  cards: number;
  boxes: number;
}

/** Where an open project lives: in the browser, on a server, or in a page that is looked at. */
export type Home = { kind: "browser"; id: string } | { kind: "server"; host: string } | { kind: "page"; name: string; commits: boolean };

/** What was looked at, for whoever opens a link. */
export interface Looking {
  target?: { kind: "call"; id: string } | { kind: "box"; box_id: string } | { kind: "agent"; agent_id: string };
  dialect?: DialectName;
  window?: number;
}

export interface Progress {
  stage: "fetch" | "read" | "check" | "open" | "connect";
  done: number;
  /** 0 when nobody knows. */
  total: number;
}

export interface Receipt {
  operation_id: string;
  repeated: boolean;
  boxes: { box_id: string; version: number }[];
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
  kept(): Kept[];
  forget(id: string): void;
  look(question: Question): View;
  /** The batch a commit would send, as JSON text. */
  writes(call: string): string;
  commit(call: string): { receipt: Receipt; info: ProjectInfo };
  /** One card as JSON text; a card the call makes comes from its writes. */
  card(card_id: string, call: string | null): string;
  /** What the model of the receiver sees, and what it costs. */
  turn(subject: Subject, shown: number): { turn: Turn; account: Account };
  /** The same as a request to a provider. */
  payload(source: PromptSource, options: PayloadOptions, counting: Counting): PayloadView;
  compare(left: Seen, right: Seen, provider: Provider): Compared;
  prompt(source: PromptSource, provider: Provider): Prompt;
  budget(source: PromptSource, options: BudgetOptions): Fitted;
  /** Every box in which a card stands. */
  find(card_id: string): Found[];
  /** Keeps a call with the project, in place of one with the same id. */
  keep(call: NamedCall): ProjectInfo;
  drop(id: string): ProjectInfo;
  /** The whole project with its calls, as JSON text that `open` takes back. */
  export(looking: Looking): string;
  /** The same, small enough for the fragment of an address. */
  link(looking: Looking): string;
}

export type Ask = { id: number; method: keyof Methods; params: unknown[] };
export type Answer =
  | { id: number; result: unknown }
  | { id: number; fault: Fault }
  | { id: number; progress: Progress };
