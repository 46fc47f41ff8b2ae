// The call that is shown, its drafts, and undo.
import { computed, signal } from "@preact/signals";
import { ask, errorData, STOPPED } from "./engine/client.ts";
import { type Dialect, type NamedCall, PACKING, type ProjectInfo } from "./engine/protocol.ts";
import { soon } from "./pending.ts";
import { dialect, project, saveError, target } from "./state.ts";
import { parse, write } from "./text/json.ts";

export const namedCall = computed<NamedCall | null>(() => {
  const at = target.value;
  if (at?.kind !== "call") return null;
  return project.value?.calls.find((call) => call.id === at.id) ?? null;
});

/** Edited calls by id, as JSON text; the text may be invalid while the user types. */
export const drafts = signal<ReadonlyMap<string, string>>(new Map());

/** The ids of drafts with unsaved changes. */
const unsaved = new Set<string>();
const DRAFT_AFTER_MS = 300;
let cancelSave: () => void = () => undefined;

/** Saves all unsaved drafts now. */
export async function saveDrafts(): Promise<void> {
  cancelSave();
  const ids = [...unsaved];
  unsaved.clear();
  for (const id of ids) {
    await ask("saveDraft", id, drafts.peek().get(id) ?? null).catch((thrown: unknown) => {
      const found = errorData(thrown);
      if (found.code !== STOPPED) saveError.value = found;
    });
  }
}

addEventListener("pagehide", () => void saveDrafts());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") void saveDrafts();
});

/** Loads the saved drafts of a project. Unsaved drafts of this tab stay. */
export function loadDrafts(info: ProjectInfo): void {
  const next = new Map(info.calls.flatMap(({ id, draft }) => (draft === undefined || unsaved.has(id) ? [] : [[id, draft] as const])));
  for (const id of unsaved) {
    const mine = drafts.peek().get(id);
    if (mine !== undefined) next.set(id, mine);
  }
  drafts.value = next;
}

/** Discards history and unsaved drafts before another project is loaded. */
export function clearDrafts(): void {
  histories.clear();
  unsaved.clear();
}

// --- undo and redo

interface History {
  past: string[];
  future: string[];
  at: number;
}

const histories = new Map<string, History>();
/** Increases with every change of a history. */
const historyVersion = signal(0);
/** Changes within this time are undone together. */
const STROKE_MS = 600;

function pushHistory(id: string, before: string): void {
  const history = histories.get(id) ?? { past: [], future: [], at: 0 };
  const now = performance.now();
  if (now - history.at > STROKE_MS || history.past.length === 0) history.past.push(before);
  histories.set(id, { past: history.past.slice(-200), future: [], at: now });
  historyVersion.value += 1;
}

/** Returns whether a change of the call can be undone. */
export function isUndoable(call: NamedCall): boolean {
  void historyVersion.value;
  return (histories.get(call.id)?.past.length ?? 0) > 0;
}

export const canUndo = computed(() => namedCall.value !== null && isUndoable(namedCall.value));
export const canRedo = computed(() => {
  void historyVersion.value;
  return (histories.get(namedCall.value?.id ?? "")?.future.length ?? 0) > 0;
});

/** Undoes or redoes one change of a call, by default of the call that is shown. */
export function undo(direction: "back" | "forth" = "back", call = namedCall.peek()): void {
  const history = histories.get(call?.id ?? "");
  if (call === null || history === undefined) return;
  const now = currentText(call);
  const [from, to] = direction === "back" ? [history.past, history.future] : [history.future, history.past];
  const next = from.pop();
  if (next === undefined) return;
  to.push(now);
  history.at = 0;
  historyVersion.value += 1;
  put(call, next);
}

export const callText = computed<string | null>(() => {
  const call = namedCall.value;
  return call === null ? null : (drafts.value.get(call.id) ?? write(call.call));
});

export const parsedCall = computed(() => (callText.value === null ? null : parse(callText.value)));

/** Returns the current text of a call. */
function currentText(call: NamedCall): string {
  return drafts.peek().get(call.id) ?? write(call.call);
}

export function change(text: string): void {
  const call = namedCall.peek();
  if (call !== null) changeCall(call, text);
}

/** Changes any call of the project as an undoable edit. */
export function changeCall(call: NamedCall, text: string): void {
  const now = currentText(call);
  if (now === text) return;
  pushHistory(call.id, now);
  put(call, text);
}

function put(call: NamedCall, text: string): void {
  const next = new Map(drafts.peek());
  if (text === write(call.call)) next.delete(call.id);
  else next.set(call.id, text);
  drafts.value = next;
  unsaved.add(call.id);
  cancelSave();
  cancelSave = soon(() => void saveDrafts(), DRAFT_AFTER_MS);
}

/** The operations that read a dialect. */
const WITH_DIALECT: readonly unknown[] = PACKING;

/** The call to send, as JSON text, with the selected dialect unless it names one. */
export const callToSend = computed<string | null>(() => {
  const text = callText.value;
  return text === null ? null : withDialect(text, dialect.value);
});

/** Adds a dialect to a call unless the call names one or takes none; `null` if the text is not JSON. */
export function withDialect(text: string, name: Dialect): string | null {
  const parsed = parse(text);
  if (!parsed.ok) return null;
  const value = parsed.value;
  if (typeof value !== "object" || value === null || Array.isArray(value) || "dialect" in value) return text;
  if (!WITH_DIALECT.includes(value.op)) return text;
  const comma = Object.keys(value).length === 0 ? "" : ",";
  return `${text.trimEnd().slice(0, -1)}${comma}"dialect":${JSON.stringify(name)}}`;
}

/** Returns a call with its draft changes, as JSON text. */
export function editedText(call: NamedCall): string {
  return drafts.value.get(call.id) ?? write(call.call);
}

/** Calls that pack contexts. Inputs of the composer are calls too, but pack nothing. */
export const packingCalls = computed(() => (project.value?.calls ?? []).filter((call) => call.call.op !== "compose"));
export const compositions = computed(() => (project.value?.calls ?? []).filter((call) => call.call.op === "compose"));
