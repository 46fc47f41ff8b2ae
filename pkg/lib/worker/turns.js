// One turn, from its message to its end.
/** @import { EngineSession } from "../../types/engine.js" */
/** @import { JsonObject } from "../../types/json.js" */
/** @import { TurnWork } from "../../types/arguments.js" */
/** @import { QueuedWork } from "../../types/results.js" */
/** @import { RunningTurn } from "../../types/worker.js" */
/** @import { Session } from "../engine/calls.js" */
/** @import { Leases } from "./leases.js" */
/** @import { Request } from "./model.js" */
/** @import { Options as WorkerOptions } from "../../worker.js" */
import { codeOf, messageOf } from "../error.js";
import { failure, within } from "./limits.js";
import { answerOf, payloadOf } from "./model.js";
import { retried } from "./retry.js";
import { settle, startAgain, ToolCalls } from "./tools.js";

/** The maximum length of an error message of a turn. */
const MAX_ERROR_LENGTH = 2000;

/**
 * @typedef {WorkerOptions} Options
 * @typedef {NonNullable<QueuedWork["start"]>} CallToStart A call of a suspended turn that no worker started.
 * @typedef {TurnWork & { payload?: any, start?: CallToStart }} Work A message of an agent, or work that follows from one.
 * @typedef {ReturnType<Leases["hold"]>} Lease
 * @typedef {(attributes: { readonly [name: string]: string | number | boolean }) => void} Report
 */

export class Turns {
  #options;
  #leases;

  /** @param {Options} options @param {Leases} leases */
  constructor(options, leases) {
    this.#options = options;
    this.#leases = leases;
  }

  /**
   * Claims the messages of an agent, reports their number, and works on them.
   *
   * @param {string} agent_id
   * @param {(count: number) => void} onClaimed
   */
  async claim(agent_id, onClaimed) {
    await this.#options.engine.hold(async (session) => {
      const { items } = await session.run("claim_inbox", { agent_id, worker_targets: this.#options.targets });
      onClaimed(items.length);
      for (const item of items) await this.#workOn(session, item);
    });
  }

  /**
   * Takes up results that wait for a suspended turn of an agent, and calls that no worker started. Returns the work on them.
   *
   * @param {string} agent_id
   * @param {string} owner
   * @returns {Promise<Work[]>}
   */
  async takeUp(agent_id, owner) {
    const { engine, targets } = this.#options;
    const unchangedMs = await engine.unchangedMs(agent_id);
    const { queued, turn } = await engine.run("take_up_results", {
      agent_id,
      owner,
      worker_targets: targets,
      include_unstarted: true,
      unchanged_ms: Number.isFinite(unchangedMs) ? unchangedMs : undefined,
    });
    return queued.map((item) => ({ ...turn, ...item }));
  }

  /**
   * Does work and everything that follows from it. A failure affects only its turn.
   *
   * @param {Work} item
   */
  async work(item) {
    await this.#options.engine.hold((session) => this.#workOn(session, item));
  }

