// Work that is repeated.
/** @import { Clock } from "../../types/engine.js" */

export class Loop {
  #work;
  #options;
  /** @type {unknown} */
  #timer;
  /** @type {Promise<void> | undefined} */
  #running;
  #isAsked = false;
  #isStopped = false;
  /** @type {number | undefined} */
  #last;

  /**
   * Does `work` now, again `everyMs` of the clock after it ends, and as soon as possible after `nudge`.
   *
   * @param {() => unknown} work
   * @param {{ everyMs: number, clock: Clock, onError: (error: unknown) => void }} options
   */
  constructor(work, { everyMs, clock, onError }) {
    this.#work = work;
    this.#options = { everyMs, clock, onError };
    this.#go();
  }

  nudge() {
    if (this.#isStopped) return;
    if (this.#running !== undefined) {
      this.#isAsked = true;
      return;
    }
    this.#options.clock.clearTimeout(this.#timer);
    this.#go();
  }

  /** Returns the milliseconds since the work last succeeded. */
  age() {
    return this.#last === undefined ? undefined : this.#options.clock.now() - this.#last;
  }

  /** Stops after the current work. */
  async stop() {
    this.#isStopped = true;
    this.#options.clock.clearTimeout(this.#timer);
    await this.#running;
  }

  #go() {
    this.#isAsked = false;
    this.#running = this.#once().finally(() => {
      this.#running = undefined;
      if (this.#isStopped) return;
      if (this.#isAsked) this.#go();
      else this.#timer = this.#options.clock.setTimeout(() => this.#go(), this.#options.everyMs);
    });
  }

  async #once() {
    try {
      await this.#work();
      this.#last = this.#options.clock.now();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
