// A project, opened: what was read stays in the core, calls send little.
import { Resident, enter, enterWithParts } from "./core.js";
import { TuckboxError } from "./error.js";
import { ask } from "./host.js";
import { JsonText, isBytes, isWellFormed, small, toText } from "./json.js";
import { environment, onlyCallOptions } from "./options.js";
import { Preview } from "./preview.js";

/**
 * Tells `watcher` of every preview and commit of a workspace, and gives its store and settings; for
 * `tuckbox/devtools` alone. Nothing where it is no workspace of this copy.
 */
export let watch;

export class Workspace {
  #store;
  #defaults;
  #resident;
  #make;
  #settings;
  #watcher;

  /** `make` makes an empty workspace in a new instance; a view of what is not committed has none. */
  constructor(store, defaults, resident, make, settings) {
    this.#store = store;
    this.#defaults = defaults;
    this.#resident = resident;
    this.#make = make;
    this.#settings = settings;
    // the core has read the settings, so the names are good
    const { recipes = [] } = JSON.parse(settings);
    addMethods(recipes.map(({ name }) => name), this);
  }

  static {
    watch = (workspace, watcher) => {
      if (typeof workspace !== "object" || workspace === null || !(#watcher in workspace)) return undefined;
      workspace.#watcher = watcher;
      return { store: workspace.#store, settings: workspace.#settings };
    };
  }

  preview(...given) {
    // not `async`, which would wait once more for what is a promise already
    try {
      const { text, options } = this.#read(given);
      return this.#preview(text, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async call(...given) {
    const { text, options } = this.#read(given);
    const preview = await this.#preview(text, options);
    try {
      const { value } = preview;
      await preview.commit();
      return value;
    } finally {
      preview.dispose();
    }
  }

  refresh() {
    const { object } = this.#core();
    enter(() => object.refresh());
  }

  stats() {
    const { object } = this.#core();
    return small(enter(() => object.stats()));
  }

  dispose() {
    this.#resident.free();
    this.#make = undefined;
  }

  #read(given) {
    const [first, second, third] = given;
    if (typeof first !== "string") {
      return { text: toText(first, "bad_request"), options: onlyCallOptions(second, this.#defaults) };
    }
    return { text: callText(first, second), options: onlyCallOptions(third, this.#defaults) };
  }

  #preview(text, options) {
    const env = environment(options);
    return this.#watcher === undefined ? this.#drive(text, options, env) : this.#watched(text, options, env);
  }

  async #watched(text, options, env) {
    const watcher = this.#watcher;
    const tell = (happened) => watcher({ call: text, ...env, ...happened });
    try {
      const preview = await this.#drive(text, options, env, tell);
      tell({ kind: "preview", preview });
      return preview;
    } catch (error) {
      tell({ kind: "preview", error });
      throw error;
    }
  }

  /** Drives a call until it is done: the loop that every host of the core has. */
  async #drive(text, options, { now, entropy }, tell) {
    for (;;) {
      let core;
      const begun = enterWithParts(() => {
        core = this.#core();
        return new Resident("preview", core.object.start(text, now, entropy));
      });
      // a call that has all its parts asks its store at once
      const run = begun instanceof Resident ? begun : await begun;
      try {
        for (;;) {
          const { object: workspace } = core;
          const reads = enter(() => workspace.step(run.object));
          if (reads === undefined) return new Preview(this.#host(core, options), run, tell);
          const answers = await this.#ask("read", JSON.parse(reads), options);
          // another call trapped meanwhile: this one starts again in the new instance
          if (core.isLost) break;
          takeIn(core.object, run.object, answers);
        }
      } catch (error) {
        run.free();
        throw error;
      }
    }
  }

  #ask(method, subject, options) {
    return ask(this.#store, method, subject, options);
  }

  /** What a preview needs of its workspace. */
  #host(core, options) {
    return {
      core,
      commit: (writes, text, more) => {
        const { timeout_ms, signal } = onlyCallOptions(more, options);
        return this.#ask("commit", writes, { timeout_ms, signal, text });
      },
      after: (resident) => new Workspace(this.#store, this.#defaults, resident, undefined, this.#settings),
    };
  }

  #core() {
    if (this.#resident.isLost && this.#make !== undefined) this.#resident = this.#make();
    return this.#resident;
  }
}

Workspace.prototype[Symbol.dispose ?? Symbol.for("Symbol.dispose")] = Workspace.prototype.dispose;

/**
 * Gives every operation a method in JavaScript's case: `pack_context` as `packContext`. What is there already
 * stays, and nothing is called `then`: a workspace can be awaited.
 */
export function addMethods(operations, on = Workspace.prototype) {
  for (const op of operations) {
    const name = op.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
    if (name === "then") continue;
    on[name] ??= function (args, options) {
      return this.call(op, args, options);
    };
  }
}

/** The text of a call: an operation and its arguments. */
function callText(op, args = {}) {
  if (args instanceof JsonText) {
    const text = args.toString().trim();
    if (!text.startsWith("{")) throw new TuckboxError("bad_request", "the arguments of a call are an object");
    // of two keys with one name the last counts
    const comma = /^\{\s*\}$/.test(text) ? "" : ",";
    return `${text.slice(0, -1)}${comma}"op":${JSON.stringify(op)}}`;
  }
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw new TuckboxError("bad_request", "the arguments of a call are an object");
  }
  return toText({ ...args, op }, "bad_request");
}

function takeIn(workspace, run, answers) {
  if (isBytes(answers)) {
    enter(() => workspace.answer_bytes(run, answers));
    return;
  }
  const text = answersText(answers);
  enter(() => workspace.answer(run, text));
}

/** A store answers with a value, with JSON text, or with its bytes. */
function answersText(answers) {
  if (typeof answers !== "string") return toText(answers, "store", ["answers"]);
  if (isWellFormed(answers)) return answers;
  const message = "the store's answer holds a lone surrogate";
  throw new TuckboxError("store", message, { path: "answers" });
}
