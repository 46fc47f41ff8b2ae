// A lock between processes: a file that names its owner. One whose owner is gone is taken over.
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";

/** A lock without an owner in it was left between two calls of the system, if it is older than this. */
const UNSIGNED_MS = 2_000;

/** Tries to take the lock at `path`: gives what releases it, or nothing while somebody else has it. */
export async function tryLock(path) {
  if (await sign(path)) return release(path);
  if (!(await isAbandoned(path))) return undefined;
  // whoever has this second lock is the only one who may replace the first
  const claim = `${path}.claim`;
  const held = await tryLock(claim);
  if (held === undefined) return undefined;
  if (!(await isAbandoned(path))) {
    await held.release();
    return undefined;
  }
  // in one step: at no moment is there no lock, and nothing is left behind
  await rename(claim, path);
  return { ...release(path), isTakenOver: true };
}

/** Who has the lock, in words. */
export async function holderOf(path) {
  const { pid, host } = ownerIn(await readFile(path, "utf8").catch(() => "")) ?? {};
  if (pid === undefined) return "another process";
  return host === hostname() ? `process ${pid}` : `process ${pid} on \`${host}\``;
}

function release(path) {
  return { release: () => rm(path, { force: true }), isTakenOver: false };
}

/** Makes the file, which must not be there, and writes our name into it. */
async function sign(path) {
  let file;
  try {
    file = await open(path, "wx");
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
  const text = `${JSON.stringify({ pid: process.pid, host: hostname(), started: await startOf(process.pid), token: globalThis.crypto.randomUUID() })}\n`;
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
  // whoever is stopped before he signs for so long may have been replaced
  return (await readFile(path, "utf8").catch(() => "")) === text;
}

async function isAbandoned(path) {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return false;
  const owner = ownerIn(text);
  if (owner === undefined) {
    const found = await stat(path).catch(() => undefined);
    return found !== undefined && Date.now() - found.mtimeMs > UNSIGNED_MS;
  }
  // nobody can look for a process of another machine
  return owner.host === hostname() && !(await isAlive(owner));
}

function ownerIn(text) {
  try {
    const { pid, host, started } = JSON.parse(text);
    return Number.isSafeInteger(pid) && pid > 0 && typeof host === "string" ? { pid, host, started } : undefined;
  } catch {
    return undefined;
  }
}

async function isAlive({ pid, started }) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // a process of somebody else is there as well
    if (error.code === "ESRCH") return false;
  }
  const now = await startOf(pid);
  // its number may have gone to another one since
  return started === null || now === null || now === started;
}

/** When a process started, where the system tells. */
async function startOf(pid) {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "ended" : fields[19];
  } catch {
    return null;
  }
}
