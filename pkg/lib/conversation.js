// A conversation without an engine: a box whose cards are its messages.
/** @import { Conversation as Declared, ConversationOptions } from "../types/conversation.js" */
import { TuckboxError } from "./error.js";
import { only, own } from "./options.js";

const OPTIONS = ["system", "limit", "compact"];
const COMPACT = ["above", "keep", "summarize"];
/** The type of a card with a summary. Its metadata names the cards that it replaces. */
const SUMMARY = "conversation.summary";

/** @implements {Declared} */
export class Conversation {
  #project;
  #system;
  #limit;
  #compact;
  /** The last change: each one reads the box first. */
  #last = /** @type {Promise<any>} */ (Promise.resolve());

  /**
   * @param {any} project
   * @param {string} id
   * @param {ConversationOptions} [options]
   */
  constructor(project, id, options = {}) {
    if (typeof id !== "string" || id.trim() === "") {
      throw new TuckboxError("bad_request", "the id of a conversation must be a string that is not empty", { path: "id" });
    }
    only(options, OPTIONS);
    const { system, limit, compact } = own(options);
    if (compact !== undefined) {
      only(compact, COMPACT, { prefix: "compact." });
      if (typeof compact.summarize !== "function") {
        throw new TuckboxError("bad_request", "`compact.summarize` must be a function", { path: "compact.summarize" });
      }
      if (!(compact.above > 0)) {
        throw new TuckboxError("bad_request", "`compact.above` must be a number greater than 0", { path: "compact.above" });
      }
    }
    this.id = id;
    this.#project = project;
    this.#system = system;
    this.#limit = limit;
    this.#compact = compact;
  }

  /** @type {Declared["add"]} */
  add(messages) {
    const list = Array.isArray(messages) ? messages : [messages];
    return this.#next(() => this.#store(list.map((message) => cardOf(message, this.id))));
  }

