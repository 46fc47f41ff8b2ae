// A lock between processes: a file with the name of its owner. A process takes over the lock of an owner that ended.
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { codeOf } from "../error.js";

/** The age after which a lock without an owner is abandoned: its process ended before it wrote its name. */
const UNSIGNED_MS = 2_000;

/** @typedef {{ pid: number, host: string, started?: string | null }} Owner */

/**
 * Tries to take the lock at `path`. Returns nothing while another process has it.
 *
 * @param {string} path
 * @returns {Promise<{ release: () => Promise<void>, isTakenOver: boolean } | undefined>}
 */
export async function tryLock(path) {
  if (await sign(path)) return release(path);
  if (!(await isAbandoned(path))) return undefined;
  // only the owner of this second lock can replace the first
  const claim = `${path}.claim`;
  const held = await tryLock(claim);
  if (held === undefined) return undefined;
  if (!(await isAbandoned(path))) {
    await held.release();
    return undefined;
  }
  // one step, so that there is always a lock
  await rename(claim, path);
  return { ...release(path), isTakenOver: true };
}

/**
 * Returns a description of the owner of the lock.
 *
 * @param {string} path
 */
export async function holderOf(path) {
  const owner = ownerIn(await readFile(path, "utf8").catch(() => ""));
  if (owner === undefined) return "another process";
  const { pid, host } = owner;
  return host === hostname() ? `process ${pid}` : `process ${pid} on \`${host}\``;
}

/** @param {string} path */
function release(path) {
  return { release: () => rm(path, { force: true }), isTakenOver: false };
}

/**
 * Creates the file, which must not exist, and writes the owner into it.
 *
 * @param {string} path
 */
async function sign(path) {
  let file;
  try {
    file = await open(path, "wx");
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  const text = `${JSON.stringify({ pid: process.pid, host: hostname(), started: await startOf(process.pid), token: globalThis.crypto.randomUUID() })}\n`;
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
  // another process can take the lock over if this one was paused before it wrote
  return (await readFile(path, "utf8").catch(() => "")) === text;
}

/** @param {string} path */
async function isAbandoned(path) {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return false;
  const owner = ownerIn(text);
  if (owner === undefined) {
    const found = await stat(path).catch(() => undefined);
    return found !== undefined && Date.now() - found.mtimeMs > UNSIGNED_MS;
  }
  // a process of another machine cannot be checked
  return owner.host === hostname() && !(await isAlive(owner));
}

/** @param {string} text @returns {Owner | undefined} */
function ownerIn(text) {
  try {
    const { pid, host, started } = JSON.parse(text);
    return Number.isSafeInteger(pid) && pid > 0 && typeof host === "string" ? { pid, host, started } : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Owner} owner */
async function isAlive({ pid, started }) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // other errors mean that the process belongs to another user
    if (codeOf(error) === "ESRCH") return false;
  }
  const now = await startOf(pid);
  // the system can give the number to another process
  return started === null || now === null || now === started;
}

/**
 * Returns the start time of a process, on systems with `/proc`.
 *
 * @param {number} pid
 */
async function startOf(pid) {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "ended" : fields[19];
  } catch {
    return null;
  }
}
