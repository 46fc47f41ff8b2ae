// Runs the turns of agents with functions of the host.
//
//   const crew = worker({ engine: team, model: (payload, turn) => ask(payload.body, turn.signal), tools });
//   await crew.start();

/** @import { Rows } from "./lib/engine/rows.js" */
/** @import { Work } from "./lib/worker/turns.js" */
/** @import { Engine, LogEntry } from "./types/engine.js" */
/** @import { Telemetry } from "./types/telemetry.js" */
/** @import { WorkerOptions } from "./types/worker.js" */
/** @typedef {Omit<Engine, "rows"> & { rows: Rows }} EngineWithRows */
import { Loop } from "./lib/engine/loop.js";
import { codeOf, messageOf, TuckboxError } from "./lib/error.js";
import { only, own, wrong } from "./lib/options.js";
import { Leases } from "./lib/worker/leases.js";
import { readTools } from "./lib/worker/tools.js";
import { Turns } from "./lib/worker/turns.js";

export { recipe, submitResult } from "./lib/worker/recipes.js";
export { tool } from "./lib/worker/typed.js";

const REQUIRED = ["engine", "model"];

/** The number of waiting messages that the first read asks for, and the maximum of later ones. */
const [LOOK, MAX_LOOK] = [500, 32_000];

const DEFAULTS = {
  agents: undefined,
  targets: undefined,
  tools: {},
  provider: undefined,
  systemAppend: undefined,
  name: undefined,
  concurrency: 4,
  pollMs: 1000,
  takeUpMs: 5000,
  leaseMs: 2000,
  modelTimeoutMs: 120_000,
  modelAttempts: 4,
  toolTimeoutMs: 60_000,
  keepAnswerMs: Infinity,
  record: true,
  unknownOutcome: /** @type {"report" | "fail"} */ ("report"),
  maxAnswerBytes: 1024 * 1024,
  maxToolCalls: 32,
  telemetry: /** @type {Telemetry} */ ({ around: (_kind, _subject, _attributes, _headers, work) => work(() => {}) }),
  log: /** @type {(entry: LogEntry) => void} */ (() => {}),
};

/**
 * The options of a worker, each with a value.
 *
 * @typedef {Omit<WorkerOptions, "tools" | "log"> & Omit<typeof DEFAULTS, "agents" | "targets" | "tools" | "provider" | "systemAppend" | "name" | "log"> & { engine: EngineWithRows, name: string, tools: ReturnType<typeof readTools>, log: (level: LogEntry["level"], event: string, details: object) => void }} Options
 */

/**
 * Returns a worker. It claims turns while it runs, at most `concurrency` at a time.
 *
 * @type {typeof import("./types/worker.js").worker}
 */
export function worker(given) {
  only(given, [...REQUIRED, ...Object.keys(DEFAULTS)]);
  const options = /** @type {Omit<typeof DEFAULTS, keyof WorkerOptions> & Required<WorkerOptions>} */ (own({ ...DEFAULTS, ...given }));
  if (typeof options.engine?.hold !== "function")
    throw wrong("engine", "`engine` is missing: pass the result of `engine()` of `tuckbox/engine`");
  if (typeof options.model !== "function")
    throw wrong("model", "`model` is missing: pass a function that takes a payload and returns the provider's answer");
  if (typeof options.log !== "function") throw wrong("log", "`log` must be a function");
  if (typeof options.telemetry?.around !== "function")
    throw wrong("telemetry", "`telemetry` must be the result of `telemetry()` of `tuckbox/telemetry`");
  const { agents, targets } = options;
  if (agents !== undefined && !Array.isArray(agents) && typeof agents !== "function")
    throw wrong("agents", "`agents` must be a list of ids, or a function that takes an id");
  if (
    targets !== undefined &&
    !(Array.isArray(targets) && targets.length > 0 && targets.every((target) => typeof target === "string" && target !== ""))
  )
    throw wrong("targets", "`targets` must be a list of names: the `worker_target` of agents");
  if (typeof options.record !== "boolean") throw wrong("record", "`record` must be true or false");
  if (!["report", "fail"].includes(options.unknownOutcome)) throw wrong("unknownOutcome", `\`unknownOutcome\` must be "report" or "fail"`);
  for (const name of /** @type {const} */ ([
    "concurrency",
    "pollMs",
    "takeUpMs",
    "leaseMs",
    "modelTimeoutMs",
    "modelAttempts",
    "toolTimeoutMs",
    "keepAnswerMs",
    "maxAnswerBytes",
    "maxToolCalls",
  ])) {
    if (!(options[name] > 0)) throw wrong(name, `\`${name}\` must be a number greater than 0`);
  }
  const name = options.name ?? `worker_${globalThis.crypto.randomUUID().slice(0, 8)}`;
  /** @type {Options["log"]} */
  const log = (level, event, details) => {
    try {
      options.log({ level, event, worker: name, ...details });
    } catch {
      // an error of the log is ignored
    }
  };
  return /** @type {any} */ (new Worker(/** @type {Options} */ ({ ...options, name, tools: readTools(options.tools), log })));
}

