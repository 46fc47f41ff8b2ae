// One run of the simulator: teams of engines and workers on one project, faults from a seed, and the invariants.
import { engine } from "../../pkg/engine.js";
import { open } from "../../pkg/index.js";
import { submitResult, worker } from "../../pkg/worker.js";
import { Disk } from "./disk.mjs";
import { Invariants } from "./invariants.mjs";
import { FAULTS, Network } from "./network.mjs";
import { STORES } from "./stores.mjs";
import { Host, Machine, World } from "./world.mjs";

const PROJECT = "p";
const AGENTS = ["ann", "bob", "cleo"];
/** An agent whose events no transport accepts. */
const MUTE = "mute";
/** An agent whose head no version of the package can read. */
const BROKEN = "broken";
/** The longest time until all work has ended after the last fault. */
const CALM_MS = 1_800_000;

const SETTINGS = {
  // no turn reaches the limits of time or attempts, so every turn must succeed
  max_attempts: 1000,
  max_steps: 20,
};

/** The clocks of machines: right, a little wrong, and wrong by minutes. */
const SKEWS = [0, 0, 0, 31_000, -31_000, 600_000, -600_000];

/**
 * Runs one seed. Returns the events and what was done; throws the first broken invariant.
 *
 * @param {{ seed: number, store?: string, rounds?: number }} plan
 */
export async function simulate({ seed, store: kind, rounds }) {
  const world = new World(seed);
  const { dice } = world;
  const chosen = dice.of(Object.keys(STORES));
  const network = new Network(world, {
    longestMs: dice.of([2, 20, 200]),
    faults: dice.is(0.3) ? { lost: 0, unanswered: 0, hanging: 0 } : FAULTS,
  });
  const name = kind ?? chosen;
  const store = STORES[name](world, network);
  const invariants = new Invariants(world);
  world.note(`seed ${seed}, store ${name}, network ${network.longestMs} ms`);
  const run = new Run({ world, network, store, invariants, rounds });
  try {
    await world.run(() => run.all(), 3 * CALM_MS);
  } catch (error) {
    error.world = world;
    throw error;
  }
  return { world, store: name, ...invariants.counts };
}

class Run {
  #hosts = new Map();
  #isOver = false;

  constructor({ world, network, store, invariants, rounds }) {
    Object.assign(this, { world, network, store, invariants, rounds, dice: world.dice });
    const disk = new Disk(world);
    const count = store.isLocal ? 1 : 3;
    this.machines = Array.from({ length: count }, (_, at) => {
      const machine = new Machine(world, `machine ${at}`, { skewMs: this.dice.of(SKEWS) });
      machine.disk = disk;
      world.note(`${machine.name} is ${machine.skewMs} ms ahead`);
      return machine;
    });
    this.disk = disk;
    this.toolMs = this.dice.of([10, 1000, 20_000]);
    this.modelMs = this.dice.of([10, 3000, 20_000]);
    this.crashes = this.dice.of([0, 0.0005, 0.002]);
  }

