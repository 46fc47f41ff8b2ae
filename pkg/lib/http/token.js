// Tokens of previews. A token has the time and the random bytes of a preview, and the hash of its writes, so that a
// server keeps no state. It is signed, and valid for one project, one caller, one operation and its arguments.
/** @import { Environment } from "../workspace.js" */
import { TuckboxError } from "../error.js";
import { HttpError } from "./responses.js";

/**
 * @typedef {{ project_id: string, op: string, body: string, caller: string }} Subject What a token is valid for.
 * @typedef {Environment & { hash: string, operation_id: string }} Promised What a token contains.
 */

/**
 * Returns the hash of a text.
 *
 * @param {string} text
 */
export async function fingerprint(text) {
  return hex(await globalThis.crypto.subtle.digest("SHA-256", bytesOf(text)));
}

/** Writes and reads tokens. Servers with the same `secret` accept the tokens of each other. The default is random. */
export class Tokens {
  #secret;
  /** @type {Promise<CryptoKey> | undefined} */
  #key;

  /** @param {string | Uint8Array | undefined} secret */
  constructor(secret) {
    this.#secret = typeof secret === "string" ? bytesOf(secret) : (secret ?? globalThis.crypto.getRandomValues(new Uint8Array(32)));
  }

  /** @param {Promised} promised @param {Subject} subject */
  async write({ now, entropy, hash, operation_id }, subject) {
    const content = JSON.stringify([now, hex(entropy), hash, operation_id]);
    return `${encoded(content)}.${await this.#signature(content, subject)}`;
  }

  /**
   * Returns the content of a token. A token that is too old or from the future is a `conflict`.
   *
   * @param {string} token
   * @param {Subject} subject
   * @param {number} clock
   * @param {number} previewSeconds
   * @returns {Promise<Promised>}
   */
  async read(token, subject, clock, previewSeconds) {
    const { content, signature, now, ...rest } = parsed(token);
    if (!same(signature, await this.#signature(content, subject))) {
      const message = "the preview has another project, caller, operation or arguments, or its server has another `secret`";
      throw new TuckboxError("auth_failed", message, { path: "preview" });
    }
    const age = clock - now;
    if (age > previewSeconds * 1000 || age < -60_000) {
      throw new TuckboxError("conflict", "the preview expired; preview again", {
        path: "preview",
        details: { preview_seconds: previewSeconds },
      });
    }
    return { now, ...rest };
  }

  /** @param {string} content @param {Subject} subject */
  async #signature(content, { project_id, op, body, caller }) {
    this.#key ??= globalThis.crypto.subtle.importKey(
      "raw",
      /** @type {BufferSource} */ (this.#secret),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"],
    );
    const text = JSON.stringify([content, project_id, op, await fingerprint(body), await fingerprint(caller)]);
    return hex(await globalThis.crypto.subtle.sign("HMAC", await this.#key, bytesOf(text)));
  }
}

/** @param {string} token */
function parsed(token) {
  try {
    const [text, signature, ...more] = token.split(".");
    const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
    const content = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const [now, digits, hash, operation_id] = JSON.parse(content);
    if (!Number.isSafeInteger(now) || !/^[0-9a-f]{64}$/.test(digits) || typeof hash !== "string" || typeof operation_id !== "string")
      throw new Error("other values");
    if (more.length > 0 || !/^[0-9a-f]{64}$/.test(signature)) throw new Error("no signature");
    const entropy = Uint8Array.from(String(digits).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
    return { content, signature, now, entropy, hash, operation_id };
  } catch {
    throw new HttpError(400, "bad_request", "`preview` must be the token of a preview", { path: "preview" });
  }
}

/**
 * Compares two strings in constant time.
 *
 * @param {string} left
 * @param {string} right
 */
function same(left, right) {
  let difference = left.length ^ right.length;
  for (let at = 0; at < left.length; at += 1) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}

/** @param {string} text */
function encoded(text) {
  return btoa(Array.from(bytesOf(text), (byte) => String.fromCharCode(byte)).join(""))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
}

/** @param {string} text */
function bytesOf(text) {
  return new TextEncoder().encode(text);
}

/** @param {ArrayBuffer | Uint8Array} bytes */
function hex(bytes) {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
