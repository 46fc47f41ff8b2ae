// Calls that are decided again after a conflict, and repeated while the store fails.
/** @import { Clock, EngineCallOptions, EngineOptions, EngineSession } from "../../types/engine.js" */
/** @import { OperationName, Operations } from "../../types/operations.js" */
/** @import { RunOperations, RunSettings } from "../../types/arguments.js" */
/** @import { AbortSignalLike, Writes } from "../../types/store.js" */
/** @import { Workspace } from "../../types/workspace.js" */
import { sleep } from "../clock.js";
import { codeOf } from "../error.js";
import { auditRefusal } from "../refusal.js";
import { patiently } from "./patience.js";

/** The maximum number of decisions of one call. */
const MAX_TRIES = 40;
/** The number of open projects that wait for the next calls. */
const MAX_IDLE = 8;

/**
 * What calls need of their engine.
 *
 * @typedef {object} Host
 * @property {EngineOptions["open"]} open
 * @property {EngineOptions["store"]} store
 * @property {string} projectId
 * @property {NonNullable<EngineOptions["options"]>} options
 * @property {RunSettings} settings
 * @property {Clock} clock
 * @property {() => Promise<void>} sync
 * @property {() => number} time
 * @property {number} patienceMs
 * @property {() => void} onCommit
 */

/**
 * The options of one call. A quiet one does not wake the loop that sends messages.
 *
 * @typedef {EngineCallOptions & { quiet?: boolean }} Options
 */

/** A pool of open projects. Each has one user at a time, so that calls do not share what they read. */
export class Calls {
  #host;
  #idle = /** @type {Workspace[]} */ ([]);
  #isClosed = false;

  /** @param {Host} host */
  constructor(host) {
    this.#host = host;
  }

