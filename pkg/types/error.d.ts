/**
 * What kind of failure it is.
 *
 * | code | meaning |
 * |---|---|
 * | `bad_request` | the call is wrong: a missing or mistyped argument, a refused combination |
 * | `not_found` | a named profile, box, card or agent does not exist in this project |
 * | `invalid_content` | a card, box or JSON value breaks the content rules |
 * | `auth_failed` | the caller may not hand over to this target |
 * | `conflict` | something changed since it was read, an id is taken by other content, or a running turn holds the box |
 * | `limit` | a depth, size or count limit was passed |
 * | `store` | the store failed, hung, or answered something that is no answer |
 * | `aborted` | the caller's signal fired |
 * | `trap` | the core stopped and was replaced; the package goes on working |
 * | `load` | the WebAssembly module could not be loaded |
 */
export type Code =
  | "bad_request"
  | "not_found"
  | "invalid_content"
  | "auth_failed"
  | "conflict"
  | "limit"
  | "store"
  | "aborted"
  | "trap"
  | "load";

/**
 * Why a call failed.
 *
 * @example
 * try {
 *   await project.packContext(call);
 * } catch (error) {
 *   if (error instanceof TuckboxError && error.code === "not_found") console.log(error.path);
 *   else throw error;
 * }
 */
export declare class TuckboxError extends Error {
  constructor(code: Code, message: string, more?: { path?: string; details?: object; cause?: unknown });
  readonly name: "TuckboxError";
  /** What kind of failure it is; stable. */
  readonly code: Code;
  /** Where the value is, written like `tasks[3].target_ref`; empty for the call as a whole. */
  readonly path: string;
  /** Structured facts beside the sentence. */
  readonly details: { readonly [name: string]: unknown };
  /** The error as data. */
  toJSON(): { code: Code; path: string; message: string; details: { readonly [name: string]: unknown } };
}
