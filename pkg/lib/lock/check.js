// Compares contexts of tests with the lockfile, as the snapshots of test runners are compared.
/** @import { LockContext, LockMode, LockPlace } from "../../types/lock.js" */
/** @import { Operations } from "../../types/operations.js" */
/** @import { LockedContext } from "../../types/results.js" */
/** @import { Workspace } from "../../types/workspace.js" */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { lockEntry } from "./build.js";
import { CONFIG_NAMES, loadConfig } from "./config.js";
import { changeLock, readLock, slashed } from "./file.js";

/**
 * The mode of this process: `TUCKBOX_LOCK=update` and `--test-update-snapshots` replace entries. Without `CI`, new
 * entries are added.
 *
 * @returns {LockMode}
 */
export function modeOfProcess() {
  const { TUCKBOX_LOCK, CI = "" } = process.env;
  if (TUCKBOX_LOCK === "update" || process.execArgv.includes("--test-update-snapshots")) return "all";
  return CI === "" || CI === "0" || CI === "false" ? "new" : "none";
}

/** @type {Promise<Workspace> | undefined} */
let opened;

/** Returns a project without rows, for contexts that need none. */
export function emptyProject() {
  opened ??= import("../../index.js").then(({ memoryStore, open }) => open(memoryStore(), { projectId: "lock" }));
  return opened;
}

/** Files that show the root of a project. */
const ROOTS = [...CONFIG_NAMES, "tuckbox.lock", "package.json"];

/**
 * Returns the folder of the nearest config, lockfile or manifest.
 *
 * @param {string} start
 */
function rootOf(start) {
  for (let folder = start; ; folder = dirname(folder)) {
    if (ROOTS.some((name) => existsSync(join(folder, name)))) return folder;
    if (dirname(folder) === folder) return start;
  }
}

/**
 * Returns what a test locks: the arguments of `lock_entry`, an answer of `payload`, or the body of a request.
 *
 * @param {any} given
 * @returns {LockContext}
 */
export function contextOf(given) {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw new TypeError("a context must be an object");
  if (given.context !== undefined || given.request !== undefined) return given;
  if (typeof given.body !== "object" || given.body === null) return { request: { body: given } };
  const { body, model, provider } = given;
  // other formats are recognized by their keys
  const known = provider === undefined || provider === "neutral" || provider === "ai_sdk" ? {} : { provider };
  return { request: { body, ...known, ...(typeof model === "string" ? { model } : {}) } };
}

/**
 * Returns the lockfile of a test, its config, and the test file as the lockfile names it.
 *
 * @param {LockPlace} place
 */
async function placeOf({ cwd = process.cwd(), file, test } = {}) {
  const folder = rootOf(cwd);
  const config = (await loadConfig(folder))?.lock ?? {};
  const path = resolve(folder, file ?? config.file ?? "tuckbox.lock");
  const testFile = test === undefined ? "" : slashed(relative(folder, test));
  // the path of a file outside of the project differs between machines
  return { config, path, testFile: testFile.startsWith("../") || isAbsolute(testFile) ? "" : testFile };
}

/**
 * Returns the entries of contexts, and the lockfile that they belong to.
 *
 * @param {readonly (readonly [name: string, given: any])[]} contexts
 * @param {LockPlace} [place]
 */
export async function lockedContexts(contexts, place) {
  const { config, path, testFile } = await placeOf(place);
  /** @type {LockedContext[]} */
  const entries = [];
  for (const [name, given] of contexts)
    entries.push(await lockEntry(name, { ...contextOf(given), from: `test:${testFile}` }, config, emptyProject));
  return { path, entries };
}

/**
 * The contexts that the tests of a file have compared, by the path of the test file.
 *
 * @type {Map<string, Map<string, LockedContext>>}
 */
const compared = new Map();

/**
 * Ends a test file whose tests all ran: entries of the file that no test compared are obsolete. In the mode `all` they
 * are removed. Otherwise their names are returned.
 *
 * @param {string} test
 * @param {LockMode} mode
 * @returns {Promise<readonly string[]>}
 */
export async function finishTestFile(test, mode) {
  const { path, testFile } = await placeOf({ test });
  const entries = [...(compared.get(test)?.values() ?? [])];
  compared.delete(test);
  const lock = readLock(path);
  if (lock === undefined) return [];
  const project = await emptyProject();
  const { removed } = await project.lock.check({ lock, entries, tests: [testFile], complete: false });
  if (removed.length === 0 || mode !== "all") return removed;
  await changeLock(path, async (text) => {
    const updated = await project.lock.update({ ...(text === undefined ? {} : { lock: text }), entries, tests: [testFile] });
    return { text: updated.lock, value: undefined };
  });
  return [];
}

/**
 * Compares contexts with the lockfile. In the mode `new` it adds missing entries, in `all` it also replaces entries that
 * changed, in `none` it writes nothing. Returns the report of what differs, or nothing.
 *
 * @param {readonly (readonly [name: string, given: any])[]} contexts
 * @param {LockMode} mode
 * @param {LockPlace} [place]
 * @returns {Promise<string | undefined>}
 */
export async function compareContexts(contexts, mode, place) {
  const { path, entries } = await lockedContexts(contexts, place);
  if (place?.test !== undefined) {
    const known = compared.get(place.test) ?? new Map();
    for (const entry of entries) known.set(entry.name, entry);
    compared.set(place.test, known);
  }
  const project = await emptyProject();
  /** @param {string | undefined} lock @param {readonly LockedContext[]} checked @returns {Promise<Operations["lock_check"]["value"]>} */
  const check = async (lock, checked) =>
    /** @type {any} */ (
      project.lock.check({ ...(lock === undefined ? {} : { lock }), entries: checked, complete: false, formats: ["text"] })
    );
  const { added, exit_code: code, reports } = await check(readLock(path), entries);
  if (code === 0) return undefined;
  const written = mode === "all" ? entries : mode === "new" ? entries.filter(({ name }) => added.includes(name)) : [];
  if (written.length > 0) {
    await changeLock(path, async (lock) => {
      const { lock: text } = await project.lock.update({ ...(lock === undefined ? {} : { lock }), entries: written });
      return { text, value: undefined };
    });
  }
  const left = entries.filter((entry) => !written.includes(entry));
  if (left.length === 0) return undefined;
  if (left.length === entries.length) return reports[0].text.trimEnd();
  const rest = await check(readLock(path), left);
  return rest.exit_code === 0 ? undefined : rest.reports[0].text.trimEnd();
}

/**
 * Returns the failures of an assertion about a context.
 *
 * @param {any} given
 * @param {object} assertion
 */
export async function failuresOf(given, assertion) {
  const project = await emptyProject();
  const entry = await lockEntry("context", contextOf(given), {}, emptyProject);
  const { failures } = await project.lock.check({ entries: [entry], assertions: [assertion], complete: false });
  return failures.map(({ assertion: name, slot, message }) => `${name}${slot === undefined ? "" : ` at ${slot}`}: ${message}`);
}
