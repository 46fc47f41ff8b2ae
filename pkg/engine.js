// Turns, batches and messages of one project, driven over any store.
//
//   import { open, memoryStore } from "tuckbox";
//   import { engine } from "tuckbox/engine";
//
//   const team = engine({ open, store: memoryStore(), projectId: "demo" });
//   await team.start();
//
// Invariant: the store has everything that an engine knows. Any number of engines can run on one project.
/** @import { Clock, Engine as Declared, EngineOptions, LogEntry, Transport, UnreadableRow } from "./types/engine.js" */
/** @import { OutboxMessage } from "./types/results.js" */
import { checkClock, elapsed, sleep, systemClock } from "./lib/clock.js";
import { Calls } from "./lib/engine/calls.js";
import { Feed, localTransport } from "./lib/engine/feed.js";
import { notify, readMessage } from "./lib/engine/incoming.js";
import { Loop } from "./lib/engine/loop.js";
import { deliver, Refused } from "./lib/engine/outbox.js";
import { Rows } from "./lib/engine/rows.js";
import { storeTime } from "./lib/engine/time.js";
import { resultOf, stopped, turnEvents } from "./lib/engine/turns.js";
import { dueCalls, Unchanged } from "./lib/engine/unchanged.js";
import { codeOf, messageOf, TuckboxError } from "./lib/error.js";
import { toText } from "./lib/json.js";
import { checkStore, only, own, wrong } from "./lib/options.js";

const REQUIRED = ["open", "store", "projectId"];

/** Settings of an engine that differ from those of a single call: a turn can wait for a worker without a limit. */
const SETTINGS = { dispatched_timeout_seconds: 0 };

/** The interval between two looks for old rows, if the engine deletes them. */
const PRUNE_MS = 600_000;

const DEFAULTS = {
  options: {},
  settings: {},
  transport: /** @type {Transport | undefined} */ (undefined),
  clock: /** @type {Clock | (() => number)} */ (systemClock),
  tickMs: 5000,
  sendMs: 250,
  sendLimit: 200,
  patienceMs: 5000,
  pruneAfterSeconds: 0,
  onWrite: () => {},
  log: /** @type {(entry: LogEntry) => void} */ (() => {}),
};

/**
 * The options of an engine, each with a value; `time` is the time of calls. `isShared` is true if all hosts have this time.
 *
 * @typedef {Required<Omit<EngineOptions, "transport" | "clock">> & { transport: Transport | undefined, clock: Clock, time: () => number, sync: () => Promise<void>, isShared: boolean }} Options
 */

/**
 * Returns an engine of one project.
 *
 * @type {typeof import("./types/engine.js").engine}
 */
export function engine(given) {
  only(given, [...REQUIRED, ...Object.keys(DEFAULTS)]);
  const options = /** @type {typeof DEFAULTS & EngineOptions} */ (own({ ...DEFAULTS, ...given }));
  for (const name of /** @type {const} */ (["open", "log", "onWrite"])) {
    if (typeof options[name] !== "function")
      throw wrong(name, name === "open" ? "`open` is missing: pass the function `open` of this package" : `\`${name}\` must be a function`);
  }
  checkStore(options.store);
  if (typeof options.projectId !== "string" || options.projectId === "")
    throw wrong("projectId", "`projectId` must be the id of a project");
  for (const name of /** @type {const} */ (["tickMs", "sendMs", "sendLimit", "patienceMs"])) {
    if (!(options[name] > 0)) throw wrong(name, `\`${name}\` must be a number greater than 0`);
  }
  const { pruneAfterSeconds } = options;
  if (pruneAfterSeconds !== 0 && !(Number.isSafeInteger(pruneAfterSeconds) && pruneAfterSeconds >= 3600))
    throw wrong("pruneAfterSeconds", "`pruneAfterSeconds` must be 0 or a whole number of at least 3600");
  if (options.transport !== undefined && typeof options.transport?.publish !== "function")
    throw wrong("transport", "a transport must have a method `publish`");
  const settings = { ...SETTINGS, ...options.settings };
  return /** @type {any} */ (new Engine({ ...options, settings, ...timeOf(options) }));
}

/**
 * Returns the time of calls and the clock of waits. A host passes a clock, or only the time. By default the time is that
 * of the store.
 *
 * @param {{ clock: Clock | (() => number), store: import("./types/store.js").Store, projectId: string, log: (entry: LogEntry) => void }} options
 */
