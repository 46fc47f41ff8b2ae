// The end of a turn.
/** @import { CardRow, InboxRow } from "../../types/results.js" */
/** @import { Session } from "./calls.js" */
/** @import { Rows } from "./rows.js" */

/**
 * Returns true if a turn neither runs nor waits.
 *
 * @param {Rows} rows
 * @param {string} agent_id
 * @param {string} agent_turn_id
 */
export async function hasEnded(rows, agent_id, agent_turn_id) {
  const { head, messages } = await rows.turn(agent_id, agent_turn_id);
  if (head?.active_agent_turn_id === agent_turn_id) return false;
  // a leased turn has ended if the agent reached its epoch and has another turn, or none
  /** @param {InboxRow} message */
  const isAhead = ({ payload }) => !(Number(head?.turn_epoch) >= Number(/** @type {any} */ (payload)?.turn_epoch));
  return !messages.some(
    (message) => message.message_type === "turn" && (message.status === "queued" || (message.status === "pending" && isAhead(message))),
  );
}

/**
 * Returns the last deliverable in an output box, if there is one.
 *
 * @param {Session} session
 * @param {string} output_box_id
 * @returns {Promise<CardRow | undefined>}
 */
export async function deliverableOf(session, output_box_id) {
  const { boxes } = await session.view("get_boxes", { box_ids: [output_box_id] });
  if (boxes.length === 0) return undefined;
  const { cards } = await session.view("get_box_cards", { box_id: output_box_id });
  return cards.findLast(({ metadata }) => /** @type {any} */ (metadata).type === "task.deliverable");
}
