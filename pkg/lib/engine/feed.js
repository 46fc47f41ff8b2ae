// Messages of the engine, for all watchers.
/** @import { EngineEvent, Transport } from "../../types/engine.js" */
/** @import { OutboxMessage } from "../../types/results.js" */
/** @import { AbortSignalLike } from "../../types/store.js" */
import { notify } from "./incoming.js";
import { Order } from "./order.js";

/** The number of messages that wait for a slow watcher. */
const MAX_WAITING = 1000;
/** The number of messages to remember. Two engines can send the same message, the slower one after later messages. */
const MAX_SEEN = 10_000;

/**
 * Returns a transport inside one process: listeners receive each message at once.
 *
 * @returns {Transport}
 */
export function localTransport() {
  const listeners = /** @type {Set<(message: OutboxMessage) => void>} */ (new Set());
  return {
    publish(message) {
      for (const listener of listeners) notify(() => listener(message));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Returns the event of a message, with the names of its subject.
 *
 * @param {string} projectId
 * @param {Pick<OutboxMessage, "message_id" | "subject" | "payload" | "headers">} message
 * @returns {EngineEvent}
 */
export function eventOf(projectId, { message_id, subject, payload, headers }) {
  const { channel_id, category, target, kind } = subjectParts(projectId, subject);
  const agent_id = category === "evt" ? target : /** @type {any} */ (payload)?.agent_id;
  const worker_target = category === "cmd" ? target : undefined;
  return /** @type {EngineEvent} */ ({ kind, agent_id, worker_target, channel_id, subject, message_id, payload, headers });
}

/**
 * Returns the names in `cg.<version>.<project>.<channel>.<evt|cmd>.agent.<target>.<kind>`. They can contain dots.
 *
 * @param {string} projectId
 * @param {string} subject
 */
export function subjectParts(projectId, subject) {
  const start = subject.indexOf(".", "cg.".length) + 1;
  const tail = subject.slice(start + projectId.length + 1);
  const [, channel_id = "", category = "", rest = tail] = /^(.*?)\.(evt|cmd)\.agent\.(.+)$/.exec(tail) ?? [];
  const at = rest.lastIndexOf(".");
  return { channel_id, category, target: rest.slice(0, Math.max(at, 0)), kind: rest.slice(at + 1) };
}

export class Feed {
  #watchers = /** @type {Set<Watcher>} */ (new Set());
  #seen = /** @type {Set<string>} */ (new Set());
  #order = new Order();

  /**
   * Passes a message to the watchers, each once. Events of an agent never go backwards, although two engines send them:
   * a late one is dropped.
   *
   * @param {string} projectId
   * @param {OutboxMessage} message
   */
  push(projectId, message) {
    if (this.#watchers.size === 0) return;
    const { message_id } = message;
    if (this.#seen.has(message_id)) return;
    if (message_id !== "") this.#seen.add(message_id);
    if (this.#seen.size > MAX_SEEN) this.#seen.delete(String(this.#seen.values().next().value));
    const event = eventOf(projectId, message);
    // a message of another program can lack its agent
    if (event.kind !== "lagged" && typeof event.agent_id !== "string") return;
    if (this.#order.isLate(event)) return;
    for (const watcher of this.#watchers) watcher.push(event);
  }

  /**
   * Returns an async iterator of events. `kinds` selects some of them.
   *
   * @param {{ signal?: AbortSignalLike, kinds?: readonly EngineEvent["kind"][] }} [options]
   */
  watch({ signal, kinds } = {}) {
    const watcher = new Watcher(kinds, () => this.#watchers.delete(watcher));
    this.#watchers.add(watcher);
    signal?.addEventListener("abort", () => watcher.return(), { once: true });
    if (signal?.aborted) watcher.return();
    return watcher;
  }

  close() {
    for (const watcher of this.#watchers) watcher.return();
  }
}

/** @implements {AsyncIterableIterator<EngineEvent>} */
class Watcher {
  #kinds;
  #leave;
  #events = /** @type {EngineEvent[]} */ ([]);
  #dropped = 0;
  #waiting = /** @type {((result: IteratorResult<EngineEvent, undefined>) => void)[]} */ ([]);
  #isDone = false;

  /** @param {readonly EngineEvent["kind"][] | undefined} kinds @param {() => void} leave */
  constructor(kinds, leave) {
    this.#kinds = kinds;
    this.#leave = leave;
  }

  /** @param {EngineEvent} event */
  push(event) {
    if (this.#kinds !== undefined && !this.#kinds.includes(event.kind)) return;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next({ value: event, done: false });
      return;
    }
    this.#events.push(event);
    if (this.#events.length > MAX_WAITING) {
      this.#events.shift();
      this.#dropped += 1;
    }
  }

  /** @returns {Promise<IteratorResult<EngineEvent, undefined>>} */
  async next() {
    if (this.#dropped > 0) {
      const dropped = this.#dropped;
      this.#dropped = 0;
      return { value: { kind: "lagged", dropped }, done: false };
    }
    const event = this.#events.shift();
    if (event !== undefined) return { value: event, done: false };
    if (this.#isDone) return { value: undefined, done: true };
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** @returns {Promise<IteratorReturnResult<undefined>>} */
  async return() {
    this.#isDone = true;
    this.#leave();
    this.#events = [];
    for (const next of this.#waiting.splice(0)) next({ value: undefined, done: true });
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}
