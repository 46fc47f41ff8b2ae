// A team under test: profiles, agents, engines and workers on one project of the store. They use a virtual clock, so
// that the order of events does not depend on the speed of the store or the machine.
/** @import { Engine, EngineOptions } from "../../../types/engine.js" */
/** @import { EngineHost } from "../../../types/testing.js" */
/** @import { RunningTurn, Worker, WorkerOptions } from "../../../types/worker.js" */
import { engine } from "../../../engine.js";
import { recipe, submitResult, worker } from "../../../worker.js";
import { trackedHost, VirtualClock } from "../clock.js";
import { fresh } from "../trial.js";

/** @typedef {readonly [name: string, check: (team: Team) => unknown]} Case */

/** @typedef {{ agent_id: string, agent_turn_id: string, output_box_id: string }} Turn */

/**
 * Returns the answer of a model with calls of tools.
 *
 * @param {[name: string, args: unknown][]} asked
 */
export function calls(...asked) {
  const tool_calls = asked.map(([name, args], at) => ({
    id: `c${at}`,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  }));
  return { choices: [{ finish_reason: "tool_calls", message: { role: "assistant", content: "I look it up.", tool_calls } }] };
}

/**
 * Returns a call that delegates `texts` to researchers.
 *
 * @param {string[]} texts
 */
export function fork(...texts) {
  const tasks = texts.map((instruction) => ({ target_strategy: "new", target_ref: "Researcher", instruction }));
  return calls(["fork_join", { tasks, deadline_seconds: 600 }]);
}

/** The maximum time of a turn, and until a project is idle, on the virtual clock. */
const [TURN_MS, REST_MS] = [120_000, 60_000];

export class Team {
  #host;
  #opened = /** @type {(Engine | Worker)[]} */ ([]);
  /** The calls of the model, in order: turn, epoch and step. */
  thoughts = /** @type {string[]} */ ([]);
  clock = new VirtualClock();

  /** @param {EngineHost} host */
  constructor(host) {
    this.#host = trackedHost(this.clock, host);
    this.projectId = fresh("team");
    this.engine = this.another();
  }

  /**
   * Returns another engine on the same project.
   *
   * @param {Partial<EngineOptions>} [more]
   */
  another(more = {}) {
    const made = engine({ ...this.#host, projectId: this.projectId, ...more });
    this.#opened.push(made);
    return made;
  }

  /**
   * Returns a worker. `think(payload, turn)` is its model.
   *
   * @param {(payload: any, turn: any) => any} think
   * @param {Partial<WorkerOptions>} [more]
   */
  worker(think, more = {}) {
    /** @type {WorkerOptions["model"]} */
    const model = (payload, turn) => {
      this.thoughts.push(`${turn.agent_turn_id} ${turn.turn_epoch} ${turn.step_count}`);
      return think(payload, turn);
    };
    const { tools, ...options } = more;
    const made = worker({
      engine: this.engine,
      model,
      tools: { fork_join: recipe("fork_join"), submit_result: submitResult(), ...tools },
      ...options,
    });
    this.#opened.unshift(made);
    return made;
  }

  /** Creates the profiles `Lead` and `Researcher`, and the agents `lead` and `ann`. */
  async people() {
    for (const [name, agent_id] of [
      ["Lead", "lead"],
      ["Researcher", "ann"],
    ]) {
      const llm_config = { provider: /** @type {const} */ ("openai_chat"), model: "scripted" };
      await this.engine.profile({
        name,
        system_prompt: `You are ${name}.`,
        llm_config,
        delegation_policy: { target_profiles: ["Researcher"] },
      });
      await this.engine.provision({ agent_id, profile: name });
    }
    return this;
  }

  /**
   * Starts a turn.
   *
   * @param {string} agent_id
   * @param {string} instruction
   * @returns {Promise<any>}
   */
  ask(agent_id, instruction) {
    return this.engine.dispatch({ agent_id, instruction });
  }

  /**
   * Returns the deliverable of a turn as an object; fails if the turn does not end.
   *
   * @param {Partial<Turn>} turn
   * @returns {Promise<{ [name: string]: any }>}
   */
  async delivered(turn) {
    const late = new AbortController();
    const timer = this.clock.setTimeout(() => late.abort(), TURN_MS);
    const card = await this.engine.result(/** @type {Turn} */ (turn), { signal: late.signal }).catch(async (error) => {
      throw late.signal.aborted ? new Error(`the turn does not end: ${JSON.stringify(await this.engine.state()).slice(0, 3000)}`) : error;
    });
    this.clock.clearTimeout(timer);
    const { fields = [] } = /** @type {{ fields?: { name: string, value: unknown }[] }} */ (/** @type {any} */ (card?.content)?.data ?? {});
    return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  }

  /**
   * Returns the cards of an output box.
   *
   * @param {{ output_box_id: string }} turn
   * @returns {Promise<readonly any[]>}
   */
  async output({ output_box_id }) {
    return (await this.engine.call("get_box_cards", { box_id: output_box_id })).cards;
  }

  /**
   * Returns the agents that have a turn.
   *
   * @param {Engine} [engine]
   * @returns {Promise<{ status: string }[]>}
   */
  async busy(engine = this.engine) {
    const { agents } = /** @type {any} */ (await engine.state());
    return agents.filter((/** @type {{ status: string }} */ { status }) => status !== "idle");
  }

  /** Waits until nothing runs, waits or must be sent. */
  async rest() {
    for (const end = this.clock.now() + REST_MS; ; ) {
      await this.engine.send();
      const { agents, queued, batches } = /** @type {{ [list: string]: any[] }} */ (/** @type {unknown} */ (await this.engine.state()));
      const { messages } = await this.engine.look("outbox", {});
      const left = {
        busy: agents.filter(({ status }) => status !== "idle").length,
        queued: queued.length,
        batches: batches.length,
        messages: messages.length,
        pending: (await this.engine.rows.pending()).length,
      };
      if (Object.values(left).every((count) => count === 0)) return;
      if (this.clock.now() > end) throw new Error(`the project is not idle: ${JSON.stringify(left)}`);
      await this.clock.sleep(200);
    }
  }

  async close() {
    for (const one of this.#opened) await /** @type {Worker} */ (one).close({ graceMs: 0 });
  }
}
