// Something that is done again and again, one time after the other.

export class Loop {
  #work;
  #options;
  #timer;
  #running;
  #isAsked = false;
  #isStopped = false;
  #last;

  /** Does `work` now, then `every_ms` of the clock after it was done, and as soon as possible after `nudge`. */
  constructor(work, { every_ms, clock, onError }) {
    this.#work = work;
    this.#options = { every_ms, clock, onError };
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

  /** Milliseconds since the work was last done without a failure. */
  age() {
    return this.#last === undefined ? undefined : this.#options.clock.now() - this.#last;
  }

  /** Ends it, after the work that is under way. */
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
      else this.#timer = this.#options.clock.setTimeout(() => this.#go(), this.#options.every_ms);
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
