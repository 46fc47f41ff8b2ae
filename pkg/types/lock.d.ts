import type { LockAssertion, LockEntry, LockRequest } from "./arguments.js";
import type { Fetch, recordMiddleware } from "./record.js";
import type { Workspace } from "./workspace.js";

/** A context: the arguments of `lock_entry` without its name. */
export interface LockContext extends Omit<LockEntry, "name"> {
  /** The project that has the cards. The store of the command by default. */
  readonly project?: Workspace;
}

/** A function that returns a context. */
export type LockContextFunction = (given: { readonly name: string; readonly project: Workspace }) => LockContext | Promise<LockContext>;

/** The contexts of a project, and how they are locked. */
export interface LockConfig {
  /** The lockfile: `tuckbox.lock` by default. */
  readonly file?: string;
  /** The contexts by name. */
  readonly entries?: { readonly [name: string]: LockContext | LockContextFunction };
  /** Slots whose content can change, of the contexts that have them. */
  readonly volatile?: LockEntry["volatile"];
  /** Assertions about the contexts. */
  readonly assertions?: readonly LockAssertion[];
  /** Writes no text of the contexts. */
  readonly redact?: boolean;
  /** How long the function of a context can take: 10,000 ms by default. */
  readonly timeoutMs?: number;
  /** The time of all contexts, as RFC 3339: 2026-01-01 by default. */
  readonly now?: string;
}

/** The content of `tuckbox.config.js`. */
export interface TuckboxConfig {
  readonly lock?: LockConfig;
}

/** What a test writes: nothing, new entries, or all entries. */
export type LockMode = "none" | "new" | "all";

/** Where the lockfile of a test is. */
export interface LockPlace {
  /** The folder to start from. That of the process by default. */
  readonly cwd?: string;
  /** The path of the lockfile, relative to the root of the project. */
  readonly file?: string;
  /** The path of the test file. */
  readonly test?: string;
}

/** What a test locks: the arguments of `lock_entry`, an answer of `payload`, or the body of a request. */
export type GivenContext =
  | LockContext
  | { readonly body: object; readonly provider?: string; readonly model?: string | null }
  | LockRequest["body"];

/** What a function gets whose requests are recorded. The global `fetch` is recorded too while the function runs. */
export interface Recorder {
  /** For the options of a client. */
  readonly fetch: Fetch;
  /** A middleware for `wrapLanguageModel` of the AI SDK. */
  readonly middleware: ReturnType<typeof recordMiddleware>;
  /** Returns a client of OpenAI or Anthropic, or a model of the AI SDK, whose requests are recorded. */
  readonly wrap: <Client>(client: Client) => Client;
}

/** Where recorded requests are compared, and how. */
export interface RecordContextsOptions extends LockPlace {
  /** Sends the requests, instead of the global `fetch`. */
  readonly fetch?: Fetch;
  /** Slots of the requests whose content can change. */
  readonly volatile?: LockEntry["volatile"];
}

/**
 * Runs a function, and compares its requests to models as `NAME/1`, `NAME/2`, .. with the lockfile. Rejects with the
 * verdict.
 */
export type RecordContexts = <Value>(
  name: string,
  run: (recorder: Recorder) => Value | Promise<Value>,
  options?: RecordContextsOptions,
) => Promise<Value>;
