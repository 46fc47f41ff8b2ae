// The state of the view "Timeline": the steps of the log, what is selected, and what is shown of them.
import { batch, computed, signal } from "@preact/signals";
import type { StepDetail, TimelineOverview, TimelineStep } from "tuckbox/web";
import { ask } from "../engine/client.ts";
import { tLazy as t } from "../i18n/index.ts";
import { step, view } from "../state.ts";

export const FILTERS = ["all", "breaks", "compactions", "errors"] as const;
export type Filter = (typeof FILTERS)[number];

/** All steps of the session that is shown; `null` until they are read. */
export const overview = signal<TimelineOverview | null>(null);
/** The session; `undefined` is the newest. */
export const session = signal<number | undefined>(undefined);
export const filter = signal<Filter>("all");
export const toolFilter = signal("");
export const agentFilter = signal<number | null>(null);
export const findText = signal("");
/** The id of the selected message. */
export const message = signal<string | null>(null);
/** Everything about the shown step; `null` until it is read. */
export const stepDetail = signal<StepDetail | null>(null);
/** The first and the last step in the strip; `null` shows all. */
export const zoom = signal<readonly [number, number] | null>(null);

/** Reads the steps. */
export async function readSteps(): Promise<void> {
  const found = await ask("timeline", session.peek());
  batch(() => {
    overview.value = found;
    if (found !== null && (step.peek() === null || (step.peek() ?? 0) > found.steps.length)) step.value = firstShown(found);
  });
}

/** Reads the steps of a log that grew. A user who looks at the last step follows the log to a newer session, too. */
export async function readNewSteps(): Promise<void> {
  const [before, at] = [overview.peek(), step.peek()];
  const isAtEnd = at === null || at === before?.steps.length;
  const id = before?.sessions[before.session ?? -1]?.id;
  let found = await ask("timeline", undefined);
  const same = found?.sessions.findIndex((one) => one.id === id) ?? -1;
  const isPinned = session.peek() !== undefined || !isAtEnd;
  if (same >= 0 && isPinned && same !== found?.session) found = await ask("timeline", same);
  batch(() => {
    session.value = same >= 0 && isPinned ? same : undefined;
    overview.value = found;
    if (isAtEnd || (at ?? 0) > (found?.steps.length ?? 0)) step.value = found?.steps.length || null;
  });
}

/** Returns the step to show first: the last one of the main agent. */
function firstShown({ steps }: TimelineOverview): number | null {
  return steps.findLast(({ kind }) => kind === "main")?.step ?? steps.at(-1)?.step ?? null;
}

export const current = computed<TimelineStep | null>(() => overview.value?.steps[(step.value ?? 0) - 1] ?? null);

/** Goes to a step from any view. */
export function goToStep(number: number, id: string | null = null): void {
  batch(() => {
    view.value = "timeline";
    step.value = number;
    message.value = id;
  });
}

function isShown(one: TimelineStep): boolean {
  const tool = toolFilter.value;
  if (tool !== "" && !one.did.some((action) => action.tool === tool)) return false;
  if (agentFilter.value !== null && one.agent !== agentFilter.value) return false;
  switch (filter.value) {
    case "all":
      return true;
    case "breaks":
      return one.cache?.is_break === true;
    case "compactions":
      return one.compacted !== null;
    case "errors":
      return one.failed;
  }
}

/** A row of the list: a prompt, a sub-agent, or a step. */
export type ListRow =
  | { kind: "prompt"; text: string; step: number }
  | { kind: "agent"; agent: number; step: number }
  | { kind: "step"; at: TimelineStep };

export const rows = computed<ListRow[]>(() => {
  const all = overview.value;
  if (all === null) return [];
  const list: ListRow[] = [];
  let prompt: number | null | undefined;
  let agent = 0;
  for (const at of all.steps) {
    if (!isShown(at)) continue;
    if (at.prompt !== prompt) {
      prompt = at.prompt;
      const text = prompt === null ? "" : (all.prompts[prompt]?.text ?? "");
      list.push({ kind: "prompt", text, step: at.step });
    }
    if (at.agent !== agent && (all.agents[at.agent]?.depth ?? 0) > 0) list.push({ kind: "agent", agent: at.agent, step: at.step });
    agent = at.agent;
    list.push({ kind: "step", at });
  }
  return list;
});

/** The index of the selected step in the list. */
export const activeRow = computed<number | null>(() => {
  const at = rows.value.findIndex((row) => row.kind === "step" && row.at.step === step.value);
  return at < 0 ? null : at;
});

/** Goes to the next or previous step of the list. */
export function walk(by: 1 | -1): void {
  const list = rows.peek().flatMap((row) => (row.kind === "step" ? [row.at.step] : []));
  const at = step.peek() ?? 0;
  const next = by > 0 ? list.find((one) => one > at) : list.findLast((one) => one < at);
  if (next !== undefined) goToStep(next);
}

/** Goes to the first step of the next or previous prompt. */
export function walkPrompts(by: 1 | -1): void {
  const list = rows.peek().flatMap((row) => (row.kind === "prompt" ? [row.step] : []));
  const at = step.peek() ?? 0;
  const next = by > 0 ? list.find((one) => one > at) : list.findLast((one) => one < at);
  if (next !== undefined) goToStep(next);
}

/** Returns what a step did in words. */
export function didLabel({ did, kind, unanswered, error }: Pick<TimelineStep, "did" | "kind" | "unanswered" | "error">): string {
  const words = did.map(({ tool, target, count, failed }) => {
    if (tool === null) return target ?? t("timeline.more", { n: count });
    const what = target ?? (count > 1 ? `×${count}` : "");
    return `${tool} ${what}${target !== null && count > 1 ? ` ×${count}` : ""}${failed ? " ✗" : ""}`.trim();
  });
  if (words.length > 0) return words.join(", ");
  if (error !== null) return `${t("timeline.error")} ${error}`;
  if (kind === "compaction" || kind === "side") return t(`timeline.kindof.${kind as "compaction"}`);
  return unanswered ? t("timeline.unanswered") : t("timeline.answer");
}

/** Returns the time of day of a step. */
export function timeLabel(at: string | null): string {
  return at === null ? "" : new Date(at).toTimeString().slice(0, 8);
}

/** Returns a number of tokens in a few characters. */
export function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  const [value, unit] = tokens < 999_500 ? [tokens / 1_000, "k"] : [tokens / 1_000_000, "M"];
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)}${unit}`;
}

/** Returns a duration. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? "" : ` ${seconds % 60} s`}`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`;
}
