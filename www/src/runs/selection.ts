// The selection of the view "Runs": the steps of a store or of a simulated team, and the current one.
import { computed, signal } from "@preact/signals";
import { project } from "../state.ts";
import type { Moment } from "./types.ts";

export type Source = "store" | "simulated";

export const source = signal<Source>("store");
export const live = signal<readonly Moment[]>([]);
export const simulated = signal<readonly Moment[]>([]);
/** The selected step; `null` follows the newest. */
export const chosen = signal<number | null>(null);

export const moments = computed(() => (source.value === "store" ? live.value : simulated.value));
export const at = computed(() => Math.min(chosen.value ?? Infinity, moments.value.length - 1));
export const shown = computed<Moment | null>(() => moments.value[at.value] ?? null);

/** The agents of all steps, in order of appearance. */
export const agents = computed(() => [...new Set(moments.value.flatMap((one) => one.agents.map(({ agent_id }) => agent_id)))]);

const displayNames = computed(() => new Map((project.value?.agents ?? []).map(({ agent_id, display_name }) => [agent_id, display_name])));

export function nameOf(agent_id: string): string {
  return moments.value.at(-1)?.names[agent_id] ?? displayNames.value.get(agent_id) ?? agent_id;
}
