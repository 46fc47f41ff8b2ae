// Calls that are decided again when somebody else was faster, and repeated when the store was away.
import { sleep } from "../clock.js";
import { patiently } from "./patience.js";

/** How often a decision is made again. */
const TRIES = 40;
/** How many opened projects are kept for the next calls. */
const KEPT = 8;

/** Hands out opened projects, each to one caller at a time: what one reads never disturbs another. */
export class Calls {
  #host;
  #idle = [];
  #isClosed = false;

  constructor(host) {
    this.#host = host;
  }

  /** Runs `work(session)` on a project that holds nothing that can have changed. */
  async hold(work) {
    const { open, store, project_id, options } = this.#host;
    const project = this.#idle.pop() ?? (await open(store, { ...options, project_id }));
    try {
      project.refresh();
      return await work(new Session(project, this.#host));
    } finally {
      if (this.#isClosed || this.#idle.length >= KEPT) project.dispose();
      else this.#idle.push(project);
    }
  }

  close() {
    this.#isClosed = true;
    for (const project of this.#idle.splice(0)) project.dispose();
  }
}

/** Calls in a row, on what the first ones read. */
class Session {
  #project;
  #host;
  #isFresh = true;

  constructor(project, host) {
    this.#project = project;
    this.#host = host;
  }

  /** A call of orchestration. */
  async run(op, args, options) {
    return (await this.made(op, args, options)).value;
  }

  /** As `run`, and the declared tables that were written to. */
  made(op, args, options) {
    return this.#decide(op, { ...args, settings: this.#host.settings }, options);
  }

  /** Any call. */
  async call(op, args, options) {
    return (await this.#decide(op, args, options)).value;
  }

  /** A call of orchestration that only looks. */
  look(op, args, options = {}) {
    return this.view(op, { ...args, settings: this.#host.settings }, options);
  }

  /** Any call that only looks, on what was read. */
  async view(op, args, options = {}) {
    const preview = await this.#patiently(() => this.#project.preview(op, args, this.#env(options)), options);
    try {
      this.#isFresh = false;
      return preview.value;
    } finally {
      preview.dispose();
    }
  }

  #env({ now, signal }) {
    return { now: now ?? this.#host.time(), signal };
  }

  async #decide(op, args, options = {}) {
    for (let tried = 1; ; tried += 1) {
      const wasFresh = this.#isFresh;
      const preview = await this.#patiently(() => this.#project.preview(op, args, this.#env(options)), options);
      this.#isFresh = false;
      try {
        const { value } = preview;
        const { writes } = preview;
        const tables = new Set((writes.rows ?? []).map(({ table }) => table));
        if (isChange(writes)) {
          // the same batch again is harmless, so it can be sent again whatever became of it
          await this.#patiently(() => preview.commit({ signal: options.signal }), options);
          if (options.quiet !== true) this.#host.onCommit();
          return { value, tables };
        }
        // an answer that writes nothing is checked by nobody: it must not rest on old rows
        if (wasFresh) return { value, tables };
      } catch (error) {
        if (error?.code !== "conflict" || tried >= TRIES) throw error;
        await sleep(this.#host.clock, Math.random() * Math.min(2 ** tried, 250));
      } finally {
        preview.dispose();
      }
      this.#project.refresh();
      this.#isFresh = true;
    }
  }

  #patiently(work, { patience_ms = this.#host.patience_ms, signal }) {
    return patiently(work, { clock: this.#host.clock, patience_ms, signal });
  }
}

function isChange({ rows = [], boxes = [], cards = [], delete_cards = [], agents = [], files = [] }) {
  return [rows, boxes, cards, delete_cards, agents, files].some((list) => list.length > 0);
}
