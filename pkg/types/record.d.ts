import type { Workspace } from "./workspace.js";

/** One request to a model and what came back. */
export interface Recorded {
  /** When it was sent, as RFC 3339. */
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
  /** The body that came back; of a stream `{ events }`, in order. */
  readonly response: unknown;
}

/** Takes records. */
export type RecordSink = (record: Recorded) => void | Promise<void>;

/** What a recorder may be told. */
export interface RecordOptions {
  /** The clock. */
  readonly now?: () => Date;
  /** Hears of a sink that failed; a request never fails for it. */
  readonly onError?: (error: unknown) => void;
}

/** The type of the global `fetch`, also where the compiler does not know it. */
export type Fetch = typeof globalThis extends { fetch: infer Global } ? Global : (input: any, init?: any) => Promise<any>;

/** A `fetch` that hands a record of every request with a JSON body to `sink`. */
export function recordFetch(sink: RecordSink, options?: RecordOptions & { readonly fetch?: Fetch }): Fetch;

/** A language model middleware of the AI SDK that hands a record of every call to `sink`. */
export function recordMiddleware(
  sink: RecordSink,
  options?: RecordOptions,
): {
  readonly specificationVersion: "v3";
  wrapGenerate(options: any): Promise<any>;
  wrapStream(options: any): Promise<any>;
};

/** A sink that adds one line a record to a file. */
export function fileSink(path: string): RecordSink;

/** A sink that imports every record into a project and commits it. */
export function storeSink(project: Pick<Workspace, "preview">, options?: { readonly name?: string }): RecordSink;
