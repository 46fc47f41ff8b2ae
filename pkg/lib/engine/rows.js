// Reads of rows that need no rule.
/** @import { AgentRow, ProfileRow } from "../../types/cards.js" */
/** @import { Clock, EngineCallOptions } from "../../types/engine.js" */
/** @import { HeadRow, InboxRow } from "../../types/results.js" */
/** @import { Reads, Store } from "../../types/store.js" */
import { systemClock } from "../clock.js";
import { TuckboxError } from "../error.js";
import { ask, TIMEOUT_MS } from "../host.js";
import { patiently } from "./patience.js";

/** @typedef {Pick<EngineCallOptions, "signal" | "patienceMs">} Options */

export class Rows {
  #store;
  #projectId;
  #patienceMs;
  #clock;

  /** @param {{ store: Store, projectId: string, clock?: Clock, patienceMs?: number }} options */
  constructor({ store, projectId, clock = systemClock, patienceMs = 0 }) {
    this.#store = store;
    this.#projectId = projectId;
    this.#patienceMs = patienceMs;
    this.#clock = clock;
  }

  /**
   * Returns the first messages that no worker claimed. A database skips those that are being claimed.
   *
   * @param {number} [limit]
   * @param {Options} [options]
   * @returns {Promise<InboxRow[]>}
   */
  async pending(limit = 500, options) {
    const { lists } = await this.#read(
      { lists: [{ table: "inbox", index: "by_status", of: ["pending"], limit, skip_locked: true }] },
      options,
    );
    return rowsOf(lists[0]);
  }

  /**
   * Returns the head of an agent, if it has one.
   *
   * @param {string} agent_id
   * @param {Options} [options]
   */
  async head(agent_id, options) {
    return (await this.heads([agent_id], options)).get(agent_id);
  }

  /**
   * Returns heads by agent.
   *
   * @param {readonly string[]} agent_ids
   * @param {Options} [options]
   * @returns {Promise<Map<string, HeadRow>>}
   */
  heads(agent_ids, options) {
    return this.#byId("heads", agent_ids, options);
  }

  /**
   * Returns messages by id.
   *
   * @param {readonly string[]} inbox_ids
   * @param {Options} [options]
   * @returns {Promise<Map<string, InboxRow>>}
   */
  messages(inbox_ids, options) {
    return this.#byId("inbox", inbox_ids, options);
  }

  /**
   * Returns an agent of the roster, if it is one.
   *
   * @param {string} agent_id
   * @param {Options} [options]
   */
  async agent(agent_id, options) {
    return (await this.agents([agent_id], options)).get(agent_id);
  }

  /**
   * Returns agents of the roster by id.
   *
   * @param {readonly string[]} agent_ids
   * @param {Options} [options]
   * @returns {Promise<Map<string, AgentRow>>}
   */
  agents(agent_ids, options) {
    return this.#byId("project_agents", agent_ids, options);
  }

  /**
   * Returns the turns that are tasks of a batch.
   *
   * @param {readonly string[]} agent_turn_ids
   * @param {Options} [options]
   * @returns {Promise<Set<string>>}
   */
  async tasks(agent_turn_ids, options) {
    if (agent_turn_ids.length === 0) return new Set();
    const { lists } = await this.#read(
      { lists: agent_turn_ids.map((id) => ({ table: "batch_tasks", index: "by_turn", of: [id], limit: 1 })) },
      options,
    );
    return new Set(lists.filter(({ rows }) => rows.length > 0).map(({ of }) => of[0]));
  }

  /**
   * Returns a profile by name, if there is one.
   *
   * @param {string} name
   * @param {Options} [options]
   * @returns {Promise<ProfileRow | undefined>}
   */
  async profile(name, options) {
    const { profiles } = await this.#read({ profiles: [name] }, options);
    return profiles[0];
  }

  /**
   * Returns the message that started a turn. It mostly has the id of the turn.
   *
   * @param {string} agent_turn_id
   * @param {Options} [options]
   * @returns {Promise<InboxRow | undefined>}
   */
  async startOf(agent_turn_id, options) {
    const reads = {
      rows: [{ table: "inbox", key: [agent_turn_id] }],
      lists: [{ table: "inbox", index: "of_turn", of: [agent_turn_id], limit: 20 }],
    };
    const { rows, lists } = await this.#read(reads, options);
    const own = rows.map(({ row }) => row);
    const isStart = (/** @type {InboxRow} */ row) => row.message_type === "turn" && (row.agent_turn_id ?? agent_turn_id) === agent_turn_id;
    return [...own, ...rowsOf(lists[0])].find(isStart);
  }

  /**
   * @param {string} table
   * @param {readonly string[]} ids
   * @param {Options} [options]
   */
  async #byId(table, ids, options) {
    if (ids.length === 0) return new Map();
    const { rows } = await this.#read({ rows: ids.map((id) => ({ table, key: [id] })) }, options);
    return new Map(rows.map(({ key, row }) => [key[0], row]));
  }

  /**
   * @param {Omit<Reads, "project_id">} reads
   * @param {Options} [options]
   * @returns {Promise<{ profiles: ProfileRow[], rows: { key: string[], row: any }[], lists: { of: string[], rows: { row: any }[] }[] }>}
   */
  async #read(reads, { signal, patienceMs = this.#patienceMs } = {}) {
    const asked = { project_id: this.#projectId, ...reads };
    const answered = await patiently(() => ask(this.#store, "read", asked, { timeoutMs: TIMEOUT_MS, signal }), {
      clock: this.#clock,
      patienceMs,
      signals: [signal],
    });
    const text = answered instanceof Uint8Array ? new TextDecoder().decode(answered) : answered;
    const { profiles = [], rows = [], lists = [], failed = [] } = typeof text === "string" ? JSON.parse(text) : text;
    if (failed.length > 0) {
      const [{ table, kind = table, error, message = error }] = failed;
      throw new TuckboxError("store", `\`${kind}\` could not be read: ${message}`, { path: "store.read" });
    }
    return { profiles, rows, lists };
  }
}

/** @param {{ rows: { row: any }[] } | undefined} list */
function rowsOf(list) {
  return (list?.rows ?? []).map(({ row }) => row);
}
