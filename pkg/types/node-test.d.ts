import type { LockAssertion } from "./arguments.js";
import type { GivenContext, LockPlace, RecordContexts } from "./lock.js";

/**
 * Compares a context with its entry in the lockfile, and throws an `AssertionError` with the verdict. A missing entry is
 * added, unless `CI` is set. `TUCKBOX_LOCK=update` and `--test-update-snapshots` replace entries.
 */
export function assertContext(given: GivenContext, name: string, place?: LockPlace): Promise<void>;

/** Checks an assertion about a context. */
export function assertThatContext(given: GivenContext, assertion: LockAssertion): Promise<void>;

/**
 * Runs a function, and compares its requests to models as `NAME/1`, `NAME/2`, .. Requests of the global `fetch` are
 * recorded, and those of the clients and models that the function wraps.
 */
export const recordContexts: RecordContexts;
