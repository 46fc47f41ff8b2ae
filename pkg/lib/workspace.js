// An open project. Data that was read stays in the core, so calls send little.
/** @import { ResidentBody as CoreBody, Workspace as CoreWorkspace } from "../generated/core.js" */
/** @import { Store } from "../types/store.js" */
/** @import { CallOptions } from "../types/workspace.js" */
/** @import { CallTerms } from "./options.js" */
/** @import { Host, Report } from "./preview.js" */
import METHODS from "../generated/methods.js";
import { readAnswer } from "./answer.js";
import { Conversation } from "./conversation.js";
import { enter, enterWithParts, idleRun, Resident } from "./core.js";
import { TuckboxError } from "./error.js";
import { ask } from "./host.js";
import { isBytes, isWellFormed, JsonText, knownText, small, toText } from "./json.js";
import { withNative } from "./native.js";
import { environment, onlyCallOptions, own } from "./options.js";
import { Preview } from "./preview.js";
import { quickBytes } from "./quick.js";
import { auditRefusal } from "./refusal.js";
import { encoded } from "./text.js";

/**
 * @typedef {{ op: string, args: unknown }} Call
 * @typedef {{ readonly [method: string]: string }} Methods The operation of each method.
 * @typedef {{ now: number, entropy: Uint8Array }} Environment
 * @typedef {(event: { call: string } & Environment & Parameters<Report>[0]) => void} Watcher
 */

/**
 * Reports every preview and commit of a workspace to `watcher`, and returns the store and the settings of the
 * workspace. Returns nothing for a value that is not a workspace of this copy. For `tuckbox/devtools` only.
 *
 * @type {(workspace: unknown, watcher: Watcher | undefined) => { store: Store, settings: string } | undefined}
 */
export let watch;

/**
 * Creates a body that stays in the memory of a workspace's core, from the arguments of `payload` without a prompt.
 * Returns nothing for a value that is not a workspace of this copy, and for one that is watched.
 *
 * @type {(workspace: unknown, terms: Uint8Array) => Resident<CoreBody> | Promise<Resident<CoreBody>> | undefined}
 */
export let openBody;

export class Workspace {
  #store;
  #defaults;
  #resident;
  #make;
  #settings;
  #maxBytes;
  #recipes;
  /** @type {Host} */
  #host;
  /** @type {Watcher | undefined} */
  #watcher;

