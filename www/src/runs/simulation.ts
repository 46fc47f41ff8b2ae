// A simulated team: the package's engine and workers on a memory store. The user advances the clock and decides when
// models answer. All rows come from the core's rules.

import { type Engine, engine } from "tuckbox/engine";
import type { Preview, Store } from "tuckbox/web";
import { memoryStore, open } from "tuckbox/web";
import { type RunningTurn, recipe, worker } from "tuckbox/worker";
import { readRunState } from "./state.ts";
import type { ModelQuestion, OpTransitions, RunStep, SimAction, SimulationResult } from "./types.ts";
import { MAX_TASKS } from "./types.ts";

const PROJECT = "simulation";
/** A turn that waits for the user never times out. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
const IDLE_CHECK_MS = 12;
/** How long a step waits without any activity. */
const MAX_IDLE_MS = 8_000;
/** The maximum size of all kept steps, in characters; the oldest are deleted first. */
const MAX_KEPT_CHARS = 200_000_000;

interface WaitingQuestion extends ModelQuestion {
  answer: (value: string | { text: string; tool_calls: object[] }) => void;
  refuse: (error: Error) => void;
  /** Ends the worker process: its later calls have no effect. */
  kill: () => void;
}

export class Simulation {
  #memory = memoryStore();
  #now = Date.UTC(2026, 0, 5, 9, 0, 0);
  #engine: Engine;
  #waiting = new Map<string, WaitingQuestion>();
  /** The newest step, and the number of steps. */
  #last: RunStep | undefined;
  #count = 0;
  #exports = new Map<number, string>();
  #keptChars = 0;
  #changes: OpTransitions[] = [];
  #lostWakeups: string[] = [];
  #activity = 0;
  /** The number of running calls. */
  #running = 0;
  #isDropping = false;
  #asked = 0;

  constructor() {
    const store: Store = {
      read: (reads) => this.#track(async () => this.#memory.read(reads)),
      commit: (writes, more) => this.#track(async () => this.#memory.commit(writes, more)),
    };
    this.#engine = engine({
      open: (async (on: Store, options: never) => this.#recordCommits(await open(on, options))) as unknown as typeof open,
      store,
      projectId: PROJECT,
      clock: () => this.#now,
      // the user's clock jumps, so workers cannot renew leases
      settings: { lease_seconds: 0 },
      transport: { publish: ({ subject, payload }: { subject: string; payload: unknown }) => this.#deliver(subject, payload) },
    });
  }

  /** Runs one action, waits until the team is idle, and returns the result. */
  async run(action: SimAction, window: number): Promise<SimulationResult> {
    this.#changes = [];
    this.#lostWakeups = [];
    await this.#runAction(action);
    await this.#waitUntilIdle();
    const look = (op: string, args: object) => this.#engine.hold((session) => session.view(op as never, args as never, { now: this.#now }));
    const step: RunStep = {
      ...(await readRunState(look, this.#now, window, this.#last?.batches.map(({ batch_id }) => batch_id) ?? [])),
      action,
      changes: this.#changes,
      lost_wakeups: this.#lostWakeups,
    };
    this.#last = step;
    this.#keep(this.#memory.export());
    const questions = [...this.#waiting.values()].map(({ id, agent_id, agent_turn_id, step_count, profile }) => ({
      id,
      agent_id,
      agent_turn_id,
      step_count,
      profile,
    }));
    return { step, questions };
  }

  /** Returns the whole project at a step. */
  snapshotAt(step: number): string {
    const text = this.#exports.get(step);
    if (text === undefined)
      throw new RangeError(
        step < this.#count ? `step ${step} was deleted: the team is too large to keep all steps` : `step ${step} does not exist`,
      );
    return text;
  }

  #keep(text: string): void {
    this.#exports.set(this.#count, text);
    this.#count += 1;
    this.#keptChars += text.length;
    for (const [step, old] of this.#exports) {
      if (this.#keptChars <= MAX_KEPT_CHARS || this.#exports.size === 1) return;
      this.#exports.delete(step);
      this.#keptChars -= old.length;
    }
  }

