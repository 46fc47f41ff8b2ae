// How long texts become strings.

/**
 * Makes a string of bytes, where there is something quicker than `TextDecoder`: most texts are ASCII, and Node copies
 * those as they are when it is told so, which takes half the time and a tenth of it above a megabyte.
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
  return { decode: (bytes) => (isAscii(bytes) ? latin1Slice.call(bytes, 0, bytes.length) : others.decode(bytes)) };
}
