// Messages of an engine over NATS JetStream: wakeups and events. The store is the source of truth.
//
//   import * as jetstream from "@nats-io/jetstream";
//   import * as nats from "@nats-io/transport-node";
//   import { natsTransport } from "tuckbox/engines/nats";
//
//   const transport = await natsTransport({ nats, jetstream, connect: { servers: "nats://127.0.0.1:4222" } });
//   const team = engine({ open, store, projectId: "demo", transport });
//
// The id of a message is that of its outbox row, so a message that is sent twice is stored once. A worker acknowledges
// a wakeup after it committed the claim.
/** @import { Clock, EngineEvent } from "../types/engine.js" */
/** @import { NatsOptions } from "../types/engines/nats.js" */
/** @import { OutboxMessage } from "../types/results.js" */
import { checkClock, systemClock } from "../lib/clock.js";
import { eventOf, subjectParts } from "../lib/engine/feed.js";
import { notify, readMessage } from "../lib/engine/incoming.js";
import { messageOf, TuckboxError } from "../lib/error.js";
import { only, own, wrong } from "../lib/options.js";

const REQUIRED = ["nats", "jetstream", "connection"];

const DEFAULTS = {
  connect: {},
  stream: "cg_v1r3",
  maxAgeSeconds: 3600,
  ackWaitSeconds: 30,
  publishTimeoutMs: 5000,
  consumer: "tuckbox_workers",
  create: true,
  clock: systemClock,
};
const NANOS = 1_000_000_000;
/** The wait before a lost consumer is created again. */
const RETRY_MS = 500;

/** @typedef {typeof DEFAULTS & NatsOptions & { clock: Clock }} Options */

/** The subjects of the stream. Other messages reach only current listeners. */
const SUBJECTS = [
  "cg.v1r3.*.*.cmd.agent.*.wakeup",
  "cg.v1r3.*.*.evt.agent.*.state",
  "cg.v1r3.*.*.evt.agent.*.step",
  "cg.v1r3.*.*.evt.agent.*.task",
];

/**
 * Returns a transport over `connection`, or over a new one with the options `connect`.
 *
 * @type {typeof import("../types/engines/nats.js").natsTransport}
 */
export async function natsTransport(given) {
  only(given, [...REQUIRED, ...Object.keys(DEFAULTS)]);
  const options = /** @type {Options} */ (own({ ...DEFAULTS, ...given }));
  if (typeof options.nats?.headers !== "function") throw wrong("nats", "`nats` is missing: pass the package `@nats-io/transport-node`");
  if (typeof options.jetstream?.jetstream !== "function")
    throw wrong("jetstream", "`jetstream` is missing: pass the package `@nats-io/jetstream`");
  checkClock(options.clock);
  const isOwn = options.connection === undefined;
  const connection = /** @type {any} */ (options.connection ?? (await connected(options)));
  const transport = new NatsTransport(connection, isOwn, options);
  try {
    await transport.ensureStream();
  } catch (error) {
    if (isOwn) await connection.close();
    throw error;
  }
  return transport;
}

class NatsTransport {
  #nc;
  #isOwn;
  #jetstream;
  #js;
  #options;
  #isUp = true;
  #listeners = /** @type {Set<{ unsubscribe(): void }>} */ (new Set());

  /** @param {any} nc @param {boolean} isOwn @param {Options} options */
  constructor(nc, isOwn, options) {
    this.#nc = nc;
    this.#isOwn = isOwn;
    this.#jetstream = options.jetstream;
    this.#js = options.jetstream.jetstream(nc, { timeout: options.publishTimeoutMs });
    this.#options = options;
    this.#follow();
  }

  /** True while the server is reachable. */
  get isUp() {
    return this.#isUp;
  }