  /** What a recorded view of a step has from its worker. */
  get #frame() {
    const { record, tools, systemAppend } = this.#options;
    return record ? { tools: /** @type {any} */ (tools.definitions), system_append: systemAppend } : undefined;
  }

  /** @param {EngineSession} session @param {Work} item */
  async #workOn(session, item) {
    const todo = [item];
    for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
      todo.push(...(await this.#one(session, next)));
    }
  }

  /** @param {EngineSession} session @param {Work} item @returns {Promise<Work[]>} */
  async #one(session, item) {
    if (item.resume !== undefined) {
      const { resume, ...rest } = item;
      const { queued } = await session.run("resume", { ...rest, payload: /** @type {any} */ (resume) });
      return following(item, queued);
    }
    if (item.start !== undefined) {
      const { start, ...work } = item;
      await this.#start(session, { ...work, step_id: start.step_id }, start);
      return [];
    }
    // the commit that ends the work on a message also consumes it
    if (item.kind === "resume") {
      const { queued } = await session.run("resume", { ...item, payload: item.payload, consume: true });
      return following(item, queued);
    }
    if (item.kind === "stop") {
      await session.run("stop", { ...item, consume: true });
      return [];
    }
    return this.#step(session, { ...item, consume: true });
  }

  /**
   * Starts a call that the worker before did not start. The turn waits for it.
   *
   * @param {EngineSession} session
   * @param {Work} work
   * @param {CallToStart} start
   */
  async #start(session, work, { tool_call_id, tool_name }) {
    this.#options.log("info", "call_started_again", { ...named(work), tool_call_id, tool_name });
    const { cards } = await session.view("get_box_cards", { box_id: String(work.output_box_id) });
    const made = await payloadOf(session, work, this.#options);
    const turn = turnOf(work, made, new AbortController().signal, this.#options);
    await startAgain(cards, tool_call_id, turn, this.#options);
  }

  /**
   * Does one step of a turn: starts it, calls the model, runs its tools.
   *
   * @param {EngineSession} session
   * @param {Work} item
   */
  async #step(session, item) {
    const { log } = this.#options;
    const lease = this.#leases.hold(item);
    try {
      if (lease.signal.aborted) return await this.#release(session, item);
      const started = await session.run("turn_start", { ...item, record: this.#frame });
      if (!started.entered) return [];
      const { step_id, output_box_id, view_id } = started;
      const work = { ...item, step_id, output_box_id };
      log("info", "step_started", named(work));
      const attributes = {
        "gen_ai.agent.id": work.agent_id,
        "tuckbox.turn.id": work.agent_turn_id,
        "tuckbox.turn.epoch": work.turn_epoch,
        "tuckbox.step.id": work.step_id,
        "tuckbox.step.count": work.step_count ?? 0,
      };
      // what a model or a tool answers is kept until the store is back
      const patience = { ms: this.#options.keepAnswerMs, signal: lease.signal };
      return await /** @type {Session} */ (session).patient(patience, () =>
        this.#options.telemetry.around("step", work.agent_id, attributes, work.headers, (report) =>
          this.#entered(session, item, { work, view_id }, lease, report),
        ),
      );
    } finally {
      lease.release();
    }
  }

  /**
   * Does the rest of a step that was started.
   *
   * @param {EngineSession} session
   * @param {Work} item
   * @param {{ work: Work, view_id: string | undefined }} step
   * @param {Lease} lease
   * @param {Report} report
   */
  async #entered(session, item, { work, view_id }, lease, report) {
    /** @type {readonly object[]} */
    let queued = [];
    try {
      queued = await this.#think(session, work, view_id, lease);
    } catch (error) {
      if (lease.isLost) {
        report({ "error.type": "turn_lost" });
        this.#options.log("warn", "turn_lost", named(work));
      } else if (lease.signal.aborted) {
        report({ "error.type": "worker_shutdown" });
        return this.#release(session, work);
      } else {
        report({ "error.type": failureCode(error) });
        await this.#fail(session, work, error);
      }
    }
    return following(item, queued);
  }

  /** @param {EngineSession} session @param {Work} work @param {string | undefined} view_id @param {Lease} lease */
  async #think(session, work, view_id, lease) {
    const options = this.#options;
    const { signal } = lease;
    const made = await payloadOf(session, work, { ...options, view_id });
    const turn = turnOf(work, made, signal, options);
    if (made.dropped.length > 0) options.log("info", "messages_dropped", { ...named(work), dropped: made.dropped });
    const model = made.payload.model ?? "default";
    /** @param {unknown} error @param {number} ms */
    const onRetry = (error, ms) =>
      options.log("warn", "model_retried", { ...named(work), error: messageOf(error), code: codeOf(error), delayMs: Math.round(ms) });
    const answered = await options.telemetry.around(
      "model",
      model,
      { "gen_ai.request.model": model, "gen_ai.provider.name": made.provider },
      undefined,
      async (report) => {
        const read = await within(
          options.engine.clock,
          options.modelTimeoutMs,
          "model_timeout",
          "the model did not answer",
          signal,
          async (limited) => {
            // the timeout includes the time to read a stream
            return answerOf(
              session,
              made,
              await retried({ clock: options.engine.clock, attempts: options.modelAttempts, signal: limited, onRetry }, async () =>
                options.model(made.payload, { ...turn, signal: limited }),
              ),
              { ...options, onEvent: deltasOf(session, made, turn, options) },
              limited,
            );
          },
        );
        const { input_tokens, output_tokens } = read.usage ?? {};
        const usage = { "gen_ai.usage.input_tokens": input_tokens, "gen_ai.usage.output_tokens": output_tokens };
        report(Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined)));
        return read;
      },
    );
    const calls = new ToolCalls(options, work, answered.tool_calls);
    if (calls.isEmpty) {
      const { ended } = await session.run("turn_complete", {
        ...work,
        thought: { text: answered.text, thinking_blocks: answered.thinking_blocks },
      });
      options.log("info", ended ? "turn_completed" : "turn_lost", named(work));
      return [];
    }
    return settle(/** @type {Session} */ (session), work, answered, calls, turn, options);
  }

  /**
   * Fails the turn. The store refuses this if another worker has the turn.
   *
   * @param {EngineSession} session
   * @param {Work} work
   * @param {unknown} thrown
   */
  async #fail(session, work, thrown) {
    const error_code = failureCode(thrown);
    const error = messageOf(thrown).slice(0, MAX_ERROR_LENGTH) || error_code;
    const { ended } = await session.run("turn_fail", { ...work, error, error_code });
    this.#options.log("warn", ended ? "turn_failed" : "turn_lost", { ...named(work), error, error_code });
  }

  /**
   * Releases the turn for another worker, at the same step. A turn without a message fails instead.
   *
   * @param {EngineSession} session
   * @param {Work} work
   * @returns {Promise<Work[]>}
   */
  async #release(session, work) {
    const { given_back } = await session.run("turn_give_back", work);
    if (given_back) this.#options.log("info", "turn_given_back", named(work));
    else await this.#fail(session, work, failure("worker_shutdown", "the worker was shut down"));
    return [];
  }
}

