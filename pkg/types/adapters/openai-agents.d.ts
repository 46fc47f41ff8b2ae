import type { Workspace } from "../workspace.js";
import type { AssembledProvider } from "./fetch.js";
import type { FrameworkOptions, MessageJson } from "./framework.js";

/** Options of the filter. */
export interface InputFilterOptions extends FrameworkOptions<MessageJson> {
  /** The provider whose rules count tokens and find losses. `openai_chat` by default. */
  readonly provider?: AssembledProvider | "openai_responses";
}

/**
 * Returns a filter for `callModelInputFilter` of `@openai/agents`. It records every request. In the mode `assemble` it
 * also drops the items that do not fit into `limit`; a call and its result stay together.
 *
 * @example
 * const runner = new Runner({ callModelInputFilter: tuckboxInputFilter({ project, mode: "assemble", limit: 100_000 }) });
 */
export declare function tuckboxInputFilter(options: InputFilterOptions): (args: any) => Promise<any>;

/** A session of `@openai/agents`. */
export interface TuckboxSession {
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<any[]>;
  addItems(items: any[]): Promise<void>;
  popItem(): Promise<any>;
  clearSession(): Promise<void>;
}

/**
 * Returns a session whose items are the cards of a box. The id of the box is the id of the session. With a store on
 * disk, the session continues after a restart.
 *
 * @example
 * await run(agent, "And tomorrow?", { session: tuckboxSession(project, "chat_1") });
 */
export declare function tuckboxSession(project: Workspace, sessionId: string): TuckboxSession;
