// Opening what is no text before the core reads it: gzip and zip, in any runtime with
// `DecompressionStream`. SQLite files are read by the core itself.

const GZIP = [0x1f, 0x8b];
const ZIP = [0x50, 0x4b, 0x03, 0x04];

/** What all files of one import may hold together once they are opened, in bytes. */
export const MOST = 1 << 30;

/**
 * The files that a file is or holds: itself, what was compressed in it, or the entries of an
 * archive, as `{ name, bytes }`. What cannot be opened is passed on as it is: the core says that
 * it cannot read it.
 */
export async function opened({ name, bytes }, budget = { left: MOST }) {
  if (starts(bytes, GZIP)) {
    const inner = await inflated(bytes, "gzip", budget);
    return inner === undefined ? [{ name, bytes }] : opened({ name: name.replace(/\.gz$/i, ""), bytes: inner }, budget);
  }
  if (starts(bytes, ZIP)) {
    const entries = await unzipped(bytes, budget);
    if (entries === undefined) return [{ name, bytes }];
    const files = [];
    for (const entry of entries) files.push(...(await opened({ name: `${name}/${entry.name}`, bytes: entry.bytes }, budget)));
    return files;
  }
  return [{ name, bytes }];
}

/** Files as a call of `import` takes them: what is compressed is opened. */
export async function importFiles(files) {
  const budget = { left: MOST };
  const given = [];
  for (const file of files) given.push(...(await opened(file, budget)).map(asCall));
  return given;
}

/** A file as a call of `import` takes it: text where it is text, else base64. */
export function asCall({ name, bytes }) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return { name, text };
  } catch {
    // not text
  }
  return { name, base64: base64(bytes) };
}

/** True for the beginning of what must be opened first. */
export function compressed(bytes) {
  return starts(bytes, GZIP) || starts(bytes, ZIP);
}

function starts(bytes, magic) {
  return bytes.length > magic.length && magic.every((byte, index) => bytes[index] === byte);
}

/** The bytes in a compressed stream; nothing when it is none, or larger than what is left. */
async function inflated(bytes, format, budget) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).getReader();
  const chunks = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > budget.left) {
        await reader.cancel();
        return undefined;
      }
      chunks.push(value);
    }
  } catch {
    return undefined;
  }
  budget.left -= length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The files of an archive by its directory, which stands at its end; nothing when it is broken. */
async function unzipped(bytes, budget) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = directoryEnd(view);
  if (end === undefined) return undefined;
  const files = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) return undefined;
    const [method, packed] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true)];
    const [named, extra, said] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const head = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + named));
    at += 46 + named + extra + said;
    if (name.endsWith("/")) continue;
    if (head + 30 > bytes.length) return undefined;
    const start = head + 30 + view.getUint16(head + 26, true) + view.getUint16(head + 28, true);
    const raw = bytes.subarray(start, start + packed);
    const inner = method === 0 ? raw : method === 8 ? await inflated(raw, "deflate-raw", budget) : undefined;
    if (inner === undefined) return undefined;
    files.push({ name, bytes: inner });
  }
  return files;
}

function directoryEnd(view) {
  for (let at = view.byteLength - 22; at >= 0 && at > view.byteLength - 70_000; at -= 1) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  return undefined;
}

function base64(bytes) {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
