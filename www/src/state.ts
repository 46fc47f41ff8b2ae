// What the page knows and what the person chose. Facts come from the worker; choices live here.
import { batch, computed, effect, signal } from "@preact/signals";
import { ask, faultOf, openProject, STOPPED } from "./engine/client.ts";
import type {
  BoxView,
  DialectName,
  Fault,
  JsonObject,
  NamedCall,
  Origin,
  PlacedLint,
  Progress,
  ProjectInfo,
  Question,
  Receipt,
  Row,
  Subject,
  View,
} from "./engine/protocol.ts";
import { DIALECTS } from "./engine/protocol.ts";
import { keep, kept } from "./kept.ts";

/** How many rows are asked for at once. */
export const PAGE = 200;

export type Target = { kind: "call"; call: NamedCall } | { kind: "box"; box_id: string };
export type Tab = "cards" | "lints" | "dropped" | "writes";

export const project = signal<ProjectInfo | null>(null);
export const openFault = signal<Fault | null>(null);
export const target = signal<Target | null>(null);
export const dialect = signal<DialectName>(kept("dialect", DIALECTS, "v1r3"));
export const windowSize = signal<number>(4_096);
export const tab = signal<Tab>("cards");
export const selected = signal<number | null>(null);
export const shown = signal(0);

/** The last preview that worked, and the fault of the newest one if it did not. */
export const view = signal<View | null>(null);
export const fault = signal<Fault | null>(null);
export const busy = signal(false);
/** What the last commit said. */
export const committed = signal<Receipt | null>(null);
/** Goes up whenever the store changed under what is shown. */
const revision = signal(0);
/** Rows by position; grows while the list is scrolled. */
export const rows = signal<ReadonlyMap<number, Row>>(new Map());

export const boxView = computed<BoxView | null>(() => view.value?.boxes[shown.value] ?? null);

/** The call that is shown, under the chosen dialect. */
export const call = computed<JsonObject | null>(() => {
  const at = target.value;
  return at?.kind === "call" ? { ...at.call.call, dialect: dialect.value } : null;
});

const subject = computed<Subject | null>(() => {
  const at = target.value;
  if (at?.kind === "box") return { box_id: at.box_id };
  return call.value === null ? null : { call: call.value };
});

export const lintsByPosition = computed<ReadonlyMap<number, PlacedLint[]>>(() => {
  const found = new Map<number, PlacedLint[]>();
  for (const lint of view.value?.lints ?? []) {
    if (lint.place === undefined || lint.place.shown !== shown.value) continue;
    found.set(lint.place.position, [...(found.get(lint.place.position) ?? []), lint]);
  }
  return found;
});

/** What is being opened, and how far it is. */
export const opening = signal<{ origin: Origin; progress: Progress | null } | null>(null);

/** Opens a project. What is open stays as it is until the new one is ready. */
export async function openFrom(origin: Origin): Promise<boolean> {
  batch(() => {
    openFault.value = null;
    opening.value = { origin, progress: null };
  });
  try {
    const info = await openProject(origin, (progress) => {
      opening.value = { origin, progress };
    });
    batch(() => {
      asked += 1;
      opening.value = null;
      view.value = null;
      fault.value = null;
      rows.value = new Map();
      project.value = info;
      const [call] = info.calls;
      const [box] = info.boxes;
      if (call !== undefined) show({ kind: "call", call });
      else if (box !== undefined) show({ kind: "box", box_id: box.box_id });
      else target.value = null;
    });
    return true;
  } catch (thrown) {
    const found = faultOf(thrown);
    batch(() => {
      opening.value = null;
      if (found.code !== STOPPED) openFault.value = found;
    });
    return false;
  }
}

/** Commits the call that is shown, and looks again at what there is now. */
export async function commit(): Promise<void> {
  const now = call.peek();
  if (now === null) return;
  const { receipt, info } = await ask("commit", now);
  batch(() => {
    project.value = info;
    committed.value = receipt;
    revision.value += 1;
  });
}

export function show(next: Target): void {
  batch(() => {
    target.value = next;
    committed.value = null;
    selected.value = null;
    shown.value = 0;
    if (next.kind === "box" && (tab.value === "writes" || tab.value === "dropped")) tab.value = "cards";
  });
}

export function setDialect(next: DialectName): void {
  dialect.value = next;
  keep("dialect", next);
}

// A newer question makes the answers to older ones stale.
let asked = 0;

effect(() => {
  const about = subject.value;
  void revision.value;
  if (about === null) return;
  const question: Question = { subject: about, window: windowSize.value, shown: shown.value, from: 0, to: PAGE };
  void preview(question);
});

async function preview(question: Question): Promise<void> {
  const mine = ++asked;
  busy.value = true;
  try {
    const found = await ask("look", question);
    if (mine !== asked) return;
    batch(() => {
      view.value = found;
      rows.value = new Map(found.rows.map((row) => [row.position, row]));
      pending.clear();
      fault.value = null;
      const count = found.boxes[shown.value]?.cards ?? 0;
      if (selected.value === null || selected.value >= count) selected.value = count > 0 ? 0 : null;
    });
  } catch (thrown) {
    if (mine === asked) fault.value = faultOf(thrown);
  } finally {
    if (mine === asked) busy.value = false;
  }
}

const pending = new Set<number>();

/** Asks for the pages of rows between two positions that are not here yet. */
export function needRows(from: number, to: number): void {
  const about = subject.peek();
  if (about === null || fault.peek() !== null) return;
  for (let page = Math.floor(from / PAGE); page * PAGE < to; page += 1) {
    if (rows.peek().has(page * PAGE) || pending.has(page)) continue;
    pending.add(page);
    void fetchRows(about, page);
  }
}

async function fetchRows(about: Subject, page: number): Promise<void> {
  const mine = asked;
  const from = page * PAGE;
  try {
    const found = await ask("look", { subject: about, shown: shown.peek(), from, to: from + PAGE, parts: false });
    if (mine !== asked) return;
    const more = new Map(rows.peek());
    for (const row of found.rows) more.set(row.position, row);
    rows.value = more;
  } catch (thrown) {
    if (mine === asked) fault.value = faultOf(thrown);
  } finally {
    pending.delete(page);
  }
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
