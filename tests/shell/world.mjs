// A simulated world: hosts of one process with their own clocks, random numbers and timers, all derived from a seed.
//
// The code of a host runs in its own asynchronous context. There, the functions of the runtime for time, timers and random
// numbers are those of the world, so the package runs unchanged. A host that crashed runs no further code: its timers do
// not fire, and its disk and network never answer.
import { AsyncLocalStorage } from "node:async_hooks";

const context = new AsyncLocalStorage();
const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  dateNow: Date.now,
  performanceNow: performance.now.bind(performance),
  random: Math.random,
  randomUUID: crypto.randomUUID.bind(crypto),
  getRandomValues: crypto.getRandomValues.bind(crypto),
};

/** Returns the host whose code runs. */
export const hostOf = () => context.getStore();

/** A promise that never settles: the answer to a host that crashed. */
const never = () => new Promise(() => {});

/** Random numbers from a seed. */
export class Dice {
  #state;

  constructor(seed) {
    this.#state = (seed * 2654435761) >>> 0;
    for (let at = 0; at < 4; at += 1) this.next();
  }

  /** Returns a number from 0 to 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns true with this probability. */
  is(probability) {
    return this.next() < probability;
  }

  /** Returns a number from `least` to `most`. */
  from(least, most) {
    return least + this.next() * (most - least);
  }

  /** Returns one of the values. */
  of(values) {
    return values[Math.floor(this.next() * values.length)];
  }

  bytes(count) {
    return Uint8Array.from({ length: count }, () => Math.floor(this.next() * 256));
  }

  /** Returns a UUID of version 4, so that every reader of ids accepts it. */
  uuid() {
    const bytes = this.bytes(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }
}

class Timer {
  constructor(at, order, work) {
    Object.assign(this, { at, order, work });
  }

  ref() {
    return this;
  }

  unref() {
    return this;
  }
}

/** Replaces the functions of the runtime for the code of hosts. Other code is not affected. */
export function install() {
  Date.now = () => hostOf()?.now() ?? real.dateNow();
  performance.now = () => hostOf()?.elapsed() ?? real.performanceNow();
  Math.random = () => hostOf()?.world.dice.next() ?? real.random();
  crypto.randomUUID = () => hostOf()?.world.dice.uuid() ?? real.randomUUID();
  crypto.getRandomValues = (array) => {
    const host = hostOf();
    if (host === undefined) return real.getRandomValues(array);
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    bytes.set(host.world.dice.bytes(bytes.length));
    return array;
  };
  globalThis.setTimeout = (work, ms, ...args) => {
    const host = hostOf();
    return host === undefined ? real.setTimeout(work, ms, ...args) : host.after(ms, () => work(...args));
  };
  globalThis.setInterval = (work, ms, ...args) => {
    const host = hostOf();
    if (host === undefined) return real.setInterval(work, ms, ...args);
    const timer = new Timer(0, 0, undefined);
    const next = () => {
      timer.inner = host.after(Math.max(1, ms), () => {
        next();
        work(...args);
      });
    };
    next();
    return timer;
  };
  const clear = (known) => (timer) => {
    if (!(timer instanceof Timer)) return known(timer);
    hostOf()?.world.cancel(timer.inner ?? timer);
  };
  globalThis.clearTimeout = clear(real.clearTimeout);
  globalThis.clearInterval = clear(real.clearInterval);
}

/** The number of turns of the event loop without work after which time passes. */
const QUIET_TURNS = 1;

export class World {
  #timers = [];
  #count = 0;
  /** The time of the world in milliseconds. */
  time = Date.UTC(2026, 0, 5);
  /** The number of faults that can still happen; 0 in the second phase. */
  isCalm = false;
  /** Work that real promises of the runtime do. */
  #running = 0;
  /** The events of the run, for the report of a failure. */
  trace = [];
  #digest = 0x811c9dc5;

  constructor(seed) {
    this.seed = seed;
    this.dice = new Dice(seed);
  }

  /** Records what happened. Two runs of a seed have the same digest. */
  note(what) {
    const line = `${((this.time - Date.UTC(2026, 0, 5)) / 1000).toFixed(3)} ${what}`;
    for (let at = 0; at < line.length; at += 1) this.#digest = Math.imul(this.#digest ^ line.charCodeAt(at), 0x01000193) >>> 0;
    this.trace.push(line);
    if (this.trace.length > 5000) this.trace.splice(0, 1000);
  }

  get digest() {
    return this.#digest.toString(16).padStart(8, "0");
  }

