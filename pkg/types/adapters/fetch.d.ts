import type { MakePayload } from "../arguments.js";
import type { RecordSink } from "../record.js";
import type { DroppedMessage, Loss } from "../results.js";
import type { Workspace } from "../workspace.js";

/** What an adapter does with requests: `look` only records them, `assemble` also replaces their prompt. */
export type AdapterMode = "look" | "assemble";

/** How requests are assembled. */
export interface AssembleOptions {
  /** The project. */
  readonly project: Workspace;
  /** The maximum number of tokens of a request. `budget` drops what does not fit. */
  readonly limit?: number;
  /** Further arguments of `payload`, such as `strict` or `cache`. */
  readonly payload?: Partial<Omit<MakePayload, "provider" | "model" | "form">>;
}

/** The providers whose requests can be assembled. */
export type AssembledProvider = "openai_chat" | "anthropic" | "gemini" | "mistral" | "bedrock";

/** Options of an adapter. */
export interface AdaptOptions extends AssembleOptions {
  /** `look` by default. */
  readonly mode?: AdapterMode;
  /** The provider of the requests. By default their URL decides: Mistral is assembled only at `mistral.ai`. */
  readonly provider?: Exclude<AssembledProvider, "bedrock">;
  /** Sends the requests. The global function by default, or that of the client. */
  readonly fetch?: (input: any, init?: any) => Promise<any>;
  /** Receives the records. By default the project imports them, so that the inspector shows them. */
  readonly sink?: RecordSink;
  /** Receives every assembled request before it is sent. */
  readonly onRequest?: (request: AssembledRequest) => void;
  /** Receives the errors of the sink. */
  readonly onError?: (error: unknown) => void;
}

/** A request that Tuckbox assembled. */
export interface AssembledRequest {
  readonly provider: AssembledProvider;
  /** The body. */
  readonly body: { readonly [key: string]: unknown };
  /** The text that is sent. */
  readonly text: string;
  /** The conversion changes. */
  readonly losses: readonly Loss[];
  /** The messages that did not fit. */
  readonly dropped: readonly DroppedMessage[];
}

/**
 * Returns a `fetch` for any client of a provider. It records every request in the project. In the mode `assemble` it
 * replaces the prompt of Chat Completions, Anthropic Messages, Gemini and Mistral; other requests pass unchanged.
 *
 * @example
 * const model = new ChatOpenAI({ configuration: { fetch: adaptFetch({ project, mode: "assemble", limit: 100_000 }) } });
 */
export declare function adaptFetch(options: AdaptOptions): (input: any, init?: any) => Promise<any>;

/**
 * Returns the request that `adaptFetch` sends for a body, without sending it. `model` is the model of a body without one.
 * For Bedrock, pass the input of a `ConverseCommand`.
 */
export declare function assemble(
  request: AssembleOptions & { readonly provider: AssembledProvider; readonly body: string | object; readonly model?: string },
): Promise<AssembledRequest>;
