// Errors are data with stable codes; here they are also real errors.

/** Marks our errors, so that `instanceof` holds across two installed copies of the package. */
const BRAND = Symbol.for("tuckbox.error");

/** Why a call failed: a stable `code`, the `path` of the value, a `message`, and `details`. */
export class TuckboxError extends Error {
  constructor(code, message, { path = "", details = {}, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
    this.details = details;
  }

  toJSON() {
    const { code, path, message, details } = this;
    return { code, path, message, details };
  }

  static [Symbol.hasInstance](value) {
    if (this !== TuckboxError) return Function.prototype[Symbol.hasInstance].call(this, value);
    try {
      return typeof value === "object" && value !== null && value[BRAND] === true;
    } catch {
      // a Proxy that refuses to be looked at is none of ours
      return false;
    }
  }
}

Object.defineProperty(TuckboxError.prototype, "name", { value: "TuckboxError", configurable: true, writable: true });
Object.defineProperty(TuckboxError.prototype, BRAND, { value: true });

/** What something that was thrown says, whatever it is. */
export function messageOf(thrown) {
  try {
    const message = typeof thrown === "object" && thrown !== null ? thrown.message : thrown;
    return String(message === undefined || message === "" ? thrown : message);
  } catch {
    return "something that cannot be shown";
  }
}
