// Bodies that stay in the memory of the core. An adapter passes the whole conversation with every request. If it begins
// with the conversation of an earlier request, only the new messages go to the core, and only their text comes back.
/** @import { ResidentBody as CoreBody } from "../generated/core.js" */
/** @import { Loss } from "../types/results.js" */
/** @import { Resident } from "./core.js" */
import { enter } from "./core.js";
import { toText, writesItself } from "./json.js";
import { copyOf, isSame } from "./same.js";
import { encoded } from "./text.js";
import { openBody } from "./workspace.js";

/** The maximum number of bodies of a project, and the longest list of messages of each, in UTF-16 units. */
const MAX_BODIES = 8;
const MAX_UNITS = 8 * 1024 * 1024;

/**
 * The text of a request around its list of messages. `list` has no closing bracket. A request that was an object also has
 * its `messages`.
 *
 * @typedef {{ before: string, list: string, after: string, messages?: unknown }} Around
 *
 * What the core needs for a new body. `terms` are the arguments of `payload`, `leading` are messages before those of
 * the list. `frame` returns the text that is sent around the messages, from that of the body.
 *
 * @typedef {{ terms: string, leading: string, frame: (head: string, end: string) => [before: string, after: string] }} Terms
 * @typedef {{ text: string, losses: readonly Loss[] }} Assembled
 */

/** @type {WeakMap<object, ResidentText[]>} */
const residents = new WeakMap();

/** The text of a conversation's requests. */
class ResidentText {
  #body;
  #label;
  #terms;
  /** @type {Around} */
  #given;
  #before = "";
  #items = "";
  #after = "";
  #head = "";
  #end = "";
  /** @type {readonly Loss[]} */
  #losses = [];
  /**
   * A copy of the messages, of a conversation whose requests are objects.
   *
   * @type {unknown[] | undefined}
   */
  #messages;

  /**
   * @param {Resident<CoreBody>} body
   * @param {string} label
   * @param {Terms} terms
   * @param {Around} given
   */
  constructor(body, label, terms, given) {
    this.#body = body;
    this.#label = label;
    this.#terms = terms;
    this.#given = given;
    const { leading } = terms;
    const inside = given.list.slice(1);
    const comma = leading === "" || inside.trim() === "" ? "" : ",";
    this.#append(`[${leading}${comma}${inside}]`);
  }

  get isLost() {
    return !this.#body.isThere;
  }

  free() {
    this.#body.free();
  }

