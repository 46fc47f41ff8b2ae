// What became of a turn.

/** True when a turn neither runs nor waits any more. */
export async function hasEnded(rows, agent_id, agent_turn_id) {
  const { head, messages } = await rows.turn(agent_id, agent_turn_id);
  if (head?.active_agent_turn_id === agent_turn_id) return false;
  const waits = ({ message_type, status }) => message_type === "turn" && (status === "queued" || status === "pending");
  return !messages.some(waits);
}

/** The last deliverable in an output box, where there is one. */
export async function deliverableOf(session, output_box_id) {
  const { boxes } = await session.view("get_boxes", { box_ids: [output_box_id] });
  if (boxes.length === 0) return undefined;
  const { cards } = await session.view("get_box_cards", { box_id: output_box_id });
  return cards.findLast(({ metadata }) => metadata.type === "task.deliverable");
}
