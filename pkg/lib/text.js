// The fastest conversions between strings and UTF-8 in each runtime.

const encoder = new TextEncoder();
/** The buffer of strings. It grows up to `MAX_BUFFER`: a new one for each string takes ten times as long as the copy. */
let buffer = new Uint8Array(24 * 1024);
const MAX_BUFFER = 1024 * 1024;

/**
 * Returns the bytes of a string, valid until the next call.
 *
 * @param {string} text
 */
export function encoded(text) {
  // a UTF-16 unit takes at most 3 bytes
  const most = 3 * text.length;
  if (most > MAX_BUFFER) return encoder.encode(text);
  if (most > buffer.length) buffer = new Uint8Array(Math.min(MAX_BUFFER, 2 * most));
  return buffer.subarray(0, encoder.encodeInto(text, buffer).written);
}

/**
 * The size of the pieces of a long string. V8 allocates strings beyond 128 KB separately, which takes several times as
 * long as the copy. `JSON.stringify` also concatenates pieces; V8 flattens them on first use.
 */
const PIECE = 64 * 1024;
/** From this size on, Node keeps the bytes outside of V8's heap in one piece. */
const OUTSIDE = 1_031_913;

const others = new TextDecoder("utf-8", { ignoreBOM: true });
const node = nodes();

/**
 * Returns the functions of Node for ASCII, which most strings are: Node copies them without decoding.
 *
 * @returns {{ isAscii(bytes: Uint8Array): boolean, latin1Slice(this: Uint8Array, start: number, end: number): string } | undefined}
 */
function nodes() {
  const { process: host, Deno, Bun, EdgeRuntime } = /** @type {any} */ (globalThis);
  // the same functions of Deno and Bun are slower than their `TextDecoder`, or were not measured; the `process` of an edge
  // runtime throws on access
  if (Deno !== undefined || Bun !== undefined || EdgeRuntime !== undefined) return undefined;
  // compilers for edge runtimes reject `process.getBuiltinModule`, even where it is never called
  const { isAscii, Buffer } = Reflect.get(Object(host), "getBuiltinModule")?.("node:buffer") ?? {};
  return isAscii === undefined ? undefined : { isAscii, latin1Slice: Buffer.prototype.latin1Slice };
}

/** Decodes bytes, in runtimes with something faster than `TextDecoder`. */
export const decoder = node && {
  /** @param {Uint8Array} bytes */
  decode: (bytes) => (node.isAscii(bytes) ? ascii(node, bytes, 0, bytes.length) : others.decode(bytes)),
};

/**
 * Returns the string of the bytes from `start` to `end`.
 *
 * @param {Uint8Array} bytes
 * @param {number} start
 * @param {number} end
 * @param {boolean} isAscii
 */
export function decoded(bytes, start, end, isAscii) {
  return isAscii && node !== undefined ? ascii(node, bytes, start, end) : others.decode(bytes.subarray(start, end));
}

/** @param {NonNullable<typeof node>} node @param {Uint8Array} bytes @param {number} start @param {number} end */
function ascii(node, bytes, start, end) {
  if (end - start <= PIECE || end - start >= OUTSIDE) return node.latin1Slice.call(bytes, start, end);
  let text = "";
  for (let from = start; from < end; from += PIECE) text += node.latin1Slice.call(bytes, from, Math.min(from + PIECE, end));
  return text;
}
