// The invariants of a run, which hold under all failures.

export class Broken extends Error {
  constructor(invariant, details) {
    super(`${invariant}: ${details}`);
    this.invariant = invariant;
  }
}

export class Invariants {
  #turns = [];
  #notes = [];
  #plans = new Map();
  #thoughts = new Set();
  #ran = new Map();
  /** The first invariant that was broken while the world ran. */
  #broken;
  #logged = new Map();
  #events = 0;

  constructor(world) {
    this.world = world;
  }

  broken(invariant, details) {
    throw new Broken(invariant, details);
  }

  #breaks(invariant, details) {
    this.world.note(`BROKEN ${invariant}: ${details}`);
    this.#broken ??= new Broken(invariant, details);
  }

  planned(agent_turn_id, plan) {
    this.#plans.set(agent_turn_id, plan);
  }

  plan(agent_turn_id) {
    return this.#plans.get(agent_turn_id) ?? [];
  }

  asked(turn) {
    this.world.note(`asked ${turn.agent_turn_id} of ${turn.agent_id}: ${turn.status}`);
    if (turn.status !== "accepted") this.#breaks("a turn is accepted", JSON.stringify(turn));
    this.#turns.push(turn);
  }

  stored(card_id) {
    this.#notes.push(card_id);
  }

  note(event) {
    this.#logged.set(event, (this.#logged.get(event) ?? 0) + 1);
  }

  thought(host, { agent_id, agent_turn_id, turn_epoch, step_count }) {
    const name = `${agent_id} ${agent_turn_id} epoch ${turn_epoch} step ${step_count}`;
    this.world.note(`${host.name} thinks: ${name}`);
    if (this.#thoughts.has(name)) this.#breaks("a step runs once in an epoch", name);
    this.#thoughts.add(name);
  }

  ran(tool, tool_call_id) {
    this.world.note(`${tool} ${tool_call_id}`);
    const count = (this.#ran.get(tool_call_id) ?? 0) + 1;
    this.#ran.set(tool_call_id, count);
    if (tool === "mail" && count > 1) this.#breaks("a call that must not run twice runs once", tool_call_id);
  }

  /** Checks that the events of an agent never go backwards. */
  async watch(host, events) {
    const last = new Map();
    for await (const { kind, agent_id, payload } of events) {
      if (host.isDead) return;
      this.#events += 1;
      const { epoch = 0, ended = new Set(), state } = last.get(agent_id) ?? {};
      const turn = payload?.agent_turn_id;
      if (kind === "task") ended.add(turn);
      const next = { epoch, ended, state };
      if (kind === "state") {
        const { turn_epoch, status } = payload;
        const what = `${host.name} sees ${agent_id} ${status} in epoch ${turn_epoch} after ${state} in epoch ${epoch}`;
        if (turn_epoch < epoch) this.#breaks("events never go backwards", what);
        if (turn_epoch === epoch && state === "idle" && status !== "idle") this.#breaks("events never go backwards", what);
        if (status === "running" && ended.has(turn)) this.#breaks("events never go backwards", `${what}, whose task ended`);
        Object.assign(next, { epoch: turn_epoch, state: status });
      }
      last.set(agent_id, next);
    }
  }

  /** Returns what is not finished. */
  async unfinished(team) {
    const { agents, queued } = await team.state();
    const left = agents.filter(({ status }) => status !== "idle").map(({ agent_id, status }) => `${agent_id} is ${status}`);
    left.push(...queued.map(({ agent_id }) => `a turn of ${agent_id} waits`));
    const { messages } = await team.look("outbox", { limit: 1000 });
    const open = messages.filter(({ subject }) => !subject.includes(".agent.mute."));
    if (open.length > 0) left.push(`${open.length} messages wait to be sent, the first ${open[0].subject}`);
    const pending = await team.rows.pending(100);
    left.push(...pending.map(({ agent_id }) => `a message of ${agent_id} waits`));
    return left;
  }

  /** Checks what is left in the store after all work has ended. */
  async check(team) {
    if (this.#broken !== undefined) throw this.#broken;
    for (const { agent_id, agent_turn_id, output_box_id } of this.#turns) {
      const { boxes } = await team.hold((session) => session.view("get_boxes", { box_ids: [output_box_id] }));
      const cards =
        boxes.length === 0 ? [] : (await team.hold((session) => session.view("get_box_cards", { box_id: output_box_id }))).cards;
      const delivered = cards.filter(({ metadata }) => metadata.type === "task.deliverable");
      if (delivered.length > 1) this.broken("a turn has at most one result", agent_turn_id);
      if (delivered.length === 0) this.broken("no acknowledged turn is lost", `${agent_turn_id} of ${agent_id} has no result`);
      const { metadata } = delivered[0];
      if (metadata.partial === true)
        this.broken("no turn fails that can run again", `${agent_turn_id}: ${metadata.terminal_reason ?? metadata.stop_reason}`);
    }
    const { cards } = await team.hold((session) => session.view("get_box_cards", { box_id: "notes" }));
    const stored = new Set(cards.map(({ card_id }) => card_id));
    const lost = this.#notes.filter((card_id) => !stored.has(card_id));
    if (lost.length > 0) this.broken("nothing acknowledged is lost", lost.join(", "));
  }

  get counts() {
    return {
      turns: this.#turns.length,
      notes: this.#notes.length,
      thoughts: this.#thoughts.size,
      events: this.#events,
      logged: this.#logged,
    };
  }
}
