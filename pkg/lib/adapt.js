// What the adapters of agent frameworks share: their options, and the choice of the messages that are sent.
/** @import { DroppedMessage, Loss } from "../types/results.js" */
import { storeSink } from "../record.js";
import { TuckboxError } from "./error.js";
import { own } from "./options.js";
import { recordOf, textOf } from "./record-lines.js";

const MODES = ["look", "assemble"];

/**
 * Returns the options of an adapter with their defaults.
 *
 * @param {any} given
 * @returns {any}
 */
export function adapterOptions(given) {
  /** @type {any} */
  const options = { mode: "look", payload: {}, onRequest: () => {}, onError: () => {}, ...own(given ?? {}) };
  if (typeof options.project?.payload !== "function") {
    throw new TuckboxError("bad_request", "`project` must be an open project", { path: "project" });
  }
  if (!MODES.includes(options.mode)) {
    const expected = MODES.map((mode) => `\`${mode}\``).join(", ");
    throw new TuckboxError("bad_request", `unknown mode \`${options.mode}\`; expected one of ${expected}`, { path: "mode" });
  }
  return { ...options, sink: options.sink ?? storeSink(options.project) };
}

/**
 * Returns the error for a framework whose calls have another form.
 *
 * @param {string} library
 * @param {string} versions
 * @param {string} path
 */
export function unsupported(library, versions, path) {
  const message = `this version of \`${library}\` cannot be adapted: \`${path}\` is missing; supported are ${versions}`;
  return new TuckboxError("bad_request", message, { path });
}

/**
 * Chooses the messages that are sent. Messages are only dropped, never rewritten, so the framework sends what is left
 * as it is.
 *
 * @param {any} options Those of `adapterOptions`.
 * @param {{ provider?: string, model?: string | undefined, messages: readonly unknown[], tools?: readonly unknown[] }} request
 * @returns {Promise<{ kept: number[], dropped: readonly DroppedMessage[], losses: readonly Loss[] }>}
 */
export async function choose({ project, limit, payload }, { provider = "openai_chat", model = "any", messages, tools = [] }) {
  const call = { ...payload, provider, model, messages, tools };
  const { dropped } = limit === undefined ? { dropped: [] } : await project.budget({ ...call, limit });
  const gone = new Set(dropped.map((/** @type {DroppedMessage} */ { position }) => position));
  const kept = messages.flatMap((_, at) => (gone.has(at) ? [] : [at]));
  const { losses } = await project.payload({ ...call, messages: kept.map((at) => messages[at]) });
  // the places of the messages that the framework passed
  const placed = losses.map((/** @type {Loss} */ loss) =>
    loss.position === null || loss.position === undefined ? loss : { ...loss, position: kept[loss.position] ?? loss.position },
  );
  return { kept, dropped, losses: placed };
}

/**
 * Passes a request and its answer to the sink. A request never fails because of its sink.
 *
 * @param {any} options Those of `adapterOptions`.
 * @param {{ model: string | null, request: unknown, response?: unknown }} call
 */
export async function recorded({ sink, onError }, { model, request, response }) {
  try {
    const at = new Date().toISOString();
    await sink(recordOf({ at, model }, textOf(request) ?? "{}", textOf(response) ?? "null"));
  } catch (error) {
    onError(error);
  }
}
