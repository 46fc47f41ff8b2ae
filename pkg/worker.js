// Runs the turns of agents with a host's own functions.
//
//   const crew = worker({ engine: team, model: (payload, turn) => ask(payload.body, turn.signal), tools });
//   await crew.start();
import { TuckboxError, messageOf } from "./lib/error.js";
import { Loop } from "./lib/engine/loop.js";
import { wrong } from "./lib/options.js";
import { Leases } from "./lib/worker/leases.js";
import { Turns } from "./lib/worker/turns.js";
import { readTools } from "./lib/worker/tools.js";

export { recipe, submitResult } from "./lib/worker/recipes.js";

const DEFAULTS = {
  engine: undefined,
  model: undefined,
  agents: undefined,
  targets: undefined,
  tools: {},
  provider: undefined,
  system_append: undefined,
  name: undefined,
  concurrency: 4,
  poll_ms: 1000,
  take_up_ms: 5000,
  lease_ms: 2000,
  model_timeout_ms: 120_000,
  tool_timeout_ms: 60_000,
  max_answer_bytes: 1024 * 1024,
  max_tool_calls: 32,
  telemetry: { around: (kind, subject, attributes, headers, work) => work(() => {}) },
  log: () => {},
};

/** A worker. It claims turns while it runs, `concurrency` of them at a time. */
export function worker(given) {
  const unknown = Object.keys(given ?? {}).find((name) => !(name in DEFAULTS));
  if (unknown !== undefined) throw wrong(unknown, `unknown option \`${unknown}\``);
  const options = { ...DEFAULTS, ...given };
  if (typeof options.engine?.hold !== "function") throw wrong("engine", "`engine` is missing: pass what `engine()` of `tuckbox/engine` gives");
  if (typeof options.model !== "function") throw wrong("model", "`model` is missing: a function that is given a payload and answers as the provider does");
  if (typeof options.log !== "function") throw wrong("log", "`log` is a function");
  if (typeof options.telemetry?.around !== "function") throw wrong("telemetry", "`telemetry` is what `telemetry()` of `tuckbox/telemetry` gives");
  const { agents, targets } = options;
  if (agents !== undefined && !Array.isArray(agents) && typeof agents !== "function") throw wrong("agents", "`agents` is a list of ids, or a function that is given an id");
  if (targets !== undefined && !(Array.isArray(targets) && targets.length > 0 && targets.every((target) => typeof target === "string" && target !== ""))) throw wrong("targets", "`targets` is a list of names: those that agents have as `worker_target`");
  for (const name of ["concurrency", "poll_ms", "take_up_ms", "lease_ms", "model_timeout_ms", "tool_timeout_ms", "max_answer_bytes", "max_tool_calls"]) {
    if (!(options[name] > 0)) throw wrong(name, `\`${name}\` is a number above 0`);
  }
  return new Worker({ ...options, name: options.name ?? `worker_${globalThis.crypto.randomUUID().slice(0, 8)}`, tools: readTools(options.tools) });
}

class Worker {
  #options;
  #leases;
  #turns;
  #jobs = new Set();
  #busy = new Map();
  #candidates = [];
  #looking;
  #taking;
  #doorbells;
  #isClosing = false;

  constructor(options) {
    const log = (level, event, more) => {
      try {
        options.log({ level, event, worker: options.name, ...more });
      } catch {
        // a log that fails changes nothing
      }
    };
    this.#options = { ...options, log };
    this.#leases = new Leases(this.#options);
    this.#turns = new Turns(this.#options, this.#leases);
  }

  /** The name under which it leases results. */
  get name() {
    return this.#options.name;
  }

  /** How many turns it works on. */
  get running() {
    return this.#jobs.size;
  }

  /** Begins to claim turns, until `close`. */
  async start() {
    const { engine, poll_ms, take_up_ms, log } = this.#options;
    const told = (what) => (error) => log("error", what, { error: messageOf(error), code: error?.code });
    await engine.rows.pending(1, { patience_ms: 0 });
    this.#looking ??= new Loop(() => this.#look(), { every_ms: poll_ms, clock: engine.clock, onError: told("look_failed") });
    this.#taking ??= new Loop(() => this.#takeUp(), { every_ms: take_up_ms, clock: engine.clock, onError: told("take_up_failed") });
    await this.#listen();
    log("info", "worker_started", {});
  }

