// Messages of an engine over NATS JetStream: a doorbell and a newspaper, never the truth.
//
//   import * as jetstream from "@nats-io/jetstream";
//   import * as nats from "@nats-io/transport-node";
//   import { natsTransport } from "tuckbox/engines/nats";
//
//   const transport = await natsTransport({ nats, jetstream, connect: { servers: "nats://127.0.0.1:4222" } });
//   const team = engine({ open, store, project_id: "demo", transport });
//
// A message's id is that of its outbox row, so that a message that is sent twice is stored once. A doorbell is
// acknowledged after the claim that it led to was committed.
import { checkClock, systemClock } from "../lib/clock.js";
import { eventOf, subjectParts } from "../lib/engine/feed.js";
import { wrong } from "../lib/options.js";
import { TuckboxError, messageOf } from "../lib/error.js";

const DEFAULTS = { nats: undefined, jetstream: undefined, connection: undefined, connect: {}, stream: "cg_v1r3", max_age_seconds: 3600, ack_wait_seconds: 30, publish_timeout_ms: 5000, consumer: "tuckbox_workers", create: true, clock: systemClock };
const NANOS = 1_000_000_000;
/** How long to wait before a consumer that was cut is made again. */
const AGAIN_MS = 500;

/** What is kept in the stream; other messages are heard by whoever listens at that moment. */
const SUBJECTS = ["cg.v1r3.*.*.cmd.agent.*.wakeup", "cg.v1r3.*.*.evt.agent.*.state", "cg.v1r3.*.*.evt.agent.*.step", "cg.v1r3.*.*.evt.agent.*.task"];