class Worker {
  #options;
  #leases;
  #turns;
  #jobs = /** @type {Set<Promise<void>>} */ (new Set());
  /** The number of jobs of each agent. */
  #busy = /** @type {Map<string, number>} */ (new Map());
  /** Agents with waiting messages. */
  #candidates = /** @type {string[]} */ ([]);
  /** @type {Loop | undefined} */
  #looking;
  /** @type {Loop | undefined} */
  #taking;
  /** @type {(() => unknown) | undefined} */
  #wakeups;
  #isClosing = false;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#leases = new Leases(/** @type {any} */ (options));
    this.#turns = new Turns(options, this.#leases);
  }

  /** The name under which it leases results. */
  get name() {
    return this.#options.name;
  }

  /** The number of turns it runs. */
  get running() {
    return this.#jobs.size;
  }

  /** Claims turns until `close`. */
  async start() {
    const { engine, pollMs, takeUpMs, log } = this.#options;
    /** @param {string} event */
    const failed = (event) => (/** @type {unknown} */ error) => log("error", event, { error: messageOf(error), code: codeOf(error) });
    await engine.rows.pending(1, { patienceMs: 0 });
    this.#looking ??= new Loop(() => this.#look(), { everyMs: pollMs, clock: engine.clock, onError: failed("look_failed") });
    this.#taking ??= new Loop(() => this.#takeUp(), { everyMs: takeUpMs, clock: engine.clock, onError: failed("take_up_failed") });
    await this.#listen();
    log("info", "worker_started", {});
  }

  /**
   * Works on all waiting messages and on what follows from them, and returns the number of claimed messages. For hosts
   * that are woken from time to time.
   */
  async step() {
    let taken = 0;
    for (;;) {
      const found = (await this.#look()) + (await this.#takeUp());
      taken += found;
      if (this.#jobs.size === 0 && found === 0) return taken;
      // claimed work can be done already
      if (this.#jobs.size > 0) await Promise.race(this.#jobs);
    }
  }

  /** Claims nothing more, waits `graceMs` for running turns, and releases the rest for another worker, at the same step. */
  async close({ graceMs = 10_000 } = {}) {
    this.#isClosing = true;
    await Promise.all([this.#looking?.stop(), this.#taking?.stop(), this.#wakeups?.()]);
    const { clock } = this.#options.engine;
    /** @type {unknown} */
    let timer;
    const grace = new Promise((resolve) => {
      timer = clock.setTimeout(() => resolve(undefined), graceMs);
    });
    await Promise.race([grace, Promise.allSettled(this.#jobs)]);
    clock.clearTimeout(timer);
    this.#leases.releaseAll();
    await Promise.allSettled(this.#jobs);
    this.#leases.close();
    this.#options.log("info", "worker_closed", {});
  }

  /** Looks for messages after a wakeup. A wakeup for this worker alone is a claim. */
  async #listen() {
    this.#wakeups ??= await this.#options.engine.wakeups(async (event) => {
      if (event.kind === "lagged") {
        this.#looking?.nudge();
        return;
      }
      const { agent_id, worker_target, isMine } = event;
      if (!(this.#accepts(agent_id) && this.#serves(worker_target))) {
        if (isMine) throw new TuckboxError("not_found", `another worker runs \`${agent_id}\``);
        return;
      }
      if (!isMine) {
        this.#looking?.nudge();
        return;
      }
      // a worker with room gets the turn
      if (!this.#hasRoom() && !this.#busy.has(agent_id)) throw new TuckboxError("conflict", "the worker runs as many turns as it can");
      await this.#claim(agent_id);
    });
  }

  /** @param {string} agent_id */
  #accepts(agent_id) {
    const { agents } = this.#options;
    return agents === undefined || (typeof agents === "function" ? agents(agent_id) === true : agents.includes(agent_id));
  }

  /**
   * Returns true for a kind of agent that this worker runs. The claim checks it again.
   *
   * @param {string | null | undefined} worker_target
   */
  #serves(worker_target) {
    const { targets } = this.#options;
    return targets === undefined || (typeof worker_target === "string" && targets.includes(worker_target));
  }

  /**
   * Returns the agents that this worker runs.
   *
   * @param {readonly string[]} agent_ids
   */
  async #own(agent_ids) {
    const accepted = agent_ids.filter((id) => this.#accepts(id));
    if (this.#options.targets === undefined) return accepted;
    const roster = await this.#options.engine.rows.agents(accepted);
    return accepted.filter((id) => this.#serves(roster.get(id)?.worker_target));
  }

  #hasRoom() {
    return !this.#isClosing && this.#jobs.size < this.#options.concurrency;
  }

  /** Finds agents with waiting messages, and claims as many as there is room for. */
  async #look() {
    const agents = shuffled(await this.#pending());
    // a stop or a result for a turn of this worker needs no room
    const own = agents.filter((id) => this.#busy.has(id)).map((id) => this.#claim(id));
    this.#candidates = agents.filter((id) => !this.#busy.has(id));
    const taken = await Promise.all([...own, this.#fill()]);
    return taken.reduce((sum, count) => sum + count, 0);
  }

  /** Returns agents of this worker with waiting messages. It looks further if those of other workers come first. */
  async #pending() {
    const { engine, concurrency } = this.#options;
    for (let limit = LOOK; ; limit *= 4) {
      const rows = await engine.rows.pending(limit);
      const agents = await this.#own([...new Set(rows.map(({ agent_id }) => agent_id))]);
      if (agents.length >= concurrency || rows.length < limit || limit >= MAX_LOOK) return agents;
    }
  }

  /** Claims messages of candidates, which another worker can have claimed already. */
  async #fill() {
    const claims = /** @type {(number | Promise<number>)[]} */ ([]);
    while (this.#hasRoom()) {
      const next = this.#candidates.shift();
      if (next === undefined) break;
      claims.push(this.#claim(next));
    }
    return (await Promise.all(claims)).reduce((sum, count) => sum + count, 0);
  }

  /**
   * Claims the messages of one agent, and returns their number. The work on them continues.
   *
   * @param {string} agent_id
   * @returns {number | Promise<number>}
   */
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
          // the agent can have a next turn now, which comes after those of other agents
          if (taken > 0) this.#candidates.push(agent_id);
        } catch (error) {
          if (isClaimed) throw error;
          reject(error);
        }
      });
    });
  }

  /** Takes up results that were not reported, for turns that wait for them. */
  async #takeUp() {
    const { engine, name } = this.#options;
    if (!this.#hasRoom()) return 0;
    const { calls } = await engine.look("due", { rule: "take_up" });
    let taken = 0;
    for (const agent_id of await this.#own(calls.map((call) => /** @type {any} */ (call).agent_id))) {
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

  /** @param {string} agent_id @param {() => Promise<void>} work */
  #job(agent_id, work) {
    this.#busy.set(agent_id, (this.#busy.get(agent_id) ?? 0) + 1);
    const done = async () => {
      try {
        await work();
      } catch (error) {
        this.#options.log("error", "work_failed", { agent_id, error: messageOf(error), code: codeOf(error) });
      }
      const left = (this.#busy.get(agent_id) ?? 1) - 1;
      if (left === 0) this.#busy.delete(agent_id);
      else this.#busy.set(agent_id, left);
      this.#jobs.delete(job);
      if (this.#looking === undefined) return;
      if (this.#candidates.length === 0) this.#looking.nudge();
      else this.#fill().catch((error) => this.#options.log("error", "claim_failed", { error: messageOf(error), code: codeOf(error) }));
    };
    const job = done();
    this.#jobs.add(job);
  }
}

Object.defineProperty(Worker.prototype, Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose"), { value: Worker.prototype.close });

/**
 * Shuffles a list, so that workers start with different agents.
 *
 * @param {string[]} list
 */
function shuffled(list) {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
  return list;
}