  /**
   * Runs `work(session)` on a project without data that can have changed.
   *
   * @template Value
   * @param {(session: Session) => Promise<Value>} work
   */
  async hold(work) {
    const { open, store, projectId, options } = this.#host;
    const project = this.#idle.pop() ?? (await open(store, { ...options, projectId }));
    try {
      project.refresh();
      return await work(new Session(project, this.#host));
    } finally {
      if (this.#isClosed || this.#idle.length >= MAX_IDLE) project.dispose();
      else this.#idle.push(project);
    }
  }

  close() {
    this.#isClosed = true;
    for (const project of this.#idle.splice(0)) project.dispose();
  }
}

/**
 * A sequence of calls that share what they read.
 *
 * @implements {EngineSession}
 */
export class Session {
  #project;
  #host;
  /** The time of the last call, and the earliest time of the next: messages are sent in the order of their times. */
  #at = 0;
  #next = 0;
  #isFresh = true;
  /** How long calls wait for a store that fails: until the time or the signal. */
  #patience;

  /** @param {Workspace} project @param {Host} host */
  constructor(project, host) {
    this.#project = project;
    this.#host = host;
    this.#patience = { ms: host.patienceMs, signal: /** @type {AbortSignalLike | undefined} */ (undefined) };
  }

  /**
   * Does work whose calls wait for a store that fails, for `ms` or until the signal fires.
   *
   * @template Value
   * @param {{ ms: number, signal: AbortSignalLike }} patience
   * @param {() => Promise<Value>} work
   */
  async patient(patience, work) {
    const before = this.#patience;
    this.#patience = patience;
    try {
      return await work();
    } finally {
      this.#patience = before;
    }
  }

  /**
   * Makes a call of orchestration.
   *
   * @template {keyof RunOperations} Name
   * @param {Name} op
   * @param {RunOperations[Name]["args"]} args
   * @param {Options} [options]
   */
  async run(op, args, options) {
    return (await this.commit(op, args, options)).value;
  }

  /**
   * As `run`, and returns the declared tables that were written.
   *
   * @template {keyof RunOperations} Name
   * @param {Name} op
   * @param {RunOperations[Name]["args"]} args
   * @param {Options} [options]
   * @returns {Promise<{ value: RunOperations[Name]["value"], tables: Set<string> }>}
   */
  commit(op, args, options) {
    return this.#decide(op, { ...args, settings: this.#host.settings }, options);
  }

  /**
   * Makes any call.
   *
   * @template {OperationName} Name
   * @param {Name} op
   * @param {Operations[Name]["args"]} args
   * @param {Options} [options]
   * @returns {Promise<Operations[Name]["value"]>}
   */
  async call(op, args, options) {
    return (await this.#decide(op, args, options)).value;
  }

  /**
   * Makes a call of orchestration that writes nothing.
   *
   * @template {keyof RunOperations} Name
   * @param {Name} op
   * @param {RunOperations[Name]["args"]} args
   * @param {Options} [options]
   * @returns {Promise<RunOperations[Name]["value"]>}
   */
  look(op, args, options) {
    return this.#view(op, { ...args, settings: this.#host.settings }, options);
  }

  /**
   * Makes any call that writes nothing.
   *
   * @template {OperationName} Name
   * @param {Name} op
   * @param {Operations[Name]["args"]} args
   * @param {Options} [options]
   * @returns {Promise<Operations[Name]["value"]>}
   */
  view(op, args, options) {
    return this.#view(op, args, options);
  }

  /** @param {string} op @param {any} args @param {Options} [options] */
  async #view(op, args, options = {}) {
    const preview = await this.#preview(op, args, options);
    try {
      return preview.value;
    } finally {
      preview.dispose();
    }
  }

  /**
   * @param {string} op
   * @param {any} args
   * @param {Options} [options]
   * @returns {Promise<{ value: any, tables: Set<string> }>}
   */
  async #decide(op, args, options = {}) {
    for (let tried = 1; ; tried += 1) {
      const wasFresh = this.#isFresh;
      const preview = await this.#preview(op, args, options).catch(async (error) => {
        await auditRefusal(this.#project, () => ({ ...args, op }), error, { now: this.#host.time() });
        throw error;
      });
      try {
        const { value, writes } = preview;
        const tables = new Set((writes.rows ?? []).map(({ table }) => table));
        if (isChange(writes)) {
          // repeating the same batch is safe
          const at = this.#at;
          await this.#patiently(() => preview.commit({ signal: options.signal }), options);
          this.#next = at + 1;
          if (options.quiet !== true) this.#host.onCommit();
          return { value, tables };
        }
        // no commit checks an answer that writes nothing, so it must come from new reads
        if (wasFresh) return { value, tables };
      } catch (error) {
        if (codeOf(error) !== "conflict" || tried >= MAX_TRIES) throw error;
        await sleep(this.#host.clock, Math.random() * Math.min(2 ** tried, 250));
      } finally {
        preview.dispose();
      }
      this.#project.refresh();
      this.#isFresh = true;
    }
  }

  /** @param {string} op @param {any} args @param {Options} options */
  async #preview(op, args, options) {
    await this.#host.sync();
    const { now = Math.max(this.#host.time(), this.#next), signal } = options;
    this.#at = now;
    const project = /** @type {any} */ (this.#project);
    const preview = await this.#patiently(() => project.preview(op, args, { now, signal }), options);
    this.#isFresh = false;
    return /** @type {import("../../types/workspace.js").Preview<any>} */ (preview);
  }

  /**
   * @template Value
   * @param {() => Promise<Value>} work
   * @param {Options} options
   */
  #patiently(work, { patienceMs = this.#patience.ms, patienceSignal = this.#patience.signal, signal }) {
    return patiently(work, { clock: this.#host.clock, patienceMs, signals: [patienceSignal, signal] });
  }
}

/** @param {Writes} writes */
function isChange({ rows = [], boxes = [], cards = [], delete_cards = [], erase_cards = [], agents = [], files = [] }) {
  return [rows, boxes, cards, delete_cards, erase_cards, agents, files].some((list) => list.length > 0);
}
