// Reads the options of callers, before anything happens.
/** @import { AbortSignalLike, Store } from "../types/store.js" */
/** @import { CallOptions, OpenOptions } from "../types/workspace.js" */
import { TuckboxError } from "./error.js";
import { TIMEOUT_MS } from "./host.js";
import { toText } from "./json.js";

/**
 * The options of one call, each with a value.
 *
 * @typedef {{ now: number | (() => number), entropy: Uint8Array | (() => Uint8Array), timeoutMs: number, signal: AbortSignalLike | undefined }} CallTerms
 */

const SETTINGS = /** @type {const} */ ([
  "projectId",
  "dialect",
  "limits",
  "recipes",
  "composer",
  "models",
  "authority",
  "referenceBehavior",
]);
const CALL = /** @type {const} */ (["now", "entropy", "timeoutMs", "signal"]);

/**
 * Splits the options of `open` into the settings of the core, as text, and the options of its calls.
 *
 * @param {OpenOptions} options
 */
export function openOptions(options) {
  only(options, [...SETTINGS, ...CALL]);
  const given = own(options);
  const {
    projectId: project_id,
    referenceBehavior: reference_behavior,
    ...settings
  } = Object.fromEntries(SETTINGS.map((key) => [key, given[key]]));
  const defaults = callOptions(options, { timeoutMs: TIMEOUT_MS, now: Date.now, entropy: randomBytes, signal: undefined });
  try {
    return { settings: toText({ project_id, reference_behavior, ...settings }, "bad_request"), defaults };
  } catch (error) {
    throw optionError(error);
  }
}

/**
 * Returns an error of the settings with the names that options have.
 *
 * @param {unknown} error
 */
export function optionError(error) {
  if (!(error instanceof TuckboxError)) return error;
  const [name] = /^(project_id|reference_behavior)\b/.exec(error.path) ?? [];
  if (name === undefined) return error;
  const option = name === "project_id" ? "projectId" : "referenceBehavior";
  const { code, details, cause } = error;
  const path = error.path.replace(name, option);
  return new TuckboxError(code, error.message.replaceAll(`\`${name}\``, `\`${option}\``), { path, details, cause });
}

/**
 * Returns the options of one call. `defaults` are those of its workspace.
 *
 * @param {CallOptions | undefined} options
 * @param {CallTerms} defaults
 * @returns {CallTerms}
 */
export function callOptions(options, defaults) {
  if (options === undefined) return defaults;
  if (typeof options !== "object" || options === null) throw wrong("", "options must be an object");
  const { now, entropy, timeoutMs, signal } = { ...defaults, ...defined(options) };
  if (typeof timeoutMs !== "number" || !(timeoutMs >= 0)) {
    throw wrong("timeoutMs", "`timeoutMs` must be a number of milliseconds, or 0 for no limit");
  }
  if (signal !== undefined && typeof signal?.addEventListener !== "function") {
    throw wrong("signal", "`signal` must be an AbortSignal");
  }
  return { now, entropy, timeoutMs, signal };
}

/**
 * As `callOptions`, and rejects unknown names.
 *
 * @param {CallOptions | undefined} options
 * @param {CallTerms} defaults
 */
export function onlyCallOptions(options, defaults) {
  if (typeof options === "object" && options !== null) only(options, CALL);
  return callOptions(options, defaults);
}

/**
 * Returns the time and the random bytes of one call.
 *
 * @param {CallTerms} terms
 */
export function environment({ now, entropy }) {
  const time = typeof now === "function" ? now() : now;
  if (!Number.isSafeInteger(time)) throw wrong("now", "`now` must be a whole number of milliseconds since 1970");
  const bytes = typeof entropy === "function" ? entropy() : entropy;
  if (!(bytes instanceof Uint8Array) || bytes.length !== 32) throw wrong("entropy", "`entropy` must be 32 bytes");
  return { now: time, entropy: bytes };
}

/** @param {Store} store */
export function checkStore(store) {
  for (const method of /** @type {const} */ (["read", "commit"])) {
    if (typeof store?.[method] !== "function") {
      throw wrong(`store.${method}`, `a store must have a method \`${method}\``);
    }
  }
}

/**
 * Returns the own properties of options, without a prototype: a page or a library that adds members to
 * `Object.prototype` sets nothing.
 *
 * @template {object} Options
 * @param {Options | undefined} options
 * @returns {Partial<Options>}
 */
export function own(options) {
  return Object.assign(Object.create(null), options);
}

/**
 * Rejects unknown options. `prefix` is the path before their names.
 *
 * @param {object | undefined} options
 * @param {readonly string[]} known
 * @param {{ prefix?: string, what?: string }} [more]
 */
export function only(options, known, { prefix = "", what = "option" } = {}) {
  const unknown = Object.keys(options ?? {}).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const names = known.map((key) => `\`${key}\``).join(", ");
  const expected = known.length === 1 ? names : `one of ${names}`;
  throw wrong(`${prefix}${unknown}`, `unknown ${what} \`${unknown}\`; expected ${expected}`);
}

/**
 * @param {CallOptions} options
 * @returns {Partial<CallTerms>}
 */
function defined(options) {
  const given = own(options);
  return Object.fromEntries(CALL.map((key) => [key, given[key]]).filter(([, value]) => value !== undefined));
}

/** Random bytes and how many of them are used. A request for 8192 takes as long as one for 32. */
const pool = new Uint8Array(8192);
let used = pool.length;

function randomBytes() {
  if (used === pool.length) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  used += 32;
  return pool.slice(used - 32, used);
}

/**
 * Returns the error for a wrong value of the caller.
 *
 * @param {string} path
 * @param {string} message
 * @param {object} [details]
 */
export function wrong(path, message, details) {
  return new TuckboxError("bad_request", message, { path, details });
}
