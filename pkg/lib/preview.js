// The preview of a commit. Its parts are read from the core on first use.
/** @import { Run, Workspace as CoreWorkspace } from "../generated/core.js" */
/** @import { Lint, Receipt } from "../types/results.js" */
/** @import { Writes } from "../types/store.js" */
/** @import { CallOptions, Preview as Declared } from "../types/workspace.js" */
/** @import { CallTerms } from "./options.js" */
import { enter, Resident, readyWith } from "./core.js";
import { parseJson, small, toText } from "./json.js";
import { Ledger } from "./ledger.js";

/**
 * What a preview needs of its workspace.
 *
 * @typedef {object} Host
 * @property {(writes: Writes, text: string, more: CallOptions | undefined, terms: CallTerms) => Promise<Receipt>} commit
 * @property {(view: Resident<CoreWorkspace>) => any} after
 */

/**
 * Reports a preview or a commit to DevTools.
 *
 * @typedef {(event: { kind: "preview" | "commit", preview?: Preview, receipt?: Receipt, error?: unknown }) => void} Report
 */

export class Preview {
  #host;
  #core;
  #run;
  #options;
  #seen = /** @type {{ [name: string]: any }} */ ({});
  /** @type {Ledger | undefined} */
  #ledger;
  #report;
  #convert;

  /**
   * `core` is the workspace of `run`, `options` are those of its call. `convert` changes the parsed value.
   *
   * @param {Host} host
   * @param {Resident<CoreWorkspace>} core
   * @param {Resident<Run>} run
   * @param {{ options: CallTerms, report: Report | undefined, convert?: ((value: any) => unknown) | undefined }} terms
   */
  constructor(host, core, run, { options, report, convert = (value) => value }) {
    this.#host = host;
    this.#core = core;
    this.#run = run;
    this.#options = options;
    this.#report = report;
    this.#convert = convert;
  }

  /** @returns {any} */
  get value() {
    return this.#once("value", () => this.#convert(parseJson(this.valueText)));
  }

  /** @returns {string} */
  get valueText() {
    return this.#enter((run) => run.value());
  }

  /** @returns {Writes} */
  get writes() {
    return this.#once("writes", () => parseJson(this.writesText));
  }

  /** @returns {string} */
  get writesText() {
    return this.#enter((run) => run.writes());
  }

  /** @returns {string} */
  get operationId() {
    return this.#enter((run) => run.operation_id());
  }

  /** @returns {readonly Lint[]} */
  get lints() {
    return this.#once("lints", () => small(this.#enter((run) => run.lints())));
  }

  /** @returns {string} */
  get contentHash() {
    return this.#once("hash", () => this.#enter((run) => run.content_hash()));
  }

  get ledger() {
    this.#ledger ??= new Ledger((work) => this.#enter(work));
    return this.#ledger;
  }

  /** @param {CallOptions} [options] */
  async commit(options) {
    if (this.#report === undefined) return this.#commit(options);
    try {
      const receipt = await this.#commit(options);
      this.#report({ kind: "commit", preview: this, receipt });
      return receipt;
    } catch (error) {
      this.#report({ kind: "commit", preview: this, error });
      throw error;
    }
  }

  /**
   * @param {CallOptions | undefined} options
   * @returns {Promise<Receipt>}
   */
  async #commit(options) {
    const text = this.writesText;
    const writes = /** @type {Writes} */ (parseJson(text));
    const core = this.#core;
    if (this.#enter((run) => run.writes_nothing())) {
      return { operation_id: writes.operation_id, repeated: false, boxes: [] };
    }
    // load it before the write: the receipt needs it
    await readyWith("commit");
    try {
      const receipt = toText(await this.#host.commit(writes, text, options, this.#options), "store", ["receipt"]);
      // without resident data there is nothing to update
      if (!this.#run.isThere || !core.isThere) return JSON.parse(receipt);
      const { object: workspace } = core;
      return small(this.#enter((run) => workspace.committed(run, receipt)));
    } catch (error) {
      if (this.#run.isThere && core.isThere) {
        const { object: workspace } = core;
        this.#enter((run) => workspace.refused(run));
      }
      throw error;
    }
  }

  async after() {
    await readyWith("commit");
    const { object: workspace } = this.#core;
    return this.#host.after(
      new Resident(
        "view",
        this.#enter((run) => workspace.after(run)),
      ),
    );
  }

  dispose() {
    this.#run.free();
  }

  /** @param {string} name @param {() => any} make */
  #once(name, make) {
    this.#seen[name] ??= make();
    return this.#seen[name];
  }

  /** @param {(run: Run) => any} work */
  #enter(work) {
    const { object: run } = this.#run;
    return enter(() => work(run));
  }
}

Object.defineProperty(Preview.prototype, Symbol.dispose ?? Symbol.for("Symbol.dispose"), { value: Preview.prototype.dispose });
