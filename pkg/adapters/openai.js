// Tuckbox in a client of `openai`.
import { wrapClient } from "./fetch.js";

/**
 * Returns a client that records its requests, or assembles them.
 *
 * @type {typeof import("../types/adapters/openai.js").wrapOpenAI}
 */
export function wrapOpenAI(client, options) {
  return wrapClient(client, options, "openai");
}
