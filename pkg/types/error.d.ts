/**
 * The code of an error.
 *
 * | code | meaning |
 * |---|---|
 * | `bad_request` | an argument is missing, invalid or not allowed with another one |
 * | `not_found` | a named profile, box, card or agent does not exist in this project |
 * | `invalid_content` | a card, box or JSON value breaks the content rules |
 * | `auth_failed` | the caller is not allowed to delegate to this target |
 * | `conflict` | a row changed since it was read, an id exists with other content, or a running turn uses the box |
 * | `limit` | a limit of depth, size or number is exceeded |
 * | `store` | the store failed, timed out, or returned an invalid answer |
 * | `aborted` | the caller's signal fired |
 * | `trap` | the core failed and was replaced; later calls work |
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
 * The error of a failed call.
 *
 * @example
 * try {
 *   await project.pack(call);
 * } catch (error) {
 *   if (error instanceof TuckboxError && error.code === "not_found") console.log(error.path);
 *   else throw error;
 * }
 */
export declare class TuckboxError extends Error {
  constructor(code: Code, message: string, more?: { path?: string; details?: object; cause?: unknown });
  readonly name: "TuckboxError";
  /** The stable code of the error. */
  readonly code: Code;
  /** The path of the invalid value, such as `tasks[3].target_ref`. Empty for the whole call. */
  readonly path: string;
  /** Structured details. */
  readonly details: { readonly [name: string]: unknown };
  /** Returns the error as plain data. */
  toJSON(): { code: Code; path: string; message: string; details: { readonly [name: string]: unknown } };
}
