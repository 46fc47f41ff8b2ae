// Turns, batches and messages of one project, driven over any store.
//
//   import { open, memoryStore } from "tuckbox";
//   import { engine } from "tuckbox/engine";
//
//   const team = engine({ open, store: memoryStore(), project_id: "demo" });
//   await team.start();
//
// Architecture invariant: an engine keeps nothing that another one could not read in the store. Any number
// of them may run on one project; between two awaits everything is in the store.
import { checkClock, sleep, systemClock } from "./lib/clock.js";
import { Calls } from "./lib/engine/calls.js";
import { Feed, localTransport } from "./lib/engine/feed.js";
import { Loop } from "./lib/engine/loop.js";
import { deliver, handled } from "./lib/engine/outbox.js";
import { Rows } from "./lib/engine/rows.js";
import { deliverableOf, hasEnded } from "./lib/engine/turns.js";
import { TuckboxError, messageOf } from "./lib/error.js";
import { checkStore, wrong } from "./lib/options.js";

const DEFAULTS = {
  open: undefined,
  store: undefined,
  project_id: undefined,
  options: {},
  settings: {},
  transport: undefined,
  clock: systemClock,
  tick_ms: 5000,
  send_ms: 250,
  send_limit: 200,
  patience_ms: 5000,
  onWrite: () => {},
  log: () => {},
};

/** An engine of one project. */
export function engine(given) {
  const unknown = Object.keys(given ?? {}).find((name) => !(name in DEFAULTS));
  if (unknown !== undefined) throw wrong(unknown, `unknown option \`${unknown}\``);
  const options = { ...DEFAULTS, ...given };
  for (const name of ["open", "log", "onWrite"]) {
    if (typeof options[name] !== "function") throw wrong(name, name === "open" ? "`open` is missing: pass the function `open` of this package" : `\`${name}\` is a function`);
  }
  checkStore(options.store);
  if (typeof options.project_id !== "string" || options.project_id === "") throw wrong("project_id", "`project_id` is the id of a project");
  for (const name of ["tick_ms", "send_ms", "send_limit", "patience_ms"]) {
    if (!(options[name] > 0)) throw wrong(name, `\`${name}\` is a number above 0`);
  }
  if (options.transport !== undefined && typeof options.transport?.publish !== "function") throw wrong("transport", "a transport has a method `publish`");
  return new Engine({ ...options, ...timeOf(options.clock) });
}

/** The time of calls, and the clock that waiting goes by: a host may pass a clock, or only the time. */
function timeOf(given) {
  if (typeof given === "function") return { time: given, clock: systemClock };
  const clock = checkClock(given);
  return { time: () => clock.now(), clock };
}

class Engine {
  #options;
  #calls;
  #rows;
  #feed = new Feed();
  #transport;
  #ticking;
  #sending;
  #unsubscribe;
  #handled = handled();

  constructor(options) {
    this.#options = options;
    this.#transport = options.transport ?? localTransport();
    this.#calls = new Calls({ ...options, onCommit: () => this.#wrote() });
    this.#rows = new Rows(options);
    if (options.transport === undefined) this.#subscribe();
  }

  get project_id() {
    return this.#options.project_id;
  }

  /** The settings that every call of orchestration gets. */
  get settings() {
    return this.#options.settings;
  }

  /** The time that calls are made at. */
  now() {
    return this.#options.time();
  }

  /** The clock that the engine and its workers wait by. */
  get clock() {
    return this.#options.clock;
  }

  // ---- what a host asks for

  /** Sends a message to an agent, at depth 0 unless it says otherwise. */
  enqueue(message, options) {
    return this.run("enqueue", { recursion_depth: hasDepth(message) ? undefined : 0, ...message }, options);
  }

