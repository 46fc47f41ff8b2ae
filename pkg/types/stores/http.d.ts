import type { Receipt } from "../results.js";
import type { AbortSignalLike, Reads, Store, Writes } from "../store.js";

/** Headers of every request: a plain object, or a function that returns one for each request. */
export type HeadersOf =
  | { readonly [name: string]: string }
  | (() => { readonly [name: string]: string } | PromiseLike<{ readonly [name: string]: string }>);

export interface HttpStoreOptions {
  /** Headers of every request, such as `authorization`. */
  readonly headers?: HeadersOf;
  /** The `fetch` to use. That of the runtime by default. */
  readonly fetch?: (url: string, init: any) => PromiseLike<any>;
  /**
   * The routes of the server: those of `tuckbox/http` (`store`, the default), or only `boxes/batch` and `cards/batch`
   * (`cards`), which write nothing.
   */
  readonly routes?: "store" | "cards";
  /**
   * The maximum number of ids in one request: 10,000 by default, as in the handler. A list counts as one. More ids take
   * several requests.
   */
  readonly maxIds?: number;
  /** The maximum size of the answers to one read, in bytes; 32 MiB by default. A project passes its own `limits.max_read_bytes`. */
  readonly maxReadBytes?: number;
}

/** A store over HTTP. */
export interface HttpStore extends Store {
  read(reads: Reads, more?: { readonly signal?: AbortSignalLike; readonly maxBytes?: number }): Promise<string | Uint8Array>;
  commit(writes: Writes, more?: { readonly text?: string; readonly signal?: AbortSignalLike }): Promise<Receipt>;
  /**
   * Returns the time of the server in milliseconds since 1970, from the header `date` of its last answer. Rejects before
   * the first answer.
   */
  now(): Promise<number>;
}

/**
 * Returns a store over HTTP. `url` is the part of the URL before `/projects/..`.
 *
 * @example
 * const store = httpStore("https://example.org/api", { headers: async () => ({ authorization: `Bearer ${await token()}` }) });
 * const project = await open(store, { projectId: "p1" });
 */
export declare function httpStore(url: string | { readonly href: string }, options?: HttpStoreOptions): HttpStore;
