// Records the disk operations of this process, and can run code before each one. The disk is real.
//
//   const disk = await recordDisk();
//   ..
//   disk.events; // [{ op: "write", path }, { op: "sync", path }, { op: "rename", from, path }, ..]
//   disk.restore();
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Records writes, syncs and renames of `node:fs/promises`. `before(event)` runs before each of them. */
export function recordDisk(before = async () => {}) {
  const { open, rename } = fs.promises;
  const events = [];
  const around = async (event, work) => {
    await before(event);
    const done = await work();
    events.push(event);
    return done;
  };
  fs.promises.rename = (from, path) => around({ op: "rename", from, path }, () => rename(from, path));
  fs.promises.open = async (path, ...more) => {
    const file = await open(path, ...more);
    const { sync, writeFile } = file;
    file.sync = () => around({ op: "sync", path }, () => sync.call(file));
    file.writeFile = (text) => around({ op: "write", path }, () => writeFile.call(file, text));
    return file;
  };
  syncBuiltinESMExports();
  const restore = () => {
    Object.assign(fs.promises, { open, rename });
    syncBuiltinESMExports();
  };
  return { events, restore };
}