  /** @returns {Assembled} */
  get assembled() {
    const text = this.#before + this.#items + this.#after;
    // a part of the text in one block: a string of hundreds of pieces is slow to collect
    this.#items = text.slice(this.#before.length, text.length - this.#after.length);
    return { text, losses: [...this.#losses] };
  }

  /**
   * Returns the list of a request and what it has after the messages of this conversation. Returns nothing for a request
   * of another conversation.
   *
   * @param {string} label
   * @param {string | Around} request
   */
  match(label, request) {
    if (label !== this.#label) return undefined;
    const { before, list, after } = this.#given;
    // a slice is compared as one block of memory, `startsWith` by characters
    if (typeof request !== "string") {
      const isSame = before === request.before && after === request.after && request.list.slice(0, list.length) === list;
      return isSame ? { list: request.list, rest: request.list.slice(list.length) } : undefined;
    }
    const start = before.length + list.length;
    const end = request.length - after.length;
    const isSame =
      end >= start &&
      request.slice(before.length, start) === list &&
      request.slice(0, before.length) === before &&
      request.slice(end) === after;
    return isSame ? { list: request.slice(before.length, end), rest: request.slice(start, end) } : undefined;
  }

  /**
   * Returns the list of a request and what it has after the messages of this conversation, as `match`. Compares the
   * messages with a copy, and writes only new ones: to write all of them takes most of the time of a long conversation.
   *
   * @param {string} label
   * @param {{ after: string, messages: unknown }} request
   */
  matchMessages(label, { after, messages }) {
    const { before, list, after: known } = this.#given;
    const copy = this.#messages;
    if (copy === undefined || label !== this.#label || before !== "" || after !== known) return undefined;
    if (!Array.isArray(messages) || messages.length < copy.length || writesItself()) return undefined;
    for (let at = 0; at < copy.length; at += 1) if (!isSame(messages[at], copy[at])) return undefined;
    const more = messages.slice(copy.length);
    if (more.length === 0) return { list, rest: "" };
    try {
      const rest = `,${toText(more, "bad_request").slice(1, -1)}`;
      return { list: list + rest, rest };
    } catch {
      // the whole request has the path of the error
      return undefined;
    }
  }

  /**
   * Keeps a copy of the messages of a request that is an object.
   *
   * @param {unknown} messages
   */
  remember(messages) {
    if (!Array.isArray(messages)) return;
    const known = this.#messages ?? [];
    for (const message of messages.slice(known.length)) {
      const copy = copyOf(message);
      if (copy === undefined) {
        this.#messages = undefined;
        return;
      }
      known.push(copy);
    }
    this.#messages = known;
  }

  /**
   * Appends what a list has after the messages of this conversation. Throws if it is not a comma and messages.
   *
   * @param {{ list: string, rest: string }} found
   */
  add({ list, rest }) {
    if (rest === "") return;
    const comma = /^\s*,/.exec(rest);
    const messages = rest.slice(comma?.[0].length ?? 0);
    if (comma === null || messages.trim() === "") throw new SyntaxError("expected a comma and a message");
    this.#append(`[${messages}]`);
    this.#given = { ...this.#given, list };
  }

  /** @param {string} messages */
  #append(messages) {
    const { object } = this.#body;
    const items = enter(() => object.append(encoded(messages)));
    const head = enter(() => object.head());
    const end = enter(() => object.end());
    const losses = enter(() => object.losses());
    this.#items = head === undefined ? this.#items + items : items;
    if (losses !== undefined) this.#losses = JSON.parse(losses);
    if (head !== undefined || end !== undefined) {
      this.#head = head ?? this.#head;
      this.#end = end ?? this.#end;
      [this.#before, this.#after] = this.#terms.frame(this.#head, this.#end);
    }
  }
}

/**
 * Assembles a request that continues an earlier one with the same label; returns nothing if there is none. The request
 * is its text, its parts, or the text after its messages together with the messages.
 *
 * @param {object} project
 * @param {string} label
 * @param {string | Around | { after: string, messages: unknown }} request
 * @returns {Assembled | undefined}
 */
export function continued(project, label, request) {
  const bodies = residents.get(project) ?? [];
  const isText = typeof request === "string" || "list" in request;
  for (const [at, body] of bodies.entries()) {
    if (body.isLost) continue;
    const found = isText ? body.match(label, request) : body.matchMessages(label, request);
    if (found === undefined) continue;
    bodies.splice(at, 1);
    try {
      body.add(found);
      // not before the second request: most conversations with many messages have one
      if (typeof request !== "string") body.remember(request.messages);
    } catch {
      // the caller assembles the request without it, or gets the error of its messages
      body.free();
      return undefined;
    }
    bodies.unshift(body);
    return body.assembled;
  }
  return undefined;
}

/**
 * Assembles the first request of a conversation and keeps it in memory. Returns nothing for a project without a core.
 *
 * @param {object} project
 * @param {string} label
 * @param {Around} request
 * @param {Terms} terms
 * @returns {Promise<Assembled | undefined>}
 */
export async function begun(project, label, request, terms) {
  if (request.list.length > MAX_UNITS) return undefined;
  const opened = openBody(project, encoded(terms.terms));
  if (opened === undefined) return undefined;
  const core = opened instanceof Promise ? await opened : opened;
  let body;
  try {
    body = new ResidentText(core, label, terms, request);
  } catch (error) {
    core.free();
    throw error;
  }
  const bodies = residents.get(project) ?? [];
  residents.set(project, bodies);
  bodies.unshift(body);
  for (const old of bodies.splice(MAX_BODIES)) old.free();
  return body.assembled;
}
