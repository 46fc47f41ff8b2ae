// The turns that a worker has: a signal fires when it loses one.
/** @import { Engine, LogEntry } from "../../types/engine.js" */
import { elapsed } from "../clock.js";
import { withDefaults } from "../engine/settings.js";
import { codeOf, messageOf, TuckboxError } from "../error.js";

/**
 * @typedef {{ agent_id: string, agent_turn_id: string, turn_epoch: number }} Turn
 * @typedef {Turn & { controller: AbortController, renewed: number, isLost: boolean }} Lease
 */

export class Leases {
  #options;
  #held = /** @type {Set<Lease>} */ (new Set());
  /** @type {{ timer?: unknown } | undefined} */
  #watch;
  #isReleasing = false;

  /** @param {{ engine: Engine, leaseMs: number, log: (level: LogEntry["level"], event: string, details: object) => void }} options */
  constructor(options) {
    this.#options = options;
  }

  /**
   * Holds a turn. `signal` fires when the turn is lost or released to another worker; `release` ends the hold.
   *
   * @param {Turn} turn
   */
  hold({ agent_id, agent_turn_id, turn_epoch }) {
    const controller = new AbortController();
    /** @type {Lease} */
    const lease = { agent_id, agent_turn_id, turn_epoch, controller, renewed: elapsed(this.#options.engine.clock), isLost: false };
    this.#held.add(lease);
    if (this.#isReleasing) controller.abort(shutDown());
    this.#watch ??= this.#begin();
    return {
      signal: controller.signal,
      get isLost() {
        return lease.isLost;
      },
      release: () => {
        this.#held.delete(lease);
        if (this.#held.size === 0) this.close();
      },
    };
  }

  /** Fires the signals of all turns, now and from now on. */
  releaseAll() {
    this.#isReleasing = true;
    for (const { controller } of this.#held) controller.abort(shutDown());
  }

  close() {
    this.#options.engine.clock.clearTimeout(this.#watch?.timer);
    this.#watch = undefined;
  }

  /** Milliseconds between two renewals of a lease. */
  get #renewMs() {
    const { lease_seconds, active_timeout_seconds } = withDefaults(this.#options.engine.settings);
    // without leases, the watchdog limits a turn
    return ((lease_seconds > 0 ? lease_seconds : active_timeout_seconds) * 1000) / 3;
  }

  /** Checks every `leaseMs`, and often enough to renew leases in time, until `close`. */
  #begin() {
    const { engine } = this.#options;
    const leaseMs = Math.min(this.#options.leaseMs, this.#renewMs);
    const watch = /** @type {{ timer?: unknown }} */ ({});
    const next = () => {
      watch.timer = engine.clock.setTimeout(async () => {
        await this.#check();
        if (this.#watch === watch) next();
      }, leaseMs);
    };
    next();
    return watch;
  }

  /** Checks all turns with one read, and renews those that run long. */
  async #check() {
    const { engine, log } = this.#options;
    const leases = [...this.#held];
    try {
      await this.#compare(leases);
      const now = elapsed(engine.clock);
      // a lease is renewed at the check before it would be late
      const isDue = (/** @type {Lease} */ { isLost, renewed }) => !isLost && now - renewed >= this.#renewMs;
      await Promise.all(leases.filter(isDue).map((lease) => this.#renew(lease)));
    } catch (error) {
      // a worker that lost a turn cannot write to it, so a failed check is harmless
      log("error", "lease_check_failed", { error: messageOf(error), code: codeOf(error) });
    }
  }

  /**
   * Loses the turns that ended, or that another worker has.
   *
   * @param {readonly Lease[]} leases
   */
  async #compare(leases) {
    const heads = await this.#options.engine.rows.heads([...new Set(leases.map(({ agent_id }) => agent_id))]);
    for (const lease of leases) {
      const head = heads.get(lease.agent_id);
      if (head?.active_agent_turn_id !== lease.agent_turn_id || head.turn_epoch !== lease.turn_epoch) this.#lose(lease);
    }
  }

  /** @param {Lease} lease */
  async #renew(lease) {
    const now = elapsed(this.#options.engine.clock);
    const { agent_id, agent_turn_id, turn_epoch } = lease;
    const { updated } = await this.#options.engine.run("state_update", {
      agent_id,
      expect_agent_turn_id: agent_turn_id,
      expect_turn_epoch: turn_epoch,
      expect_status: "running",
      new_status: "running",
    });
    if (updated) lease.renewed = now;
    // a turn that has not started yet, or that is suspended, is not renewed and not lost
    else await this.#compare([lease]);
  }

  /** @param {Lease} lease */
  #lose(lease) {
    if (!this.#held.has(lease)) return;
    lease.isLost = true;
    const { agent_id, agent_turn_id, turn_epoch } = lease;
    lease.controller.abort(
      new TuckboxError("conflict", `turn \`${agent_turn_id}\` of \`${agent_id}\` is no longer at epoch ${turn_epoch}`, {
        details: { agent_id, agent_turn_id, turn_epoch },
      }),
    );
  }
}

function shutDown() {
  return new TuckboxError("aborted", "the worker is shutting down");
}
