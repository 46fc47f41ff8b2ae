import type { Workspace } from "./workspace.js";

/** A request to a model and its answer. */
export interface Recorded {
  /** The time of sending, as RFC 3339. */
  readonly at: string;
  readonly url?: string;
  readonly status?: number;
  readonly model?: string | null;
  /** The time to the first byte of the answer, in milliseconds. Only the proxy records it. */
  readonly first_byte_ms?: number;
  /** The whole time, in milliseconds. Only the proxy records it. */
  readonly ms?: number;
  /** True if one side ended the connection early. Only the proxy records it. */
  readonly aborted?: boolean;
  /** The body as it was sent, without secrets: see `tuckbox/mask`. `fileSink` and `storeSink` write its exact digits and keys. */
  readonly request: unknown;
  /** The body of the answer; of a stream `{ events }`, in order. */
  readonly response: unknown;
}

/** Takes records. */
export type RecordSink = (record: Recorded) => void | Promise<void>;

/** Options of a recorder. */
export interface RecordOptions {
  /** The clock. */
  readonly now?: () => Date;
  /** Receives the errors of the sink. A request never fails because of its sink. */
  readonly onError?: (error: unknown) => void;
}

/** The type of the global `fetch`, also where the compiler does not know it. */
export type Fetch = typeof globalThis extends { fetch: infer Global } ? Global : (input: any, init?: any) => Promise<any>;

/** Returns a `fetch` that passes a record of every request with a JSON body to `sink`. */
export function recordFetch(sink: RecordSink, options?: RecordOptions & { readonly fetch?: Fetch }): Fetch;

/** Returns a language model middleware of the AI SDK that passes a record of every call to `sink`. */
export function recordMiddleware(
  sink: RecordSink,
  options?: RecordOptions,
): {
  readonly specificationVersion: "v3";
  wrapGenerate(options: any): Promise<any>;
  wrapStream(options: any): Promise<any>;
};

/** Returns a sink that appends one line per record to a file. */
export function fileSink(path: string): RecordSink;

/** Returns a sink that imports every record into a project and commits it. */
export function storeSink(project: Pick<Workspace, "preview">, options?: { readonly name?: string }): RecordSink;
