// Reads the directory of a zip archive. The platform inflates the entries.
//
// This is not a library, because the hard part, inflating, is `DecompressionStream` in every runtime. What is left is
// the directory, and small libraries such as fflate leave its checks (overlaps, declared sizes) to the caller.

/**
 * An entry of an archive: where it is, and what the directory declares about it.
 *
 * @typedef {{ name: string, method: number, size: number, crc: number, head: number, start: number, end: number }} Entry
 */

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50];

/** The flag of an encrypted entry. */
const ENCRYPTED = 1;

/** The method of an entry that cannot be read. */
const UNREADABLE = -1;

/**
 * Returns the files of an archive from the directory at its end; nothing for an invalid archive. An archive is invalid
 * if two entries share bytes: a small archive could otherwise contain the same data thousands of times.
 *
 * @param {Uint8Array} bytes
 * @returns {Entry[] | undefined}
 */
export function entriesOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = directoryEnd(view);
  if (end === undefined) return undefined;
  const directory = view.getUint32(end + 16, true);
  const entries = /** @type {Entry[]} */ ([]);
  let at = directory;
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    if (at + 46 > end || view.getUint32(at, true) !== CENTRAL) return undefined;
    const [flags, method] = [8, 10].map((offset) => view.getUint16(at + offset, true));
    const [crc, packed, size] = [16, 20, 24].map((offset) => view.getUint32(at + offset, true));
    const [named, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const head = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + named));
    at += 46 + named + extra + comment;
    if (head + 30 > directory || view.getUint32(head, true) !== LOCAL) return undefined;
    const start = head + 30 + view.getUint16(head + 26, true) + view.getUint16(head + 28, true);
    const isReadable = (flags & ENCRYPTED) === 0 && (method === 8 || (method === 0 && packed === size));
    entries.push({ name, method: isReadable ? method : UNREADABLE, size, crc, head, start, end: start + packed });
  }
  return overlap(entries, directory) ? undefined : entries.filter(({ name }) => !name.endsWith("/"));
}

/**
 * Returns true if two entries share bytes, or an entry and the directory.
 *
 * @param {readonly Entry[]} entries
 * @param {number} directory
 */
function overlap(entries, directory) {
  const ordered = entries.toSorted((a, b) => a.head - b.head);
  return ordered.some(({ end }, at) => end > (ordered[at + 1]?.head ?? directory));
}

/** @param {DataView} view */
function directoryEnd(view) {
  for (let at = view.byteLength - 22; at >= 0 && at > view.byteLength - 70_000; at -= 1) {
    if (view.getUint32(at, true) === END) return at;
  }
  return undefined;
}

const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/**
 * Returns the CRC-32 of bytes. Raw deflate data has no checksum of its own.
 *
 * @param {Uint8Array} bytes
 */
export function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 255];
  return ~crc >>> 0;
}
