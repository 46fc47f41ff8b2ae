// Shows a project in the Tuckbox panel of the browser's DevTools.
//
//   import { expose } from "tuckbox/devtools";
//
//   const project = await open(store, { project_id: "demo" });
//   expose(project);
//
// Architecture invariant: nothing leaves the page unless somebody asks. Until a panel says `who`, events
// only wait here, the oldest forgotten first. Any script of the page can speak like a panel, so it reads and
// writes this project alone, and commits only where the host allowed it.
import { TuckboxError, messageOf } from "./lib/error.js";
import { PROTOCOL, isObject, wire } from "./lib/devtools/wire.js";
import { readsOf, writesOf } from "./lib/http/wire.js";
import { parseJson, toText } from "./lib/json.js";
import { watch } from "./lib/workspace.js";

/** How much waits for a panel that opens late. */
const KEPT_EVENTS = 200;
const KEPT_CHARACTERS = 4_000_000;
const OPTIONS = ["name", "commits"];

/** Exposes a project to the panel; the function that comes back ends it. */
export function expose(project, options = {}) {
  for (const key of Object.keys(options)) {
    if (!OPTIONS.includes(key)) throw wrong(key, `unknown option \`${key}\`; known are \`name\`, \`commits\``);
  }
  const { name = "", commits = false } = options;
  const host = new Host({ name: String(name), commits: commits === true });
  const seen = watch(project, (happened) => host.happened(happened));
  if (seen === undefined) throw wrong("", "`expose` takes a project that `open` of this copy of the package gave");
  host.start(seen);
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
  #events = [];
  #characters = 0;
  #count = 0;
  #isWatched = false;

  constructor({ name, commits }) {
    this.#hello = { name, commits };
    this.#commits = commits;
  }

  start({ store, settings }) {
    this.#store = store;
    this.#project_id = JSON.parse(settings).project_id;
    this.#hello.settings = settings;
    this.#wire = wire((message) => this.#take(message));
    this.#hello.where = this.#wire.where;
    // a panel that waits already learns of us; nothing else is told unasked
    this.#say({ type: "here" });
  }

  stop() {
    this.#say({ type: "bye" });
    this.#wire.close();
  }

  /** A preview or a commit of the project. Whatever goes wrong here must not disturb it. */
  happened({ kind, call, now, entropy, preview, receipt, error }) {
    try {
      const event = { type: "event", count: (this.#count += 1), at: Date.now(), kind, call, now, entropy: hex(entropy) };
      if (error !== undefined) event.fault = faultOf(error);
      else if (kind === "commit") event.receipt = receipt;
      else event.content_hash = preview.contentHash;
      this.#keep(event);
      if (this.#isWatched) this.#say(event);
    } catch (thrown) {
      console.warn(`tuckbox: the panel was not told: ${messageOf(thrown)}`);
    }
  }

  #keep(event) {
    this.#events.push(event);
    this.#characters += event.call.length;
    while (this.#events.length > KEPT_EVENTS || (this.#characters > KEPT_CHARACTERS && this.#events.length > 1)) {
      this.#characters -= this.#events.shift().call.length;
    }
  }

  #take(message) {
    if (message.type === "who") {
      this.#isWatched = true;
      this.#say({ type: "hello", ...this.#hello });
      for (const event of this.#events) this.#say(event);
    } else if (message.to !== this.#id) {
      return;
    } else if (message.type === "read") {
      this.#answer(message, () => this.#store.read(readsOf(this.#own(message.body), this.#project_id, Infinity), { signal: never() }));
    } else if (message.type === "commit") {
      this.#answer(message, () => {
        if (!this.#commits) throw new TuckboxError("auth_failed", "the page lets the panel look, not commit: `expose(project, { commits: true })`");
        const { writes, text } = writesOf(this.#own(message.body), this.#project_id);
        return this.#store.commit(writes, { text, signal: never() });
      });
    }
  }

  /** The body of a message about this project; other projects of the store are none of a panel's business. */
  #own(body) {
    const value = typeof body === "string" ? parseJson(body) : undefined;
    if (!isObject(value)) throw wrong("body", "the panel sent no object");
    if (value.project_id === this.#project_id) return body;
    throw new TuckboxError("auth_failed", "the page exposes one project, and this is another", { path: "project_id" });
  }

  async #answer({ ask }, work) {
    if (!Number.isSafeInteger(ask)) return;
    try {
      this.#say({ type: "answer", ask, body: textOf(await work()) });
    } catch (thrown) {
      this.#say({ type: "answer", ask, fault: faultOf(thrown) });
    }
  }

  #say(message) {
    this.#wire.say({ tuckbox: PROTOCOL, from: "page", id: this.#id, ...message });
  }
}

/** What a store answers with: a value, JSON text, or its bytes. */
function textOf(found) {
  if (found instanceof Uint8Array) return new TextDecoder().decode(found);
  return typeof found === "string" ? found : toText(found, "store");
}

function faultOf(thrown) {
  if (thrown instanceof TuckboxError) return thrown.toJSON();
  const { code } = thrown ?? {};
  return { code: code === "conflict" ? code : "store", path: "", message: messageOf(thrown), details: {} };
}

function never() {
  return new AbortController().signal;
}

function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function wrong(path, message) {
  return new TuckboxError("bad_request", message, { path });
}
