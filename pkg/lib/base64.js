/** The bytes of base64 text. */
export function decode(text) {
  if (typeof Buffer === "function") return Buffer.from(text, "base64");
  if (typeof Uint8Array.fromBase64 === "function") return Uint8Array.fromBase64(text);
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}
