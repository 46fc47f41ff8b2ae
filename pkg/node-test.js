// Assertions about contexts for `node:test`, or for any other runner.
import { AssertionError } from "node:assert";
import { compareContexts, contextOf, failuresOf, modeOfProcess } from "./lib/lock/check.js";
import { recorded } from "./lib/lock/recorder.js";

/**
 * The file of `node --test`, which runs each file in its own process.
 *
 * @param {import("./types/lock.js").LockPlace} [place]
 */
const placed = (place) => (process.env.NODE_TEST_CONTEXT === undefined ? place : { test: process.argv[1], ...place });

/** @param {string} message @param {Function} from */
function fail(message, from) {
  throw new AssertionError({ message, stackStartFn: from });
}

/** @type {typeof import("./types/node-test.js").assertContext} */
export async function assertContext(given, name, place) {
  const report = await compareContexts([[name, given]], modeOfProcess(), placed(place));
  if (report !== undefined) fail(report, assertContext);
}

/** @type {typeof import("./types/node-test.js").assertThatContext} */
export async function assertThatContext(given, assertion) {
  const { legal_for = [] } = assertion;
  const failures = await failuresOf(legal_for.length === 0 ? given : { ...contextOf(given), legal_for }, assertion);
  if (failures.length > 0) fail(failures.join("\n"), assertThatContext);
}

/** @type {typeof import("./types/node-test.js").recordContexts} */
export async function recordContexts(name, run, { fetch, volatile, ...place } = {}) {
  const { value, contexts } = await recorded(name, run, { fetch, volatile });
  const report = await compareContexts(contexts, modeOfProcess(), placed(place));
  if (report !== undefined) fail(report, recordContexts);
  return value;
}
