// Matchers for contexts in Jest: `expect.extend(contextMatchers)`.
import { contextMatchers as matchers, modes, recorderOf, reportObsolete } from "./lib/lock/matchers.js";

/**
 * A test or a block of `jest-circus`.
 *
 * @typedef {{ mode?: string, status?: string, errors?: unknown[], children?: Block[] }} Block
 */

/** Returns the state of `jest-circus`, which has no public interface. */
function stateOfRunner() {
  const symbol = Object.getOwnPropertySymbols(globalThis).find(({ description }) => description === "JEST_STATE_SYMBOL");
  return symbol === undefined ? undefined : /** @type {any} */ (globalThis)[symbol];
}

/** @param {Block} block @returns {boolean} */
const hasPassed = ({ mode, errors = [], children, status }) =>
  mode !== "skip" &&
  mode !== "todo" &&
  errors.length === 0 &&
  (children === undefined ? status === "done" : children.every((inner) => hasPassed(inner)));

let isRegistered = false;

/** Adds the check for obsolete entries to this test file. Every test file has its own copy of this module. */
function atEndOfFile() {
  const { afterAll, expect } = /** @type {any} */ (globalThis);
  if (isRegistered || typeof afterAll !== "function" || typeof expect?.getState !== "function") return;
  isRegistered = true;
  afterAll(async () => {
    const { testPath: test, snapshotState } = expect.getState();
    const state = stateOfRunner();
    const isWhole = state !== undefined && !state.testNamePattern && hasPassed(state.rootDescribeBlock);
    if (isWhole && typeof test === "string") await reportObsolete(test, modes.get(test) ?? snapshotState?._updateSnapshot ?? "none");
  });
}

export const recordContexts = recorderOf(() => /** @type {any} */ (globalThis).expect?.getState?.());

/** @type {typeof import("./types/vitest.js").contextMatchers} */
export const contextMatchers = {
  ...matchers,
  // `expect.extend` reads this once for each test file
  get toMatchContext() {
    atEndOfFile();
    return matchers.toMatchContext;
  },
};
