// The turns that a worker holds: a signal fires when one is no longer its own.
import { TuckboxError, messageOf } from "../error.js";

/** The watchdogs' limit where the settings name none. */
const ACTIVE_TIMEOUT_SECONDS = 300;

export class Leases {
  #options;
  #held = new Set();
  #watch;
  #isGivingBack = false;

  constructor(options) {
    this.#options = options;
  }

  /** Holds the turn of `work`; `signal` fires when it is lost or given back, `release` ends the hold. */
  hold({ agent_id, agent_turn_id, turn_epoch }) {
    const controller = new AbortController();
    const lease = { agent_id, agent_turn_id, turn_epoch, controller, renewed: this.#options.engine.clock.now(), isLost: false };
    this.#held.add(lease);
    if (this.#isGivingBack) controller.abort(givenBack());
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

  /** Fires the signals of everything that is held, now and from now on. */
  giveBack() {
    this.#isGivingBack = true;
    for (const { controller } of this.#held) controller.abort(givenBack());
  }

  close() {
    this.#options.engine.clock.clearTimeout(this.#watch?.timer);
    this.#watch = undefined;
  }

  /** Checks every `lease_ms`, until `close`. */
  #begin() {
    const { engine, lease_ms } = this.#options;
    const watch = {};
    const next = () => {
      watch.timer = engine.clock.setTimeout(async () => {
        await this.#check();
        if (this.#watch === watch) next();
      }, lease_ms);
    };
    next();
    return watch;
  }

  /** One read for all turns; those that run long say that they still do. */
  async #check() {
    const { engine, log } = this.#options;
    const leases = [...this.#held];
    try {
      const heads = await engine.rows.heads([...new Set(leases.map(({ agent_id }) => agent_id))]);
      for (const lease of leases) {
        const head = heads.get(lease.agent_id);
        if (head?.active_agent_turn_id === lease.agent_turn_id && head.turn_epoch === lease.turn_epoch) continue;
        this.#lose(lease);
      }
      const now = engine.clock.now();
      const seconds = engine.settings.active_timeout_seconds ?? ACTIVE_TIMEOUT_SECONDS;
      await Promise.all(leases.filter(({ isLost, renewed }) => !isLost && now - renewed > (seconds * 1000) / 3).map((lease) => this.#renew(lease)));
    } catch (error) {
      // nothing is known: whoever lost a turn cannot write to it anyway
      log("error", "lease_check_failed", { error: messageOf(error), code: error?.code });
    }
  }

  async #renew(lease) {
    lease.renewed = this.#options.engine.clock.now();
    const { agent_id, agent_turn_id, turn_epoch } = lease;
    const { updated } = await this.#options.engine.run("state_update", { agent_id, expect_agent_turn_id: agent_turn_id, expect_turn_epoch: turn_epoch, expect_status: "running", new_status: "running" });
    if (!updated) this.#lose(lease);
  }

  #lose(lease) {
    if (!this.#held.has(lease)) return;
    lease.isLost = true;
    const { agent_id, agent_turn_id, turn_epoch } = lease;
    lease.controller.abort(new TuckboxError("conflict", `turn \`${agent_turn_id}\` of \`${agent_id}\` is no longer at epoch ${turn_epoch}`, { details: { agent_id, agent_turn_id, turn_epoch } }));
  }
}

function givenBack() {
  return new TuckboxError("aborted", "the worker is shut down");
}
