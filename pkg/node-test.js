// Assertions about contexts for `node:test`, or for any other runner.
/** @import { LockMode } from "./types/lock.js" */
import { AssertionError } from "node:assert";
import { compareContexts, contextOf, failuresOf } from "./lib/lock/check.js";
import { bodyOf } from "./lib/record.js";
import { maskJson } from "./mask.js";
import { recordMiddleware } from "./record.js";

/**
 * The mode of this process: `TUCKBOX_LOCK=update` and `--test-update-snapshots` replace entries. Without `CI`, new
 * entries are added.
 *
 * @returns {LockMode}
 */
function mode() {
  const { TUCKBOX_LOCK, CI = "" } = process.env;
  if (TUCKBOX_LOCK === "update" || process.execArgv.includes("--test-update-snapshots")) return "all";
  return CI === "" || CI === "0" || CI === "false" ? "new" : "none";
}

/** @param {string} message @param {Function} from */
function fail(message, from) {
  throw new AssertionError({ message, stackStartFn: from });
}

/** @type {typeof import("./types/node-test.js").assertContext} */
export async function assertContext(given, name, place) {
  const report = await compareContexts([[name, given]], mode(), place);
  if (report !== undefined) fail(report, assertContext);
}

/** @type {typeof import("./types/node-test.js").assertThatContext} */
export async function assertThatContext(given, assertion) {
  const { legal_for = [] } = assertion;
  const failures = await failuresOf(legal_for.length === 0 ? given : { ...contextOf(given), legal_for }, assertion);
  if (failures.length > 0) fail(failures.join("\n"), assertThatContext);
}

/** @type {typeof import("./types/node-test.js").recordContexts} */
export async function recordContexts(name, run, options = {}) {
  const { fetch = globalThis.fetch, ...place } = options;
  /** @type {(readonly [string, any])[]} */
  const contexts = [];
  /** @param {unknown} request */
  const add = (request) => void contexts.push([`${name}/${contexts.length + 1}`, request]);
  /** @type {unknown[]} */
  const errors = [];
  const value = await run({
    fetch: async (input, init) => {
      const body = await bodyOf(input, init);
      if (body !== undefined) add(JSON.parse(maskJson(body)));
      return fetch(input, init);
    },
    middleware: recordMiddleware(({ request }) => add(request), { onError: (error) => void errors.push(error) }),
  });
  if (errors.length > 0) throw errors[0];
  const report = await compareContexts(contexts, mode(), place);
  if (report !== undefined) fail(report, recordContexts);
  return value;
}
