import type { AiSdkBody } from "../bodies.js";
import type { RecordSink } from "../record.js";
import type { DroppedMessage, Loss } from "../results.js";
import type { AdapterMode, AssembleOptions } from "./fetch.js";

/** Options of the middleware. */
export interface MiddlewareOptions extends AssembleOptions {
  /** `look` by default. */
  readonly mode?: AdapterMode;
  /** Receives the records. By default the project imports them, so that the inspector shows them. */
  readonly sink?: RecordSink;
  /** Receives every assembled prompt before it is sent. */
  readonly onRequest?: (request: {
    readonly body: AiSdkBody;
    readonly losses: readonly Loss[];
    readonly dropped: readonly DroppedMessage[];
  }) => void;
  /** Receives the errors of the sink. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Returns a middleware for `wrapLanguageModel` of `ai`. It records every call in the project. In the mode `assemble` it
 * also replaces the prompt; settings and tools stay.
 *
 * @example
 * const model = wrapLanguageModel({ model: gateway("m"), middleware: tuckboxMiddleware({ project, mode: "assemble", limit: 100_000 }) });
 */
export declare function tuckboxMiddleware(options: MiddlewareOptions): {
  readonly specificationVersion: "v3";
  transformParams?(options: any): Promise<any>;
  wrapGenerate(options: any): Promise<any>;
  wrapStream(options: any): Promise<any>;
};
