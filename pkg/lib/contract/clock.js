// A clock for tests: time passes when the test moves it, or when all work waits for it.
/** @import { Clock, EngineOptions } from "../../types/engine.js" */

/** @typedef {{ at: number, work: () => void }} Timer */

/** The number of idle turns of the event loop before time passes. */
const QUIET_TURNS = 3;
/** The maximum time of one `run`. */
const MAX_RUN_MS = 600_000;

/** Waits for one turn of the event loop. */
const turn = () => new Promise((resolve) => (globalThis.setImmediate ?? globalThis.setTimeout)(resolve));

/** @implements {Clock} */
export class VirtualClock {
  #now;
  #timers = /** @type {Set<Timer>} */ (new Set());
  #running = 0;
  #begun = 0;
  #onRest = () => {};
  #awaited = /** @type {string[]} */ ([]);

  constructor(now = Date.now()) {
    this.#now = now;
  }

  now() {
    return this.#now;
  }

  /** @param {() => void} work @param {number} ms @returns {unknown} */
  setTimeout(work, ms) {
    const timer = { at: this.#now + Math.max(0, Math.ceil(ms)), work };
    this.#timers.add(timer);
    return timer;
  }

  /** @param {unknown} timer */
  clearTimeout(timer) {
    this.#timers.delete(/** @type {Timer} */ (timer));
  }

  /**
   * Waits for `ms` milliseconds of this clock.
   *
   * @param {number} ms
   * @returns {Promise<void>}
   */
  sleep(ms) {
    return new Promise((resolve) => this.setTimeout(resolve, ms));
  }

  /**
   * Advances the time; due timers fire in order.
   *
   * @param {number} ms
   */
  advance(ms) {
    const end = this.#now + ms;
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) this.#fire(next);
    this.#now = end;
  }

  /**
   * Does `work`; time does not pass until it is done.
   *
   * @template Value
   * @param {() => Value | Promise<Value>} work
   */
  async track(work) {
    this.#running += 1;
    this.#begun += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onRest();
    }
  }

  /**
   * Does `work`; time passes to the next timer whenever no tracked work runs.
   *
   * @template Value
   * @param {() => Value | Promise<Value>} work
   * @returns {Promise<Value>}
   */
  async run(work) {
    let isDone = false;
    const done = (async () => work())();
    const settle = () => {
      isDone = true;
    };
    done.then(settle, settle);
    for (const end = this.#now + MAX_RUN_MS; ; ) {
      await this.#quiet();
      if (isDone) return done;
      const next = this.#next();
      if (next === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
      else if (next.at <= end) this.#fire(next);
      else
        throw new Error(
          `${MAX_RUN_MS / 60_000} minutes of the virtual clock have passed, still waiting until ${this.#awaited.join(" and ") || "the work is done"}`,
        );
    }
  }

  /**
   * Waits until `isReached` returns true, and checks every 100 ms of this clock. `what` is for the error.
   *
   * @param {string} what
   * @param {() => boolean | Promise<boolean>} isReached
   */
  async until(what, isReached) {
    this.#awaited.push(what);
    while (!(await isReached())) await this.sleep(100);
    this.#awaited.splice(this.#awaited.indexOf(what), 1);
  }

  /** Returns the timer that fires first; of several the oldest. */
  #next() {
    /** @type {Timer | undefined} */
    let first;
    for (const timer of this.#timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  }

  /** @param {Timer} timer */
  #fire(timer) {
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.at);
    timer.work();
  }

  /** Resolves when no work runs or starts. */
  async #quiet() {
    for (let turns = 0; turns < QUIET_TURNS; ) {
      if (this.#running > 0) {
        await new Promise((resolve) => {
          this.#onRest = () => resolve(undefined);
        });
      }
      const begun = this.#begun;
      await turn();
      turns = this.#running === 0 && this.#begun === begun ? turns + 1 : 0;
    }
  }
}

/**
 * Returns options of an engine whose store and core are tracked by the clock.
 *
 * @param {VirtualClock} clock
 * @param {Pick<EngineOptions, "open" | "store">} host
 * @returns {Pick<EngineOptions, "open" | "store" | "clock">}
 */
export function trackedHost(clock, { open, store, ...more }) {
  /** @type {(work: (...args: any[]) => any) => (...args: any[]) => Promise<any>} */
  const tracked =
    (work) =>
    (...args) =>
      clock.track(() => work(...args));
  return {
    ...more,
    clock,
    store: { read: tracked((reads, more) => store.read(reads, more)), commit: tracked((writes, more) => store.commit(writes, more)) },
    open: tracked(async (on, options) => {
      const project = /** @type {any} */ (await open(on, options));
      const preview = tracked(async (...args) => {
        const made = await project.preview(...args);
        const commit = made.commit.bind(made);
        return Object.assign(made, { commit: tracked(commit) });
      });
      return { preview, refresh: () => project.refresh(), dispose: () => project.dispose() };
    }),
  };
}
