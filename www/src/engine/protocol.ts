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

export type Presence = "new" | "live" | "deleted" | "expired" | "absent";
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
  boxes: { box_id: string; cards: number; parent_ids: string[] }[];
  profiles: { name: string; profile_box_id: string | null }[];
  agents: { agent_id: string; display_name: string | null }[];
  calls: NamedCall[];
}

/** What to look at: a call that would be made, or a box that is stored. */
export type Subject = { call: JsonObject } | { box_id: string };

export interface Question {
  subject: Subject;
  window?: number;
  shown?: number;
  from?: number;
  to?: number;
  parts?: boolean;
}

/** Where a project comes from. */
export type Origin =
  | { kind: "demo" }
  | { kind: "file"; blob: Blob; name: string }
  | { kind: "text"; text: string }
  | { kind: "link"; fragment: string }
  | { kind: "address"; address: string };

export interface Progress {
  stage: "fetch" | "read" | "check" | "open";
  done: number;
  /** 0 when nobody knows. */
  total: number;
}

export interface Receipt {
  operation_id: string;
  repeated: boolean;
  boxes: { box_id: string; version: number }[];
}

/** Everything the page can ask its worker. */
export interface Methods {
  open(origin: Origin): ProjectInfo;
  look(question: Question): View;
  /** The batch a commit would send, as JSON text. */
  writes(call: JsonObject): string;
  commit(call: JsonObject): { receipt: Receipt; info: ProjectInfo };
  /** One card as JSON text; a card the call makes comes from its writes. */
  card(card_id: string, call: JsonObject | null): string;
  /** The whole project with its calls, as JSON text that `open` takes back. */
  export(): string;
  /** The same, small enough for the fragment of an address. */
  link(): string;
}

export type Ask = { id: number; method: keyof Methods; params: unknown[] };
export type Answer =
  | { id: number; result: unknown }
  | { id: number; fault: Fault }
  | { id: number; progress: Progress };
