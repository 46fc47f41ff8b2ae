// Opens gzip and zip files for the core, in any runtime with `DecompressionStream`. The core reads SQLite files.
/** @import { ImportFile } from "../../types/arguments.js" */
/** @import { Entry } from "./zip.js" */

/**
 * @typedef {{ name: string, bytes: Uint8Array }} File
 * @typedef {{ left: number }} Budget
 */

const GZIP = [0x1f, 0x8b];
const ZIP = [0x50, 0x4b, 0x03, 0x04];

/** The maximum size of all opened files of one import, in bytes of content and names. */
export const MAX_BYTES = 1 << 30;

/** The maximum number of archives around a file. */
const MAX_DEPTH = 8;

/** The bytes that an opened file takes from the budget besides its content and its name. */
const FILE_BYTES = 64;

/**
 * Returns the files in a file: itself, its decompressed content, or the entries of an archive. A file that cannot be
 * opened is returned packed, and the core reports it.
 *
 * @param {File} file
 * @param {Budget} [budget]
 * @returns {Promise<File[]>}
 */
export async function opened(file, budget = { left: MAX_BYTES }) {
  const files = /** @type {File[]} */ ([]);
  await openInto(files, file, budget, 0);
  return files;
}

/** @param {File[]} files @param {File} file @param {Budget} budget @param {number} depth */
async function openInto(files, { name, bytes }, budget, depth) {
  const mayOpen = depth < MAX_DEPTH;
  if (mayOpen && starts(bytes, GZIP)) {
    const plain = name.replace(/\.gz$/i, "");
    const inner = takes(budget, plain.length + FILE_BYTES) ? await inflated(bytes, "gzip", budget, budget.left) : undefined;
    if (inner !== undefined) return openInto(files, { name: plain, bytes: inner }, budget, depth + 1);
  }
  // loaded when it is needed, as few callers import archives
  const zip = mayOpen && starts(bytes, ZIP) ? await import("./zip.js") : undefined;
  const entries = zip?.entriesOf(bytes);
  if (entries === undefined) {
    files.push({ name, bytes });
    return;
  }
  for (const entry of entries) {
    const within = `${name}/${entry.name}`;
    const inner = takes(budget, within.length + FILE_BYTES) ? await contentOf(bytes, entry, budget) : undefined;
    // an entry that cannot be opened costs only itself: its header makes the core report a packed file
    if (inner === undefined) files.push({ name: within, bytes: bytes.subarray(entry.head, entry.end) });
    else await openInto(files, { name: within, bytes: inner }, budget, depth + 1);
  }
}

/**
 * Returns the content of an entry; nothing if it is invalid, does not match the directory, or exceeds the budget.
 *
 * @param {Uint8Array} bytes
 * @param {Entry} entry
 * @param {Budget} budget
 */
async function contentOf(bytes, { method, size, crc, start, end }, budget) {
  const packed = bytes.subarray(start, end);
  if (size > budget.left) return void takes(budget, size);
  const inner =
    method === 0 && takes(budget, size) ? packed : method === 8 ? await inflated(packed, "deflate-raw", budget, size) : undefined;
  const { crc32 } = await import("./zip.js");
  return inner?.length === size && crc32(inner) === crc ? inner : undefined;
}

/**
 * Takes bytes from a budget. Returns false if it has fewer, and empties it: the rest of the import is not opened.
 *
 * @param {Budget} budget
 * @param {number} bytes
 */
function takes(budget, bytes) {
  const isEnough = bytes <= budget.left;
  budget.left = isEnough ? budget.left - bytes : 0;
  return isEnough;
}

/**
 * Returns files in the form that `import` takes, decompressed.
 *
 * @type {typeof import("../../types/import.js").importFiles}
 */
export async function importFiles(files) {
  const budget = { left: MAX_BYTES };
  const given = /** @type {ImportFile[]} */ ([]);
  for await (const file of files) for (const inner of await opened(file, budget)) given.push(asCall(inner));
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
 * Returns the decompressed bytes; nothing for invalid data, or for more than `max` bytes. They are taken from the budget.
 *
 * @param {Uint8Array} bytes
 * @param {CompressionFormat} format
 * @param {Budget} budget
 * @param {number} max
 */
async function inflated(bytes, format, budget, max) {
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
      if (!takes(budget, value.length) || length > max) {
        await reader.cancel();
        return undefined;
      }
      chunks.push(value);
    }
  } catch {
    return undefined;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
