// Opens gzip and zip files for the core, in any runtime with `DecompressionStream`. The core reads SQLite files.
/** @import { ImportFile } from "../../types/arguments.js" */

/**
 * @typedef {{ name: string, bytes: Uint8Array }} File
 * @typedef {{ left: number }} Budget
 */

const GZIP = [0x1f, 0x8b];
const ZIP = [0x50, 0x4b, 0x03, 0x04];

/** The maximum size of all decompressed files of one import, in bytes. */
export const MAX_BYTES = 1 << 30;

/**
 * Returns the files in a file: itself, its decompressed content, or the entries of an archive. A file that cannot be
 * opened is returned unchanged, and the core reports it.
 *
 * @param {File} file
 * @param {Budget} [budget]
 * @returns {Promise<File[]>}
 */
export async function opened({ name, bytes }, budget = { left: MAX_BYTES }) {
  if (starts(bytes, GZIP)) {
    const inner = await inflated(bytes, "gzip", budget);
    return inner === undefined ? [{ name, bytes }] : opened({ name: name.replace(/\.gz$/i, ""), bytes: inner }, budget);
  }
  if (starts(bytes, ZIP)) {
    const entries = await unzipped(bytes, budget);
    if (entries === undefined) return [{ name, bytes }];
    const files = /** @type {File[]} */ ([]);
    for (const entry of entries) files.push(...(await opened({ name: `${name}/${entry.name}`, bytes: entry.bytes }, budget)));
    return files;
  }
  return [{ name, bytes }];
}

/**
 * Returns files in the form that `import` takes, decompressed.
 *
 * @type {typeof import("../../types/import.js").importFiles}
 */
export async function importFiles(files) {
  const budget = { left: MAX_BYTES };
  const given = /** @type {ImportFile[]} */ ([]);
  for (const file of files) given.push(...(await opened(file, budget)).map(asCall));
  return given;
}

/**
 * Returns a file in the form that `import` takes: as text, or as base64 if it is not text.
 *
 * @param {File} file
 * @returns {ImportFile}
 */
export function asCall({ name, bytes }) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return { name, text };
  } catch {
    // not text
  }
  return { name, base64: base64(bytes) };
}

/**
 * Returns true for the first bytes of a gzip or zip file.
 *
 * @param {Uint8Array} bytes
 */
export function compressed(bytes) {
  return starts(bytes, GZIP) || starts(bytes, ZIP);
}

/** @param {Uint8Array} bytes @param {readonly number[]} magic */
function starts(bytes, magic) {
  return bytes.length > magic.length && magic.every((byte, index) => bytes[index] === byte);
}

/**
 * Returns the decompressed bytes; nothing for invalid data, or if they exceed the budget.
 *
 * @param {Uint8Array} bytes
 * @param {CompressionFormat} format
 * @param {Budget} budget
 */
async function inflated(bytes, format, budget) {
  const reader = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)])
    .stream()
    .pipeThrough(new DecompressionStream(format))
    .getReader();
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

/**
 * Returns the files of an archive from the directory at its end; nothing for an invalid archive.
 *
 * @param {Uint8Array} bytes
 * @param {Budget} budget
 */
async function unzipped(bytes, budget) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = directoryEnd(view);
  if (end === undefined) return undefined;
  const files = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) return undefined;
    const [method, packed] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true)];
    const [named, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const head = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + named));
    at += 46 + named + extra + comment;
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

/** @param {DataView} view */
function directoryEnd(view) {
  for (let at = view.byteLength - 22; at >= 0 && at > view.byteLength - 70_000; at -= 1) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  return undefined;
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