/**
 * Returns a function that publishes what an event of a stream adds to the answer.
 *
 * @param {EngineSession} session
 * @param {Request} request
 * @param {RunningTurn} turn
 * @param {Options} options
 */
function deltasOf(session, { provider, tools }, turn, { engine }) {
  return async (/** @type {any} */ event) => {
    const { deltas } = await session.view("read_deltas", { provider, tools, events: [event] });
    for (const delta of deltas) engine.publishDelta(turn, delta);
  };
}

/** @param {unknown} thrown */
function failureCode(thrown) {
  const code = codeOf(thrown);
  return typeof code === "string" ? code : "model_failed";
}

/**
 * Returns the next work on the same turn.
 *
 * @param {Work} item
 * @param {readonly object[]} queued
 * @returns {Work[]}
 */
function following({ inbox_id, payload, kind, step_id, resume, start, consume, ...whole }, queued) {
  return queued.map((next) => ({ ...whole, ...next }));
}

/**
 * Returns the turn as models and tools receive it.
 *
 * @param {Work} work
 * @param {Request} request
 * @param {AbortSignal} signal
 * @param {Options} options
 * @returns {RunningTurn}
 */
function turnOf(work, { view, provider }, signal, { engine }) {
  const {
    agent_id,
    agent_turn_id,
    turn_epoch,
    step_id,
    step_count = 0,
    channel_id = "public",
    context_box_id,
    output_box_id,
    headers = {},
    trace_id,
    runtime_config,
  } = work;
  const recursion_depth = Number(headers["CG-Recursion-Depth"] ?? 0);
  return {
    project_id: engine.projectId,
    agent_id,
    agent_turn_id,
    turn_epoch,
    step_id: String(step_id),
    step_count,
    channel_id,
    context_box_id: context_box_id ?? null,
    output_box_id: String(output_box_id),
    headers,
    trace_id,
    runtime_config: /** @type {JsonObject | null | undefined} */ (runtime_config),
    recursion_depth,
    provider,
    profile: view.profile,
    messages: view.request.messages,
    signal,
  };
}

/** @param {Work} work */
function named({ agent_id, agent_turn_id, turn_epoch, step_id }) {
  return { agent_id, agent_turn_id, turn_epoch, step_id };
}
