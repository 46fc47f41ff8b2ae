// Tuckbox in a client of `@anthropic-ai/sdk`.
import { wrapClient } from "./fetch.js";

/**
 * Returns a client that records its requests, or assembles them.
 *
 * @type {typeof import("../types/adapters/anthropic.js").wrapAnthropic}
 */
export function wrapAnthropic(client, options) {
  return wrapClient(client, options, "@anthropic-ai/sdk");
}
