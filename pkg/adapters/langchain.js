// Tuckbox in agents of LangChain 1 and LangGraph, as a middleware.
import { adapterOptions, choose, recorded, unsupported } from "../lib/adapt.js";
import { checkVersion } from "../lib/versions.js";

/** `createAgent` accepts an object with this key as a middleware. */
const BRAND = Symbol.for("AgentMiddleware");

/**
 * Returns a middleware for `createAgent`. It records every call of the model. In the mode `assemble` it also drops
 * messages that do not fit.
 *
 * @type {typeof import("../types/adapters/langchain.js").tuckboxMiddleware}
 */
export function tuckboxMiddleware(given) {
  const options = adapterOptions(given);
  checkVersion("langchain", [1, 0]);
  return /** @type {any} */ ({
    [BRAND]: true,
    name: "tuckbox",
    /** @param {any} request @param {(request: any) => Promise<any>} handler */
    async wrapModelCall(request, handler) {
      if (!Array.isArray(request?.messages)) throw unsupported("langchain", "1.x", "request.messages");
      const { systemMessage, messages } = request;
      const model = request.model?.model ?? request.model?.modelName;
      const system = systemMessage?.text ? [systemMessage] : [];
      const tools = (request.tools ?? []).map(definition);
      let sent = messages;
      if (options.mode === "assemble") {
        const all = [...system, ...messages];
        const { kept, dropped, losses } = await choose(options, { provider: options.provider, model, messages: all, tools });
        // the system prompt is never dropped
        sent = kept.filter((at) => at >= system.length).map((at) => all[at]);
        options.onRequest({ messages: [...system, ...sent], dropped, losses });
      }
      const response = await handler(sent === messages ? request : { ...request, messages: sent });
      await recorded(options, {
        model: model ?? null,
        request: { model, messages: [...system, ...sent], tools },
        response: answer(response),
      });
      return response;
    },
  });
}

/**
 * Returns the definition of a tool. LangChain writes the schema of its own tools; others are definitions already.
 *
 * @param {any} tool
 */
function definition(tool) {
  if (tool?.type === "function" || typeof tool?.name !== "string") return tool;
  const { name, description, schema } = tool;
  const writer = schema?.["~standard"]?.jsonSchema?.input;
  const parameters = typeof writer === "function" ? writer({ target: "draft-07" }) : schema;
  const { $schema, ...written } = parameters ?? {};
  return { type: "function", function: { name, description, parameters: written } };
}

/**
 * Returns an answer with its usage, as importers read it.
 *
 * @param {any} message
 */
function answer(message) {
  const usage = message?.usage_metadata;
  if (typeof message?.content === "undefined") return undefined;
  const { content, tool_calls } = message;
  return { role: "assistant", content, ...(tool_calls?.length > 0 && { tool_calls }), ...(usage && { usage }) };
}