  /**
   * `make` creates an empty workspace in a new instance. The view after a preview has none.
   *
   * @param {Store} store
   * @param {CallTerms} defaults
   * @param {Resident<CoreWorkspace>} resident
   * @param {(() => Resident<CoreWorkspace>) | undefined} make
   * @param {string} settings
   */
  constructor(store, defaults, resident, make, settings) {
    this.#store = store;
    this.#defaults = defaults;
    this.#resident = resident;
    this.#make = make;
    this.#settings = settings;
    this.#host = {
      commit: (writes, text, more, given) => {
        const { timeoutMs, signal } = onlyCallOptions(more, given);
        return this.#ask("commit", writes, { timeoutMs, signal, text });
      },
      after: (view) => new Workspace(store, defaults, view, undefined, settings),
    };
    // the core has checked the settings, and the names in them
    const { recipes = [], limits } = /** @type {{ recipes?: { name: string }[], limits?: { max_read_bytes?: number } }} */ (
      own(JSON.parse(settings))
    );
    this.#maxBytes = own(limits).max_read_bytes;
    this.#recipes = recipes.map(({ name }) => name);
  }

  static {
    watch = (workspace, watcher) => {
      if (typeof workspace !== "object" || workspace === null || !(#watcher in workspace)) return undefined;
      workspace.#watcher = watcher;
      return { store: workspace.#store, settings: workspace.#settings };
    };
    openBody = (workspace, terms) => {
      if (typeof workspace !== "object" || workspace === null || !(#watcher in workspace)) return undefined;
      if (workspace.#watcher !== undefined) return undefined;
      // another call writes to the same buffer while parts are loaded
      const bytes = terms.slice();
      return enterWithParts(() => new Resident("body", workspace.#core().object.body(bytes)));
    };
    const { "": front, ...spaces } = /** @type {{ [space: string]: Methods }} */ (METHODS);
    for (const [name, op] of Object.entries(front ?? {})) {
      /** @this {Workspace} @param {unknown} args @param {CallOptions} [options] */
      const value = function (args, options) {
        return this.call(op, args, options);
      };
      Object.defineProperty(Workspace.prototype, name, { value, writable: true, configurable: true });
    }
    for (const [space, methods] of Object.entries(spaces)) {
      /** @this {Workspace} */
      const get = function () {
        return this.#namespace(space, methods);
      };
      Object.defineProperty(Workspace.prototype, space, { get, configurable: true });
    }
  }

  /**
   * Creates a namespace at its first use. The recipes of the host are methods of `recipes`, except where a method of
   * this name exists. No method is called `then`, because a namespace can be the value of a promise.
   *
   * @param {string} space
   * @param {Methods} methods
   */
  #namespace(space, methods) {
    const host = space === "recipes" ? this.#recipes.map((op) => [camelCase(op), op]) : [];
    const all = Object.entries({ ...Object.fromEntries(host), ...methods }).filter(([name]) => name !== "then");
    const bound = all.map(([name, op]) => [
      name,
      /** @param {unknown} args @param {CallOptions} [options] */
      (args, options) => (op === "read_response" ? readAnswer(this.call.bind(this), args, options) : this.call(op, args, options)),
    ]);
    const value = Object.freeze(Object.fromEntries(bound));
    Object.defineProperty(this, space, { value });
    return value;
  }

  /** @param {any[]} given */
  preview(...given) {
    // an `async` function would wait once more for the promise
    try {
      const { call, options } = this.#read(given);
      return this.#preview(call, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** @param {any[]} given */
  async call(...given) {
    const { call, options } = this.#read(given);
    const preview = await this.#preview(call, options).catch(async (error) => {
      await auditRefusal(this, () => knownText(callText(call)), error);
      throw error;
    });
    try {
      const { value } = preview;
      await preview.commit();
      return value;
    } finally {
      preview.dispose();
    }
  }

  /** @param {string} id @param {import("../types/conversation.js").ConversationOptions} [options] */
  conversation(id, options) {
    return new Conversation(this, id, options);
  }

  refresh() {
    const { object } = this.#core();
    enter(() => object.refresh());
  }

  stats() {
    const { object } = this.#core();
    const { card_ids: cardIds, memory_bytes: memoryBytes, ...rows } = /** @type {any} */ (small(enter(() => object.stats())));
    return { cardIds, ...rows, memoryBytes };
  }

  dispose() {
    this.#resident.free();
    this.#make = undefined;
  }

  /**
   * @param {any[]} given
   * @returns {{ call: Call, options: CallTerms }}
   */
  #read([first, second, third]) {
    const isNamed = typeof first === "string";
    const call = isNamed ? { op: first, args: second === undefined ? {} : second } : { op: "", args: first };
    return { call, options: onlyCallOptions(isNamed ? third : second, this.#defaults) };
  }

  /** @param {Call} call @param {CallTerms} options */
  #preview(call, options) {
    const env = environment(options);
    return this.#watcher === undefined ? this.#drive(call, options, env, conversionOf(call)) : this.#watched(call, options, env);
  }

  /** @param {Call} call @param {CallTerms} options @param {Environment} env */
  async #watched(call, options, env) {
    const watcher = this.#watcher;
    const text = callText(call);
    /** @type {Report} */
    const report = (event) => watcher?.({ call: text, ...env, ...event });
    try {
      const preview = await this.#drive({ op: "", args: knownText(text) }, options, env, conversionOf(call), report);
      report({ kind: "preview", preview });
      return preview;
    } catch (error) {
      report({ kind: "preview", error });
      throw error;
    }
  }

  /**
   * Runs a call to its end: every host of the core has this loop.
   *
   * @param {Call} call
   * @param {CallTerms} options
   * @param {Environment} env
   * @param {((value: any) => unknown) | undefined} convert
   * @param {Report} [report]
   */
  async #drive({ op, args }, options, { now, entropy }, convert, report) {
    let bytes = isBytes(args) ? args : (quickBytes(args) ?? encoded(argumentsText(op, args)));
    for (;;) {
      /** @type {ReturnType<typeof idleRun> | undefined} */
      let run;
      try {
        const begun = enterWithParts(() => {
          const core = this.#core();
          const idle = idleRun();
          run = idle;
          return { core, run: idle, reads: core.object.start(idle.object, op, bytes, now, entropy) };
        });
        // a second start needs the bytes, and other calls write to the same buffer meanwhile
        if (begun instanceof Promise || begun.reads !== undefined) bytes = bytes.slice();
        // a call with all its parts reads from its store at once
        const started = begun instanceof Promise ? await begun : begun;
        const { core } = started;
        let { reads } = started;
        while (reads !== undefined) {
          const answers = await this.#ask("read", JSON.parse(reads), { ...options, maxBytes: this.#maxBytes });
          // another call trapped: this one starts again in the new instance
          if (core.isLost) break;
          // an error if the caller disposed of the workspace
          const { object: workspace } = core;
          receive(workspace, started.run.object, answers);
          reads = enter(() => workspace.step(started.run.object));
        }
        if (reads === undefined) return new Preview(this.#host, core, started.run, { options, report, convert });
      } catch (error) {
        run?.free();
        throw error;
      }
    }
  }

  /** @param {"read" | "commit"} method @param {any} subject @param {Parameters<typeof ask>[3]} options */
  #ask(method, subject, options) {
    return ask(this.#store, method, subject, options);
  }

  #core() {
    if (this.#resident.isLost && this.#make !== undefined) this.#resident = this.#make();
    return this.#resident;
  }
}

Object.defineProperty(Workspace.prototype, Symbol.dispose ?? Symbol.for("Symbol.dispose"), { value: Workspace.prototype.dispose });

/**
 * Returns what the binding does with the value of a call.
 *
 * @param {Call} call
 */
function conversionOf({ op, args }) {
  return (op === "" ? /** @type {any} */ (args)?.op : op) === "payload" ? withNative : undefined;
}

/** @param {string} name */
function camelCase(name) {
  return name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

/**
 * Returns the text of a call's arguments. For a call without a name, the core reads any value.
 *
 * @param {string} op
 * @param {unknown} args
 */
function argumentsText(op, args) {
  if (isBytes(args)) return new TextDecoder().decode(args).trim();
  if (op === "") return toText(args, "bad_request");
  if (args instanceof JsonText) {
    const text = args.toString().trim();
    if (text.startsWith("{")) return text;
  } else if (typeof args === "object" && args !== null && !Array.isArray(args)) {
    const isPlain = Object.getPrototypeOf(args) === Object.prototype;
    return toText(isPlain ? args : { ...args }, "bad_request");
  }
  throw new TuckboxError("bad_request", "the arguments of a call must be an object");
}

/**
 * Returns a call as one text. Of two keys with one name the core reads the last.
 *
 * @param {Call} call
 */
export function callText({ op, args }) {
  const text = argumentsText(op, args);
  if (op === "") return text;
  const comma = /^\{\s*\}$/.test(text) ? "" : ",";
  return `${text.slice(0, -1)}${comma}"op":${JSON.stringify(op)}}`;
}

/** @param {CoreWorkspace} workspace @param {import("../generated/core.js").Run} run @param {unknown} answers */
function receive(workspace, run, answers) {
  const bytes = isBytes(answers) ? answers : encoded(answersText(answers));
  enter(() => workspace.answer(run, bytes));
}

/**
 * Returns the answers of a store as text. A store answers with a value, JSON text or bytes.
 *
 * @param {unknown} answers
 */
function answersText(answers) {
  if (typeof answers !== "string") return toText(answers, "store", ["answers"]);
  if (isWellFormed(answers)) return answers;
  const message = "the store's answer contains a lone surrogate";
  throw new TuckboxError("store", message, { path: "answers" });
}
