// Tuckbox in agents of `@openai/agents`: a filter of the model's input, and a session in a project.
import { adapterOptions, choose, recorded, unsupported } from "../lib/adapt.js";
import { TuckboxError } from "../lib/error.js";
import { plain } from "../lib/plain.js";
import { checkVersion } from "../lib/versions.js";

/**
 * Returns a filter for `callModelInputFilter`. It records every request. In the mode `assemble` it also drops items that
 * do not fit; a call and its result stay together.
 *
 * @type {typeof import("../types/adapters/openai-agents.js").tuckboxInputFilter}
 */
export function tuckboxInputFilter(given) {
  const options = adapterOptions(given);
  checkVersion("@openai/agents", [0, 3]);
  return async ({ modelData, agent }) => {
    const { input, instructions } = modelData ?? {};
    if (!Array.isArray(input)) throw unsupported("@openai/agents", "versions with `callModelInputFilter`", "modelData.input");
    const system = instructions ? [{ role: "system", content: instructions }] : [];
    const messages = [...system, ...input.map(messageOf)];
    const model = typeof agent?.model === "string" && agent.model !== "" ? agent.model : undefined;
    let sent = input;
    if (options.mode === "assemble") {
      const { kept, dropped, losses } = await choose(options, { provider: options.provider, model, messages });
      sent = kept.filter((at) => at >= system.length).map((at) => input[at - system.length]);
      options.onRequest({ messages: kept.map((at) => messages[at]), dropped, losses });
    }
    await recorded(options, { model: model ?? null, request: { model, messages: [...system, ...sent.map(messageOf)] } });
    return { ...modelData, input: sent };
  };
}

/**
 * Returns an item as one message, so that messages and items have the same positions.
 *
 * @param {any} given
 */
function messageOf(given) {
  const { type = "message", role, content, callId, name, arguments: args, output, ...more } = plain(given);
  switch (type) {
    case "message":
      return { role, content: Array.isArray(content) ? content.map(partOf) : content };
    case "function_call":
      return { role: "assistant", content: null, tool_calls: [{ id: callId, type: "function", function: { name, arguments: args } }] };
    case "function_call_result":
      return { role: "tool", tool_call_id: callId, content: Array.isArray(output) ? output.map(partOf) : textOf(output) };
    case "reasoning":
      return { role: "assistant", content: [{ type, text: (content ?? []).map((/** @type {any} */ part) => part.text).join("\n") }] };
    default:
      return {
        role: "assistant",
        content: [{ type: "provider", provider: "openai_responses", value: { type, callId, name, output, ...more } }],
      };
  }
}

/**
 * Returns a part in the form of the Responses API, which has other names for images. The framework sends the data of
 * the provider itself.
 *
 * @param {any} part
 */
function partOf(part) {
  const { type, image, providerData, ...more } = part;
  return { type, ...(image !== undefined && { [type === "input_image" ? "image_url" : "image"]: image }), ...more };
}

/** @param {any} output */
function textOf(output) {
  if (typeof output === "string") return output;
  return output?.type === "text" ? output.text : [partOf(output)];
}

/**
 * Returns a session whose items are cards of a box. The box has the id of the session, so the inspector and `payload`
 * show the conversation.
 *
 * @type {typeof import("../types/adapters/openai-agents.js").tuckboxSession}
 */
export function tuckboxSession(project, sessionId) {
  if (typeof project?.payload !== "function") {
    throw new TuckboxError("bad_request", "`project` must be an open project", { path: "project" });
  }
  if (typeof sessionId !== "string" || sessionId === "") {
    throw new TuckboxError("bad_request", "`sessionId` must be a string that is not empty", { path: "sessionId" });
  }
  // one change after the other: each reads the box first
  let last = /** @type {Promise<any>} */ (Promise.resolve());
  /** @template Result @param {() => Promise<Result>} work @returns {Promise<Result>} */
  const next = (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  const cards = async () => {
    const { boxes } = await project.boxes.get({ box_ids: [sessionId] });
    return boxes.length === 0 ? undefined : (await project.boxes.getCards({ box_id: sessionId })).cards;
  };
  /** @param {readonly any[]} found */
  const items = (found) => found.map(({ metadata }) => metadata.item).filter((item) => item !== undefined);
  return {
    getSessionId: async () => sessionId,
    getItems: (limit) =>
      next(async () => {
        const found = items((await cards()) ?? []);
        return limit === undefined ? found : found.slice(Math.max(0, found.length - limit));
      }),
    addItems: (added) =>
      next(async () => {
        if (added.length === 0) return;
        const { card_ids } = await project.cards.put({ cards: added.map((item) => cardOf(item, sessionId)) });
        if ((await cards()) === undefined) await project.boxes.create({ box_id: sessionId, card_ids });
        else await project.boxes.append({ box_id: sessionId, card_ids });
      }),
    popItem: () =>
      next(async () => {
        const found = (await cards()) ?? [];
        const item = items(found).at(-1);
        if (item === undefined) return undefined;
        const card_ids = found.slice(0, -1).map(({ card_id }) => card_id);
        await project.boxes.replace({ box_id: sessionId, card_ids });
        return item;
      }),
    clearSession: () =>
      next(async () => {
        if ((await cards()) !== undefined) await project.boxes.replace({ box_id: sessionId, card_ids: [] });
      }),
  };
}

/**
 * Returns a card that models and the inspector read, with the item itself in its metadata.
 *
 * @param {any} given
 * @param {string} author_id
 */
function cardOf(given, author_id) {
  const item = plain(given);
  const { role, content, tool_calls, tool_call_id } = /** @type {any} */ (messageOf(item));
  const parts = Array.isArray(content) ? content : undefined;
  const text = typeof content === "string" ? content : (parts ?? []).map(({ text: words = "" }) => words).join("");
  return {
    type: role === "tool" ? "tool.result" : role === "assistant" ? "agent.thought" : "task.instruction",
    author_id,
    content: { __type__: "TextContent", text },
    metadata: { role, item, ...(parts && { message_parts: parts }) },
    ...(tool_calls && { tool_calls }),
    ...(tool_call_id && { tool_call_id }),
  };
}
