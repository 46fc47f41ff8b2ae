// Tuckbox in models of the AI SDK, as a middleware.
/** @import { AdaptOptions } from "../types/adapters/fetch.js" */
import { TuckboxError } from "../lib/error.js";
import { own } from "../lib/options.js";
import { plain } from "../lib/plain.js";
import { recordMiddleware, storeSink } from "../record.js";

/**
 * Returns a middleware for `wrapLanguageModel`. It records every call in the project. In the mode `assemble` it also
 * replaces the prompt.
 *
 * @type {typeof import("../types/adapters/ai-sdk.js").tuckboxMiddleware}
 */
export function tuckboxMiddleware(options) {
  const { project, mode = "look", limit, payload = {}, sink, onRequest = () => {}, onError } = own(options);
  if (typeof project?.payload !== "function") {
    throw new TuckboxError("bad_request", "`project` must be an open project", { path: "project" });
  }
  const recorder = { ...recordMiddleware(sink ?? storeSink(project), onError && { onError }), overrideProvider };
  if (mode === "look") return recorder;
  if (mode !== "assemble") {
    throw new TuckboxError("bad_request", `unknown mode \`${mode}\`; expected one of \`look\`, \`assemble\``, { path: "mode" });
  }
  return {
    ...recorder,
    async transformParams({ params, model }) {
      const call = { ...payload, provider: "ai_sdk", model: model.modelId, messages: plain(params.prompt) };
      const { prompt, dropped } = limit === undefined ? { prompt: call, dropped: [] } : await project.budget({ ...call, limit });
      const { body, losses } = await project.payload({ ...call, messages: prompt.messages });
      onRequest({ body, losses, dropped });
      return { ...params, prompt: body.messages.map(modelMessage) };
    },
  };
}

/** The versions of the SDK's models, by the version of `ai`. */
const MODELS = { v3: "6", v4: "7" };

/**
 * `wrapLanguageModel` calls this when it wraps a model.
 *
 * @param {{ model: any }} wrapped
 */
function overrideProvider({ model }) {
  const { specificationVersion: version, provider } = model;
  if (Object.hasOwn(MODELS, version)) return provider;
  const known = Object.entries(MODELS).map(([each, sdk]) => `\`${each}\` (\`ai\` ${sdk})`);
  const message = `this version of \`ai\` cannot be adapted: its model has the version \`${version}\`; expected one of ${known.join(", ")}`;
  throw new TuckboxError("bad_request", message, { path: "model.specificationVersion" });
}

/**
 * Returns a message of the SDK as a model takes it: content is a list of parts, and images are files.
 *
 * @param {any} message
 */
function modelMessage(message) {
  const { role, content } = message;
  if (role === "system") return message;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return { ...message, content: parts.map(modelPart) };
}

/** @param {any} part */
function modelPart(part) {
  if (part.type !== "image") return part;
  const { image, mediaType = "image/*", ...more } = part;
  return { ...more, type: "file", data: image, mediaType };
}
