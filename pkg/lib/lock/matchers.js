// Matchers for `expect.extend` of Vitest and Jest.
/** @import { LockMode, LockPlace } from "../../types/lock.js" */
import { compareContexts, contextOf, failuresOf, finishTestFile, modeOfProcess } from "./check.js";
import { recorded } from "./recorder.js";

/**
 * The state that a runner passes to its matchers.
 *
 * @typedef {{ isNot?: boolean, testPath?: string, snapshotState?: { _updateSnapshot?: LockMode } }} MatcherState
 */

/** @param {boolean} pass @param {string} message */
const result = (pass, message) => ({ pass, message: () => message });

/** @param {any} given @param {object} assertion */
async function asserted(given, assertion) {
  const failures = await failuresOf(given, assertion);
  return result(failures.length === 0, failures.length === 0 ? "the assertion holds" : failures.join("\n"));
}

/**
 * Reports entries of a test file that no test compares any more, or removes them with `-u`. A runner calls it after all
 * tests of the file. If a test was skipped or failed, nothing is obsolete.
 *
 * @param {string} test The path of the test file.
 * @param {LockMode} mode
 */
export async function reportObsolete(test, mode) {
  for (const name of await finishTestFile(test, mode))
    console.warn(`obsolete context \`${name}\`: no test of this file compares it; run the tests with \`-u\` to remove it`);
}

/**
 * The mode of the runner for a test file, as its matchers got it.
 *
 * @type {Map<string, LockMode>}
 */
export const modes = new Map();

/**
 * Compares contexts in the mode of the runner.
 *
 * @param {readonly (readonly [name: string, given: any])[]} contexts
 * @param {MatcherState} state
 * @param {LockPlace} [place]
 */
function compared(contexts, { testPath: test, snapshotState }, place) {
  const mode = snapshotState?._updateSnapshot ?? "none";
  if (test !== undefined) modes.set(test, mode);
  return compareContexts(contexts, mode, { ...(test === undefined ? {} : { test }), ...place });
}

/**
 * Returns a recorder for a runner.
 *
 * @param {() => MatcherState | undefined} stateOf Returns the state of the running test.
 * @returns {typeof import("../../types/vitest.js").recordContexts}
 */
export const recorderOf =
  (stateOf) =>
  async (name, run, { fetch, volatile, ...place } = {}) => {
    const state = stateOf() ?? { snapshotState: { _updateSnapshot: modeOfProcess() } };
    const { value, contexts } = await recorded(name, run, { fetch, volatile });
    const report = await compared(contexts, state, place);
    if (report !== undefined) throw new Error(report);
    return value;
  };

/** @type {typeof import("../../types/vitest.js").contextMatchers} */
export const contextMatchers = {
  /** @this {MatcherState} */
  async toMatchContext(given, name) {
    if (this.isNot) throw new Error("`toMatchContext` cannot be used with `not`");
    const report = await compared([[name, given]], this);
    return result(report === undefined, report ?? "the context is the same");
  },
  toFitBudget(given, budget) {
    return asserted(given, typeof budget === "number" ? { max_tokens: budget } : budget);
  },
  toContainCard(given, card) {
    return asserted(given, { contains: [typeof card === "string" ? { card_type: card } : card] });
  },
  toHaveStablePrefix(given, tokens) {
    return asserted(given, { min_prefix_tokens: tokens });
  },
  toBeLegalFor(given, provider, { without = [] } = {}) {
    const context = { ...contextOf(given), legal_for: [provider] };
    return asserted(context, { legal_for: [provider], without_losses: without });
  },
};
