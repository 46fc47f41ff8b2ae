// Writes zip archives for tests, also invalid ones.
import { crc32, deflateRawSync } from "node:zlib";

/**
 * Returns an archive of `[name, content]` pairs: local headers, data, directory. `stored` omits compression. `change`
 * edits a directory entry before it is written.
 */
export function zip(files, { stored = false, change = () => {} } = {}) {
  const parts = [];
  const directory = [];
  let offset = 0;
  files.forEach(([name, content], at) => {
    const plain = Buffer.from(content);
    const packed = stored ? plain : deflateRawSync(plain);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(Buffer.byteLength(name), 26);
    const entry = { method: stored ? 0 : 8, crc: crc32(plain), packed: packed.length, size: plain.length, offset, flags: 0 };
    change(entry, at);
    parts.push(head, Buffer.from(name), packed);
    directory.push(directoryEntry(name, entry), Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  });
  return Buffer.concat([...parts, ...ending(directory, files.length, offset)]);
}

/** Returns an archive whose `count` directory entries all name the same compressed bytes. */
export function overlappingZip(content, count) {
  const packed = deflateRawSync(content, { level: 9 });
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  const entry = { method: 8, crc: crc32(content), packed: packed.length, size: content.length, offset: 0, flags: 0 };
  const directory = Array.from({ length: count }, (_, at) => [directoryEntry(`${at}`, entry), Buffer.from(`${at}`)]).flat();
  return Buffer.concat([head, packed, ...ending(directory, count, 30 + packed.length)]);
}

function directoryEntry(name, { method, crc, packed, size, offset, flags }) {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(flags, 8);
  entry.writeUInt16LE(method, 10);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(packed, 20);
  entry.writeUInt32LE(size, 24);
  entry.writeUInt16LE(Buffer.byteLength(name), 28);
  entry.writeUInt32LE(offset, 42);
  return entry;
}

function ending(directory, count, offset) {
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return [listed, end];
}
