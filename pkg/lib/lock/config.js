// The config of a project: `tuckbox.config.js`, `.ts` or `.json`.
/** @import { LockConfig } from "../../types/lock.js" */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../error.js";
import { TIMEOUT_MS, TooLong, within } from "./limit.js";

/** The names of a config, in the order in which they are searched. */
export const CONFIG_NAMES = ["js", "mjs", "ts", "mts", "json"].map((end) => `tuckbox.config.${end}`);

/** The keys of `lock` in a config. */
const KEYS = ["file", "entries", "volatile", "assertions", "redact", "timeoutMs", "now"];

/**
 * Returns the path of the config of a folder.
 *
 * @param {string} folder
 * @param {string} [named]
 */
export function configPath(folder, named) {
  return named === undefined ? CONFIG_NAMES.map((name) => join(folder, name)).find(existsSync) : resolve(folder, named);
}

/**
 * Returns true for a config that is a program.
 *
 * @param {string | undefined} path
 */
export const isCode = (path) => path !== undefined && !path.endsWith(".json");

/**
 * Loads the config of a folder. Returns nothing if there is none.
 *
 * @param {string} folder
 * @param {string} [named]
 * @returns {Promise<{ path: string, folder: string, lock: LockConfig } | undefined>}
 */
export async function loadConfig(folder, named) {
  const path = configPath(folder, named);
  if (path === undefined) return undefined;
  const config = isCode(path) ? await importConfig(path) : readJson(path);
  if (typeof config !== "object" || config === null || Array.isArray(config)) throw new Error(`\`${path}\` must export an object`);
  const { lock = {} } = /** @type {{ lock?: LockConfig }} */ (config);
  if (typeof lock !== "object" || lock === null || Array.isArray(lock)) throw new Error(`\`lock\` in \`${path}\` must be an object`);
  const unknown = Object.keys(lock).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    throw new Error(`unknown key \`lock.${unknown}\` in \`${path}\`; expected one of ${KEYS.map((key) => `\`${key}\``).join(", ")}`);
  const { entries = {} } = lock;
  if (typeof entries !== "object" || entries === null || Array.isArray(entries))
    throw new Error(`\`lock.entries\` in \`${path}\` must be an object of contexts by name`);
  return { path, folder: dirname(path), lock };
}

/** @param {string} path */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`\`${path}\` cannot be read: ${messageOf(error)}`);
  }
}

/** @param {string} path */
async function importConfig(path) {
  try {
    return (await within(() => import(pathToFileURL(path).href), { what: `\`${path}\``, ms: TIMEOUT_MS, hint: "" })).default;
  } catch (error) {
    if (error instanceof TooLong) throw error;
    const message = messageOf(error);
    const hint = message.includes("Unknown file extension") ? "; TypeScript needs Node 22.18 or later, or a config in JavaScript" : "";
    throw new Error(`\`${path}\` cannot be loaded: ${message}${hint}`);
  }
}
