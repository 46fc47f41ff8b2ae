// The order of the events of an agent. Two engines can send them, and a transport can delay and repeat them.
/** @import { EngineEvent } from "../../types/engine.js" */

/** The number of agents, and of ended turns of one agent, to remember. */
const [MAX_AGENTS, MAX_ENDED] = [10_000, 16];

/** @typedef {{ epoch: number, isIdle: boolean, ended: Set<unknown> }} Seen What was seen of an agent. */

/** Detects events that describe an earlier state of an agent than the events before them. */
export class Order {
  #seen = /** @type {Map<string, Seen>} */ (new Map());

  /**
   * Returns true for a late event: of an earlier epoch, or of a turn that ended. Otherwise remembers the event.
   *
   * @param {EngineEvent} event
   */
  isLate(event) {
    if (event.kind === "lagged" || event.kind === "wakeup" || event.kind === "inbox_progress") return false;
    const { kind, agent_id } = event;
    const { turn_epoch, status, agent_turn_id } = /** @type {any} */ (event.payload);
    const seen = this.#of(agent_id);
    if (kind === "task") {
      seen.ended.add(agent_turn_id);
      if (seen.ended.size > MAX_ENDED) seen.ended.delete(seen.ended.values().next().value);
      return false;
    }
    const isIdle = kind === "state" && status === "idle";
    if (!isIdle && seen.ended.has(agent_turn_id)) return true;
    // other programs can send events without an epoch
    if (kind !== "state" || !Number.isSafeInteger(turn_epoch)) return false;
    if (turn_epoch < seen.epoch || (turn_epoch === seen.epoch && seen.isIdle && !isIdle)) return true;
    Object.assign(seen, { epoch: turn_epoch, isIdle });
    return false;
  }

  /** @param {string} agent_id */
  #of(agent_id) {
    const seen = this.#seen.get(agent_id) ?? { epoch: 0, isIdle: false, ended: new Set() };
    // the agents without events for the longest time are first
    this.#seen.delete(agent_id);
    this.#seen.set(agent_id, seen);
    if (this.#seen.size > MAX_AGENTS) this.#seen.delete(String(this.#seen.keys().next().value));
    return seen;
  }
}
