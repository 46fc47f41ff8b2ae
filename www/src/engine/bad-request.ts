import { TuckboxError } from "tuckbox/web";

/** The error of a file or URL that the page cannot open. */
export function badRequest(message: string, path: string, cause?: unknown): TuckboxError {
  return new TuckboxError("bad_request", message, { path, cause });
}
