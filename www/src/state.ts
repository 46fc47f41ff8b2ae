// The state of the page. Facts come from the worker; the user's choices are set here.
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import {
  type BoxView,
  type CardCost,
  type CountedRequest,
  DIALECTS,
  type Dialect,
  type ErrorData,
  type PlacedLint,
  type ProjectInfo,
  type Receipt,
  type Row,
  type StoredIn,
  type Subject,
  type View,
} from "./engine/protocol.ts";
import { loadChoice, savePreference } from "./preferences.ts";

/** The number of rows per request: one screen and its surroundings. */
export const PAGE = 100;

export type Target = { kind: "call"; id: string } | { kind: "box"; box_id: string } | { kind: "agent"; agent_id: string };
export const VIEWS = ["context", "compare", "whatif", "boxes", "runs", "handoff", "memory", "timeline", "search"] as const;
export type ViewName = (typeof VIEWS)[number];
export const TABS = ["cards", "sides", "messages", "payload", "problems", "writes"] as const;
export type Tab = (typeof TABS)[number];

/** The tabs of a step of a timeline. */
export const STEP_TABS = ["changes", "request", "tokens", "tools", "raw", "log"] as const;
export type StepTab = (typeof STEP_TABS)[number];
/** The step of the timeline that is shown; `null` is the last one. */
export const step = signal<number | null>(null);
export const stepTab = signal<StepTab>("changes");

export const project = signal<ProjectInfo | null>(null);
/** Increases when a project is opened. */
export const openings = signal(0);
/** True for a project of logs. */
export const isLog = signal(false);
/** True if the project has all of the logs. Until then only their timeline is known. */
export const isImported = signal(true);
/** The format and the model of the session that is shown. */
export const logName = signal("");
/** The names of boxes that are steps of a log; computed when they are first read. */
export const boxNames = signal<ReadonlySignal<ReadonlyMap<string, string>>>(signal(new Map()));

/** Returns the name of a box: that of its step if it is from a log, otherwise its id. */
export function boxName(box_id: string): string {
  return boxNames.value.value.get(box_id) ?? box_id;
}

/** Where the open project is stored. */
export const storedIn = signal<StoredIn | null>(null);
/** Why the browser did not save the project; `null` if it did. */
export const saveError = signal<ErrorData | null>(null);
export const view = signal<ViewName>("context");
export const target = signal<Target | null>(null);
export const dialect = signal<Dialect>(loadChoice("dialect", DIALECTS, "current"));
export const tab = signal<Tab>("cards");
export const selected = signal<number | null>(null);
export const shown = signal(0);
/** The search string within the context. */
export const search = signal("");

/** The search string within the whole project. */
export const projectSearch = signal("");

/** The last successful preview; `error` has the error of a newer one that failed. */
export const lastPreview = signal<View | null>(null);
export const previewError = signal<ErrorData | null>(null);
export const busy = signal(false);
/** The receipt of the last commit. */
export const lastReceipt = signal<Receipt | null>(null);
/** The request of the context, with the token counts of all views; `null` until it is counted. */
export const request = signal<CountedRequest | null>(null);
/** Returns outcome and cost of the card at a position; `undefined` until it is counted. */
export function costAt(position: number): CardCost | undefined {
  const cards = request.value?.cards;
  const outcome = cards?.outcomes[cards.outcome[position] ?? -1];
  if (cards === undefined || outcome === undefined) return undefined;
  const tokens = cards.tokens[position] ?? 0;
  return outcome.became === "message" ? { ...outcome, position: cards.message[position] ?? 0, tokens } : { ...outcome, tokens };
}
export const requestError = signal<ErrorData | null>(null);
/** True while the request on the page is outdated. */
export const requestBusy = signal(false);
/** Rows in pages of `PAGE`, by page number; grows while the list scrolls. */
export const rowPages = signal<ReadonlyMap<number, readonly Row[]>>(new Map());

/** Returns the row at a position if it is loaded. */
export function rowAt(position: number): Row | undefined {
  return rowPages.value.get(Math.floor(position / PAGE))?.[position % PAGE];
}

/** The positions that match the search, in order; `null` without a search. */
export const matches = signal<Uint32Array | null>(null);

export const boxView = computed<BoxView | null>(() => lastPreview.value?.boxes[shown.value] ?? null);

/** The subject of the preview on the page; an older one while the newest call has an error. */
export const previewSubject = signal<Subject | null>(null);
/** The call of the preview on the page. */
export const previewCall = computed<string | null>(() =>
  previewSubject.value !== null && "call" in previewSubject.value ? previewSubject.value.call : null,
);

export const lintsByPosition = computed<ReadonlyMap<number, PlacedLint[]>>(() => {
  const found = new Map<number, PlacedLint[]>();
  for (const lint of lastPreview.value?.lints ?? []) {
    if (lint.place === undefined || lint.place.shown !== shown.value) continue;
    found.set(lint.place.position, [...(found.get(lint.place.position) ?? []), lint]);
  }
  return found;
});

export function show(next: Target): void {
  batch(() => {
    view.value = "context";
    target.value = next;
    lastReceipt.value = null;
    selected.value = null;
    search.value = "";
    shown.value = 0;
    if (next.kind !== "call" && (tab.value === "writes" || tab.value === "sides")) tab.value = "cards";
  });
}

export function setDialect(next: Dialect): void {
  dialect.value = next;
  savePreference("dialect", next);
}

/** Moves the selection; the list follows. */
export function select(position: number): void {
  const count = boxView.peek()?.cards ?? 0;
  if (count > 0) selected.value = Math.max(0, Math.min(count - 1, position));
}

/** Goes to a card from any view. */
export function goTo(position: number, box = shown.peek()): void {
  batch(() => {
    shown.value = box;
    tab.value = "cards";
    selected.value = position;
  });
}
