// How long texts become strings.

/**
 * V8 gives a string beyond 128 KB a place of its own, which takes several times as long as copying it there. Like its
 * own `JSON.stringify` we hand over pieces in a row: whoever looks inside makes one text of them.
 */
const PIECE = 64 * 1024;
/** From here on Node keeps the bytes outside of V8's heap, in one piece. */
const OUTSIDE = 1_031_913;

/**
 * Makes a string of bytes, where there is something quicker than `TextDecoder`: most texts are ASCII, and Node copies
 * those as they are when it is told so.
 */
export const decoder = nodes();

function nodes() {
  const { process, Deno, Bun } = globalThis;
  // what others offer under these names is slower than their own `TextDecoder`, or was not measured
  if (Deno !== undefined || Bun !== undefined) return undefined;
  const { isAscii, Buffer } = process?.getBuiltinModule?.("node:buffer") ?? {};
  if (isAscii === undefined) return undefined;
  const { latin1Slice } = Buffer.prototype;
  const others = new TextDecoder("utf-8", { ignoreBOM: true });
  const ascii = (bytes) => {
    const { length } = bytes;
    if (length >= OUTSIDE) return latin1Slice.call(bytes, 0, length);
    let text = "";
    for (let from = 0; from < length; from += PIECE) text += latin1Slice.call(bytes, from, Math.min(from + PIECE, length));
    return text;
  };
  return { decode: (bytes) => (isAscii(bytes) ? ascii(bytes) : others.decode(bytes)) };
}
