import type { AssembledProvider } from "./fetch.js";
import type { FrameworkOptions } from "./framework.js";

/** Options of the middleware. */
export interface LangChainOptions extends FrameworkOptions<any> {
  /** The provider whose rules count tokens and find losses. `openai_chat` by default. */
  readonly provider?: AssembledProvider;
}

/**
 * Returns a middleware for `createAgent` of `langchain`, which LangGraph runs. It records every call of the model. In
 * the mode `assemble` it also drops the messages that do not fit into `limit`. The state of the agent keeps them.
 *
 * @example
 * const agent = createAgent({ model, tools, middleware: [tuckboxMiddleware({ project, mode: "assemble", limit: 100_000 })] });
 */
export declare function tuckboxMiddleware(options: LangChainOptions): any;