  async #follow() {
    for await (const { type } of this.#nc.status()) {
      if (type === "disconnect") this.#isUp = false;
      if (type === "reconnect") this.#isUp = true;
    }
    this.#isUp = false;
  }

  /** Creates the stream if it does not exist. A stream with other subjects is an error. */
  async ensureStream() {
    const { stream: name, maxAgeSeconds, create } = this.#options;
    try {
      const manager = await this.#jetstream.jetstreamManager(this.#nc, { timeout: this.#options.publishTimeoutMs });
      let found;
      try {
        found = await manager.streams.info(name);
      } catch (error) {
        if (!create || !isMissing(error)) throw error;
        const config = {
          name,
          subjects: SUBJECTS,
          max_age: maxAgeSeconds * NANOS,
          duplicate_window: 120 * NANOS,
          storage: "file",
          discard: "old",
        };
        found = await manager.streams.add(config);
      }
      const missing = SUBJECTS.filter((subject) => !found.config.subjects.some((/** @type {string} */ taken) => covers(taken, subject)));
      if (missing.length > 0)
        throw wrong("stream", `the stream \`${name}\` has another configuration: it does not have the subject \`${missing[0]}\``, {
          stream: name,
          missing,
          found: found.config.subjects,
        });
    } catch (error) {
      throw refused(error, `the stream \`${name}\` cannot be used`);
    }
  }

  /** @param {OutboxMessage} message @param {{ projectId: string }} of */
  async publish(message, { projectId }) {
    if (!this.#isUp) throw new TuckboxError("store", "the NATS server is not reachable", { path: "transport" });
    const subject = wireSubject(message.subject, projectId);
    const headers = this.#headers(message, subject);
    const data = JSON.stringify(message.payload);
    const max = this.#nc.info?.max_payload ?? Infinity;
    if (data.length * 3 > max && new TextEncoder().encode(data).length > max) {
      throw Object.assign(wrong("payload", `the message is longer than ${max} bytes, the limit of the server`), { isPermanent: true });
    }
    if (message.core === true) {
      this.#nc.publish(subject, data, { headers });
      return;
    }
    try {
      await this.#js.publish(subject, data, { msgID: message.message_id, headers, timeout: this.#options.publishTimeoutMs });
    } catch (error) {
      // creates the stream again if the server lost it
      if (!isMissing(error)) throw refused(error, "the message was not stored");
      await this.ensureStream();
      await this.#js.publish(subject, data, { msgID: message.message_id, headers, timeout: this.#options.publishTimeoutMs });
    }
  }

  /** @param {OutboxMessage} message @param {string} subject */
  #headers({ message_id, subject: given, headers, core }, subject) {
    const made = this.#options.nats.headers();
    for (const [name, value] of Object.entries(headers ?? {})) made.set(name, String(value));
    made.set("Tuckbox-Message-Id", message_id);
    if (subject !== given) made.set("Tuckbox-Subject", encodeURIComponent(given));
    if (core === true) made.set("Tuckbox-Core", "1");
    return made;
  }

  /**
   * Passes all messages from now on to `listener`.
   *
   * @param {(message: OutboxMessage) => void} listener
   * @param {{ projectId: string }} of
   */
  subscribe(listener, { projectId }) {
    const subscription = this.#nc.subscribe(`cg.*.${token(projectId)}.>`, {
      callback: (/** @type {unknown} */ error, /** @type {any} */ message) => {
        const read = error === null || error === undefined ? messageIn(message) : undefined;
        if (read !== undefined) notify(() => listener(read));
      },
    });
    this.#listeners.add(subscription);
    return () => {
      this.#listeners.delete(subscription);
      subscription.unsubscribe();
    };
  }

  /**
   * Passes each wakeup of the project to one of all waiting workers. It is acknowledged when `handler` resolves, and
   * repeated when `handler` rejects.
   *
   * @param {(event: EngineEvent & { readonly isMine: true }) => Promise<void>} handler
   * @param {{ projectId: string }} of
   */
  async wakeups(handler, { projectId }) {
    const { stream, consumer, ackWaitSeconds } = this.#options;
    const durable_name = `${consumer}_${token(projectId).replace(/=/g, "-")}`;
    const { clock } = this.#options;
    /** @type {any} */
    let messages;
    let isClosed = false;
    let wake = () => {};
    /** @returns {Promise<void>} */
    const pause = () =>
      new Promise((resolve) => {
        const timer = clock.setTimeout(resolve, RETRY_MS);
        wake = () => {
          clock.clearTimeout(timer);
          resolve();
        };
      });
    const begin = async () => {
      const manager = await this.#jetstream.jetstreamManager(this.#nc);
      await manager.consumers.add(stream, {
        durable_name,
        filter_subject: `cg.v1r3.${token(projectId)}.*.cmd.agent.*.wakeup`,
        ack_policy: "explicit",
        deliver_policy: "new",
        ack_wait: ackWaitSeconds * NANOS,
        max_deliver: 10,
      });
      return (await this.#js.consumers.get(stream, durable_name)).consume({ max_messages: 10 });
    };
    // missing wakeups are not an error: workers also look for work
    messages = await begin().catch(() => undefined);
    const running = (async () => {
      while (!isClosed) {
        try {
          for await (const message of messages ?? []) void wakeUp(message, handler, projectId);
        } catch {
          // the connection was lost: try again
        }
        if (!isClosed) await pause();
        if (!isClosed) messages = await begin().catch(() => undefined);
      }
    })();
    return async () => {
      isClosed = true;
      wake();
      await messages?.close();
      await running;
    };
  }

  async close() {
    for (const subscription of this.#listeners) subscription.unsubscribe();
    if (this.#isOwn) await this.#nc.close();
  }
}

/**
 * @param {any} message
 * @param {(event: EngineEvent & { readonly isMine: true }) => Promise<void>} handler
 * @param {string} projectId
 */
async function wakeUp(message, handler, projectId) {
  const read = messageIn(message);
  try {
    // what is not a wakeup is not repeated
    if (read !== undefined) await handler({ ...eventOf(projectId, read), isMine: true });
    message.ack();
  } catch {
    notify(() => message.nak(500));
  }
}

/**
 * Returns the message of the engine in a message of NATS; nothing for any other message.
 *
 * @param {any} message
 */
function messageIn(message) {
  try {
    return readMessage(unread(message));
  } catch {
    return undefined;
  }
}

/** @param {any} message */
function unread(message) {
  /** @param {string} name @returns {string | undefined} */
  const header = (name) => message.headers?.get(name) || undefined;
  const headers = /** @type {{ [name: string]: string }} */ ({});
  for (const name of message.headers?.keys() ?? []) if (!/^(Nats-|Tuckbox-)/.test(name)) headers[name] = message.headers.get(name);
  const given = header("Tuckbox-Subject");
  return {
    message_id: header("Tuckbox-Message-Id") ?? "",
    subject: given === undefined ? message.subject : decodeURIComponent(given),
    payload: message.json(),
    headers: Object.keys(headers).length > 0 ? headers : null,
    core: header("Tuckbox-Core") === "1",
  };
}

/**
 * Returns a name as one token of a subject. Other characters are written as `=` and the hexadecimal code of each byte.
 *
 * @param {string} name
 */
function token(name) {
  return (
    name.replace(/[^A-Za-z0-9_-]/gu, (character) =>
      Array.from(new TextEncoder().encode(character), (byte) => `=${byte.toString(16).padStart(2, "0")}`).join(""),
    ) || "="
  );
}

/**
 * Returns `cg.<version>.<project>.<channel>.<evt|cmd>.agent.<target>.<kind>` with a token for each name.
 *
 * @param {string} subject
 * @param {string} projectId
 */
function wireSubject(subject, projectId) {
  const version = subject.split(".", 2)[1];
  const { channel_id, category, target, kind } = subjectParts(projectId, subject);
  if (category === "") return subject.split(".").map(token).join(".");
  return ["cg", version, token(projectId), token(channel_id), category, "agent", token(target), token(kind)].join(".");
}

/**
 * Returns true if `taken` includes every subject of `wanted`.
 *
 * @param {string} taken
 * @param {string} wanted
 */
function covers(taken, wanted) {
  const [a, b] = [taken.split("."), wanted.split(".")];
  for (let at = 0; at < a.length; at += 1) {
    if (a[at] === ">") return b.length > at;
    if (b[at] === undefined || (a[at] !== "*" && a[at] !== b[at])) return false;
  }
  return a.length === b.length;
}

/** @param {Options} options */
async function connected({ nats, connect }) {
  try {
    return await /** @type {any} */ (nats).connect({ maxReconnectAttempts: -1, reconnectTimeWait: 250, timeout: 5000, ...connect });
  } catch (error) {
    throw refused(error, "cannot connect to a NATS server");
  }
}

/** @param {any} error @param {string} what */
function refused(error, what) {
  if (error instanceof TuckboxError) return error;
  const code = /auth|permission/i.test(`${error?.name} ${messageOf(error)}`) ? "auth_failed" : "store";
  return new TuckboxError(code, `${what}: ${messageOf(error)}`, { path: "transport", cause: error });
}

/**
 * Returns true if the stream does not exist, or no stream has the subject. The client takes the latter for a server
 * without JetStream.
 *
 * @param {any} error
 */
function isMissing(error) {
  return /StreamNotFound|NoResponders|no responders|stream not found|JetStreamNotEnabled/i.test(
    `${error?.name} ${messageOf(error)} ${error?.cause?.name ?? ""}`,
  );
}
