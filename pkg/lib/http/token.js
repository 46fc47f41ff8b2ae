// A preview over HTTP is a promise that a commit will do the same: the token says with which time
// and randomness it was made and what it would have written, so that no server has to remember it.
import { TuckboxError } from "../error.js";
import { HttpError } from "./responses.js";

/** What tells one batch of writes from every other. */
export async function fingerprint(text) {
  const digest = new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function writeToken({ now, entropy, hash, operation_id }) {
  const hex = Array.from(entropy, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const bytes = new TextEncoder().encode(JSON.stringify([now, hex, hash, operation_id]));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** What a token says; one that is too old, or from the future, has to be made again. */
export function readToken(token, clock, preview_seconds) {
  const { now, entropy, ...rest } = parsed(token);
  const age = clock - now;
  if (age > preview_seconds * 1000 || age < -60_000) {
    throw new TuckboxError("conflict", "the preview is too old; make it again", { path: "preview", details: { preview_seconds } });
  }
  return { now, entropy, ...rest };
}

function parsed(token) {
  try {
    const bytes = Uint8Array.from(atob(token.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
    const [now, hex, hash, operation_id] = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (!Number.isSafeInteger(now) || !/^[0-9a-f]{64}$/.test(hex) || typeof hash !== "string" || typeof operation_id !== "string") throw new Error("other values");
    return { now, entropy: Uint8Array.from(hex.match(/../g), (byte) => Number.parseInt(byte, 16)), hash, operation_id };
  } catch {
    throw new HttpError(400, "bad_request", "`preview` is not a token that a preview gave", { path: "preview" });
  }
}
