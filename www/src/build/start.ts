// Creates a handover to build. The form and the editor are loaded when they are first shown.
import { signal } from "@preact/signals";
import { pending } from "../pending.ts";
import { saveCall } from "../project.ts";
import { project } from "../state.ts";

/** True while the user builds a handover. */
export const building = signal(false);

/** Creates a new call of a recipe. */
export async function createCall(op: string): Promise<void> {
  const { blankCall } = await pending(import("./schema.ts"));
  const info = project.peek();
  const number = (info?.calls.length ?? 0) + 1;
  const title = `${op} ${number}`;
  await saveCall({
    id: `call_${Date.now().toString(36)}`,
    title: { en: title, zh: title },
    note: { en: "", zh: "" },
    call: blankCall(op, info?.agents[0]?.agent_id ?? "", info?.profiles[0]?.name ?? ""),
  });
  building.value = true;
}
