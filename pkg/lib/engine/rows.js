// Reads that need no rule: rows as the store has them.
import { systemClock } from "../clock.js";
import { TuckboxError } from "../error.js";
import { ask } from "../host.js";
import { patiently } from "./patience.js";

const TIMEOUT_MS = 30_000;

export class Rows {
  #store;
  #project_id;
  #patience_ms;
  #clock;

  constructor({ store, project_id, clock = systemClock, patience_ms = 0 }) {
    this.#store = store;
    this.#project_id = project_id;
    this.#patience_ms = patience_ms;
    this.#clock = clock;
  }

  /** The first messages that wait for somebody to take them; a database leaves out what somebody takes right now. */
  async pending(limit = 500, options) {
    const { lists } = await this.#read({ lists: [{ table: "inbox", index: "by_status", of: ["pending"], limit, skip_locked: true }] }, options);
    return rowsOf(lists[0]);
  }

  /** The head of an agent, where it has one. */
  async head(agent_id, options) {
    return (await this.heads([agent_id], options)).get(agent_id);
  }

  /** Heads by agent. */
  async heads(agent_ids, options) {
    const { rows = [] } = await this.#read({ rows: agent_ids.map((id) => ({ table: "heads", key: [id] })) }, options);
    return new Map(rows.map(({ key, row }) => [key[0], row]));
  }

  /** An agent of the roster, where it is one. */
  async agent(agent_id, options) {
    return (await this.agents([agent_id], options)).get(agent_id);
  }

  /** Agents of the roster by id. */
  async agents(agent_ids, options) {
    const { rows = [] } = agent_ids.length === 0 ? {} : await this.#read({ rows: agent_ids.map((id) => ({ table: "project_agents", key: [id] })) }, options);
    return new Map(rows.map(({ key, row }) => [key[0], row]));
  }

  /** Which of these turns are tasks of a batch. */
  async tasks(agent_turn_ids, options) {
    const lists = agent_turn_ids.map((id) => ({ table: "batch_tasks", index: "by_turn", of: [id], limit: 1 }));
    const { lists: found = [] } = lists.length === 0 ? {} : await this.#read({ lists }, options);
    return new Set(found.filter(({ rows }) => rows.length > 0).map(({ of }) => of[0]));
  }

  /** A profile by its name, where there is one. */
  async profile(name, options) {
    const { profiles = [] } = await this.#read({ profiles: [name] }, options);
    return profiles[0];
  }

  /** The head of an agent, and the messages of one of its turns. */
  async turn(agent_id, agent_turn_id, options) {
    const { rows = [], lists } = await this.#read(
      { rows: [{ table: "heads", key: [agent_id] }], lists: [{ table: "inbox", index: "of_turn", of: [agent_turn_id], limit: 20 }] },
      options,
    );
    return { head: rows[0]?.row, messages: rowsOf(lists[0]) };
  }

  async #read(reads, { signal, patience_ms = this.#patience_ms } = {}) {
    const asked = { project_id: this.#project_id, ...reads };
    const answered = await patiently(() => ask(this.#store, "read", asked, { timeout_ms: TIMEOUT_MS, signal }), { clock: this.#clock, patience_ms, signal });
    const answers = typeof answered === "string" ? JSON.parse(answered) : answered instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(answered)) : answered;
    const [failure] = answers.failed ?? [];
    if (failure !== undefined) throw new TuckboxError("store", `\`${failure.table}\` could not be read: ${failure.error}`, { path: "store.read" });
    return answers;
  }
}

function rowsOf(list) {
  return (list?.rows ?? []).map(({ row }) => row);
}
