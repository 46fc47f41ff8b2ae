import type { Store } from "./store.js";
import type { OpenOptions, Workspace } from "./workspace.js";

/** `Request` and `Response` of the loaded type library. */
type RequestType = typeof globalThis extends { Request: { prototype: infer Known } } ? Known : any;
type ResponseType = typeof globalThis extends { Response: { prototype: infer Known } } ? Known : any;

/** The action that a request needs permission for. */
export type Action =
  /** Read boxes and cards. */
  | "read"
  /** Preview an operation. */
  | "preview"
  /** Commit an operation. */
  | "commit"
  /** Read any row of the project, for a client with `httpStore`. */
  | "store_read"
  /** Write any row of the project, for a client with `httpStore`. */
  | "store_commit";

export interface Asked {
  readonly request: RequestType;
  /** The project of the URL. */
  readonly projectId: string;
  readonly action: Action;
  /** The operation to preview or commit. */
  readonly op?: string;
}

export interface HandlerOptions<More extends unknown[] = unknown[]> {
  /** The function `open` of the entry point for the runtime. */
  readonly open: (store: Store, options: OpenOptions) => Promise<Workspace>;
  /** The store, or a function that returns the store of a request. */
  readonly store: Store | ((asked: Asked, ...more: More) => Store | PromiseLike<Store>);
  /**
   * Decides whether a request is allowed. Required. The handler calls it before it reads the store. `true` allows
   * the request, a `Response` is sent verbatim, and any other value is answered with 403.
   */
  readonly authorize: (asked: Asked, ...more: More) => boolean | ResponseType | PromiseLike<boolean | ResponseType>;
  /** The path before `/projects/..`. Empty by default. */
  readonly base?: string;
  /** The maximum size of a body: 8 MiB by default. */
  readonly maxBodyBytes?: number;
  /** The maximum number of ids in one request: 10,000 by default. A list counts as one. */
  readonly maxIds?: number;
  /** The timeout of one request to the store: 30 seconds by default. */
  readonly timeoutMs?: number;
  /** The lifetime of the token of a preview: 1 hour by default. */
  readonly previewSeconds?: number;
  /**
   * The key that signs the tokens of previews, at least 16 characters or bytes. Pass it if several processes serve
   * one URL. By default each handler has a random key and accepts only its own tokens.
   */
  readonly secret?: string | Uint8Array;
  /**
   * Returns the identity of the caller. Only the same caller can commit the token of a preview. The `authorization`
   * header by default. Pass another function if callers are identified differently or the header changes.
   */
  readonly caller?: (asked: Asked, ...more: More) => string | PromiseLike<string>;
  /** The options of `open`: dialect, limits, recipes, composer, models, authority, referenceBehavior. */
  readonly settings?: Pick<OpenOptions, "dialect" | "limits" | "recipes" | "composer" | "models" | "authority" | "referenceBehavior">;
  /**
   * The schema of the operations, from `tuckbox/schema`. With it, `GET /openapi.json` has a path for each operation with
   * its arguments and its result. It is large, so a bundle has it only if you pass it.
   */
  readonly schema?: typeof import("./schema.js").default;
  /** Receives internal errors that the response omits. The console by default. */
  readonly onError?: (error: unknown, request: RequestType) => unknown;
}

/**
 * Returns a web-standard handler with the routes of a project, for Node, Deno, Bun, Workers and the edge.
 *
 * | | |
 * |---|---|
 * | `GET /projects/{project_id}/boxes/{box_id}` | one box |
 * | `POST /projects/{project_id}/boxes/batch` | `{ box_ids }` to `{ boxes, missing_box_ids }` |
 * | `GET /projects/{project_id}/boxes/{box_id}/cards` | `{ cards, missing_card_ids }` |
 * | `POST /projects/{project_id}/cards/batch` | `{ card_ids }` to `{ cards, missing_card_ids }` |
 * | `GET /projects/{project_id}/cards/{card_id}` | one card |
 * | `POST /projects/{project_id}/operations/{op}/preview` | previews an operation |
 * | `POST /projects/{project_id}/operations/{op}/commit` | commits an operation; `?preview=` commits exactly that preview, for the same caller and body |
 * | `POST /projects/{project_id}/store/read`, `store/commit` | for `tuckbox/stores/http` |
 * | `GET /openapi.json` | the description in OpenAPI 3.1 |
 *
 * An error is `{ error: { code, path, message, details } }`: `bad_request` 400, `auth_failed` 403,
 * `not_found` 404, `conflict` 409, `limit` 413, `invalid_content` 422, `store` 502 or 504.
 *
 * @example
 * import { open } from "tuckbox";
 * import { fetchHandler } from "tuckbox/http";
 *
 * const handler = fetchHandler({
 *   open,
 *   store,
 *   authorize: async ({ request, projectId }) => (await userOf(request))?.projects.includes(projectId) === true,
 * });
 * export default { fetch: handler };
 */
export declare function fetchHandler<More extends unknown[] = unknown[]>(
  options: HandlerOptions<More>,
): (request: RequestType, ...more: More) => Promise<ResponseType>;

/**
 * Returns a listener for Node's HTTP servers.
 *
 * @example
 * createServer(nodeListener(handler)).listen(8080);
 */
export declare function nodeListener(
  handler: (request: RequestType) => PromiseLike<ResponseType>,
): (incoming: any, outgoing: any) => Promise<void>;
