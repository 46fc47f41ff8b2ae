// Messages as they come by, for everybody who watches.

/** How many messages are kept for somebody who is slow. */
const KEPT = 1000;

/** A transport inside one process: what is published is heard at once. */
export function localTransport() {
  const heard = new Set();
  return {
    publish(message) {
      for (const listener of heard) listener(message);
    },
    subscribe(listener) {
      heard.add(listener);
      return () => heard.delete(listener);
    },
  };
}

/** A message with what its subject says. */
export function eventOf(project_id, { message_id, subject, payload, headers }) {
  const { channel_id, category, target, kind } = subjectParts(project_id, subject);
  const agent_id = category === "evt" ? target : payload?.agent_id;
  const worker_target = category === "cmd" ? target : undefined;
  return { kind, agent_id, worker_target, channel_id, subject, message_id, payload, headers };
}

/** The names in `cg.<version>.<project>.<channel>.<evt|cmd>.agent.<target>.<kind>`, which may hold dots themselves. */
export function subjectParts(project_id, subject) {
  const start = subject.indexOf(".", "cg.".length) + 1;
  const tail = subject.slice(start + project_id.length + 1);
  const [, channel_id = "", category = "", rest = tail] = /^(.*?)\.(evt|cmd)\.agent\.(.+)$/.exec(tail) ?? [];
  const at = rest.lastIndexOf(".");
  return { channel_id, category, target: rest.slice(0, Math.max(at, 0)), kind: rest.slice(at + 1) };
}

export class Feed {
  #watchers = new Set();

  push(project_id, message) {
    if (this.#watchers.size === 0) return;
    const event = eventOf(project_id, message);
    for (const watcher of this.#watchers) watcher.push(event);
  }

  /** An async iterator of events; `kinds` chooses among them. */
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

class Watcher {
  #kinds;
  #leave;
  #events = [];
  #dropped = 0;
  #waiting = [];
  #isDone = false;

  constructor(kinds, leave) {
    this.#kinds = kinds;
    this.#leave = leave;
  }

  push(event) {
    if (this.#kinds !== undefined && !this.#kinds.includes(event.kind)) return;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next({ value: event, done: false });
      return;
    }
    this.#events.push(event);
    if (this.#events.length > KEPT) {
      this.#events.shift();
      this.#dropped += 1;
    }
  }

  async next() {
    if (this.#dropped > 0) {
      const dropped = this.#dropped;
      this.#dropped = 0;
      return { value: { kind: "lagged", dropped }, done: false };
    }
    if (this.#events.length > 0) return { value: this.#events.shift(), done: false };
    if (this.#isDone) return { value: undefined, done: true };
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

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