  /** Calls `work` after `ms` of this world. */
  after(ms, work) {
    const timer = new Timer(this.time + Math.max(0, Number(ms) || 0), (this.#count += 1), work);
    // a binary heap by time, then by age
    const heap = this.#timers;
    let at = heap.push(timer) - 1;
    for (let up = (at - 1) >> 1; at > 0 && isBefore(timer, heap[up]); up = (at - 1) >> 1) {
      heap[at] = heap[up];
      at = up;
    }
    heap[at] = timer;
    return timer;
  }

  cancel(timer) {
    if (timer !== undefined) timer.work = undefined;
  }

  sleep(ms) {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Does work of the runtime that takes several turns of the event loop. Time does not pass meanwhile. */
  async track(work) {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }

  #next() {
    const heap = this.#timers;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length > 0) {
      let at = 0;
      for (;;) {
        let down = 2 * at + 1;
        if (down >= heap.length) break;
        if (down + 1 < heap.length && isBefore(heap[down + 1], heap[down])) down += 1;
        if (!isBefore(heap[down], last)) break;
        heap[at] = heap[down];
        at = down;
      }
      heap[at] = last;
    }
    return first;
  }

  /** Does `work`; time passes to the next timer whenever all code waits. */
  async run(work, maxMs) {
    let outcome;
    (async () => work())().then(
      (value) => {
        outcome = { value };
      },
      (error) => {
        outcome = { error };
      },
    );
    const end = this.time + maxMs;
    for (let stuck = 0; ; ) {
      for (let turns = 0; turns < QUIET_TURNS && outcome === undefined; turns = this.#running > 0 ? 0 : turns + 1)
        await new Promise((resolve) => real.setImmediate(resolve));
      if (outcome !== undefined) break;
      const timer = this.#timers.length > 0 ? this.#next() : undefined;
      if (timer === undefined) {
        // the first run loads parts of the module, which the runtime does
        if ((stuck += 1) > 1000) throw new Error("nothing is left to do, and the work is not done");
        await new Promise((resolve) => real.setTimeout(resolve, 5));
        continue;
      }
      stuck = 0;
      if (timer.work === undefined) continue;
      if (timer.at > end) throw new Error(`the work is not done after ${maxMs / 1000} s`);
      this.time = Math.max(this.time, timer.at);
      timer.work();
    }
    if (outcome.error !== undefined) throw outcome.error;
    return outcome.value;
  }
}

function isBefore(one, other) {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** A machine with a clock that can be wrong and jump. Its processes are hosts. */
export class Machine {
  constructor(world, name, { skewMs = 0 } = {}) {
    Object.assign(this, { world, name, skewMs });
    this.started = world.time;
  }

  now() {
    return Math.floor(this.world.time + this.skewMs);
  }
}

/** A process. */
export class Host {
  isDead = false;
  /** Called once when the process ends. */
  #onCrash = [];

  constructor(machine, name) {
    this.world = machine.world;
    this.machine = machine;
    this.name = name;
  }

  now() {
    return this.machine.now();
  }

  /** The clock that never jumps. */
  elapsed() {
    return this.world.time - this.machine.started;
  }

  after(ms, work) {
    return this.world.after(ms, () => {
      if (!this.isDead) context.run(this, work);
    });
  }

  /** Runs code of this host. */
  run(work) {
    return context.run(this, work);
  }

  onCrash(work) {
    this.#onCrash.push(work);
  }

  crash(why) {
    if (this.isDead) return;
    this.isDead = true;
    this.world.note(`${this.name} crashes: ${why}`);
    for (const work of this.#onCrash) this.world.after(0, work);
  }

  /**
   * Does something outside of the process. The process can crash before and after it. `ms` is the time that it takes.
   */
  async outside(what, ms, work) {
    const { world } = this;
    await this.#wait(ms);
    if (this.#ends(`before ${what}`)) return never();
    // errors of the outside are answers too
    let outcome;
    try {
      outcome = { value: await work() };
    } catch (error) {
      outcome = { error };
    }
    if (world.isSlow) await this.#wait(world.dice.from(0, 2000));
    if (this.#ends(`after ${what}`)) return never();
    if (outcome.error !== undefined) throw outcome.error;
    return outcome.value;
  }

  async #wait(ms) {
    if (ms > 0) await new Promise((resolve) => this.after(ms, resolve));
  }

  #ends(what) {
    if (!this.isDead && !this.world.isCalm && this.crashes > 0 && this.world.dice.is(this.crashes)) this.crash(what);
    return this.isDead;
  }

  /** The probability of a crash before and after each access to the outside. */
  crashes = 0;
}
