// A clock for tests: time passes when the test moves it, or when everything waits for it.

/** How many turns of the event loop must bring no work before time passes. */
const QUIET_TURNS = 3;
/** How much time may pass in one `run`; what is not reached by then is never reached. */
const MAX_RUN_MS = 600_000;

/** One turn of the event loop: what the machine has ready runs in it. */
const turn = () => new Promise((resolve) => (globalThis.setImmediate ?? globalThis.setTimeout)(resolve));

export class VirtualClock {
  #now;
  #timers = new Set();
  #running = 0;
  #begun = 0;
  #onRest = () => {};
  #awaited = [];

  constructor(now = Date.now()) {
    this.#now = now;
  }

  now() {
    return this.#now;
  }

  setTimeout(work, ms) {
    const timer = { at: this.#now + Math.max(0, Math.ceil(ms)), work };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer) {
    this.#timers.delete(timer);
  }

  /** Waits for `ms` milliseconds of this clock. */
  sleep(ms) {
    return new Promise((resolve) => this.setTimeout(resolve, ms));
  }

  /** Moves the time on; timers that become due fire in their order. */
  advance(ms) {
    const end = this.#now + ms;
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) this.#fire(next);
    this.#now = end;
  }

  /** Does `work`, and lets no time pass by itself until it is done. */
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

  /** Does `work`; whenever nothing that is tracked is under way, time passes up to the next timer. */
  async run(work) {
    let isDone = false;
    const done = (async () => work())();
    const settle = () => (isDone = true);
    done.then(settle, settle);
    for (const end = this.#now + MAX_RUN_MS; ; ) {
      await this.#quiet();
      if (isDone) return done;
      const next = this.#next();
      if (next === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
      else if (next.at <= end) this.#fire(next);
      else throw new Error(`${MAX_RUN_MS / 60_000} minutes of the virtual clock have passed, still waiting until ${this.#awaited.join(" and ") || "the work is done"}`);
    }
  }

  /** Waits until `isReached`; looks every 100 ms of this clock. `what` is for the error. */
  async until(what, isReached) {
    this.#awaited.push(what);
    while (!(await isReached())) await this.sleep(100);
    this.#awaited.splice(this.#awaited.indexOf(what), 1);
  }

  /** The timer that fires first; the oldest of several. */
  #next() {
    let first;
    for (const timer of this.#timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  }

  #fire(timer) {
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.at);
    timer.work();
  }

  /** Resolves when nothing is under way, and nothing begins. */
  async #quiet() {
    for (let turns = 0; turns < QUIET_TURNS; ) {
      if (this.#running > 0) await new Promise((resolve) => (this.#onRest = resolve));
      const begun = this.#begun;
      await turn();
      turns = this.#running === 0 && this.#begun === begun ? turns + 1 : 0;
    }
  }
}

/** Returns what an engine is made with, so that the clock tracks everything that the store and the core do. */
export function trackedHost(clock, { open, store, ...more }) {
  const tracked = (work) => (...args) => clock.track(() => work(...args));
  return {
    ...more,
    clock,
    store: { read: tracked((...args) => store.read(...args)), commit: tracked((...args) => store.commit(...args)) },
    open: tracked(async (...given) => {
      const project = await open(...given);
      const preview = tracked(async (...args) => {
        const made = await project.preview(...args);
        const commit = made.commit.bind(made);
        return Object.assign(made, { commit: tracked(commit) });
      });
      return { preview, refresh: () => project.refresh(), dispose: () => project.dispose() };
    }),
  };
}
