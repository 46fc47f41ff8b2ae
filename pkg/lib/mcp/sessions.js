// Questions of clients as operations of the core.
/** @import { Preview } from "../../types/workspace.js" */
/** @import { Args } from "../cli/calls.js" */
/** @import { Session } from "../cli/session.js" */
/** @import { Source } from "./source.js" */
import { objectText, text } from "../cli/calls.js";
import { JsonText } from "../json.js";

/** Returns the time and the random bytes of a call. */
const fresh = () => ({ now: Date.now(), entropy: globalThis.crypto.getRandomValues(new Uint8Array(32)) });

/**
 * A page of an answer. `next` is the first entry of the next page.
 *
 * @typedef {{ text: string, next?: number, preview?: Preview<any> }} Page
 */

export class Questions {
  #session;
  #source;

  /** @param {Session} session @param {Source} source */
  constructor(session, source) {
    this.#session = session;
    this.#source = source;
  }

  /**
   * Asks an operation that needs no store.
   *
   * @param {string} op
   * @param {Args} args
   * @returns {Promise<Page>}
   */
  async #ask(op, args) {
    return page(await this.#session.preview(op, args));
  }

  /**
   * Lists sessions.
   *
   * @param {Args} args
   */
  async list(args) {
    return this.#ask("list_sessions", new Map(args).set("report", await this.#source.report()));
  }

  /**
   * Asks about a session.
   *
   * @param {string} op
   * @param {Args} args
   */
  async about(op, args) {
    return this.#ask(op, new Map(args).set("files", await this.#files(args.get("session"))));
  }

  /**
   * Returns the files of a session as JSON text; by default those of the newest one.
   *
   * @param {string | undefined} name The name as JSON text.
   */
  async #files(name) {
    const report = await this.#source.report();
    const one = async (/** @type {string} */ session) => {
      const found = await this.#session.preview(
        "list_sessions",
        new Map([
          ["report", report],
          ["session", session],
        ]),
      );
      const [{ files }] = found.value.sessions;
      found.dispose();
      return text(await this.#source.files(files));
    };
    if (name !== undefined) return one(name);
    const { text: newest } = await this.#ask("list_sessions", new Map([["report", report]]));
    const [first] = JSON.parse(newest).sessions;
    return first === undefined ? "[]" : one(text(first.session));
  }

  /**
   * Previews a handover. The answer has the preview to commit, and its page.
   *
   * @param {Args} call The call that delegates.
   * @param {Args} args
   * @param {boolean} commits
   * @returns {Promise<Page>}
   */
  async handover(call, args, commits) {
    const project = await this.#source.project(() => this.#files(undefined));
    const env = fresh();
    const asked = new Map(args).set("op", text("brief_handover")).set("call", objectText(call));
    const brief = await project.preview(/** @type {any} */ (new JsonText(objectText(asked))), env);
    // the same time and entropy make the same ids
    const preview = commits ? await project.preview(/** @type {any} */ (new JsonText(objectText(call))), env) : undefined;
    return { ...page(brief), preview };
  }

  /**
   * Reads from the project.
   *
   * @param {string} op
   * @param {Args} args
   */
  async read(op, args) {
    const project = await this.#source.project(() => this.#files(undefined));
    return page(await project.preview(/** @type {any} */ (new JsonText(objectText(new Map(args).set("op", text(op))))), fresh()));
  }

  /** Returns the boxes to list. */
  boxes() {
    return this.#source.boxes();
  }

  /** Returns another text after a change. */
  revision() {
    return this.#source.revision();
  }
}

/** @param {Preview<any>} preview @returns {Page} */
function page(preview) {
  try {
    const { next } = preview.value;
    return { text: preview.valueText, ...(typeof next === "number" ? { next } : {}) };
  } finally {
    preview.dispose();
  }
}
