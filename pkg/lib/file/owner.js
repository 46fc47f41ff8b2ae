// The name of an owner of a lock. On Linux it has the number of the process and its PID namespace. The number
// identifies the process only inside that namespace, until the machine restarts.
import { readFile, readlink } from "node:fs/promises";
import { codeOf } from "../error.js";

/** `ID.PID.STARTED.NAMESPACE.BOOT` */
const NAME = /^[0-9a-f-]{36}\.(\d+)\.(\d+)\.(\d+\.[0-9a-f]+)$/;

/** @type {Promise<string | undefined> | undefined} */
let own;

/**
 * Returns the name of this process as the owner `id`.
 *
 * @param {string} id
 */
export async function nameOf(id) {
  const namespace = await ownNamespace();
  const started = await startOf(process.pid);
  return namespace === undefined || started === undefined ? id : `${id}.${process.pid}.${started}.${namespace}`;
}

/**
 * Returns the number of the process, if it has the namespace of this process.
 *
 * @param {string} name
 */
export async function processOf(name) {
  const [, pid, , namespace] = NAME.exec(name) ?? [];
  return namespace !== undefined && namespace === (await ownNamespace()) ? Number(pid) : undefined;
}

/**
 * Returns true for an owner that certainly ended. Owners of other namespaces and machines are unknown.
 *
 * @param {string} name
 */
export async function hasEnded(name) {
  const pid = await processOf(name);
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // other errors mean that the process belongs to another user
    if (codeOf(error) === "ESRCH") return true;
  }
  const started = await startOf(pid);
  // the system can give the number to another process
  return started !== undefined && started !== NAME.exec(name)?.[2];
}

/** Returns the PID namespace of this process; nothing if the system does not show it. */
function ownNamespace() {
  own ??= (async () => {
    try {
      // `/proc` can belong to another namespace
      if ((await readlink("/proc/self")) !== String(process.pid)) return undefined;
      const [number] = /\d+/.exec(await readlink("/proc/self/ns/pid")) ?? [];
      const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).replace(/[^0-9a-f]/g, "");
      return number === undefined || boot === "" ? undefined : `${number}.${boot}`;
    } catch {
      return undefined;
    }
  })();
  return own;
}

/**
 * Returns the start time of a process: `0` for one that ended, nothing if the system does not show it.
 *
 * @param {number} pid
 */
async function startOf(pid) {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "0" : fields[19];
  } catch {
    return undefined;
  }
}
