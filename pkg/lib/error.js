// Errors with stable codes.
/** @import { Code } from "../types/error.js" */

/** Marks the errors of every installed copy of the package, so that `instanceof` works across copies. */
const BRAND = Symbol.for("tuckbox.error");

/** The error of a failed call: a stable `code`, the `path` of the value, a `message` and `details`. */
export class TuckboxError extends Error {
  /**
   * @param {Code} code
   * @param {string} message
   * @param {{ path?: string, details?: object, cause?: unknown }} [more]
   */
  constructor(code, message, { path = "", details = {}, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    /** @readonly */
    this.code = code;
    /** @readonly */
    this.path = path;
    /** @readonly */
    this.details = /** @type {{ readonly [name: string]: unknown }} */ (details);
  }

  toJSON() {
    const { code, path, message, details } = this;
    return { code, path, message, details };
  }

  /** @param {unknown} value */
  static [Symbol.hasInstance](value) {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class on the right of `instanceof`, which can be a subclass
    if (this !== TuckboxError) return Function.prototype[Symbol.hasInstance].call(this, value);
    try {
      return typeof value === "object" && value !== null && /** @type {any} */ (value)[BRAND] === true;
    } catch {
      // a Proxy that cannot be read is not one of these errors
      return false;
    }
  }
}

Object.defineProperty(TuckboxError.prototype, "name", { value: "TuckboxError", configurable: true, writable: true });
Object.defineProperty(TuckboxError.prototype, BRAND, { value: true });

/**
 * Returns the message of any thrown value.
 *
 * @param {unknown} thrown
 */
export function messageOf(thrown) {
  try {
    const message = typeof thrown === "object" && thrown !== null && "message" in thrown ? thrown.message : thrown;
    return String(message === undefined || message === "" ? thrown : message);
  } catch {
    return "something that cannot be shown";
  }
}

/**
 * Returns the code of a thrown value, if it has one.
 *
 * @param {unknown} thrown
 * @returns {unknown}
 */
export function codeOf(thrown) {
  return typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
}
