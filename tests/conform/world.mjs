// Shared code of adaptors: the environment, and stores with recorded worlds.
import { members } from "./raw.mjs";

/** The time and the entropy of every recorded call, the same natively and in JavaScript. */
export const env = { now: 1767522600000, entropy: new Uint8Array(32).fill(7) };

/** Returns the outcome of a call under a label: its exact text, or its error. */
export async function outcome(label, work) {
  try {
    return { label, okText: await work() };
  } catch (error) {
    return { label, error };
  }
}

/** Returns the JSON of an object from the JSON of its members. */
export function objectText(texts) {
  const parts = Object.entries(texts).map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  return `{${parts.join(",")}}`;
}

/** Returns the members of an object's text by name. Missing ones are `null`. */
export function fields(text) {
  const found = new Map(text.startsWith("{") ? members(text) : []);
  return (name) => found.get(name) ?? "null";
}

/** Adds the boxes of a recorded world: `{box_id: [card_id, ..]}`. */
export function addBoxes(project, boxes) {
  for (const [box_id, card_ids] of Object.entries(boxes ?? {})) {
    project.addBox({ box_id, card_ids: card_ids.filter((id) => typeof id === "string") });
  }
}

/** Returns a new card in the recorded form. */
export function newCard(card, given) {
  const column = fields(card);
  const stored = fields(column("metadata"));
  return objectText({
    card_id: column("card_id"),
    tenant_id: column("tenant_id"),
    type: stored("type"),
    author_id: stored("author_id"),
    created_at: stored("created_at"),
    content: column("content"),
    metadata: given,
    stored_metadata: column("metadata"),
    tool_calls: column("tool_calls"),
    tool_call_id: column("tool_call_id"),
    ttl_seconds: column("ttl_seconds"),
  });
}