  async all() {
    const { world, dice, invariants } = this;
    const setup = new Host(this.machines[0], "setup");
    world.isCalm = true;
    await setup.run(async () => {
      if (this.store.isLocal) {
        const { mkdir } = await import("node:fs/promises");
        await mkdir("/data");
        this.disk.settle();
      }
      const team = this.#team(setup);
      const llm_config = { model: "scripted" };
      await team.profile({ name: "Writer", system_prompt: "You write.", llm_config });
      for (const agent_id of [...AGENTS, MUTE]) await team.provision({ agent_id, profile: "Writer" });
      await team.call("create_box", { box_id: "notes", card_ids: [] });
      await team.close();
    });
    const broken = { agent_id: BROKEN, status: "running", turn_epoch: "many", updated_at: "2026-01-01T00:00:00.000Z" };
    // a store in memory takes any row
    this.store.truth?.project?.(PROJECT)?.addRow("heads", broken);
    world.isCalm = false;
    this.disk.errors = dice.of([0, 0.001]);
    const names = ["engine a", "engine b", "worker a", "worker b"];
    for (const [at, name] of names.entries()) this.#boot(name, this.machines[at % this.machines.length]);
    const client = new Host(this.machines.at(-1), "client");
    const faults = this.#faults();
    const asked = client.run(() => this.#client(client));
    await asked;
    this.#isOver = true;
    await faults;
    // from here on nothing fails, and all work must end
    this.network.isDown = false;
    this.disk.isFull = false;
    world.isSlow = false;
    world.isCalm = true;
    world.note("calm");
    const judge = new Host(this.machines[0], "judge");
    await judge.run(async () => {
      const team = engine({ ...this.#options(judge), ...(this.store.truth === undefined ? {} : { store: this.store.truth }) });
      for (const end = world.time + CALM_MS; ; await world.sleep(5000)) {
        const left = await invariants.unfinished(team);
        if (left.length === 0) break;
        if (world.time > end) invariants.broken("all work ends", left.join(", "));
      }
      await invariants.check(team, PROJECT);
      await team.close();
    });
  }

  /** Faults between the hosts until the client is done. */
  async #faults() {
    const { world, dice, network, disk } = this;
    while (!this.#isOver) {
      await world.sleep(dice.from(500, 8000));
      if (this.#isOver) return;
      const kind = dice.of(["kill", "kill", "outage", "jump", "full", "slow", "power"]);
      if (kind === "kill") {
        const host = dice.of([...this.#hosts.values()]);
        host.crash("killed");
      } else if (kind === "outage") {
        world.note("the store is away");
        network.isDown = true;
        world.after(dice.from(100, 20_000), () => {
          network.isDown = false;
          world.note("the store is back");
        });
      } else if (kind === "jump") {
        const machine = dice.of(this.machines);
        machine.skewMs += dice.of([-3_600_000, -5000, 5000, 600_000]);
        world.note(`${machine.name} is now ${machine.skewMs} ms ahead`);
      } else if (kind === "full") {
        disk.isFull = true;
        world.note("the disk is full");
        world.after(dice.from(100, 5000), () => {
          disk.isFull = false;
          world.note("the disk has room");
        });
      } else if (kind === "slow") {
        world.isSlow = true;
        world.after(dice.from(100, 3000), () => {
          world.isSlow = false;
        });
      } else if (kind === "power" && this.store.isLocal) {
        world.note("the machine loses power");
        for (const host of this.#hosts.values()) host.crash("power");
        disk.lose();
      }
    }
  }

  /** Starts a process, and starts it again after each crash. */
  #boot(name, machine) {
    const { world, dice } = this;
    const host = new Host(machine, name);
    host.crashes = this.crashes;
    this.#hosts.set(name, host);
    host.onCrash(() => world.after(dice.from(10, 10_000), () => this.#boot(name, machine)));
    host.run(async () => {
      const team = this.#team(host);
      this.invariants.watch(host, team.watch());
      for (const run of [
        () => name.startsWith("engine") && team.start(),
        () => name.startsWith("worker") && this.#worker(host, team).start(),
      ]) {
        for (;;) {
          try {
            await run();
            break;
          } catch {
            await new Promise((resolve) => setTimeout(resolve, 500));
          }
        }
      }
    });
  }

  #options(host) {
    const { dice } = this;
    return {
      open,
      store: this.store.of(host),
      projectId: PROJECT,
      settings: SETTINGS,
      options: { entropy: () => dice.bytes(32) },
      transport: this.network.transport(host, { isRefused: ({ subject }) => subject.includes(`.agent.${MUTE}.`) }),
      tickMs: 3000,
      sendMs: 2000,
    };
  }

  #team(host) {
    const log = ({ level, event, error, code, agent_id, op }) => {
      if (level === "info") return;
      this.invariants.note(event);
      this.world.note(`${host.name}: ${[level, event, op, agent_id, code, error].filter((part) => part !== undefined).join(" ")}`);
    };
    return engine({ ...this.#options(host), log });
  }

  #worker(host, team) {
    const { dice, invariants, world } = this;
    const outside = (what, longestMs) => host.outside(what, dice.next() * longestMs, () => {});
    return worker({
      engine: team,
      name: `${host.name} ${Math.floor(world.time)}`,
      pollMs: 2000,
      takeUpMs: 3000,
      model: async (_, { agent_id, agent_turn_id, turn_epoch, step_count }) => {
        invariants.thought(host, { agent_id, agent_turn_id, turn_epoch, step_count });
        await outside("model", this.modelMs);
        // the same turn makes the same calls on every worker
        const plan = invariants.plan(agent_turn_id);
        const names = plan[step_count];
        if (names === undefined) return "done";
        const tool_calls = names.map((name, at) => ({
          id: `c${at}`,
          type: "function",
          function: { name, arguments: JSON.stringify({ at, step: step_count }) },
        }));
        return { text: "I look it up.", tool_calls };
      },
      tools: {
        look_up: {
          run: async (_, { tool_call_id }) => {
            await outside("look_up", this.toolMs);
            invariants.ran("look_up", tool_call_id);
            return { found: true };
          },
        },
        mail: {
          idempotent: false,
          run: async (_, { tool_call_id }) => {
            invariants.ran("mail", tool_call_id);
            await outside("mail", this.toolMs);
            return "sent";
          },
        },
        later: {
          start: async (_, call) => {
            invariants.ran("later", call.tool_call_id);
            // another process answers, so that a crash of this one does not lose the answer
            const { handle } = call;
            world.after(dice.next() * this.toolMs, () => this.#answer(handle ?? call));
          },
        },
        submit_result: submitResult(),
      },
      log: ({ level, event, error, code, agent_turn_id }) => {
        if (level === "info") return;
        invariants.note(event);
        world.note(`${host.name}: ${[level, event, agent_turn_id, code, error].filter((part) => part !== undefined).join(" ")}`);
      },
    });
  }

  /** Answers a tool call from a process of its own. */
  #answer({ project_id, agent_id, agent_turn_id, turn_epoch, step_id, tool_call_id, tool_name, recursion_depth, channel_id }) {
    const host = new Host(this.machines[0], "answer");
    const call = { project_id, agent_id, agent_turn_id, turn_epoch, step_id, tool_call_id, tool_name, recursion_depth, channel_id };
    host.run(async () => {
      const team = this.#team(host);
      for (let tried = 0; tried < 20; tried += 1) {
        try {
          await team.answer(call, { result: "later" });
          break;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 1000));
        }
      }
      host.isDead = true;
      team.close().catch(() => {});
    });
  }

  /** Dispatches turns and stores notes. What is acknowledged must be there at the end. */
  async #client(host) {
    const { dice, invariants } = this;
    const team = this.#team(host);
    invariants.watch(host, team.watch());
    const rounds = this.rounds ?? 4 + Math.floor(dice.next() * 6);
    for (let round = 0; round < rounds; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, dice.from(100, 8000)));
      const agent_id = dice.is(0.1) ? MUTE : dice.of(AGENTS);
      const plan = Array.from({ length: Math.floor(dice.next() * 3) }, () =>
        Array.from({ length: 1 + Math.floor(dice.next() * 3) }, () => dice.of(["look_up", "mail", "later"])),
      );
      try {
        const agent_turn_id = `turn_${round}`;
        invariants.planned(agent_turn_id, plan);
        const turn = await team.dispatch({ agent_id, agent_turn_id, instruction: `Task ${round}.` });
        invariants.asked(turn);
      } catch (error) {
        this.world.note(`client: not acknowledged: ${error.message}`);
      }
      try {
        const card_id = `note_${round}`;
        await team.call("put_cards", {
          cards: [{ card_id, type: "note", author_id: "client", content: { __type__: "TextContent", text: card_id } }],
        });
        await team.call("append_to_box", { box_id: "notes", card_ids: [card_id] });
        invariants.stored(card_id);
      } catch (error) {
        this.world.note(`client: not acknowledged: ${error.message}`);
      }
    }
    await team.close();
  }
}
