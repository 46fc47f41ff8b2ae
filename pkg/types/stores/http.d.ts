import type { Receipt } from "../results.js";
import type { AbortSignalLike, Reads, Store, Writes } from "../store.js";

/** Headers of every request: a plain object, or a function that gives one each time. */
export type HeadersOf =
  | { readonly [name: string]: string }
  | (() => { readonly [name: string]: string } | PromiseLike<{ readonly [name: string]: string }>);

export interface HttpStoreOptions {
  /** Such as `authorization`. */
  readonly headers?: HeadersOf;
  /** The `fetch` to use; the runtime's own by default. */
  readonly fetch?: (url: string, init: any) => PromiseLike<any>;
  /**
   * Which routes the server has: those of `tuckbox/http` (`store`, the default), or only
   * `boxes/batch` and `cards/batch` (`cards`), over which nothing can be written.
   */
  readonly routes?: "store" | "cards";
  /** How many ids one request may hold, a list counted as one; 10,000 by default, as on the other side. More are asked for in several. */
  readonly maxIds?: number;
  /** The maximum size of the answers to one read, in bytes; 32 MiB by default. A project passes its own `limits.max_read_bytes`. */
  readonly maxReadBytes?: number;
}

/** A store behind HTTP. */
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
 * A store behind HTTP; `url` is what stands before `/projects/..`.
 *
 * @example
 * const store = httpStore("https://example.org/api", { headers: async () => ({ authorization: `Bearer ${await token()}` }) });
 * const project = await open(store, { projectId: "p1" });
 */
export declare function httpStore(url: string | { readonly href: string }, options?: HttpStoreOptions): HttpStore;
