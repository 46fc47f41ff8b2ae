// What the page knows and what the person chose. Facts come from the worker; choices live here.
import { batch, computed, signal } from "@preact/signals";
import { type BoxView, type CardCost, type CountedRequest, DIALECTS, type Dialect, type Fault, type Home, type PlacedLint, type ProjectInfo, type Receipt, type Row, type Subject, type View } from "./engine/protocol.ts";
import { keep, kept } from "./preferences.ts";

/** How many rows are asked for at once: a screen and what is near it. */
export const PAGE = 100;

export type Target =
  | { kind: "call"; id: string }
  | { kind: "box"; box_id: string }
  | { kind: "agent"; agent_id: string };
export const ROOMS = ["context", "compare", "whatif", "boxes", "runs", "handoff", "memory", "sessions", "search"] as const;
export type Room = (typeof ROOMS)[number];
export const TABS = ["cards", "sides", "messages", "payload", "problems", "writes"] as const;
export type Tab = (typeof TABS)[number];

export const project = signal<ProjectInfo | null>(null);
/** Where the open project lives. */
export const home = signal<Home | null>(null);
/** Why the browser does not keep it, if it does not. */
export const notKept = signal<Fault | null>(null);
export const room = signal<Room>("context");
export const target = signal<Target | null>(null);
export const dialect = signal<Dialect>(kept("dialect", DIALECTS, "v1r3"));
export const tab = signal<Tab>("cards");
export const selected = signal<number | null>(null);
export const shown = signal(0);
/** What is looked for among the cards. */
export const search = signal("");

/** What is looked for in the whole project. */
export const sought = signal("");

/** The last preview that worked, and the fault of the newest one if it did not. */
export const view = signal<View | null>(null);
export const fault = signal<Fault | null>(null);
export const busy = signal(false);
/** What the last commit said. */
export const committed = signal<Receipt | null>(null);
/** The request behind what is shown: the one account of every view. `null` until it is there. */
export const request = signal<CountedRequest | null>(null);
/** What became of the card at a position, and what it costs; `undefined` until it is counted. */
export function costAt(position: number): CardCost | undefined {
  const cards = request.value?.cards;
  const fate = cards?.fates[cards.fate[position] ?? -1];
  if (cards === undefined || fate === undefined) return undefined;
  const tokens = cards.tokens[position] ?? 0;
  return fate.became === "message" ? { ...fate, position: cards.message[position] ?? 0, tokens } : { ...fate, tokens };
}
export const requestFault = signal<Fault | null>(null);
/** True while the request on the page is that of something older. */
export const requestBusy = signal(false);
/** Rows in pages of `PAGE`, by the number of the page; grows while the list is scrolled. */
export const pages = signal<ReadonlyMap<number, readonly Row[]>>(new Map());

/** The row at a position, if it is here. */
export function rowAt(position: number): Row | undefined {
  return pages.value.get(Math.floor(position / PAGE))?.[position % PAGE];
}

/** The positions that hold what is looked for, in order; `null` while nothing is. */
export const matches = signal<Uint32Array | null>(null);

export const boxView = computed<BoxView | null>(() => view.value?.boxes[shown.value] ?? null);

/** What the preview on the page is of; while the newest call is wrong, an older one. */
export const pictured = signal<Subject | null>(null);
/** The call behind the preview on the page. */
export const picturedCall = computed<string | null>(() =>
  pictured.value !== null && "call" in pictured.value ? pictured.value.call : null,
);

export const lintsByPosition = computed<ReadonlyMap<number, PlacedLint[]>>(() => {
  const found = new Map<number, PlacedLint[]>();
  for (const lint of view.value?.lints ?? []) {
    if (lint.place === undefined || lint.place.shown !== shown.value) continue;
    found.set(lint.place.position, [...(found.get(lint.place.position) ?? []), lint]);
  }
  return found;
});

export function show(next: Target): void {
  batch(() => {
    room.value = "context";
    target.value = next;
    committed.value = null;
    selected.value = null;
    search.value = "";
    shown.value = 0;
    if (next.kind !== "call" && (tab.value === "writes" || tab.value === "sides")) tab.value = "cards";
  });
}

export function setDialect(next: Dialect): void {
  dialect.value = next;
  keep("dialect", next);
}

/** Moves the selection; the list follows. */
export function select(position: number): void {
  const count = boxView.peek()?.cards ?? 0;
  if (count > 0) selected.value = Math.max(0, Math.min(count - 1, position));
}

/** Goes to a card from anywhere. */
export function goTo(position: number, box = shown.peek()): void {
  batch(() => {
    shown.value = box;
    tab.value = "cards";
    selected.value = position;
  });
}
