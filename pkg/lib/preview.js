// A commit that has not happened: its parts cross from the core when they are looked at.
import { Resident, enter, readyWith } from "./core.js";
import { parseJson, small, toText } from "./json.js";
import { Ledger } from "./ledger.js";

export class Preview {
  #host;
  #core;
  #run;
  #options;
  #seen = {};
  #ledger;
  #tell;

  /** `core` is the workspace that `run` ran in, `options` are those of its call; `tell`, where somebody watches, is told of commits. */
  constructor(host, core, run, options, tell) {
    this.#host = host;
    this.#core = core;
    this.#run = run;
    this.#options = options;
    this.#tell = tell;
  }

  get value() {
    return this.#once("value", () => parseJson(this.valueText));
  }

  get valueText() {
    return this.#enter((run) => run.value());
  }

  get writes() {
    return this.#once("writes", () => parseJson(this.writesText));
  }

  get writesText() {
    return this.#enter((run) => run.writes());
  }

  get operationId() {
    return this.#enter((run) => run.operation_id());
  }

  get lints() {
    return this.#once("lints", () => small(this.#enter((run) => run.lints())));
  }

  get contentHash() {
    return this.#once("hash", () => this.#enter((run) => run.content_hash()));
  }

  get ledger() {
    this.#ledger ??= new Ledger((work) => this.#enter(work));
    return this.#ledger;
  }

  async commit(options) {
    if (this.#tell === undefined) return this.#commit(options);
    try {
      const receipt = await this.#commit(options);
      this.#tell({ kind: "commit", preview: this, receipt });
      return receipt;
    } catch (error) {
      this.#tell({ kind: "commit", preview: this, error });
      throw error;
    }
  }

  async #commit(options) {
    const text = this.writesText;
    const writes = parseJson(text);
    const core = this.#core;
    if (this.#enter((run) => run.writes_nothing())) {
      return { operation_id: writes.operation_id, repeated: false, boxes: [] };
    }
    // before anything is written: what follows needs it
    await readyWith("commit");
    try {
      const receipt = toText(await this.#host.commit(writes, text, options, this.#options), "store", ["receipt"]);
      // where nothing is resident any more, there is nothing to bring up to date
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
    return this.#host.after(new Resident("view", this.#enter((run) => workspace.after(run))));
  }

  dispose() {
    this.#run.free();
  }

  #once(name, make) {
    this.#seen[name] ??= make();
    return this.#seen[name];
  }

  #enter(work) {
    const { object: run } = this.#run;
    return enter(() => work(run));
  }
}

Preview.prototype[Symbol.dispose ?? Symbol.for("Symbol.dispose")] = Preview.prototype.dispose;
