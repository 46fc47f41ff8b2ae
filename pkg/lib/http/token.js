// A preview over HTTP is a promise that a commit will do the same: the token says with which time
// and randomness it was made and what it would have written, so that no server has to remember it.
// It is signed, and good for one project, one caller, one operation and its arguments alone.
import { TuckboxError } from "../error.js";
import { HttpError } from "./responses.js";

/** What tells one text from every other. */
export async function fingerprint(text) {
  return hex(await globalThis.crypto.subtle.digest("SHA-256", bytesOf(text)));
}

/**
 * Writes and reads tokens. Servers that share a `secret` take each other's; without one it is random, and only
 * this handler takes its own.
 */
export class Tokens {
  #secret;
  #key;

  constructor(secret) {
    this.#secret = typeof secret === "string" ? bytesOf(secret) : (secret ?? globalThis.crypto.getRandomValues(new Uint8Array(32)));
  }

  /** `subject` is what the token is good for: `{ project_id, op, body, caller }`. */
  async write({ now, entropy, hash, operation_id }, subject) {
    const said = JSON.stringify([now, hex(entropy), hash, operation_id]);
    return `${encoded(said)}.${await this.#signature(said, subject)}`;
  }

  /** What a token says; one that is too old, or from the future, has to be made again. */
  async read(token, subject, clock, preview_seconds) {
    const { said, signature, now, ...rest } = parsed(token);
    if (!same(signature, await this.#signature(said, subject))) {
      const message = "the preview was made for another project, caller, operation or other arguments, or by a server with another `secret`";
      throw new TuckboxError("auth_failed", message, { path: "preview" });
    }
    const age = clock - now;
    if (age > preview_seconds * 1000 || age < -60_000) {
      throw new TuckboxError("conflict", "the preview is too old; make it again", { path: "preview", details: { preview_seconds } });
    }
    return { now, ...rest };
  }

  async #signature(said, { project_id, op, body, caller }) {
    this.#key ??= globalThis.crypto.subtle.importKey("raw", this.#secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const text = JSON.stringify([said, project_id, op, await fingerprint(body), await fingerprint(caller)]);
    return hex(await globalThis.crypto.subtle.sign("HMAC", await this.#key, bytesOf(text)));
  }
}

function parsed(token) {
  try {
    const [text, signature, ...more] = token.split(".");
    const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
    const said = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const [now, digits, hash, operation_id] = JSON.parse(said);
    if (!Number.isSafeInteger(now) || !/^[0-9a-f]{64}$/.test(digits) || typeof hash !== "string" || typeof operation_id !== "string") throw new Error("other values");
    if (more.length > 0 || !/^[0-9a-f]{64}$/.test(signature)) throw new Error("no signature");
    return { said, signature, now, entropy: Uint8Array.from(digits.match(/../g), (byte) => Number.parseInt(byte, 16)), hash, operation_id };
  } catch {
    throw new HttpError(400, "bad_request", "`preview` is not a token that a preview gave", { path: "preview" });
  }
}

/** Compares without telling by its time where the difference is. */
function same(left, right) {
  let difference = left.length ^ right.length;
  for (let at = 0; at < left.length; at += 1) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}

function encoded(text) {
  return btoa(Array.from(bytesOf(text), (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function bytesOf(text) {
  return new TextEncoder().encode(text);
}

function hex(bytes) {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
