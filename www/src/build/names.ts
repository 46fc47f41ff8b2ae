// Suggestions for a field: names from the open project and from the call itself.
import { computed } from "@preact/signals";
import { parsedCall } from "../calls.ts";
import { project } from "../state.ts";
import { at } from "../text/paths.ts";
import { CARD_TYPES, type Schema } from "./schema.ts";

export interface Choice {
  value: string;
  note: string;
}

const args = computed<Choice[]>(() => {
  const call = parsedCall.value;
  const given = call?.ok === true ? at(call.value, ["arguments"]) : undefined;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return [];
  return Object.keys(given).map((value) => ({ value, note: "" }));
});

/** Returns the names that fit a field; empty if every value fits. */
export function choicesFor(of: Schema): Choice[] {
  const info = project.value;
  switch (of.kind) {
    case "profile":
      return [...(info?.profiles ?? []).map(({ name, profile_box_id }) => ({ value: name, note: profile_box_id ?? "" }))];
    case "agent":
      return (info?.agents ?? []).map(({ agent_id, display_name }) => ({ value: agent_id, note: display_name ?? "" }));
    case "box":
      return (info?.boxes ?? []).map(({ box_id, cards }) => ({ value: box_id, note: String(cards) }));
    case "card_type":
      return CARD_TYPES.map((value) => ({ value, note: "" }));
    case "argument":
      return args.value;
    case "choice":
      return of.values.map((value) => ({ value, note: "" }));
    case "flag":
      return [
        { value: "true", note: "" },
        { value: "false", note: "" },
      ];
    case "line":
    case "text":
    case "number":
    case "json":
    case "list":
    case "object":
      return [];
  }
}