/** A transport over `connection`, or over one that is made with the options `connect`. */
export async function natsTransport(given) {
  const unknown = Object.keys(given ?? {}).find((name) => !(name in DEFAULTS));
  if (unknown !== undefined) throw wrong(unknown, `unknown option \`${unknown}\``);
  const options = { ...DEFAULTS, ...given };
  if (typeof options.nats?.headers !== "function") throw wrong("nats", "`nats` is missing: pass the package `@nats-io/transport-node`");
  if (typeof options.jetstream?.jetstream !== "function") throw wrong("jetstream", "`jetstream` is missing: pass the package `@nats-io/jetstream`");
  checkClock(options.clock);
  const isOwn = options.connection === undefined;
  const connection = options.connection ?? (await connected(options));
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
  #listeners = new Set();

  constructor(nc, isOwn, options) {
    this.#nc = nc;
    this.#isOwn = isOwn;
    this.#jetstream = options.jetstream;
    this.#js = options.jetstream.jetstream(nc, { timeout: options.publish_timeout_ms });
    this.#options = options;
    this.#follow();
  }

  /** Whether the server can be reached. */
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

  /** Makes the stream, unless it is there; one that takes other subjects is refused. */
  async ensureStream() {
    const { stream: name, max_age_seconds, create } = this.#options;
    try {
      const manager = await this.#jetstream.jetstreamManager(this.#nc, { timeout: this.#options.publish_timeout_ms });
      let found;
      try {
        found = await manager.streams.info(name);
      } catch (error) {
        if (!create || !isMissing(error)) throw error;
        const config = { name, subjects: SUBJECTS, max_age: max_age_seconds * NANOS, duplicate_window: 120 * NANOS, storage: "file", discard: "old" };
        found = await manager.streams.add(config);
      }
      const missing = SUBJECTS.filter((subject) => !found.config.subjects.some((taken) => covers(taken, subject)));
      if (missing.length > 0) throw wrong("stream", `the stream \`${name}\` is there with another configuration: it does not take \`${missing[0]}\``, { stream: name, missing, found: found.config.subjects });
    } catch (error) {
      throw refused(error, `the stream \`${name}\` cannot be used`);
    }
  }

  async publish(message, { project_id }) {
    if (!this.#isUp) throw new TuckboxError("store", "the NATS server cannot be reached", { path: "transport" });
    const subject = wireSubject(message.subject, project_id);
    const headers = this.#headers(message, subject);
    const data = JSON.stringify(message.payload);
    const max = this.#nc.info?.max_payload ?? Infinity;
    if (data.length * 3 > max && new TextEncoder().encode(data).length > max) {
      throw Object.assign(wrong("payload", `the message is longer than the ${max} bytes that the server takes`), { isPermanent: true });
    }
    if (message.core === true) {
      this.#nc.publish(subject, data, { headers });
      return;
    }
    try {
      await this.#js.publish(subject, data, { msgID: message.message_id, headers, timeout: this.#options.publish_timeout_ms });
    } catch (error) {
      // a server that lost its streams gets them again
      if (!isMissing(error)) throw refused(error, "the message was not stored");
      await this.ensureStream();
      await this.#js.publish(subject, data, { msgID: message.message_id, headers, timeout: this.#options.publish_timeout_ms });
    }
  }

  #headers({ message_id, subject: given, headers, core }, subject) {
    const made = this.#options.nats.headers();
    for (const [name, value] of Object.entries(headers ?? {})) made.set(name, String(value));
    made.set("Tuckbox-Message-Id", message_id);
    if (subject !== given) made.set("Tuckbox-Subject", encodeURIComponent(given));
    if (core === true) made.set("Tuckbox-Core", "1");
    return made;
  }

  /** Hears what anybody publishes from now on. */
  subscribe(listener, { project_id }) {
    const subscription = this.#nc.subscribe(`cg.*.${token(project_id)}.>`, {
      callback: (error, message) => {
        if (error === null || error === undefined) tell(() => listener(readMessage(message)));
      },
    });
    this.#listeners.add(subscription);
    return () => {
      this.#listeners.delete(subscription);
      subscription.unsubscribe();
    };
  }

  /**
   * Hands every doorbell of the project to one of all the workers that wait for them. It is acknowledged when
   * `handler` has resolved, and rung again where it has rejected.
   */
  async doorbells(handler, { project_id }) {
    const { stream, consumer, ack_wait_seconds } = this.#options;
    const durable_name = `${consumer}_${token(project_id).replace(/=/g, "-")}`;
    const { clock } = this.#options;
    let messages;
    let isClosed = false;
    let wake = () => {};
    const pause = () => new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, AGAIN_MS);
      wake = () => {
        clock.clearTimeout(timer);
        resolve();
      };
    });
    const begin = async () => {
      const manager = await this.#jetstream.jetstreamManager(this.#nc);
      await manager.consumers.add(stream, { durable_name, filter_subject: `cg.v1r3.${token(project_id)}.*.cmd.agent.*.wakeup`, ack_policy: "explicit", deliver_policy: "new", ack_wait: ack_wait_seconds * NANOS, max_deliver: 10 });
      return (await this.#js.consumers.get(stream, durable_name)).consume({ max_messages: 10 });
    };
    // a doorbell that cannot be heard is no error: workers look for themselves, too
    messages = await begin().catch(() => undefined);
    const running = (async () => {
      while (!isClosed) {
        try {
          for await (const message of messages ?? []) void ring(message, handler, project_id);
        } catch {
          // the connection was cut: it is tried again
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

async function ring(message, handler, project_id) {
  try {
    await handler({ ...eventOf(project_id, readMessage(message)), isMine: true });
    message.ack();
  } catch {
    message.nak(500);
  }
}

function readMessage(message) {
  const header = (name) => message.headers?.get(name) || undefined;
  const headers = {};
  for (const name of message.headers?.keys() ?? []) if (!/^(Nats-|Tuckbox-)/.test(name)) headers[name] = message.headers.get(name);
  const given = header("Tuckbox-Subject");
  return { message_id: header("Tuckbox-Message-Id") ?? "", subject: given === undefined ? message.subject : decodeURIComponent(given), payload: message.json(), headers: Object.keys(headers).length > 0 ? headers : null, core: header("Tuckbox-Core") === "1" };
}

/** A listener that throws disturbs no other. */
function tell(work) {
  try {
    work();
  } catch {
    // nobody is left to tell
  }
}

/** A name as one token of a subject: what a subject cannot hold is written as `=` and its code. */
function token(name) {
  return name.replace(/[^A-Za-z0-9_-]/gu, (sign) => Array.from(new TextEncoder().encode(sign), (byte) => `=${byte.toString(16).padStart(2, "0")}`).join("")) || "=";
}

/** `cg.<version>.<project>.<channel>.<evt|cmd>.agent.<target>.<kind>` with a token for each name. */
function wireSubject(subject, project_id) {
  const version = subject.split(".", 2)[1];
  const { channel_id, category, target, kind } = subjectParts(project_id, subject);
  if (category === "") return subject.split(".").map(token).join(".");
  return ["cg", version, token(project_id), token(channel_id), category, "agent", token(target), token(kind)].join(".");
}

/** True when every subject of `wanted` is one of `taken`. */
function covers(taken, wanted) {
  const [a, b] = [taken.split("."), wanted.split(".")];
  for (let at = 0; at < a.length; at += 1) {
    if (a[at] === ">") return b.length > at;
    if (b[at] === undefined || (a[at] !== "*" && a[at] !== b[at])) return false;
  }
  return a.length === b.length;
}

async function connected({ nats, connect }) {
  try {
    return await nats.connect({ maxReconnectAttempts: -1, reconnectTimeWait: 250, timeout: 5000, ...connect });
  } catch (error) {
    throw refused(error, "there is no NATS server that can be used");
  }
}

function refused(error, what) {
  if (error instanceof TuckboxError) return error;
  const code = /auth|permission/i.test(`${error?.name} ${messageOf(error)}`) ? "auth_failed" : "store";
  return new TuckboxError(code, `${what}: ${messageOf(error)}`, { path: "transport", cause: error });
}

/** The stream is not there, or nobody stores this subject. */
function isMissing(error) {
  return /StreamNotFound|NoResponders|no responders|stream not found/i.test(`${error?.name} ${messageOf(error)} ${error?.cause?.name ?? ""}`);
}
