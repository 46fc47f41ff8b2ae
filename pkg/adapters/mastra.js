// Tuckbox in agents of Mastra, as an input processor.
import { adapterOptions, choose, recorded, unsupported } from "../lib/adapt.js";
import { plain } from "../lib/plain.js";
import { checkVersion } from "../lib/versions.js";

/**
 * Returns a processor for `inputProcessors`. It records every request. In the mode `assemble` it also drops messages
 * that do not fit. The stored messages of the agent stay as they are.
 *
 * @type {typeof import("../types/adapters/mastra.js").tuckboxProcessor}
 */
export function tuckboxProcessor(given) {
  const options = adapterOptions(given);
  checkVersion("@mastra/core", [1, 34]);
  return {
    id: "tuckbox",
    name: "Tuckbox",
    async processLLMRequest({ prompt, model }) {
      if (!Array.isArray(prompt)) throw unsupported("@mastra/core", "versions with `processLLMRequest`", "prompt");
      const messages = plain(prompt).map(withoutInputs);
      const name = model?.modelId;
      let sent = prompt;
      if (options.mode === "assemble") {
        const { kept, dropped, losses } = await choose(options, { provider: "ai_sdk", model: name, messages });
        sent = kept.map((at) => prompt[at]);
        options.onRequest({ messages: sent, dropped, losses });
      }
      await recorded(options, { model: name ?? null, request: { model: name, messages: plain(sent) } });
      return { prompt: sent };
    },
  };
}

/**
 * Returns a message without the inputs that Mastra repeats in results. No provider takes them.
 *
 * @param {any} message
 */
function withoutInputs(message) {
  if (message.role !== "tool" || !Array.isArray(message.content)) return message;
  return { ...message, content: message.content.map((/** @type {any} */ { input, ...part }) => part) };
}
