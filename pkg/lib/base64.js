/**
 * Decodes base64.
 *
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function decode(text) {
  if (typeof Buffer === "function") return Buffer.from(text, "base64");
  if ("fromBase64" in Uint8Array) return /** @type {any} */ (Uint8Array).fromBase64(text);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
