import type { LockAssertion } from "./arguments.js";
import type { GivenContext, LockPlace } from "./lock.js";
import type { recordMiddleware } from "./record.js";

/**
 * Compares a context with its entry in the lockfile, and throws an `AssertionError` with the verdict. A missing entry is
 * added, unless `CI` is set. `TUCKBOX_LOCK=update` and `--test-update-snapshots` replace entries.
 */
export function assertContext(given: GivenContext, name: string, place?: LockPlace): Promise<void>;

/** Checks an assertion about a context. */
export function assertThatContext(given: GivenContext, assertion: LockAssertion): Promise<void>;

/**
 * Runs a function with a `fetch` and a middleware of the AI SDK that record requests. Every request is compared as
 * `NAME/1`, `NAME/2`, ..
 */
export function recordContexts<Value>(
  name: string,
  run: (recorder: { readonly fetch: typeof fetch; readonly middleware: ReturnType<typeof recordMiddleware> }) => Value | Promise<Value>,
  options?: LockPlace & { readonly fetch?: typeof fetch },
): Promise<Value>;