  async #runAction(step: SimAction): Promise<void> {
    switch (step.do) {
      case "start":
        return this.#start();
      case "send":
        this.#isDropping = step.lose_wakeups;
        await this.#engine.send(this.#now);
        return;
      case "wait":
        this.#now += step.seconds * 1000;
        this.#isDropping = false;
        await this.#engine.tick(this.#now);
        return;
      case "answer":
        return this.#takeQuestion(step.question).answer(`${step.text}`);
      case "answer_all":
        for (const id of [...this.#waiting.keys()]) this.#takeQuestion(id).answer(step.text);
        return;
      case "fork": {
        const task = (n: number) => ({ target_strategy: "new", target_ref: "Researcher", instruction: `Part ${n + 1} of the question.` });
        const args = {
          tasks: Array.from({ length: step.tasks }, (_, n) => task(n)),
          fail_fast: step.fail_fast,
          ...(step.deadline_seconds === null ? {} : { deadline_seconds: step.deadline_seconds }),
        };
        const call = { function: { name: "fork_join", arguments: JSON.stringify(args) } };
        return this.#takeQuestion(step.question).answer({ text: "I delegate it.", tool_calls: [call] });
      }
      case "fail":
        return this.#takeQuestion(step.question).refuse(new Error("the model did not answer"));
      case "kill":
        return this.#takeQuestion(step.question).kill();
    }
  }

  async #start(): Promise<void> {
    const llm_config = { provider: "openai_chat", model: "simulated" } as const;
    await this.#engine.profile({ name: "Researcher", system_prompt: "You look things up.", llm_config });
    await this.#engine.profile({
      name: "Lead",
      system_prompt: "You delegate work and summarize the results.",
      llm_config,
      delegation_policy: { target_profiles: ["Researcher"] },
    });
    await this.#engine.provision({ agent_id: "lead", profile: "Lead", display_name: "Lead" });
    await this.#engine.dispatch({ agent_id: "lead", instruction: "When does the last boat leave, and why do people miss it?" });
  }

  #takeQuestion(id: string): WaitingQuestion {
    const found = this.#waiting.get(id);
    if (found === undefined) throw new RangeError(`no model call waits under \`${id}\``);
    this.#waiting.delete(id);
    return found;
  }

  /** Delivers a message. A wakeup starts a worker process; a lost wakeup starts none. */
  #deliver(subject: string, payload: unknown): void {
    if (!subject.endsWith(".wakeup")) return;
    const agent_id = (payload as { agent_id?: unknown } | null)?.agent_id;
    if (typeof agent_id !== "string") return;
    if (this.#isDropping) this.#lostWakeups.push(agent_id);
    else this.#process(agent_id);
  }

  #process(agent_id: string): void {
    let isAlive = true;
    const dead = () => new Promise<never>(() => undefined);
    const team = new Proxy(this.#engine, {
      get: (target, name) => {
        const found: unknown = Reflect.get(target, name, target);
        return typeof found === "function"
          ? (...args: unknown[]) => (isAlive ? (found as (...args: unknown[]) => unknown).apply(target, args) : dead())
          : found;
      },
    });
    const model = (_: unknown, turn: RunningTurn) =>
      new Promise<string | { text: string; tool_calls: object[] }>((answer, refuse) => {
        const id = `q${(this.#asked += 1)}`;
        const { agent_turn_id, step_count, profile } = turn;
        this.#waiting.set(id, {
          id,
          agent_id: turn.agent_id,
          agent_turn_id,
          step_count,
          profile: profile?.name ?? "",
          answer,
          refuse,
          kill: () => {
            isAlive = false;
          },
        });
        // a turn that was taken away no longer waits for an answer
        turn.signal.addEventListener("abort", () => this.#waiting.delete(id));
      });
    const crew = worker({
      engine: team,
      agents: [agent_id],
      model: model as never,
      tools: { fork_join: recipe("fork_join", { maxTasks: MAX_TASKS }) },
      modelTimeoutMs: NO_TIMEOUT_MS,
      leaseMs: 200,
    });
    crew.step().catch(() => undefined);
  }

  /** Waits until no worker reads or writes any more. */
  async #waitUntilIdle(): Promise<void> {
    let end = performance.now() + MAX_IDLE_MS;
    for (let quiet = 0, last = -1; quiet < 3 && performance.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_CHECK_MS));
      quiet = this.#running === 0 && this.#activity === last ? quiet + 1 : 0;
      if (this.#activity !== last) end = performance.now() + MAX_IDLE_MS;
      last = this.#activity;
    }
  }

  async #track<T>(work: () => Promise<T>): Promise<T> {
    this.#activity += 1;
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }

  /** Records the commits of a project: which rule changed which row, and why. */
  #recordCommits<T extends { preview: (...args: never[]) => Promise<Preview<unknown>> }>(project: T): T {
    const preview = project.preview.bind(project);
    project.preview = (async (...args: never[]) => {
      const made = await this.#track(() => preview(...args));
      const [op] = args as unknown as [unknown];
      const commit = made.commit.bind(made);
      Object.defineProperty(made, "commit", {
        value: async (...more: never[]) => {
          const { transitions } = made.ledger;
          const receipt = await commit(...more);
          if (transitions.length > 0) this.#changes.push({ op: String(op), transitions });
          return receipt;
        },
      });
      return made;
    }) as T["preview"];
    return project;
  }
}
