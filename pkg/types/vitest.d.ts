import type { LockAssertion, LockMatch } from "./arguments.js";
import type { GivenContext, RecordContexts } from "./lock.js";

/** The result of a matcher. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/** Matchers for `expect.extend`. All are asynchronous: `await expect(payload).toMatchContext("name")`. */
export const contextMatchers: {
  /** Compares a context with its entry in the lockfile. `-u` replaces the entry. */
  toMatchContext(given: GivenContext, name: string): Promise<MatcherResult>;
  /** Checks the number of tokens, or the share of the window. */
  toFitBudget(given: GivenContext, budget: number | Pick<LockAssertion, "max_tokens" | "max_window_percent">): Promise<MatcherResult>;
  /** Checks that a position matches: the type of its card, or any other member. */
  toContainCard(given: GivenContext, card: string | LockMatch): Promise<MatcherResult>;
  /** Checks the length of the prefix that a cache can reuse. */
  toHaveStablePrefix(given: GivenContext, tokens: number): Promise<MatcherResult>;
  /** Checks that a provider can represent the context. */
  toBeLegalFor(given: GivenContext, provider: string, options?: { readonly without?: readonly string[] }): Promise<MatcherResult>;
};

/**
 * Runs a function, and compares its requests to models as `NAME/1`, `NAME/2`, .. `-u` replaces entries. Requests of the
 * global `fetch` are recorded, and those of the clients and models that the function wraps.
 */
export const recordContexts: RecordContexts;
