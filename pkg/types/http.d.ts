import type { Store } from "./store.js";
import type { OpenOptions, Workspace } from "./workspace.js";

/** `Request` and `Response` of whichever library a project has. */
type RequestType = typeof globalThis extends { Request: { prototype: infer Known } } ? Known : any;
type ResponseType = typeof globalThis extends { Response: { prototype: infer Known } } ? Known : any;

/** What somebody wants to do. */
export type Action =
  /** Look at boxes and cards. */
  | "read"
  /** See what an operation would do. */
  | "preview"
  /** Do an operation. */
  | "commit"
  /** Read anything in the project, as a store on the other side does. */
  | "store_read"
  /** Write anything in the project, as a store on the other side does. */
  | "store_commit";

export interface Asked {
  readonly request: RequestType;
  /** The project of the address. */
  readonly project_id: string;
  readonly action: Action;
  /** The operation that is to be previewed or committed. */
  readonly op?: string;
}

export interface HandlerOptions<More extends unknown[] = unknown[]> {
  /** The `open` of this package, from the entry that suits the runtime. */
  readonly open: (store: Store, options: OpenOptions) => Promise<Workspace>;
  /** Where everything is: a store, or a function that gives one for a request. */
  readonly store: Store | ((asked: Asked, ...more: More) => Store | PromiseLike<Store>);
  /**
   * Who may do what; there is no default. Called before anything is read. Only `true` allows;
   * a `Response` is sent as it is, anything else is answered with 403.
   */
  readonly authorize: (asked: Asked, ...more: More) => boolean | ResponseType | PromiseLike<boolean | ResponseType>;
  /** What stands before `/projects/..` in the address; nothing by default. */
  readonly base?: string;
  /** The longest body; 8 MiB by default. */
  readonly max_body_bytes?: number;
  /** The most ids in one request, a list counted as one; 10,000 by default. */
  readonly max_ids?: number;
  /** How long one answer of the store may take; 30 seconds by default. */
  readonly timeout_ms?: number;
  /** How long after a preview its token can be committed; an hour by default. */
  readonly preview_seconds?: number;
  /**
   * What the tokens of previews are signed with, at least 16 characters or bytes. Pass it where several processes
   * answer for one address; without it every handler has a random one of its own and takes its own tokens only.
   */
  readonly secret?: string | Uint8Array;
  /**
   * Who asks, as a text: the token of a preview is good for its caller alone. By default the `authorization`
   * header; pass this where callers are known by something else, or where their header changes.
   */
  readonly caller?: (asked: Asked, ...more: More) => string | PromiseLike<string>;
  /** The dialect, limits and recipes that projects are opened with. */
  readonly settings?: Pick<OpenOptions, "dialect" | "limits" | "recipes" | "composer">;
  /** Told of everything that happened inside and that the caller is not told; the console by default. */
  readonly onError?: (error: unknown, request: RequestType) => unknown;
}

/**
 * The routes of a project as one web-standard handler, for Node, Deno, Bun, Workers and the edge.
 *
 * | | |
 * |---|---|
 * | `GET /projects/{project_id}/boxes/{box_id}` | one box |
 * | `POST /projects/{project_id}/boxes/batch` | `{ box_ids }` to `{ boxes, missing_box_ids }` |
 * | `GET /projects/{project_id}/boxes/{box_id}/cards` | `{ cards, missing_card_ids }` |
 * | `POST /projects/{project_id}/cards/batch` | `{ card_ids }` to `{ cards, missing_card_ids }` |
 * | `GET /projects/{project_id}/cards/{card_id}` | one card |
 * | `POST /projects/{project_id}/operations/{op}/preview` | what an operation would do |
 * | `POST /projects/{project_id}/operations/{op}/commit` | does it; with `?preview=`, only what was shown, for the same caller and body |
 * | `POST /projects/{project_id}/store/read`, `store/commit` | for `tuckbox/stores/http` |
 * | `GET /openapi.json` | all of this in OpenAPI 3.1 |
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
 *   authorize: async ({ request, project_id }) => (await userOf(request))?.projects.includes(project_id) === true,
 * });
 * export default { fetch: handler };
 */
export declare function fetchHandler<More extends unknown[] = unknown[]>(
  options: HandlerOptions<More>,
): (request: RequestType, ...more: More) => Promise<ResponseType>;

/**
 * A handler for Node's own servers.
 *
 * @example
 * createServer(nodeListener(handler)).listen(8080);
 */
export declare function nodeListener(
  handler: (request: RequestType) => PromiseLike<ResponseType>,
): (incoming: any, outgoing: any) => Promise<void>;
