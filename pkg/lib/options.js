// What callers may set, checked before anything happens.
import { TuckboxError } from "./error.js";
import { toText } from "./json.js";

const SETTINGS = ["project_id", "dialect", "limits", "recipes", "composer"];
const CALL = ["now", "entropy", "timeout_ms", "signal"];

/** Splits the options of `open` into settings for the core, as text, and options of its calls. */
export function openOptions(options) {
  only(options, [...SETTINGS, ...CALL]);
  const settings = Object.fromEntries(SETTINGS.map((key) => [key, options[key]]));
  const { signal, ...defaults } = callOptions(options, { timeout_ms: 30_000, now: Date.now, entropy: randomBytes });
  return { settings: toText(settings, "bad_request"), defaults: { ...defaults, signal } };
}

/** The options of one call over those of its workspace. */
export function callOptions(options, defaults) {
  if (options === undefined) return defaults;
  if (typeof options !== "object" || options === null) throw wrong("", "options are an object");
  const { now, entropy, timeout_ms, signal } = { ...defaults, ...defined(options) };
  if (typeof timeout_ms !== "number" || !(timeout_ms >= 0)) {
    throw wrong("timeout_ms", "`timeout_ms` is a number of milliseconds, 0 for no limit");
  }
  if (signal !== undefined && typeof signal?.addEventListener !== "function") {
    throw wrong("signal", "`signal` is an AbortSignal");
  }
  return { now, entropy, timeout_ms, signal };
}

/** As `callOptions`, refusing names that are none. */
export function onlyCallOptions(options, defaults) {
  if (typeof options === "object" && options !== null) only(options, CALL);
  return callOptions(options, defaults);
}

/** The time and the randomness of one call. */
export function environment({ now, entropy }) {
  const moment = typeof now === "function" ? now() : now;
  if (!Number.isSafeInteger(moment)) throw wrong("now", "`now` is a whole number of milliseconds since 1970");
  const bytes = typeof entropy === "function" ? entropy() : entropy;
  if (!(bytes instanceof Uint8Array) || bytes.length !== 32) throw wrong("entropy", "`entropy` is 32 bytes");
  return { now: moment, entropy: bytes };
}

export function checkStore(store) {
  for (const method of ["read", "commit"]) {
    if (typeof store?.[method] !== "function") {
      throw wrong(`store.${method}`, `a store has a method \`${method}\``);
    }
  }
}

function only(options, known) {
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const names = known.map((key) => `\`${key}\``).join(", ");
    throw wrong(unknown, `unknown option \`${unknown}\`; known are ${names}`);
  }
}

function defined(options) {
  return Object.fromEntries(CALL.map((key) => [key, options[key]]).filter(([, value]) => value !== undefined));
}

/** Random bytes, and how many of them were handed out: asking for many at once costs as much as for 32. */
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

/** The error for a value of the caller that cannot be used. */
export function wrong(path, message, details) {
  return new TuckboxError("bad_request", message, { path, details });
}
