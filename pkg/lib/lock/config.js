// The config of a project: `tuckbox.config.js`, `.ts` or `.json`.
/** @import { LockConfig } from "../../types/lock.js" */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../error.js";
import { TIMEOUT_MS, TooLong, within } from "./limit.js";

/** The names of a config, in the order in which they are searched. */
export const CONFIG_NAMES = ["js", "mjs", "ts", "mts", "json"].map((end) => `tuckbox.config.${end}`);

/** @param {unknown} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The keys of `lock` in a config, with what each must be.
 *
 * @type {{ [key: string]: readonly [is: (value: any) => boolean, expected: string] }}
 */
const KEYS = {
  file: [(value) => typeof value === "string" && value !== "", "the path of a file"],
  entries: [isObject, "an object of contexts by name"],
  volatile: [Array.isArray, "a list of slots"],
  assertions: [Array.isArray, "a list of assertions"],
  redact: [(value) => typeof value === "boolean", "`true` or `false`"],
  timeoutMs: [(value) => Number.isFinite(value) && value > 0, "a number of milliseconds greater than 0"],
  now: [(value) => typeof value === "string" && !Number.isNaN(Date.parse(value)), "a time such as `2026-01-01T00:00:00Z`"],
};

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
  if (!isObject(config)) throw new Error(`the default export of \`${path}\` must be an object`);
  try {
    return { path, folder: dirname(path), lock: checked(/** @type {{ lock?: LockConfig }} */ (config).lock) };
  } catch (error) {
    throw new Error(`${messageOf(error)}; see \`${path}\``);
  }
}

/**
 * Returns the part `lock` of a config. A value of another kind is an error: it must not be ignored.
 *
 * @param {LockConfig | undefined} lock
 * @returns {LockConfig}
 */
function checked(lock = {}) {
  if (!isObject(lock)) throw new Error("`lock` must be an object");
  const given = { ...lock };
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(KEYS, key))
      throw new Error(
        `unknown key \`lock.${key}\`; expected one of ${Object.keys(KEYS)
          .map((known) => `\`${known}\``)
          .join(", ")}`,
      );
    const [is, expected] = KEYS[key];
    if (value !== undefined && !is(value)) throw new Error(`\`lock.${key}\` must be ${expected}`);
  }
  return given;
}

/** @param {string} path */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`\`${path}\` cannot be read: ${messageOf(error)}`);
  }
}

const MODULE = '; name it `tuckbox.config.mjs`, or set `"type": "module"` in package.json';

/** Messages of Node, and what to do about them. */
const HINTS = [
  ["Unknown file extension", "; TypeScript needs Node 22.18 or later, or a config in JavaScript"],
  ["Unexpected token 'export'", MODULE],
  ["Cannot use import statement outside a module", MODULE],
];

/** @param {string} path */
async function importConfig(path) {
  try {
    return (await within(() => import(pathToFileURL(path).href), { what: `\`${path}\``, ms: TIMEOUT_MS, hint: "" })).default;
  } catch (error) {
    if (error instanceof TooLong) throw error;
    const message = messageOf(error);
    const [, hint = ""] = HINTS.find(([part]) => message.includes(part)) ?? [];
    throw new Error(`\`${path}\` cannot be loaded: ${message}${hint}`);
  }
}
