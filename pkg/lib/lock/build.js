// Builds the contexts of a config with the operation `lock_entry`.
/** @import { LockConfig, LockContext } from "../../types/lock.js" */
/** @import { LockedContext } from "../../types/results.js" */
/** @import { Workspace } from "../../types/workspace.js" */
import { messageOf, TuckboxError } from "../error.js";
import { TIMEOUT_MS, within } from "./limit.js";

/** The time and the random bytes of every entry: two builds make the same ids. */
export const FIXED_NOW = Date.UTC(2026, 0, 1);
const ENTROPY = new Uint8Array(32);

/** The keys of a context that are not arguments of `lock_entry`. */
const HOST_KEYS = ["project"];

/**
 * The contexts that were built, and those that were not.
 *
 * @typedef {{ entries: LockedContext[], errors: { name: string, message: string }[] }} Built
 */

/**
 * Makes the entries of contexts by name.
 *
 * @param {LockConfig} config
 * @param {Iterable<readonly [name: string, context: () => Promise<LockContext>]>} contexts
 * @param {() => Promise<Workspace>} project
 * @param {boolean} [texts] Whether the entries have their texts.
 * @param {(entry: LockedContext) => void} [onEntry] Called with each entry.
 * @returns {Promise<Built>}
 */
export async function buildEntries(config, contexts, project, texts, onEntry) {
  /** @type {Built} */
  const built = { entries: [], errors: [] };
  for (const [name, context] of contexts) {
    try {
      const entry = await lockEntry(name, await context(), config, project, texts);
      built.entries.push(entry);
      onEntry?.(entry);
    } catch (error) {
      built.errors.push({ name, message: describe(error) });
    }
  }
  return built;
}

/**
 * Returns the context of a config with a name.
 *
 * @param {LockConfig} config
 * @param {string} name
 * @param {() => Promise<Workspace>} project
 * @returns {Promise<LockContext>}
 */
export async function contextOf(config, name, project) {
  const given = /** @type {any} */ (config.entries)?.[name];
  const made = typeof given === "function" ? await limited(given, name, config, project) : given;
  if (typeof made !== "object" || made === null || Array.isArray(made))
    throw new Error("a context must be an object with `context` or `request`, or a function that returns one");
  return made;
}

/**
 * Returns the body of a context's request.
 *
 * @param {LockContext} context
 * @param {LockConfig} config
 * @param {() => Promise<Workspace>} project
 * @returns {Promise<object>}
 */
export async function requestOf({ context, request, project: own }, config, project) {
  if (request !== undefined) return { ...named(request.model), ...request.body };
  const workspace = own ?? (await project());
  const call = /** @type {any} */ ({ ...context, op: "payload" });
  const preview = await workspace.preview(call, { now: timeOf(config), entropy: ENTROPY });
  const { model, body } = /** @type {any} */ (preview.value);
  preview.dispose();
  return { ...named(model), ...body };
}

/** @param {string | null | undefined} model */
const named = (model) => (typeof model === "string" ? { model } : {});

/** @param {LockConfig} config */
const timeOf = ({ now }) => (now === undefined ? FIXED_NOW : Date.parse(now));

/**
 * Makes the entry of a context.
 *
 * @param {string} name
 * @param {LockContext} context
 * @param {LockConfig} config
 * @param {() => Promise<Workspace>} project
 * @param {boolean} [texts] Whether the entry has its texts. They take a third of the time.
 * @returns {Promise<LockedContext>}
 */
export async function lockEntry(name, context, config, project, texts = true) {
  const { volatile = [], redact } = config;
  const own = Object.fromEntries(Object.entries(context).filter(([key]) => !HOST_KEYS.includes(key)));
  const workspace = context.project ?? (await project());
  const call = {
    ...own,
    op: "lock_entry",
    name,
    shared_volatile: [...volatile, ...(context.shared_volatile ?? [])],
    ...(redact === undefined ? {} : { redact }),
    ...(texts ? {} : { texts }),
  };
  const preview = await workspace.preview(/** @type {any} */ (call), { now: timeOf(config), entropy: ENTROPY });
  const entry = /** @type {LockedContext} */ (preview.value);
  // the next context reuses its memory
  preview.dispose();
  return entry;
}

/**
 * Calls the function of a context, and rejects when it takes too long.
 *
 * @param {Function} build
 * @param {string} name
 * @param {LockConfig} config
 * @param {() => Promise<Workspace>} project
 */
async function limited(build, name, { timeoutMs = TIMEOUT_MS }, project) {
  const given = { name, project: await project() };
  return within(() => build(given), { what: `the function of \`${name}\``, ms: timeoutMs, hint: "; see `lock.timeoutMs`" });
}

/** @param {unknown} error */
function describe(error) {
  const path = error instanceof TuckboxError && error.path !== "" ? `${error.path}: ` : "";
  return `${path}${messageOf(error)}`;
}
