// The two sides of a comparison: what can be selected, and what each side shows.
import { computed, signal } from "@preact/signals";
import type { ListedRows } from "tuckbox/web";
import { editedText, packingCalls, withDialect } from "../../calls.ts";
import { left, PREVIEW_SIDE, previewSide, right, type SideChoice } from "../../comparison.ts";
import { ask } from "../../engine/client.ts";
import type { ContextRef, NamedCall } from "../../engine/protocol.ts";
import { formatTime, lang, t } from "../../i18n/lazy.ts";
import { boxName, dialect, goTo, project, show, target } from "../../state.ts";
import { at } from "../../text/paths.ts";

/** The recorded turns of an agent, oldest first. */
const recordedTurns = signal<{ agent_id: string; views: { view_id: string; at: string }[] } | null>(null);

/** Loads the recorded turns of an agent; without any, its current turn is compared. */
export async function loadTurns(agent_id: string): Promise<void> {
  const { value } = await ask("preview", JSON.stringify({ op: "list_turn_views", agent_id, limit: 200 })).catch(() => ({ value: null }));
  const rows = (value as unknown as ListedRows | null)?.rows ?? [];
  recordedTurns.value = { agent_id, views: rows.map(({ view_id, at: when }) => ({ view_id: String(view_id), at: String(when) })) };
}

export const options = computed(() => [
  ...(recordedTurns.value?.views ?? []).map(({ view_id, at: when }, index) => ({
    what: `view:${view_id}`,
    text: t("compare.turn", { agent: agentName(recordedTurns.value?.agent_id ?? ""), n: index + 1, when: formatTime(Date.parse(when)) }),
  })),
  ...(previewSide.value === null ? [] : [{ what: PREVIEW_SIDE, text: previewSide.value.title }]),
  ...packingCalls.value.flatMap((call) => {
    const title = call.title[lang.value] ?? call.id;
    const count = tasks(call);
    if (count < 2) return [{ what: `call:${call.id}`, text: title }];
    // every context of a call can be compared
    return Array.from({ length: count }, (_, index) => ({ what: whatOf(call.id, index), text: `${title} · ${index + 1}` }));
  }),
  ...(project.value?.agents ?? []).map((agent) => ({ what: `agent:${agent.agent_id}`, text: agent.display_name ?? agent.agent_id })),
  ...(project.value?.boxes ?? []).map((box) => ({ what: `box:${box.box_id}`, text: boxName(box.box_id) })),
]);

function agentName(agent_id: string): string {
  return project.value?.agents.find((agent) => agent.agent_id === agent_id)?.display_name ?? agent_id;
}

/** Returns the initial side: the shown call under two dialects, two turns of an agent, or a box. */
function initialSide(side: 0 | 1): SideChoice {
  const at = target.value;
  if (at?.kind === "agent") {
    const now = { what: `agent:${at.agent_id}`, dialect: dialect.value };
    const views = recordedTurns.value?.agent_id === at.agent_id ? recordedTurns.value.views : [];
    // two recorded turns: the last two; one: that and the current turn
    const recorded = (back: number) => ({ what: `view:${views.at(-back)?.view_id ?? ""}`, dialect: dialect.value });
    if (views.length === 0) return now;
    if (views.length === 1) return side === 0 ? recorded(1) : now;
    return recorded(side === 0 ? 2 : 1);
  }
  const what = at?.kind === "call" ? `call:${at.id}` : at?.kind === "box" ? `box:${at.box_id}` : (options.value[0]?.what ?? "");
  return { what, dialect: side === 0 ? "v1r3" : "v1r4_hotfix" };
}

/** Returns how many contexts a call packs. */
function tasks(call: NamedCall): number {
  const given = at(call.call, ["arguments", "tasks"]);
  return Array.isArray(given) ? given.length : 1;
}

function whatOf(id: string, shown: number): string {
  return shown === 0 ? `call:${id}` : `call${shown}:${id}`;
}

function contextOf(chosen: SideChoice): ContextRef | null {
  if (chosen.what === PREVIEW_SIDE) return previewSide.value === null ? null : { subject: { call: previewSide.value.call }, shown: 0 };
  const colon = chosen.what.indexOf(":");
  const [kind, id] = [chosen.what.slice(0, colon), chosen.what.slice(colon + 1)];
  if (kind === "box") return { subject: { box_id: id }, shown: 0 };
  if (kind === "view") return { subject: { turn: { recorded: id } }, shown: 0 };
  if (kind === "agent") return { subject: { turn: { agent_id: id } }, shown: 0 };
  const call = packingCalls.value.find((one) => one.id === id);
  const text = call === undefined ? null : withDialect(editedText(call), chosen.dialect);
  return text === null ? null : { subject: { call: text }, shown: Number(kind.slice("call".length)) };
}

export const sides = computed(() => {
  const [one, other] = [left.value ?? initialSide(0), right.value ?? initialSide(1)];
  return { one, other, left: contextOf(one), right: contextOf(other) };
});

/** Goes to a card of one side. */
export function openCard({ what }: SideChoice, position: number): void {
  const colon = what.indexOf(":");
  const [kind, id] = [what.slice(0, colon), what.slice(colon + 1)];
  if (what === PREVIEW_SIDE) return;
  if (kind === "box") show({ kind: "box", box_id: id });
  else if (kind === "agent") show({ kind: "agent", agent_id: id });
  else show({ kind: "call", id });
  goTo(position, kind.startsWith("call") ? Number(kind.slice("call".length)) : 0);
}
