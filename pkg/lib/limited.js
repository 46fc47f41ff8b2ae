// Reads bodies of limited length.

/**
 * Reads a stream of bytes up to a limit. Returns nothing if it is longer, and cancels the rest. A declared length only
 * ends the read early.
 *
 * @param {{ body?: ReadableStream<Uint8Array> | null, headers: { get(name: string): string | null } }} message A request or a response.
 * @param {number} max
 */
export async function limitedBytes({ body, headers }, max) {
  const chunks = /** @type {Uint8Array[]} */ ([]);
  let length = 0;
  const reader = body?.getReader();
  // the declared length of compressed content is the compressed one
  const isPacked = headers.get("content-encoding") !== null;
  let isLonger = !isPacked && Number(headers.get("content-length") ?? 0) > max;
  while (reader !== undefined && !isLonger) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    isLonger = length > max;
    chunks.push(value);
  }
  if (isLonger) {
    await reader?.cancel().catch(() => {});
    return undefined;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
