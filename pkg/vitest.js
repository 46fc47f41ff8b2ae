// Matchers for contexts in Vitest: `expect.extend(contextMatchers)`.
/** @import { LockMode } from "./types/lock.js" */
import { contextMatchers as matchers, modes, recorderOf, reportObsolete } from "./lib/lock/matchers.js";

/**
 * A suite, a file or a test of Vitest.
 *
 * @typedef {{ mode: string, tasks?: Task[], result?: { state?: string } }} Task
 * @typedef {Task & { filepath?: string }} TestFile
 */

/** @param {Task} task @returns {boolean} */
const hasPassed = ({ mode, tasks, result }) =>
  mode === "run" && (tasks === undefined ? result?.state === "pass" : tasks.every((inner) => hasPassed(inner)));

// the matchers are also usable without the runner
const runner = await import("vitest").catch(() => undefined);

/** Adds the check for obsolete entries to the test file that is collected. */
function atEndOfFile() {
  try {
    runner?.afterAll(async function () {
      // biome-ignore lint/complexity/noArguments: Vitest 4 passes fixtures first, and reads the names of parameters
      const given = /** @type {any[]} */ ([...arguments]);
      const file = /** @type {TestFile | undefined} */ (given.find((one) => typeof one?.filepath === "string"));
      if (file?.filepath === undefined || !(file.tasks ?? []).every((task) => hasPassed(task))) return;
      await reportObsolete(file.filepath, modes.get(file.filepath) ?? modeOf());
    });
  } catch {
    // not in a worker of Vitest
  }
}

/** Returns the mode of a file whose tests compared nothing. @returns {LockMode} */
function modeOf() {
  const state = /** @type {any} */ (runner?.expect.getState());
  return state?.snapshotState?._updateSnapshot ?? "none";
}

export const recordContexts = recorderOf(() => /** @type {any} */ (runner?.expect.getState()));

/** @type {typeof import("./types/vitest.js").contextMatchers} */
export const contextMatchers = {
  ...matchers,
  // `expect.extend` reads this once for each test file
  get toMatchContext() {
    atEndOfFile();
    return matchers.toMatchContext;
  },
};
