// Shows a project in the Tuckbox panel of the browser's DevTools.
//
//   import { expose } from "tuckbox/devtools";
//
//   const project = await open(store, { projectId: "demo" });
//   expose(project);
//
// Invariant: nothing leaves the page unless a panel asks. Until a panel sends `who`, events stay here, and the oldest
// are discarded first. Any script of the page can act as a panel. So a panel reads and writes only this project, and
// commits only if the host allows it.

/** @import { PanelMessage } from "./lib/devtools/wire.js" */
/** @import { Watcher } from "./lib/workspace.js" */
/** @import { Code } from "./types/error.js" */
/** @import { Receipt } from "./types/results.js" */
/** @import { Store } from "./types/store.js" */
import { isObject, PROTOCOL, wire } from "./lib/devtools/wire.js";
import { codeOf, messageOf, TuckboxError } from "./lib/error.js";
import { readsOf, writesOf } from "./lib/http/wire.js";
import { parseJson, toText } from "./lib/json.js";
import { only, own, wrong } from "./lib/options.js";
import { watch } from "./lib/workspace.js";

/** The maximum number and size of events that wait for a panel. */
const MAX_EVENTS = 200;
const MAX_CHARACTERS = 4_000_000;
const OPTIONS = ["name", "commits"];

/**
 * @typedef {{ code: Code, path: string, message: string, details: object }} Fault
 */

/**
 * A preview or a commit, as a panel receives it.
 *
 * @typedef {{ type: "event", count: number, at: number, kind: string, call: string, now: number, entropy: string, fault?: Fault, receipt?: Receipt, content_hash?: string }} Event
 */

/**
 * Exposes a project to the panel, and returns a function that ends it.
 *
 * @type {typeof import("./types/devtools.js").expose}
 */
export function expose(project, options = {}) {
  only(options, OPTIONS);
  const { name = "", commits = false } = own(options);
  /** @type {Host | undefined} */
  let host;
  const watched = watch(project, (event) => host?.record(event));
  if (watched === undefined) throw wrong("", "`project` must come from `open` of this copy of the package");
  host = new Host(watched, { name: String(name), commits: commits === true });
  return () => {
    watch(project, undefined);
    host.stop();
  };
}

class Host {
  #id = globalThis.crypto.randomUUID();
  #hello;
  #store;
  #project_id;
  #commits;
  #wire;
  #events = /** @type {Event[]} */ ([]);
  #characters = 0;
  #count = 0;
  #isWatched = false;

  /**
   * @param {{ store: Store, settings: string }} watched
   * @param {{ name: string, commits: boolean }} options
   */
  constructor({ store, settings }, { name, commits }) {
    this.#store = store;
    this.#project_id = /** @type {string} */ (JSON.parse(settings).project_id);
    this.#commits = commits;
    this.#wire = wire((message) => this.#take(message));
    this.#hello = { name, commits, settings, where: this.#wire.where };
    // a waiting panel learns that the page is here, and nothing else
    this.#send({ type: "here" });
  }

  stop() {
    this.#send({ type: "bye" });
    this.#wire.close();
  }

  /**
   * Records a preview or a commit of the project. An error here must not disturb the project.
   *
   * @type {Watcher}
   */
  record({ kind, call, now, entropy, preview, receipt, error }) {
    try {
      /** @type {Event} */
      const event = { type: "event", count: (this.#count += 1), at: Date.now(), kind, call, now, entropy: hex(entropy) };
      if (error !== undefined) event.fault = faultOf(error);
      else if (kind === "commit") event.receipt = receipt;
      else event.content_hash = preview?.contentHash;
      this.#keep(event);
      if (this.#isWatched) this.#send(event);
    } catch (thrown) {
      console.warn(`tuckbox: the panel did not receive an event: ${messageOf(thrown)}`);
    }
  }

  /** @param {Event} event */
  #keep(event) {
    this.#events.push(event);
    this.#characters += event.call.length;
    while (this.#events.length > MAX_EVENTS || (this.#characters > MAX_CHARACTERS && this.#events.length > 1)) {
      this.#characters -= this.#events.shift()?.call.length ?? 0;
    }
  }

  /** @param {PanelMessage} message */
  #take(message) {
    if (message.type === "who") {
      this.#isWatched = true;
      this.#send({ type: "hello", ...this.#hello });
      for (const event of this.#events) this.#send(event);
    } else if (message.to !== this.#id) {
      return;
    } else if (message.type === "read") {
      this.#answer(message, () => this.#store.read(readsOf(this.#own(message.body), this.#project_id, Infinity), { signal: never() }));
    } else if (message.type === "commit") {
      this.#answer(message, () => {
        if (!this.#commits)
          throw new TuckboxError("auth_failed", "the panel cannot commit: the page must call `expose(project, { commits: true })`");
        const { writes, text } = writesOf(this.#own(message.body), this.#project_id);
        return this.#store.commit(writes, { text, signal: never() });
      });
    }
  }

  /**
   * Returns the body of a message about this project. A panel cannot reach other projects of the store.
   *
   * @param {unknown} body
   * @returns {string}
   */
  #own(body) {
    const text = typeof body === "string" ? body : "null";
    const value = parseJson(text);
    if (!isObject(value)) throw wrong("body", "the body of the panel's message must be an object");
    if (value.project_id === this.#project_id) return text;
    throw new TuckboxError("auth_failed", "the page exposes another project", { path: "project_id" });
  }

  /** @param {PanelMessage} message @param {() => unknown} work */
  async #answer({ ask }, work) {
    if (!Number.isSafeInteger(ask)) return;
    try {
      this.#send({ type: "answer", ask, body: textOf(await work()) });
    } catch (thrown) {
      this.#send({ type: "answer", ask, fault: faultOf(thrown) });
    }
  }

  /** @param {object} message */
  #send(message) {
    this.#wire.send({ tuckbox: PROTOCOL, from: "page", id: this.#id, ...message });
  }
}

/**
 * Returns the answer of a store as text. A store answers with a value, JSON text or bytes.
 *
 * @param {unknown} found
 */
function textOf(found) {
  if (found instanceof Uint8Array) return new TextDecoder().decode(found);
  return typeof found === "string" ? found : toText(found, "store");
}

/**
 * @param {unknown} thrown
 * @returns {Fault}
 */
function faultOf(thrown) {
  if (thrown instanceof TuckboxError) return thrown.toJSON();
  return { code: codeOf(thrown) === "conflict" ? "conflict" : "store", path: "", message: messageOf(thrown), details: {} };
}

function never() {
  return new AbortController().signal;
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
