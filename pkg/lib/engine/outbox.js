// Messages on their way out. The end of a turn is told to its batch here; everything else is only news.
import { messageOf } from "../error.js";

/** How many ends of turns are remembered, so that none is told twice while a transport is away. */
const REMEMBERED = 2000;
/** How many messages in a row may fail before the others wait for the next time. */
const PATIENCE = 3;
/** How many ends of turns are told to their batches at once. */
const AT_ONCE = 4;

/** What was told to batches already. */
export function handled() {
  return new Set();
}

/** Sends messages in their order; the ids of those that need not be sent again. */
export async function deliver(messages, { publish, tasks, childEvent, log, handled }) {
  const failed = await tellBatches(messages, { tasks, childEvent, log, handled });
  const ids = [];
  let lost = 0;
  for (const message of messages) {
    const { message_id, subject } = message;
    if (failed.has(message_id)) continue;
    // a doorbell that nobody hears is harmless, and so is news that nobody keeps
    let isDone = subject.endsWith(".wakeup") || message.core === true;
    // a transport that is away is not asked for every message
    if (lost < PATIENCE) {
      try {
        await publish(message);
        isDone = true;
      } catch (error) {
        log("error", "publish_failed", { subject, message_id, error: messageOf(error) });
        // what can never be sent must not stand in the way
        if (error?.isPermanent === true) isDone = true;
        else lost += 1;
      }
    }
    if (!isDone) continue;
    ids.push(message_id);
    handled.delete(message_id);
  }
  return ids;
}

async function tellBatches(messages, { tasks, childEvent, log, handled }) {
  const failed = new Set();
  const all = messages.filter(({ message_id, subject }) => subject.endsWith(".task") && !handled.has(message_id));
  // most turns are nobody's task: one read tells
  const known = await tasks([...new Set(all.map(({ payload }) => payload.agent_turn_id))]);
  const ends = all.filter(({ payload }) => known.has(payload.agent_turn_id));
  const hands = Array.from({ length: Math.min(AT_ONCE, ends.length) }, async () => {
    for (let message = ends.shift(); message !== undefined; message = ends.shift()) {
      const { message_id, payload } = message;
      const { agent_turn_id, status, output_box_id, deliverable_card_id, tool_result_card_id, error } = payload;
      try {
        await childEvent({ agent_turn_id, status, output_box_id, deliverable_card_id, tool_result_card_id, error });
        handled.add(message_id);
        if (handled.size > REMEMBERED) handled.delete(handled.values().next().value);
      } catch (thrown) {
        failed.add(message_id);
        log("error", "child_event_failed", { agent_turn_id, error: messageOf(thrown), code: thrown?.code });
      }
    }
  });
  await Promise.all(hands);
  return failed;
}
