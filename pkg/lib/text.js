// How texts cross: what is quickest between strings and the bytes of UTF-8.

const encoder = new TextEncoder();
/** Where short texts are written. */
const short = new Uint8Array(24 * 1024);

/** The bytes of a text, until the next one is asked for. */
export function encoded(text) {
  // a unit of a string is three bytes at most
  if (3 * text.length > short.length) return encoder.encode(text);
  return short.subarray(0, encoder.encodeInto(text, short).written);
}

/**
 * V8 gives a string beyond 128 KB a place of its own, which takes several times as long as copying it there. Like its
 * own `JSON.stringify` we hand over pieces in a row: whoever looks inside makes one text of them.
 */
const PIECE = 64 * 1024;
/** From here on Node keeps the bytes outside of V8's heap, in one piece. */
const OUTSIDE = 1_031_913;

const others = new TextDecoder("utf-8", { ignoreBOM: true });
const node = nodes();

/** What Node has for texts of ASCII, which most are: it copies them as they are when it is told so. */
function nodes() {
  const { process, Deno, Bun } = globalThis;
  // what others offer under these names is slower than their own `TextDecoder`, or was not measured
  if (Deno !== undefined || Bun !== undefined) return undefined;
  const { isAscii, Buffer } = process?.getBuiltinModule?.("node:buffer") ?? {};
  return isAscii === undefined ? undefined : { isAscii, latin1Slice: Buffer.prototype.latin1Slice };
}

/** Makes a string of bytes, where there is something quicker than `TextDecoder`. */
export const decoder = node && {
  decode: (bytes) => (node.isAscii(bytes) ? ascii(bytes, 0, bytes.length) : others.decode(bytes)),
};

/** A string of the bytes from `start` to `end`; ASCII where that is known. */
export function decoded(bytes, start, end, isAscii) {
  return isAscii && node !== undefined ? ascii(bytes, start, end) : others.decode(bytes.subarray(start, end));
}

function ascii(bytes, start, end) {
  if (end - start <= PIECE || end - start >= OUTSIDE) return node.latin1Slice.call(bytes, start, end);
  let text = "";
  for (let from = start; from < end; from += PIECE) text += node.latin1Slice.call(bytes, from, Math.min(from + PIECE, end));
  return text;
}