  /**
   * Makes a profile of a name: a card that says what its agents are, the box around it, and its entry. A profile
   * that is there is left as it is.
   */
  async profile({ name, system_prompt, author_id = "host", worker_target = "generic", delegation_policy, tags, ...more }, options) {
    const known = await this.#rows.profile(nameIn(name, "name"), options);
    if (known !== undefined) return { profile_box_id: known.profile_box_id, made: false };
    const data = { name, system_prompt_template: system_prompt, delegation_policy, tags, ...more };
    const card = { type: "sys.profile", author_id, content: { __type__: "JsonContent", data } };
    return this.#calls.hold(async (session) => {
      const { card_ids } = await session.call("put_cards", { cards: [card] }, options);
      const { box_id } = await session.call("create_box", { card_ids }, options);
      await session.call("register_profile", { name, profile_box_id: box_id, worker_target, delegation_policy, tags }, options);
      return { profile_box_id: box_id, made: true };
    });
  }

  /** Makes an agent ready: in the roster, with a head. Its profile is named by `profile` or by its box. */
  async provision({ agent_id, profile, kind = "create", source_agent_id, channel_id, ...spec }, options) {
    if (profile !== undefined) {
      const found = await this.#rows.profile(nameIn(profile, "profile"), options);
      if (found === undefined) throw new TuckboxError("not_found", `there is no profile \`${profile}\``, { path: "profile" });
      spec.profile_box_id = found.profile_box_id;
    }
    return this.run("ensure_agent", { agent_id, kind, source_agent_id, channel_id, spec }, options);
  }

  /** Hands out tasks together; the turn that waits for them goes on when all have ended. */
  batch(spec, options) {
    return this.run("create_batch", { activate: true, ...spec }, options);
  }

  /**
   * Dispatches a turn. With an `instruction` instead of a `context_box_id`, the turn reads that text; the
   * profile is the agent's own unless another is named.
   */
  async dispatch({ instruction, ...given }, options) {
    const call = { headers: { "CG-Recursion-Depth": "0" }, ...given };
    if (call.profile_box_id === undefined) {
      const roster = await this.#rows.agent(nameIn(call.agent_id, "agent_id"), options);
      if (roster?.profile_box_id === undefined) throw new TuckboxError("not_found", `agent \`${call.agent_id}\` is not in the roster`, { path: "agent_id" });
      call.profile_box_id = roster.profile_box_id;
    }
    if (instruction !== undefined) {
      if (call.context_box_id !== undefined) throw wrong("instruction", "a turn has an `instruction` or a `context_box_id`");
      call.context_box_id = await this.#context(instruction, call.source_agent_id ?? "user", options);
    }
    return this.run("dispatch", call, options);
  }

  async #context(instruction, author_id, options) {
    const card = { type: "task.instruction", author_id, content: { __type__: "TextContent", text: instruction }, metadata: { role: "user" } };
    return this.#calls.hold(async (session) => {
      const { card_ids } = await session.call("put_cards", { cards: [card] }, options);
      const { box_id } = await session.call("create_box", { card_ids }, options);
      return box_id;
    });
  }

  /** Stops the turn that an agent has, whoever runs it; false where there is none, or not this one. */
  async stop({ agent_id, agent_turn_id, reason = "stopped_by_host" }, options) {
    const head = await this.#rows.head(nameIn(agent_id, "agent_id"), options);
    const turn = head?.active_agent_turn_id;
    if (turn === undefined || (agent_turn_id !== undefined && agent_turn_id !== turn)) return false;
    const work = { agent_id, agent_turn_id: turn, turn_epoch: head.turn_epoch, headers: { "CG-Recursion-Depth": String(head.active_recursion_depth ?? 0) } };
    const { ended } = await this.run("stop", { ...work, payload: { reason } }, options);
    return ended;
  }

  /**
   * Answers a tool call that a turn waits for: `call` is what the tool was started with. A call that was
   * answered before is left as it is.
   */
  async answer(call, { status = "success", result = null, error = null, after_execution = "suspend" } = {}, options) {
    const { agent_id, agent_turn_id, turn_epoch, step_id, tool_call_id, tool_name, recursion_depth = 0, channel_id = "public" } = call;
    const card_id = `result_${tool_call_id}`;
    const metadata = { role: "tool", step_id, agent_turn_id, tool_call_id, function_name: tool_name };
    const content = { __type__: "ToolResultContent", status, after_execution, result, error };
    await this.#calls.hold(async (session) => {
      try {
        await session.call("put_cards", { cards: [{ card_id, type: "tool.result", author_id: `tool.${tool_name}`, content, metadata, tool_call_id }] }, options);
      } catch (thrown) {
        // the first answer is kept
        if (thrown?.code !== "conflict") throw thrown;
      }
    });
    await this.run("tool_call", { correlation_id: tool_call_id, recursion_depth, channel_id, source_agent_id: agent_id, source_agent_turn_id: agent_turn_id, source_step_id: step_id }, options);
    const payload = { tool_call_id, agent_turn_id, turn_epoch, agent_id, status, after_execution, tool_result_card_id: card_id, step_id };
    const sent = await this.run("report", { target_agent_id: agent_id, message_type: "tool_result", correlation_id: tool_call_id, channel_id, recursion_depth, source_agent_id: `tool.${tool_name}`, payload }, options);
    return { accepted: sent.status === "accepted" };
  }

  /** What runs: in the project, at an agent, or in a batch. */
  state(of = {}, options) {
    return this.look("run_state", of, options);
  }

  /**
   * Waits until a turn has ended; resolves with its deliverable, or with nothing where it left none.
   * `turn` is what `dispatch` answered.
   */
  async result({ agent_id, agent_turn_id, output_box_id }, { signal, poll_ms = 200 } = {}) {
    for (const [path, value] of Object.entries({ agent_id, agent_turn_id, output_box_id })) nameIn(value, path);
    for (;;) {
      if (signal?.aborted) throw new TuckboxError("aborted", `turn \`${agent_turn_id}\` was not waited for any longer`, { cause: signal.reason });
      if (await hasEnded(this.#rows, agent_id, agent_turn_id)) break;
      await sleep(this.clock, poll_ms);
    }
    return this.#calls.hold((session) => deliverableOf(session, output_box_id));
  }

  // ---- what has to be done again and again

  /**
   * Does everything that is due, and sends what is to be sent. A call that fails stops no other. What only
   * somebody who runs turns can do (results that nobody reported) is left to workers.
   */
  async tick(now = this.now()) {
    const { calls } = await this.look("due", {}, { now });
    const failed = [];
    let made = 0;
    for (const { op, ...args } of calls) {
      if (op === "take_up_results") continue;
      try {
        await this.run(op, args, { now });
        made += 1;
      } catch (error) {
        failed.push({ op, args, error });
        this.#log("error", "due_call_failed", { op, ...args, error: messageOf(error), code: error?.code });
      }
    }
    const sent = await this.send(now);
    return { made, failed, sent };
  }

  /** Sends messages that wait to be sent; answers how many were. */
  async send(now = this.now()) {
    let sent = 0;
    for (;;) {
      const passed = await this.#calls.hold(async (session) => {
        const { messages } = await session.look("outbox", { limit: this.#options.send_limit }, { now });
        if (messages.length === 0) return { found: 0, ids: [] };
        const ids = await deliver(messages, {
          publish: (message) => this.#transport.publish(message, { project_id: this.project_id }),
          tasks: (turns) => this.#rows.tasks(turns),
          childEvent: (event) => this.run("child_event", event, { now }),
          log: (...said) => this.#log(...said),
          handled: this.#handled,
        });
        if (ids.length > 0) await session.run("mark_sent", { message_ids: ids }, { now, quiet: true });
        return { found: messages.length, ids };
      });
      sent += passed.ids.length;
      // what could not be sent stays first in line: it is tried again next time
      if (passed.found < this.#options.send_limit || passed.ids.length === 0) return sent;
    }
  }

  /** Begins to tick and to send, until `close`. Fails where the store cannot be used. */
  async start() {
    await this.#calls.hold((session) => session.look("outbox", { limit: 1 }, { patience_ms: 0 }));
    this.#subscribe();
    const { clock, tick_ms, send_ms } = this.#options;
    const told = (what) => (error) => this.#log("error", what, { error: messageOf(error), code: error?.code });
    this.#ticking ??= new Loop(() => this.tick(), { every_ms: tick_ms, clock, onError: told("tick_failed") });
    this.#sending ??= new Loop(() => this.send(), { every_ms: send_ms, clock, onError: told("send_failed") });
    this.#log("info", "engine_started", {});
  }

  /** Stops ticking and sending, and ends every `watch`. */
  async close() {
    await Promise.all([this.#ticking?.stop(), this.#sending?.stop()]);
    this.#ticking = undefined;
    this.#sending = undefined;
    await this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#feed.close();
    this.#calls.close();
    this.#log("info", "engine_closed", {});
  }

  /** How long ago the loops last did their work, in milliseconds; nothing where they do not run. */
  health() {
    return { ticked_ms_ago: this.#ticking?.age(), sent_ms_ago: this.#sending?.age() };
  }

  /** Messages as they come by, until `close` or the signal. Whoever is too slow is told how many were left out. */
  watch(options) {
    this.#subscribe();
    return this.#feed.watch(options);
  }

  /**
   * Hands doorbells to `handler`, until the function that is resolved with is called. One that rejects is rung
   * again where the transport can do that.
   */
  async doorbells(handler) {
    if (this.#transport.doorbells !== undefined) return this.#transport.doorbells(handler, { project_id: this.project_id });
    const watcher = this.watch({ kinds: ["wakeup", "lagged"] });
    (async () => {
      for await (const event of watcher) await handler(event).catch(() => {});
    })();
    return () => watcher.return();
  }

  #subscribe() {
    if (this.#unsubscribe !== undefined || this.#transport.subscribe === undefined) return;
    this.#unsubscribe = this.#transport.subscribe((message) => this.#feed.push(this.project_id, message), { project_id: this.project_id });
  }

  // ---- what workers and hosts build on

  /** Makes a call of orchestration; a conflict is decided again. */
  run(op, args, options) {
    return this.#calls.hold((session) => session.run(op, args, options));
  }

  /** Makes any call; a conflict is decided again. */
  call(op, args, options) {
    return this.#calls.hold((session) => session.call(op, args, options));
  }

  /** Makes a call of orchestration that only looks. */
  look(op, args, options) {
    return this.#calls.hold((session) => session.look(op, args, options));
  }

  /** Makes several calls in a row on what the first ones read. */
  hold(work) {
    return this.#calls.hold(work);
  }

  /** Reads that need no rule: messages that wait, heads, agents. */
  get rows() {
    return this.#rows;
  }

  #wrote() {
    this.#sending?.nudge();
    this.#options.onWrite();
  }

  #log(level, event, more) {
    try {
      this.#options.log({ level, event, project_id: this.project_id, ...more });
    } catch {
      // a log that fails changes nothing
    }
  }
}

Engine.prototype[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")] = Engine.prototype.close;

/** A name or an id by which rows are read. */
function nameIn(value, path) {
  if (typeof value !== "string" || value === "") throw wrong(path, `\`${path}\` is a text`);
  return value;
}

function hasDepth({ headers = {} }) {
  return Object.keys(headers).some((name) => name.toLowerCase() === "cg-recursion-depth");
}