  /** @type {Declared["answer"]} */
  answer(answer) {
    return this.#next(async () => {
      const read = await this.#project.prompt.readResponse(answer);
      await this.#store([{ type: "agent.thought", author_id: this.id, ...read.card }]);
      return read;
    });
  }

  /** @type {Declared["messages"]} */
  async messages({ take } = {}) {
    return (await this.#shown(take)).messages;
  }

  /** @param {any} given @returns {Promise<any>} The type of the body follows from the provider. */
  request({ take, ...call }) {
    return this.#next(async () => {
      // a request of an earlier message is that of its time
      const compacted = take === undefined ? await this.#compacted(call) : null;
      const { messages, cardIds } = await this.#shown(take);
      const system = this.#system === undefined ? [] : [{ role: "system", content: this.#system }];
      const prompt = {
        ...call,
        messages: [...system, ...messages],
        origins: [...system.map(() => ({ layer: "system_prompt", protected: true })), ...cardIds.map((card_id) => ({ card_id }))],
      };
      if (this.#limit === undefined) return { ...(await this.#project.payload(prompt)), dropped: [], compacted };
      const { prompt: kept, dropped } = await this.#project.budget({ ...prompt, limit: this.#limit });
      const { messages: left, origins } = kept;
      return { ...(await this.#project.payload({ ...prompt, messages: left, origins })), dropped, compacted };
    });
  }

  /** @type {Declared["fork"]} */
  fork({ take, id } = {}) {
    return this.#next(async () => {
      const { card_ids } = await this.#box();
      const kept = card_ids.slice(0, take ?? card_ids.length);
      const { box_id } = await this.#project.boxes.create({ card_ids: kept, ...(id !== undefined && { box_id: id }) });
      return new Conversation(this.#project, box_id, this.#options());
    });
  }

  /** @type {Declared["compactions"]} */
  async compactions() {
    const { cards } = await this.#box();
    return cards.filter(isSummary).map((/** @type {any} */ { card_id, metadata }) => ({ card_id, ...metadata.compaction }));
  }

  #options() {
    const options = { system: this.#system, limit: this.#limit, compact: this.#compact };
    return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  }

  /**
   * Replaces old messages by a summary if the conversation is too long.
   *
   * @param {any} call
   */
  async #compacted(call) {
    const policy = this.#compact;
    if (policy === undefined) return null;
    const { above, keep = Math.floor(above / 2), summarize } = policy;
    const { cards, card_ids } = await this.#box();
    const { messages } = await this.#project.render({ card_ids });
    if (messages.length !== cards.length || messages.length === 0) return null;
    const { provider, model } = call;
    const { tokens, messages: costs } = await this.#project.countTokens({ provider, model, messages });
    if (tokens <= above) return null;
    const cost = new Map(costs.map((/** @type {any} */ one) => [one.position, one.tokens]));
    let cut = cards.length;
    for (let left = 0; cut > 0; cut -= 1) {
      left += cost.get(cut - 1) ?? 0;
      if (left > keep) break;
    }
    // a summary ends before a message of the user, so that no call is parted from its result
    while (cut < messages.length && messages[cut].role !== "user") cut += 1;
    if (cut === messages.length) {
      cut = messages.findLastIndex((/** @type {any} */ { role }) => role === "user");
    }
    if (cut < 2) return null;
    const text = await summarize(messages.slice(0, cut));
    if (typeof text !== "string" || text.trim() === "") {
      throw new TuckboxError("bad_request", "`compact.summarize` must return text", { path: "compact.summarize" });
    }
    const covers = card_ids.slice(0, cut);
    const compaction = { covers, tokens_before: tokens };
    const card = {
      type: SUMMARY,
      author_id: this.id,
      content: { __type__: "TextContent", text },
      metadata: { role: "user", compaction },
    };
    const { card_ids: made } = await this.#project.cards.put({ cards: [card] });
    await this.#project.boxes.replace({ box_id: this.id, card_ids: [...made, ...card_ids.slice(cut)] });
    return { card_id: made[0], ...compaction };
  }

  /**
   * Returns the messages that a model sees, each with its card.
   *
   * @param {number} [take] The number of cards; all by default.
   */
  async #shown(take) {
    const { card_ids } = await this.#box();
    const kept = take === undefined ? card_ids : card_ids.slice(0, take);
    if (kept.length === 0) return { messages: [], cardIds: [] };
    const { messages, entries } = await this.#project.render({ card_ids: kept });
    /** @type {string[]} */
    const cardIds = [];
    for (const { card_id, position } of entries) if (typeof position === "number") cardIds[position] = card_id;
    return { messages, cardIds };
  }

  /** Returns the cards of the conversation. */
  async #box() {
    const { boxes } = await this.#project.boxes.get({ box_ids: [this.id] });
    const card_ids = boxes[0]?.card_ids ?? [];
    const { cards } = card_ids.length === 0 ? { cards: [] } : await this.#project.cards.get({ card_ids });
    return { card_ids: [...card_ids], cards, exists: boxes.length > 0 };
  }

  /** @param {any[]} cards */
  async #store(cards) {
    if (cards.length === 0) return [];
    const { card_ids } = await this.#project.cards.put({ cards });
    const { exists } = await this.#box();
    if (exists) await this.#project.boxes.append({ box_id: this.id, card_ids });
    else await this.#project.boxes.create({ box_id: this.id, card_ids });
    return card_ids;
  }

  /** @template Result @param {() => Promise<Result>} work @returns {Promise<Result>} */
  #next(work) {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** @param {any} card */
function isSummary({ metadata, type = metadata?.type }) {
  return type === SUMMARY || metadata?.compaction !== undefined;
}

/**
 * Returns a message as a card that models and the inspector read.
 *
 * @param {any} given
 * @param {string} author_id
 */
function cardOf(given, author_id) {
  const message = typeof given === "string" ? { role: "user", content: given } : own(given);
  const { role, content = null, tool_calls, tool_call_id, ...more } = message;
  if (typeof role !== "string") {
    throw new TuckboxError("bad_request", "a message must be a string, or an object with a `role`", { path: "messages" });
  }
  if (content !== null && typeof content !== "string" && !Array.isArray(content)) {
    throw new TuckboxError("bad_request", "`content` must be a string, a list of parts or null", { path: "messages.content" });
  }
  const parts = Array.isArray(content) ? content : undefined;
  const text = parts === undefined ? (content ?? "") : parts.map(({ text: words = "" }) => words).join("");
  return {
    type: role === "tool" ? "tool.result" : role === "assistant" ? "agent.thought" : "task.instruction",
    author_id,
    content: { __type__: "TextContent", text },
    metadata: { ...more, role, ...(parts && { message_parts: parts }) },
    ...(tool_calls && { tool_calls }),
    ...(tool_call_id && { tool_call_id }),
  };
}
