// Sends messages of the outbox, and notifies batches when a turn ends. No rule depends on any other message.
/** @import { LogEntry } from "../../types/engine.js" */
/** @import { OutboxMessage } from "../../types/results.js" */
/** @import { RunOperations } from "../../types/arguments.js" */
import { codeOf, messageOf } from "../error.js";
import { TIMEOUT_MS } from "../host.js";
import { isObject } from "./incoming.js";

/** The number of ended turns to remember, so that a batch is not notified twice while a transport is down. */
const MAX_HANDLED = 2000;
/** The number of failed messages after which the rest waits for the next time. */
const MAX_FAILED = 3;
/** The first and the longest time until a message is tried again, and the number of delays until it goes to quarantine. */
const [DELAY_MS, MAX_DELAY_MS, MAX_DELAYS] = [1000, 300_000, 8];
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
 * @property {number} now The milliseconds of the engine, which never go backwards.
 * @property {Refused} refused
 * @property {Set<string>} handled The ids of messages whose batch was notified.
 */

/**
 * Messages that cannot be sent, and why.
 *
 * @typedef {Map<string, { subject: string, error: string }>} Hopeless
 */

/**
 * Messages that a transport refused. A message that fails while others are sent waits longer each time. It delays later
 * messages of its agent, so that events keep their order, and no others. After `MAX_DELAYS` it goes to quarantine.
 */
export class Refused {
  #held = /** @type {Map<string, { delays: number, until: number, sent: number }>} */ (new Map());
  /** The number of messages that were sent. */
  #sent = 0;

  get size() {
    return this.#held.size;
  }

  /** @param {string} message_id */
  sent(message_id) {
    this.#sent += 1;
    this.#held.delete(message_id);
  }

  /**
   * Delays a message.
   *
   * @param {string} message_id
   * @param {number} now
   */
  failed(message_id, now) {
    const { delays, sent } = this.#held.get(message_id) ?? { delays: 0, sent: this.#sent };
    // while nothing is sent, the transport is down, and the message is not the cause
    const next = this.#sent > sent ? delays + 1 : delays;
    this.#held.set(message_id, { delays: next, until: now + Math.min(DELAY_MS * 2 ** next, MAX_DELAY_MS), sent: this.#sent });
  }

  /** @param {string} message_id @param {number} now */
  isWaiting(message_id, now) {
    return (this.#held.get(message_id)?.until ?? now) > now;
  }

  /** @param {string} message_id */
  isHopeless(message_id) {
    return (this.#held.get(message_id)?.delays ?? 0) >= MAX_DELAYS;
  }

  /** @param {string} message_id */
  forget(message_id) {
    this.#held.delete(message_id);
  }

  /**
   * Discards what another engine sent.
   *
   * @param {readonly OutboxMessage[]} messages All messages that wait.
   */
  keep(messages) {
    const ids = new Set(messages.map(({ message_id }) => message_id));
    for (const id of this.#held.keys()) if (!ids.has(id)) this.#held.delete(id);
  }
}

/**
 * Sends messages in order. Returns the ids of those that need not be sent again, and those for quarantine.
 *
 * @param {readonly OutboxMessage[]} messages
 * @param {Host} host
 */
export async function deliver(messages, host) {
  const { log, handled, refused, now } = host;
  const hopeless = /** @type {Hopeless} */ (new Map());
  const failed = await notifyBatches(messages, host, hopeless);
  const ids = /** @type {string[]} */ ([]);
  /** Agents with an earlier message that is not sent. */
  const delayed = /** @type {Set<string>} */ (new Set());
  let lost = 0;
  for (const message of messages) {
    const { message_id, subject } = message;
    const agent = subject.slice(0, subject.lastIndexOf("."));
    // wakeups and messages that no transport stores can be lost safely
    let isDone = subject.endsWith(".wakeup") || message.core === true;
    // while a transport is down, the other messages wait
    const isTried = !failed.has(message_id) && lost < MAX_FAILED && !(delayed.has(agent) && !isDone) && !refused.isWaiting(message_id, now);
    if (isTried) {
      try {
        await published(message, host);
        isDone = true;
        lost = 0;
        refused.sent(message_id);
      } catch (error) {
        log("error", "publish_failed", { subject, message_id, error: messageOf(error) });
        const isPermanent = /** @type {any} */ (error)?.isPermanent === true;
        if (!isPermanent) lost += 1;
        if (isPermanent && !isDone) hopeless.set(message_id, { subject, error: messageOf(error) });
        else if (!isDone) hold(host, message, error, hopeless);
      }
    }
    if (isDone && !failed.has(message_id)) {
      ids.push(message_id);
      handled.delete(message_id);
    } else if (!hopeless.has(message_id)) delayed.add(agent);
  }
  return { ids, hopeless };
}

/**
 * Publishes a message. A transport that does not answer would stop all work of the engine.
 *
 * @param {OutboxMessage} message
 * @param {Host} host
 */
async function published(message, { publish }) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the transport did not answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  try {
    await Promise.race([publish(message), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {Host} host
 * @param {Pick<OutboxMessage, "message_id" | "subject">} message
 * @param {unknown} error
 * @param {Hopeless} hopeless
 */
function hold({ refused, now }, { message_id, subject }, error, hopeless) {
  refused.failed(message_id, now);
  if (refused.isHopeless(message_id)) hopeless.set(message_id, { subject, error: messageOf(error) });
}

/**
 * Reports ended turns to their batches. Returns the messages whose batch was not notified.
 *
 * @param {readonly OutboxMessage[]} messages
 * @param {Host} host
 * @param {Hopeless} hopeless
 */
async function notifyBatches(messages, host, hopeless) {
  const { tasks, childEvent, log, handled, refused, now } = host;
  const failed = /** @type {Set<string>} */ (new Set());
  const all = messages
    .filter(({ message_id, subject, payload }) => subject.endsWith(".task") && isObject(payload) && !handled.has(message_id))
    .map(({ message_id, subject, payload }) => ({ message_id, subject, end: /** @type {any} */ (payload) }))
    .filter(({ end }) => typeof end.agent_turn_id === "string");
  // most turns are not tasks of a batch: one read finds those that are
  const known = await tasks([...new Set(all.map(({ end }) => end.agent_turn_id))]);
  const ends = all.filter(({ end }) => known.has(end.agent_turn_id));
  for (const { message_id } of ends) if (refused.isWaiting(message_id, now)) failed.add(message_id);
  const lanes = Array.from({ length: Math.min(AT_ONCE, ends.length) }, async () => {
    for (let next = ends.shift(); next !== undefined; next = ends.shift()) {
      const { message_id, end } = next;
      if (failed.has(message_id)) continue;
      const { agent_turn_id, status, output_box_id, deliverable_card_id, tool_result_card_id, error } = end;
      try {
        await childEvent({ agent_turn_id, status, output_box_id, deliverable_card_id, tool_result_card_id, error });
        handled.add(message_id);
        if (handled.size > MAX_HANDLED) handled.delete(String(handled.values().next().value));
      } catch (thrown) {
        failed.add(message_id);
        hold(host, next, thrown, hopeless);
        log("error", "child_event_failed", { agent_turn_id, error: messageOf(thrown), code: codeOf(thrown) });
      }
    }
  });
  await Promise.all(lanes);
  return failed;
}
