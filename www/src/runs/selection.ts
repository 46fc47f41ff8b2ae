// The selection of the view "Runs": the steps of a store or of a simulated team, and the current one.
import { computed, signal } from "@preact/signals";
import { project } from "../state.ts";
import type { RunStep } from "./types.ts";

export type Source = "store" | "simulated";

export const source = signal<Source>("store");
export const storeSteps = signal<readonly RunStep[]>([]);
export const simulatedSteps = signal<readonly RunStep[]>([]);
/** The selected step; `null` follows the newest. */
export const selectedStep = signal<number | null>(null);

export const steps = computed(() => (source.value === "store" ? storeSteps.value : simulatedSteps.value));
export const currentIndex = computed(() => Math.min(selectedStep.value ?? Infinity, steps.value.length - 1));
export const currentStep = computed<RunStep | null>(() => steps.value[currentIndex.value] ?? null);

/** The agents of all steps, in order of appearance. */
export const agents = computed(() => [...new Set(steps.value.flatMap((one) => one.agents.map(({ agent_id }) => agent_id)))]);

const displayNames = computed(() => new Map((project.value?.agents ?? []).map(({ agent_id, display_name }) => [agent_id, display_name])));

export function nameOf(agent_id: string): string {
  return steps.value.at(-1)?.names[agent_id] ?? displayNames.value.get(agent_id) ?? agent_id;
}