function timeOf({ clock: given, store, projectId: project_id, log }) {
  if (given === systemClock) {
    const onSkew = (/** @type {number} */ aheadMs) => {
      try {
        log({ level: "warn", event: "clock_off", project_id, aheadMs });
      } catch {
        // an error of the log is ignored
      }
    };
    return { ...storeTime(store, onSkew), clock: systemClock, isShared: typeof store.now === "function" };
  }
  const sync = async () => {};
  if (typeof given === "function") return { time: given, sync, clock: systemClock, isShared: true };
  const clock = checkClock(given);
  return { time: () => clock.now(), sync, clock, isShared: true };
}

class Engine {
  #options;
  #calls;
  #rows;
  #feed = new Feed();
  #transport;
  /** @type {Loop | undefined} */
  #ticking;
  /** @type {Loop | undefined} */
  #sending;
  /** @type {Loop | undefined} */
  #pruning;
  /** @type {(() => unknown) | undefined} */
  #unsubscribe;
  /** The ids of messages whose batch was notified. */
  #handled = /** @type {Set<string>} */ (new Set());
  #refused = new Refused();
  /** The rows that could not be read at the last tick. */
  #unreadable = /** @type {Set<string>} */ (new Set());
  #unchanged;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#transport = options.transport ?? localTransport();
    this.#unchanged = new Unchanged(options.clock);
    this.#calls = new Calls({ ...options, onCommit: () => this.#wrote() });
    this.#rows = new Rows(options);
    if (options.transport === undefined) this.#subscribe();
  }

  get projectId() {
    return this.#options.projectId;
  }

  /** The settings of every call of orchestration. */
  get settings() {
    return this.#options.settings;
  }

  /** Returns the time of calls. */
  now() {
    return this.#options.time();
  }

  /** The clock of the engine and its workers. */
  get clock() {
    return this.#options.clock;
  }

  // ---- calls of a host

  /**
   * Sends a message to an agent. Its depth is 0 by default.
   *
   * @type {Declared["enqueue"]}
   */
  enqueue(message, options) {
    return this.run("enqueue", { recursion_depth: hasDepth(message) ? undefined : 0, ...message }, options);
  }

  /**
   * Declares a profile: creates it, or changes what differs from the declaration.
   *
   * @type {Declared["profile"]}
   */
  async profile({ name, system_prompt, author_id, worker_target, delegation_policy, tags, ...config }, options) {
    const declared = { name: nameIn(name, "name"), system_prompt, author_id, worker_target, delegation_policy, tags, config };
    return this.call("put_profile", /** @type {import("./types/arguments.js").PutProfile} */ (declared), options);
  }

  /**
   * Makes an agent ready: in the roster, with a head. `profile` is the name of its profile.
   *
   * @type {Declared["provision"]}
   */
  async provision({ agent_id, profile, kind = "create", source_agent_id, channel_id, ...given }, options) {
    let spec = given;
    if (profile !== undefined) {
      const found = await this.#rows.profile(nameIn(profile, "profile"), options);
      if (found === undefined) throw new TuckboxError("not_found", `profile \`${profile}\` does not exist`, { path: "profile" });
      spec = { ...given, profile_box_id: found.profile_box_id ?? undefined };
    }
    return this.run("ensure_agent", { agent_id, kind, source_agent_id, channel_id, spec }, options);
  }

  /**
   * Dispatches tasks in one batch. The waiting turn continues when all of them end.
   *
   * @type {Declared["batch"]}
   */
  batch(spec, options) {
    return this.run("create_batch", { activate: true, ...spec }, options);
  }

  /**
   * Dispatches a turn, with a `context_box_id` or an `instruction`. The profile is that of the agent by default.
   *
   * @type {Declared["dispatch"]}
   */
  async dispatch(given, options) {
    const { agent_id } = given;
    let { profile_box_id } = given;
    if (profile_box_id === undefined) {
      const roster = await this.#rows.agent(nameIn(agent_id, "agent_id"), options);
      if (roster?.profile_box_id === undefined)
        throw new TuckboxError("not_found", `agent \`${agent_id}\` is not in the roster`, { path: "agent_id" });
      profile_box_id = /** @type {string} */ (roster.profile_box_id);
    }
    return this.run("dispatch", { headers: { "CG-Recursion-Depth": "0" }, ...given, profile_box_id }, options);
  }

  /**
   * Stops the turn of an agent, in any worker. Returns false if the agent has no turn, or another one.
   *
   * @type {Declared["stop"]}
   */
  async stop({ agent_id, agent_turn_id, reason = "stopped_by_host" }, options) {
    const head = await this.#rows.head(nameIn(agent_id, "agent_id"), options);
    const turn = head?.active_agent_turn_id;
    if (head === undefined || turn === undefined || turn === null || (agent_turn_id !== undefined && agent_turn_id !== turn)) return false;
    const work = {
      agent_id,
      agent_turn_id: turn,
      turn_epoch: head.turn_epoch,
      headers: { "CG-Recursion-Depth": String(head.active_recursion_depth ?? 0) },
    };
    const { ended } = await this.run("stop", { ...work, payload: { reason } }, options);
    return ended;
  }

  /**
   * Answers a tool call that a turn waits for. `call` is the handle of the tool call. Only the first answer counts.
   *
   * @type {Declared["answer"]}
   */
  async answer(call, { status, result = null, error, after_execution } = {}, options = undefined) {
    const { agent_id, agent_turn_id, turn_epoch, step_id, tool_call_id, tool_name, recursion_depth, channel_id } = call;
    const handle = { agent_id, agent_turn_id, turn_epoch, step_id, tool_call_id, tool_name, recursion_depth, channel_id };
    const result_text = toText(result, "bad_request", ["result"]);
    return this.run("answer_tool_call", { ...handle, status, result_text, error, after_execution }, options);
  }

  /**
   * Returns what runs: in the project, at an agent, or in a batch.
   *
   * @type {Declared["state"]}
   */
  state(of = {}, options = undefined) {
    return this.look("run_state", of, options);
  }

  /**
   * Waits until a turn ends, and returns its result. `turn` is the answer of `dispatch`.
   *
   * @type {Declared["result"]}
   */
  async result(turn, { signal, pollMs = 200 } = {}) {
    const { agent_id, agent_turn_id, output_box_id } = accepted(turn);
    for (;;) {
      if (signal?.aborted) throw stopped(agent_turn_id, signal);
      const { result } = await this.look("turn_result", { agent_id, agent_turn_id, output_box_id });
      if (result !== null) return resultOf(result);
      await sleep(this.clock, pollMs);
    }
  }

  /**
   * Returns an iterator of what happens in a turn, until its end. `after` is the position of the last event that a
   * caller has seen.
   *
   * @type {Declared["events"]}
   */
  events(turn, options = {}) {
    return turnEvents(/** @type {any} */ (this), accepted(turn), options);
  }

  /**
   * Publishes what a model's stream adds to its answer. Losing it is harmless: the answer is stored as a card.
   *
   * @type {Declared["publishDelta"]}
   */
  publishDelta({ agent_id, agent_turn_id, step_id, channel_id }, delta) {
    const subject = `cg.v1r3.${this.projectId}.${channel_id}.evt.agent.${agent_id}.delta`;
    const payload = { agent_id, agent_turn_id, step_id, delta };
    const message = /** @type {OutboxMessage} */ (/** @type {unknown} */ ({ message_id: "", subject, payload, headers: null, core: true }));
    notify(() => this.#transport.publish(message, { projectId: this.projectId }));
  }

  // ---- work of the loops

  /**
   * Makes all calls that are due, and sends messages. A failed call does not stop the others. Workers take up results
   * that were not reported.
   */
  async tick(given = undefined) {
    await this.#options.sync();
    const now = given ?? this.now();
    const { calls, unreadable } = await this.#due(now, given !== undefined);
    this.#reportUnreadable(unreadable);
    const failed = /** @type {{ op: (typeof calls)[number]["call"]["op"], args: { [key: string]: unknown }, error: unknown }[]} */ ([]);
    let made = 0;
    for (const {
      call: { op, ...args },
      now: at,
    } of calls) {
      if (op === "take_up_results") continue;
      try {
        await this.run(op, /** @type {any} */ (args), { now: at });
        made += 1;
      } catch (error) {
        failed.push({ op, args, error });
        this.#log("error", "due_call_failed", { op, ...args, error: messageOf(error), code: codeOf(error) });
      }
    }
    const sent = await this.send(now);
    return { made, failed, sent, unreadable };
  }

  /**
   * Returns the calls that are due, with the time of each.
   *
   * @param {number} now
   * @param {boolean} isGiven
   */
  #due(now, isGiven) {
    const { isShared, settings } = this.#options;
    return this.#calls.hold(async (session) => {
      if (!isShared && !isGiven) return dueCalls(session, this.#rows, { now, settings, unchanged: this.#unchanged });
      const { calls, unreadable = [] } = await session.look("due", {}, { now });
      return { calls: calls.map((call) => ({ call, now })), unreadable };
    });
  }

  /**
   * Returns for how long this host has seen the head of an agent unchanged. If all hosts have one time, that of its row
   * decides, and the answer is `Infinity`.
   *
   * @type {Declared["unchangedMs"]}
   */
  async unchangedMs(agent_id) {
    if (this.#options.isShared) return Infinity;
    const head = await this.#rows.head(agent_id);
    return head === undefined ? 0 : this.#unchanged.ofHead(head);
  }

  /** @param {readonly UnreadableRow[]} rows */
  #reportUnreadable(rows) {
    const names = new Map(rows.map((row) => [JSON.stringify([row.table, row.key]), row]));
    for (const [name, row] of names) if (!this.#unreadable.has(name)) this.#log("error", "row_unreadable", row);
    this.#unreadable = new Set(names.keys());
  }

  /**
   * Returns the messages in quarantine, with the reasons.
   *
   * @type {Declared["quarantine"]}
   */
  async quarantine({ limit = 100 } = {}, options = undefined) {
    return (await this.look("outbox", { quarantined: true, limit }, options)).messages;
  }

  /**
   * Releases messages from quarantine, and returns their number. They are sent again.
   *
   * @type {Declared["retry"]}
   */
  async retry(message_ids, options) {
    return (await this.run("retry_messages", { message_ids: [...message_ids] }, options)).changed;
  }

  /**
   * Deletes rows of work that ended long ago, a few in each commit, and returns their numbers.
   *
   * @type {Declared["prune"]}
   */
  async prune({ olderThanSeconds } = {}, options = undefined) {
    const args = olderThanSeconds === undefined ? {} : { older_than_seconds: olderThanSeconds };
    const sum = { messages: 0, steps: 0, calls: 0, views: 0 };
    for (;;) {
      const pruned = await this.run("prune", args, options);
      for (const name of /** @type {const} */ (["messages", "steps", "calls", "views"])) sum[name] += pruned[name];
      if (!pruned.more) return sum;
    }
  }

  /** Sends messages of the outbox, and returns their number. */
  async send(now = this.now()) {
    let sent = 0;
    for (;;) {
      const passed = await this.#calls.hold(async (session) => {
        // refused messages stay first
        const limit = this.#options.sendLimit + this.#refused.size;
        const { messages } = await session.look("outbox", { limit }, { now });
        const isAll = messages.length < limit;
        if (isAll) this.#refused.keep(messages);
        if (messages.length === 0) return { isAll, ids: /** @type {string[]} */ ([]) };
        const { ids, hopeless } = await deliver(messages, {
          publish: (message) => this.#transport.publish(message, { projectId: this.projectId }),
          tasks: (turns) => this.#rows.tasks(turns),
          childEvent: (event) => this.run("child_event", event, { now }),
          log: (level, event, details) => this.#log(level, event, details),
          handled: this.#handled,
          refused: this.#refused,
          // a clock that jumps back would delay a refused message by as much
          now: elapsed(this.clock),
        });
        if (ids.length > 0) await session.run("mark_sent", { message_ids: ids }, { now, quiet: true });
        for (const [message_id, { subject, error }] of hopeless) {
          await session.run("quarantine_messages", { message_ids: [message_id], error }, { now, quiet: true });
          this.#refused.forget(message_id);
          this.#log("error", "message_quarantined", { subject, message_id, error });
        }
        return { isAll, ids };
      });
      sent += passed.ids.length;
      // messages that could not be sent are tried again next time
      if (passed.isAll || passed.ids.length === 0) return sent;
    }
  }

  /** Ticks and sends until `close`. Fails if the store cannot be read. */
  async start() {
    await this.#calls.hold((session) => session.look("outbox", { limit: 1 }, { patienceMs: 0 }));
    this.#subscribe();
    const { clock, tickMs, sendMs, pruneAfterSeconds } = this.#options;
    /** @param {string} event */
    const failed = (event) => (/** @type {unknown} */ error) => this.#log("error", event, { error: messageOf(error), code: codeOf(error) });
    this.#ticking ??= new Loop(() => this.tick(), { everyMs: tickMs, clock, onError: failed("tick_failed") });
    this.#sending ??= new Loop(() => this.send(), { everyMs: sendMs, clock, onError: failed("send_failed") });
    if (pruneAfterSeconds > 0) {
      const work = () => this.prune({ olderThanSeconds: pruneAfterSeconds });
      this.#pruning ??= new Loop(work, { everyMs: PRUNE_MS, clock, onError: failed("prune_failed") });
    }
    this.#log("info", "engine_started", {});
  }

  /** Stops ticking and sending, and ends every `watch`. */
  async close() {
    await Promise.all([this.#ticking?.stop(), this.#sending?.stop(), this.#pruning?.stop()]);
    this.#pruning = undefined;
    this.#ticking = undefined;
    this.#sending = undefined;
    await this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#feed.close();
    this.#calls.close();
    this.#log("info", "engine_closed", {});
  }

  /** Returns the milliseconds since each loop last succeeded; nothing for a loop that does not run. */
  health() {
    return { tickedMsAgo: this.#ticking?.age(), sentMsAgo: this.#sending?.age() };
  }

  /**
   * Returns an iterator of messages, until `close` or the signal. A slow reader receives the number of dropped ones.
   *
   * @type {Declared["watch"]}
   */
  watch(options) {
    this.#subscribe();
    return this.#feed.watch(options);
  }

  /**
   * Passes wakeups to `handler`, until the returned function is called. A transport can repeat a wakeup whose handler
   * rejects.
   *
   * @type {Declared["wakeups"]}
   */
  async wakeups(handler) {
    if (this.#transport.wakeups !== undefined) return this.#transport.wakeups(handler, { projectId: this.projectId });
    const watcher = this.watch({ kinds: ["wakeup", "lagged"] });
    (async () => {
      for await (const event of watcher) {
        try {
          await handler(event);
        } catch {
          // the worker looks again at its next poll
        }
      }
    })();
    return () => watcher.return?.();
  }

  #subscribe() {
    if (this.#unsubscribe !== undefined || this.#transport.subscribe === undefined) return;
    // a transport of a host can pass anything
    const hear = (/** @type {OutboxMessage} */ given) => {
      const message = readMessage(given);
      if (message === undefined) this.#log("warn", "message_ignored", {});
      else notify(() => this.#feed.push(this.projectId, message));
    };
    this.#unsubscribe = this.#transport.subscribe(hear, { projectId: this.projectId });
  }

  // ---- calls of workers and hosts

  /**
   * Makes a call of orchestration, and decides it again after a conflict.
   *
   * @type {Declared["run"]}
   */
  run(op, args, options) {
    return this.#calls.hold((session) => session.run(op, args, options));
  }

  /**
   * Makes any call, and decides it again after a conflict.
   *
   * @type {Declared["call"]}
   */
  call(op, args, options) {
    return this.#calls.hold((session) => session.call(op, args, options));
  }

  /**
   * Makes a call of orchestration that writes nothing.
   *
   * @type {Declared["look"]}
   */
  look(op, args, options) {
    return this.#calls.hold((session) => session.look(op, args, options));
  }

  /**
   * Makes several calls that share what they read.
   *
   * @type {Declared["hold"]}
   */
  hold(work) {
    return this.#calls.hold(work);
  }

  /** Reads of rows: waiting messages, heads, agents. */
  get rows() {
    return this.#rows;
  }

  #wrote() {
    this.#sending?.nudge();
    this.#options.onWrite();
  }

  /** @param {LogEntry["level"]} level @param {string} event @param {object} details */
  #log(level, event, details) {
    try {
      this.#options.log({ level, event, project_id: this.projectId, ...details });
    } catch {
      // an error of the log is ignored
    }
  }
}

Object.defineProperty(Engine.prototype, Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose"), { value: Engine.prototype.close });

/**
 * Returns a name or an id.
 *
 * @param {unknown} value
 * @param {string} path
 */
function nameIn(value, path) {
  if (typeof value !== "string" || value === "") throw wrong(path, `\`${path}\` must be a string that is not empty`);
  return value;
}

/** @param {import("./types/arguments.js").Enqueue} message */
function hasDepth({ headers = {} }) {
  return Object.keys(headers).some((name) => name.toLowerCase() === "cg-recursion-depth");
}

/**
 * Returns a turn, unless its dispatch was refused.
 *
 * @param {any} turn
 */
function accepted(turn) {
  const { status, error_code, agent_id, agent_turn_id, output_box_id } = turn ?? {};
  if (status === undefined || status === "accepted") {
    const names = { agent_id, agent_turn_id, output_box_id };
    for (const [path, value] of Object.entries(names)) nameIn(value, path);
    return names;
  }
  throw new TuckboxError("conflict", `the turn was not accepted: ${error_code}`, { path: "status", details: { status, error_code } });
}
