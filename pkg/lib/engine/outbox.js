// Sends messages of the outbox. Batches are notified here when a turn ends; every other message is only news.
/** @import { LogEntry } from "../../types/engine.js" */
/** @import { OutboxMessage } from "../../types/results.js" */
/** @import { RunOperations } from "../../types/run.js" */
import { codeOf, messageOf } from "../error.js";

/** The number of ended turns to remember, so that a batch is not notified twice while a transport is down. */
const MAX_HANDLED = 2000;
/** The number of failed messages after which the rest waits for the next time. */
const MAX_FAILED = 3;
/** The number of batches that are notified at the same time. */
const AT_ONCE = 4;

/**
 * What sending needs of the engine.
 *
 * @typedef {object} Host
 * @property {(message: OutboxMessage) => unknown} publish
 * @property {(agent_turn_ids: string[]) => Promise<Set<string>>} tasks
 * @property {(event: RunOperations["child_event"]["args"]) => Promise<unknown>} childEvent
 * @property {(level: LogEntry["level"], event: string, details: object) => void} log
 * @property {Set<string>} handled The ids of messages whose batch was notified.
 */

/**
 * Sends messages in order, and returns the ids of those that need not be sent again.
 *
 * @param {readonly OutboxMessage[]} messages
 * @param {Host} host
 */
export async function deliver(messages, host) {
  const { publish, log, handled } = host;
  const failed = await notifyBatches(messages, host);
  const ids = /** @type {string[]} */ ([]);
  let lost = 0;
  for (const message of messages) {
    const { message_id, subject } = message;
    if (failed.has(message_id)) continue;
    // a lost wakeup is harmless, and so is lost news
    let isDone = subject.endsWith(".wakeup") || message.core === true;
    // while a transport is down, the other messages wait
    if (lost < MAX_FAILED) {
      try {
        await publish(message);
        isDone = true;
      } catch (error) {
        log("error", "publish_failed", { subject, message_id, error: messageOf(error) });
        // drop undeliverable messages so they do not block others
        if (/** @type {any} */ (error)?.isPermanent === true) isDone = true;
        else lost += 1;
      }
    }
    if (!isDone) continue;
    ids.push(message_id);
    handled.delete(message_id);
  }
  return ids;
}

/** @param {readonly OutboxMessage[]} messages @param {Host} host */
async function notifyBatches(messages, { tasks, childEvent, log, handled }) {
  const failed = /** @type {Set<string>} */ (new Set());
  const all = messages
    .filter(({ message_id, subject }) => subject.endsWith(".task") && !handled.has(message_id))
    .map(({ message_id, payload }) => ({ message_id, end: /** @type {any} */ (payload) }));
  // most turns are not tasks of a batch: one read finds those that are
  const known = await tasks([...new Set(all.map(({ end }) => end.agent_turn_id))]);
  const ends = all.filter(({ end }) => known.has(end.agent_turn_id));
  const lanes = Array.from({ length: Math.min(AT_ONCE, ends.length) }, async () => {
    for (let next = ends.shift(); next !== undefined; next = ends.shift()) {
      const { message_id, end } = next;
      const { agent_turn_id, status, output_box_id, deliverable_card_id, tool_result_card_id, error } = end;
      try {
        await childEvent({ agent_turn_id, status, output_box_id, deliverable_card_id, tool_result_card_id, error });
        handled.add(message_id);
        if (handled.size > MAX_HANDLED) handled.delete(String(handled.values().next().value));
      } catch (thrown) {
        failed.add(message_id);
        log("error", "child_event_failed", { agent_turn_id, error: messageOf(thrown), code: codeOf(thrown) });
      }
    }
  });
  await Promise.all(lanes);
  return failed;
}
