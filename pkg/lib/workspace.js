// A project, opened: what was read stays in the core, calls send little.
import { enter, enterWithParts, idleRun } from "./core.js";
import { TuckboxError } from "./error.js";
import { ask } from "./host.js";
import { JsonText, isBytes, isWellFormed, knownText, small, toText } from "./json.js";
import { environment, onlyCallOptions } from "./options.js";
import { Preview } from "./preview.js";
import { quickBytes } from "./quick.js";
import { encoded } from "./text.js";

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
  /** What a preview needs of its workspace. */
  #host;
  #watcher;

  /** `make` makes an empty workspace in a new instance; a view of what is not committed has none. */
  constructor(store, defaults, resident, make, settings) {
    this.#store = store;
    this.#defaults = defaults;
    this.#resident = resident;
    this.#make = make;
    this.#settings = settings;
    this.#host = {
      commit: (writes, text, more, given) => {
        const { timeout_ms, signal } = onlyCallOptions(more, given);
        return this.#ask("commit", writes, { timeout_ms, signal, text });
      },
      after: (view) => new Workspace(store, defaults, view, undefined, settings),
    };
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
      const { call, options } = this.#read(given);
      return this.#preview(call, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async call(...given) {
    const { call, options } = this.#read(given);
    const preview = await this.#preview(call, options);
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

  #read([first, second, third]) {
    const isNamed = typeof first === "string";
    const call = isNamed ? { op: first, args: second === undefined ? {} : second } : { op: "", args: first };
    return { call, options: onlyCallOptions(isNamed ? third : second, this.#defaults) };
  }

  #preview(call, options) {
    const env = environment(options);
    return this.#watcher === undefined ? this.#drive(call, options, env) : this.#watched(call, options, env);
  }

  async #watched(call, options, env) {
    const watcher = this.#watcher;
    const text = callText(call);
    const tell = (happened) => watcher({ call: text, ...env, ...happened });
    try {
      const preview = await this.#drive({ op: "", args: knownText(text) }, options, env, tell);
      tell({ kind: "preview", preview });
      return preview;
    } catch (error) {
      tell({ kind: "preview", error });
      throw error;
    }
  }

  /** Drives a call until it is done: the loop that every host of the core has. */
  async #drive({ op, args }, options, { now, entropy }, tell) {
    let bytes = quickBytes(args) ?? encoded(argumentsText(op, args));
    for (;;) {
      let core;
      let run;
      try {
        const begun = enterWithParts(() => {
          core = this.#core();
          run = idleRun();
          return core.object.start(run.object, op, bytes, now, entropy);
        });
        // it may be needed again, and others write there while this one waits
        if (begun !== undefined) bytes = bytes.slice();
        // a call that has all its parts asks its store at once
        let reads = begun instanceof Promise ? await begun : begun;
        while (reads !== undefined) {
          const answers = await this.#ask("read", JSON.parse(reads), options);
          // another call trapped meanwhile: this one starts again in the new instance
          if (core.isLost) break;
          const { object: workspace } = core;
          takeIn(workspace, run.object, answers);
          reads = enter(() => workspace.step(run.object));
        }
        if (reads === undefined) return new Preview(this.#host, core, run, options, tell);
      } catch (error) {
        run?.free();
        throw error;
      }
    }
  }

  #ask(method, subject, options) {
    return ask(this.#store, method, subject, options);
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

/** The text of a call's arguments; one without a name is a value of any kind, which the core looks at. */
function argumentsText(op, args) {
  if (op === "") return toText(args, "bad_request");
  if (args instanceof JsonText) {
    const text = args.toString().trim();
    if (text.startsWith("{")) return text;
  } else if (typeof args === "object" && args !== null && !Array.isArray(args)) {
    const isPlain = Object.getPrototypeOf(args) === Object.prototype;
    return toText(isPlain ? args : { ...args }, "bad_request");
  }
  throw new TuckboxError("bad_request", "the arguments of a call are an object");
}

/** A call as one text: of two keys with one name the last counts. */
function callText({ op, args }) {
  const text = argumentsText(op, args);
  if (op === "") return text;
  const comma = /^\{\s*\}$/.test(text) ? "" : ",";
  return `${text.slice(0, -1)}${comma}"op":${JSON.stringify(op)}}`;
}

function takeIn(workspace, run, answers) {
  const bytes = isBytes(answers) ? answers : encoded(answersText(answers));
  enter(() => workspace.answer(run, bytes));
}

/** A store answers with a value, with JSON text, or with its bytes. */
function answersText(answers) {
  if (typeof answers !== "string") return toText(answers, "store", ["answers"]);
  if (isWellFormed(answers)) return answers;
  const message = "the store's answer holds a lone surrogate";
  throw new TuckboxError("store", message, { path: "answers" });
}
