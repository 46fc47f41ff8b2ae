// One turn, from its message to its end.
import { messageOf } from "../error.js";
import { failure, raced, within } from "./limits.js";
import { answerOf, payloadOf } from "./model.js";
import { ToolCalls, settle } from "./tools.js";

/** How long the text of an error may be that a turn is ended with. */
const ERROR_LENGTH = 2000;

export class Turns {
  #options;
  #leases;

  constructor(options, leases) {
    this.#options = options;
    this.#leases = leases;
  }

  /** Takes the messages of an agent, says how many, and works on them. */
  async claim(agent_id, onClaimed) {
    await this.#options.engine.hold(async (session) => {
      const { items } = await session.run("claim_inbox", { agent_id, worker_targets: this.#options.targets });
      onClaimed(items.length);
      for (const item of items) await this.#through(session, item);
    });
  }

  /** Takes up results that wait for a suspended turn of an agent: work, with what its head says. */
  async takeUp(agent_id, owner) {
    const { engine } = this.#options;
    const { queued } = await engine.run("take_up_results", { agent_id, owner, worker_targets: this.#options.targets });
    if (queued.length === 0) return [];
    const head = await engine.rows.head(agent_id);
    const { active_recursion_depth = 0, active_channel_id, profile_box_id, context_box_id, output_box_id, trace_id, parent_step_id } = head ?? {};
    const work = { channel_id: active_channel_id, profile_box_id, context_box_id, output_box_id, trace_id, parent_step_id };
    const headers = { "CG-Recursion-Depth": String(active_recursion_depth) };
    return queued.map((item) => ({ ...work, headers, ...item }));
  }

  /** Works on what was taken up, and on what follows from it. A failure is that of this turn alone. */
  async work(item) {
    await this.#options.engine.hold((session) => this.#through(session, item));
  }

  async #through(session, item) {
    const todo = [item];
    for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
      todo.push(...(await this.#one(session, next)));
    }
  }

  async #one(session, item) {
    if (item.resume !== undefined) {
      const { resume, ...rest } = item;
      const { queued } = await session.run("resume", { ...rest, payload: resume });
      return following(item, queued);
    }
    // what ends the work on a message consumes it in the same commit
    if (item.kind === "resume") {
      const { queued } = await session.run("resume", { ...item, consume: true });
      return following(item, queued);
    }
    if (item.kind === "stop") {
      await session.run("stop", { ...item, consume: true });
      return [];
    }
    return this.#step(session, { ...item, consume: true });
  }

  /** One step of a turn: start, think, settle. */
  async #step(session, item) {
    const { log } = this.#options;
    const lease = this.#leases.hold(item);
    try {
      if (lease.signal.aborted) return await this.#giveBack(session, item);
      const started = await session.run("turn_start", item);
      if (!started.entered) return [];
      const work = { ...item, step_id: started.step_id, output_box_id: started.output_box_id };
      log("info", "step_started", named(work));
      const told = { "gen_ai.agent.id": work.agent_id, "tuckbox.turn.id": work.agent_turn_id, "tuckbox.turn.epoch": work.turn_epoch, "tuckbox.step.id": work.step_id, "tuckbox.step.count": work.step_count ?? 0 };
      return await this.#options.telemetry.around("step", work.agent_id, told, work.headers, (tell) => this.#entered(session, item, work, lease, tell));
    } finally {
      lease.release();
    }
  }

  /** The rest of a step that was entered. */
  async #entered(session, item, work, lease, tell) {
    let queued = [];
    try {
      queued = await this.#think(session, work, lease);
    } catch (error) {
      if (lease.isLost) {
        tell({ "error.type": "turn_lost" });
        await this.#fail(session, work, error);
      } else if (lease.signal.aborted) {
        tell({ "error.type": "worker_shutdown" });
        return this.#giveBack(session, work);
      } else {
        tell({ "error.type": typeof error?.code === "string" ? error.code : "model_failed" });
        await this.#fail(session, work, error);
      }
    }
    return following(item, queued);
  }

  async #think(session, work, lease) {
    const { options, signal } = { options: this.#options, signal: lease.signal };
    const made = await payloadOf(session, work, options);
    const turn = turnOf(work, made, signal, options);
    const model = made.payload.model ?? "default";
    const answered = await options.telemetry.around("model", model, { "gen_ai.request.model": model, "gen_ai.provider.name": made.provider }, undefined, async (tell) => {
      const read = await within(options.engine.clock, options.model_timeout_ms, "model_timeout", "the model did not answer", signal, async (limited) => {
        // a stream is read while the clock runs
        return answerOf(session, made, await raced(limited, async () => options.model(made.payload, { ...turn, signal: limited })), options, limited);
      });
      const { input_tokens, output_tokens } = read.usage ?? {};
      const usage = { "gen_ai.usage.input_tokens": input_tokens, "gen_ai.usage.output_tokens": output_tokens };
      tell(Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined)));
      return read;
    });
    const calls = new ToolCalls(options, work, answered.tool_calls);
    if (calls.isEmpty) {
      const { ended } = await session.run("turn_complete", { ...work, thought: { text: answered.text, thinking_blocks: answered.thinking_blocks } });
      options.log("info", ended ? "turn_completed" : "turn_lost", named(work));
      return [];
    }
    return settle(session, work, answered, calls, turn, options);
  }

  /** Ends the turn, unless it was lost; whatever went wrong goes no further. */
  async #fail(session, work, thrown) {
    const error_code = typeof thrown?.code === "string" ? thrown.code : "model_failed";
    const error = messageOf(thrown).slice(0, ERROR_LENGTH) || error_code;
    const { ended } = await session.run("turn_fail", { ...work, error, error_code });
    this.#options.log("warn", ended ? "turn_failed" : "turn_lost", { ...named(work), error, error_code });
  }

  /** Lets another worker go on with the turn, at the step that was begun. One without a message can only fail. */
  async #giveBack(session, work) {
    const { given_back } = await session.run("turn_give_back", work);
    if (given_back) this.#options.log("info", "turn_given_back", named(work));
    else await this.#fail(session, work, failure("worker_shutdown", "the worker was shut down"));
    return [];
  }
}

/** The next pieces of work on the same turn. */
function following({ inbox_id, payload, kind, step_id, resume, consume, ...whole }, queued) {
  return queued.map((next) => ({ ...whole, ...next }));
}

/** What a model and a tool are told about the turn. */
function turnOf(work, { view, provider }, signal, { engine }) {
  const { agent_id, agent_turn_id, turn_epoch, step_id, step_count = 0, channel_id = "public", context_box_id, output_box_id, headers = {}, trace_id, runtime_config } = work;
  const recursion_depth = Number(headers["CG-Recursion-Depth"] ?? 0);
  return { project_id: engine.project_id, agent_id, agent_turn_id, turn_epoch, step_id, step_count, channel_id, context_box_id, output_box_id, headers, trace_id, runtime_config, recursion_depth, provider, profile: view.profile, messages: view.request.messages, signal };
}

function named({ agent_id, agent_turn_id, turn_epoch, step_id }) {
  return { agent_id, agent_turn_id, turn_epoch, step_id };
}
