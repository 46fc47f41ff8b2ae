// A team under test: profiles, agents, engines and workers on one project of the store. They wait by a virtual clock,
// so that neither the speed of the store nor that of the machine decides what happens first.
import { engine } from "../../../engine.js";
import { recipe, submitResult, worker } from "../../../worker.js";
import { VirtualClock, trackedHost } from "../clock.js";
import { fresh } from "../trial.js";

/** A model's answer with calls of tools. */
export function calls(...asked) {
  const tool_calls = asked.map(([name, args], at) => ({ id: `c${at}`, type: "function", function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) } }));
  return { choices: [{ finish_reason: "tool_calls", message: { role: "assistant", content: "I look it up.", tool_calls } }] };
}

/** The call that hands `texts` to researchers. */
export function fork(...texts) {
  const tasks = texts.map((instruction) => ({ target_strategy: "new", target_ref: "Researcher", instruction }));
  return calls(["fork_join", { tasks, deadline_seconds: 600 }]);
}

/** How long a turn may take, and how long a project may take to come to rest, by the virtual clock. */
const [TURN_MS, REST_MS] = [120_000, 60_000];

export class Team {
  #host;
  #opened = [];
  /** Every call of the model: `turn step` in the order made. */
  thoughts = [];
  clock = new VirtualClock();

  constructor(host) {
    this.#host = trackedHost(this.clock, host);
    this.project_id = fresh("team");
    this.engine = this.another();
  }

  /** One more engine on the same project. */
  another(more = {}) {
    const made = engine({ ...this.#host, project_id: this.project_id, ...more });
    this.#opened.push(made);
    return made;
  }

  /** A worker; `think(payload, turn)` is its model. */
  worker(think, more = {}) {
    const model = (payload, turn) => {
      this.thoughts.push(`${turn.agent_turn_id} ${turn.turn_epoch} ${turn.step_count}`);
      return think(payload, turn);
    };
    const { tools, ...options } = more;
    const made = worker({ engine: this.engine, model, tools: { fork_join: recipe("fork_join"), submit_result: submitResult(), ...tools }, ...options });
    this.#opened.unshift(made);
    return made;
  }

  /** Profiles `Lead` and `Researcher`, and the agents `lead` and `ann`. */
  async people() {
    for (const [name, agent_id] of [["Lead", "lead"], ["Researcher", "ann"]]) {
      const llm_config = { provider: "openai_chat", model: "scripted" };
      await this.engine.profile({ name, system_prompt: `You are ${name}.`, llm_config, delegation_policy: { target_profiles: ["Researcher"] } });
      await this.engine.provision({ agent_id, profile: name });
    }
    return this;
  }

  /** Starts a turn. */
  ask(agent_id, instruction) {
    return this.engine.dispatch({ agent_id, instruction });
  }

  /** What a turn delivered, as an object of its fields; fails where it does not end. */
  async delivered(turn) {
    const late = new AbortController();
    const timer = this.clock.setTimeout(() => late.abort(), TURN_MS);
    const card = await this.engine.result(turn, { signal: late.signal }).catch(async (error) => {
      throw late.signal.aborted ? new Error(`the turn does not end: ${JSON.stringify(await this.engine.state()).slice(0, 3000)}`) : error;
    });
    this.clock.clearTimeout(timer);
    return Object.fromEntries((card?.content.data.fields ?? []).map(({ name, value }) => [name, value]));
  }

  /** All cards of an output box. */
  async output({ output_box_id }) {
    return (await this.engine.call("get_box_cards", { box_id: output_box_id })).cards;
  }

  /** Nothing runs, waits or is to be sent. */
  async rest() {
    for (const end = this.clock.now() + REST_MS; ; ) {
      await this.engine.send();
      const { agents, queued, batches } = await this.engine.state();
      const { messages } = await this.engine.look("outbox", {});
      const left = { busy: agents.filter(({ status }) => status !== "idle").length, queued: queued.length, batches: batches.length, messages: messages.length, pending: (await this.engine.rows.pending()).length };
      if (Object.values(left).every((count) => count === 0)) return;
      if (this.clock.now() > end) throw new Error(`the project does not come to rest: ${JSON.stringify(left)}`);
      await this.clock.sleep(200);
    }
  }

  async close() {
    for (const one of this.#opened) await one.close({ grace_ms: 0 });
  }
}