  /**
   * Works on everything that waits now, and on what follows from it; answers how many messages were taken.
   * For hosts that are woken from time to time instead of running all the time.
   */
  async step() {
    let taken = 0;
    for (;;) {
      const found = (await this.#look()) + (await this.#takeUp());
      taken += found;
      if (this.#jobs.size === 0 && found === 0) return taken;
      // what was taken may be done by now
      if (this.#jobs.size > 0) await Promise.race(this.#jobs);
    }
  }

  /**
   * Takes nothing more, waits `grace_ms` for what is under way, and then gives it back: the next worker goes on
   * with the step that was begun.
   */
  async close({ grace_ms = 10_000 } = {}) {
    this.#isClosing = true;
    await Promise.all([this.#looking?.stop(), this.#taking?.stop(), this.#doorbells?.()]);
    const { clock } = this.#options.engine;
    let timer;
    const grace = new Promise((resolve) => (timer = clock.setTimeout(resolve, grace_ms)));
    await Promise.race([grace, Promise.allSettled(this.#jobs)]);
    clock.clearTimeout(timer);
    this.#leases.giveBack();
    await Promise.allSettled(this.#jobs);
    this.#leases.close();
    this.#options.log("info", "worker_closed", {});
  }

  /** A doorbell says that somebody should look; one that rings for this worker alone is answered by a claim. */
  async #listen() {
    this.#doorbells ??= await this.#options.engine.doorbells(async ({ kind, agent_id, worker_target, isMine }) => {
      if (kind !== "lagged" && !(this.#accepts(agent_id) && this.#serves(worker_target))) {
        if (isMine) throw new TuckboxError("not_found", `\`${agent_id}\` is run by somebody else`);
        return;
      }
      if (!isMine) {
        this.#looking?.nudge();
        return;
      }
      // whoever has room gets it
      if (!this.#hasRoom() && !this.#busy.has(agent_id)) throw new TuckboxError("conflict", "there is no room");
      await this.#claim(agent_id);
    });
  }

  #accepts(agent_id) {
    const { agents } = this.#options;
    return agents === undefined || (Array.isArray(agents) ? agents.includes(agent_id) : agents(agent_id) === true);
  }

  /** The rule of the claim has the last word. */
  #serves(worker_target) {
    const { targets } = this.#options;
    return targets === undefined || targets.includes(worker_target);
  }

  /** Those among agents that this worker runs. */
  async #own(agent_ids) {
    const accepted = agent_ids.filter((id) => this.#accepts(id));
    if (this.#options.targets === undefined) return accepted;
    const roster = await this.#options.engine.rows.agents(accepted);
    return accepted.filter((id) => this.#serves(roster.get(id)?.worker_target));
  }

  #hasRoom() {
    return !this.#isClosing && this.#jobs.size < this.#options.concurrency;
  }

  /** Looks which agents have messages that wait, and claims them as long as there is room. */
  async #look() {
    const { engine } = this.#options;
    const rows = await engine.rows.pending();
    const agents = shuffled(await this.#own([...new Set(rows.map(({ agent_id }) => agent_id))]));
    // a stop or a result for a turn that runs here needs no room of its own
    const own = agents.filter((id) => this.#busy.has(id)).map((id) => this.#claim(id));
    this.#candidates = agents.filter((id) => !this.#busy.has(id));
    const taken = await Promise.all([...own, this.#fill()]);
    return taken.reduce((sum, count) => sum + count, 0);
  }

  /** Claims what is known to wait; whoever was faster has left nothing. */
  async #fill() {
    const claims = [];
    while (this.#hasRoom() && this.#candidates.length > 0) claims.push(this.#claim(this.#candidates.shift()));
    return (await Promise.all(claims)).reduce((sum, count) => sum + count, 0);
  }

  /** Claims the messages of one agent, and goes on working without being waited for. */
  #claim(agent_id) {
    if (this.#isClosing) return 0;
    return new Promise((resolve, reject) => {
      this.#job(agent_id, async () => {
        let isClaimed = false;
        try {
          let taken = 0;
          await this.#turns.claim(agent_id, (count) => {
            isClaimed = true;
            taken = count;
            resolve(count);
          });
          // its next turn may be there by now, and comes after those of everybody else
          if (taken > 0) this.#candidates.push(agent_id);
        } catch (error) {
          if (isClaimed) throw error;
          reject(error);
        }
      });
    });
  }

  /** Takes up results that nobody reported, for turns that wait for them. */
  async #takeUp() {
    const { engine, name } = this.#options;
    if (!this.#hasRoom()) return 0;
    const { calls } = await engine.look("due", { rule: "take_up" });
    let taken = 0;
    for (const agent_id of await this.#own(calls.map((call) => call.agent_id))) {
      if (!this.#hasRoom() || this.#busy.has(agent_id)) continue;
      const items = await this.#turns.takeUp(agent_id, name);
      if (items.length === 0) continue;
      taken += items.length;
      this.#job(agent_id, async () => {
        for (const item of items) await this.#turns.work(item);
      });
    }
    return taken;
  }

  #job(agent_id, work) {
    this.#busy.set(agent_id, (this.#busy.get(agent_id) ?? 0) + 1);
    const done = async () => {
      try {
        await work();
      } catch (error) {
        this.#options.log("error", "work_failed", { agent_id, error: messageOf(error), code: error?.code });
      }
      const left = this.#busy.get(agent_id) - 1;
      if (left === 0) this.#busy.delete(agent_id);
      else this.#busy.set(agent_id, left);
      this.#jobs.delete(job);
      if (this.#looking === undefined) return;
      if (this.#candidates.length === 0) this.#looking.nudge();
      else this.#fill().catch((error) => this.#options.log("error", "claim_failed", { error: messageOf(error), code: error?.code }));
    };
    const job = done();
    this.#jobs.add(job);
  }
}

Worker.prototype[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")] = Worker.prototype.close;

/** In an order of its own, so that workers do not all begin with the same agent. */
function shuffled(list) {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
  return list;
}
