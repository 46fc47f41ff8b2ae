// Results of tools that are too large for a card: the text is stored on cards of its own, and the model sees an excerpt
// and the ids of these cards.
/** @import { EngineCallOptions, EngineSession } from "../../types/engine.js" */
/** @import { JsonInput } from "../../types/json.js" */
/** @import { NewCard } from "../../types/index.js" */
import { TuckboxError } from "../error.js";
import { toText } from "../json.js";
import { pieces } from "../kv/values.js";

/** The maximum size of a result on its own card. A card holds 1 MiB by default. */
export const MAX_RESULT_BYTES = 256 * 1024;
/** The maximum size of a result that is stored. */
const MAX_STORED_BYTES = 32 << 20;
/** The length of an excerpt, in characters. */
const EXCERPT_LENGTH = 4000;
/** The maximum number of bytes of a character in JSON. */
const ESCAPED_BYTES = 6;

/**
 * Returns the result as it is on its card. The text of a large one is stored first.
 *
 * @param {EngineSession} session
 * @param {any} result JSON.
 * @param {Pick<NewCard, "author_id" | "metadata">} card
 * @param {number} max_bytes
 * @param {EngineCallOptions} [options]
 * @returns {Promise<any>}
 */
export async function resultOnCard(session, result, { author_id, metadata }, max_bytes, options) {
  const json = toText(result, "bad_request");
  const bytes = json.length * 3 <= max_bytes ? 0 : new TextEncoder().encode(json).length;
  if (bytes <= max_bytes) return result;
  if (bytes > MAX_STORED_BYTES)
    throw new TuckboxError("limit", `the result of the tool has ${bytes} bytes; at most ${MAX_STORED_BYTES} are stored`);
  const text = typeof result === "string" ? result : json;
  // `pieces` counts 2 or 3 bytes per character
  const texts = pieces(text, Math.floor((max_bytes * 2) / ESCAPED_BYTES));
  /** @type {NewCard[]} */
  const cards = texts.map((part, at) => ({
    type: "tool.file",
    author_id,
    content: { __type__: "TextContent", text: part },
    metadata: { ...metadata, part: at, parts: texts.length },
  }));
  const { card_ids } = await session.call("put_cards", { cards }, options);
  return { excerpt: pieces(text, EXCERPT_LENGTH * 2)[0], is_excerpt: true, bytes, card_ids: /** @type {JsonInput} */ (card_ids) };
}

/**
 * Returns true for an error of the content of a card, which no later try can store.
 *
 * @param {unknown} code
 */
export function isContentError(code) {
  return code === "limit" || code === "invalid_content" || code === "bad_request";
}
