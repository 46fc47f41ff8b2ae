// Follows files as they grow, and folders as files appear.
/** @import { Session } from "../cli/session.js" */
import { watch } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { logs } from "../cli/logs.js";

/** The time between two walks over all files, in milliseconds. It finds what the system does not report. */
const WALK_EVERY = 5_000;
/** The times after a report of an unknown name at which all files are walked: a new folder can still be empty. */
const WALK_AFTER = [50, 500];

/** @typedef {{ name: string, path: string, size: number, changed: number }} Followed A file, as the caller names it, its size, and the time of its last change in milliseconds. */

/**
 * Calls `changed` with all files, and then with those that are new or changed, until `signal` fires.
 *
 * @param {Pick<Session, "cwd">} session
 * @param {readonly string[]} paths
 * @param {(files: Followed[]) => void} changed
 * @param {AbortSignal} signal
 */
export async function follow({ cwd }, paths, changed, signal) {
  /** @type {Map<string, { name: string, stamp: string }>} */
  const known = new Map();
  /** @type {Map<string, { close: () => void }>} */
  const watchers = new Map();
  /** @type {Set<NodeJS.Timeout>} */
  const timers = new Set();
  let walking = /** @type {Promise<void> | undefined} */ (undefined);

  /** @param {string} path @param {string} name @param {{ size: number, mtimeMs: number }} kind @returns {Followed | undefined} */
  const seen = (path, name, { size, mtimeMs }) => {
    const stamp = `${size} ${mtimeMs}`;
    if (known.get(path)?.stamp === stamp) return undefined;
    known.set(path, { name, stamp });
    return { name, path, size, changed: Math.round(mtimeMs) };
  };

  const walk = async () => {
    const found = /** @type {Followed[]} */ ([]);
    for await (const { name, file } of logs({ cwd, note() {} }, paths)) {
      const path = resolve(cwd, name);
      const one = seen(path, name, await file.stat());
      if (one !== undefined) found.push(one);
      listen(dirname(path));
    }
    if (!signal.aborted && found.length > 0) changed(found);
  };
  /** Walks over all files, unless a walk is running. */
  const walkOnce = () => {
    walking ??= walk().finally(() => {
      walking = undefined;
    });
    return walking;
  };
  /** @param {number} milliseconds */
  const later = (milliseconds) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      // a removed path can be created again
      walkOnce().catch(() => {});
    }, milliseconds);
    timers.add(timer);
  };
  /** @param {string} folder */
  const listen = (folder) => {
    if (watchers.has(folder) || signal.aborted) return;
    try {
      const watcher = watch(folder, (_, entry) => {
        const path = entry === null ? undefined : join(folder, String(entry));
        const name = path === undefined ? undefined : known.get(path)?.name;
        if (path === undefined || name === undefined) for (const milliseconds of WALK_AFTER) later(milliseconds);
        else grown(path, name);
      });
      watcher.on("error", () => watchers.get(folder)?.close());
      watchers.set(folder, watcher);
    } catch {
      // too many watchers: the walks find the changes
      watchers.set(folder, { close() {} });
    }
  };
  /** @param {string} path @param {string} name */
  const grown = async (path, name) => {
    const kind = await stat(path).catch(() => undefined);
    const one = kind?.isFile() ? seen(path, name, kind) : undefined;
    if (one !== undefined && !signal.aborted) changed([one]);
  };

  await walkOnce();
  for (const path of paths) {
    const kind = await stat(resolve(cwd, path));
    listen(kind.isDirectory() ? resolve(cwd, path) : dirname(resolve(cwd, path)));
  }
  const every = setInterval(() => walkOnce().catch(() => {}), WALK_EVERY);
  every.unref();
  signal.addEventListener("abort", () => {
    clearInterval(every);
    for (const timer of timers) clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  });
}
