// What became of a turn.

/** True when a turn neither runs nor waits any more. */
export async function hasEnded(rows, agent_id, agent_turn_id) {
  const { head, messages } = await rows.turn(agent_id, agent_turn_id);
  if (head?.active_agent_turn_id === agent_turn_id) return false;
  // a turn that was given to its agent is over when the agent is at that epoch, or past it, without it
  const isAhead = ({ payload }) => !(head?.turn_epoch >= payload?.turn_epoch);
  return !messages.some((message) => message.message_type === "turn" && (message.status === "queued" || (message.status === "pending" && isAhead(message))));
}

/** The last deliverable in an output box, where there is one. */
export async function deliverableOf(session, output_box_id) {
  const { boxes } = await session.view("get_boxes", { box_ids: [output_box_id] });
  if (boxes.length === 0) return undefined;
  const { cards } = await session.view("get_box_cards", { box_id: output_box_id });
  return cards.findLast(({ metadata }) => metadata.type === "task.deliverable");
}
