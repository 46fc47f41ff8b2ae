// Reads text from a file or a URL and reports progress.
import { TuckboxError } from "tuckbox/web";
import { badRequest } from "./bad-request.ts";
import type { ProgressListener } from "./protocol.ts";

const TIMEOUT_MS = 20_000;

/** Returns the text of a file. */
export function readBlob(blob: Blob, report: ProgressListener): Promise<string> {
  return readStream(blob.stream(), blob.size, (done, total) => report({ stage: "read", done, total }));
}

async function readStream(
  stream: ReadableStream<Uint8Array>,
  total: number,
  report: (done: number, total: number) => void,
): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = stream.getReader();
  const parts: string[] = [];
  let done = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      parts.push(decoder.decode(read.value, { stream: true }));
      done += read.value.length;
      report(done, total);
    }
    parts.push(decoder.decode());
  } catch (thrown) {
    if (thrown instanceof TypeError) throw badRequest("the file is not UTF-8 text", "", thrown);
    throw thrown;
  }
  return parts.join("");
}

/** Returns the text at a URL. */
export async function fetchText(given: string, report: ProgressListener): Promise<string> {
  let url: URL;
  try {
    url = new URL(given);
  } catch (cause) {
    throw badRequest(`\`${given}\` is not a URL`, "url", cause);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw badRequest(`unsupported protocol \`${url.protocol}\`; expected \`https:\` or \`http:\``, "url");
  }
  report({ stage: "fetch", done: 0, total: 0 });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  try {
    response = await fetch(url, { signal, credentials: "omit", referrerPolicy: "no-referrer", redirect: "follow" });
  } catch (cause) {
    throw unreachable(url, cause);
  }
  if (!response.ok) throw failed(`\`${url.host}\` returned status ${response.status} ${response.statusText}`.trim());
  if (/html/.test(response.headers.get("content-type") ?? "")) {
    throw failed(`\`${url.host}\` returned a web page; expected a snapshot or a log`);
  }
  const total = Number(response.headers.get("content-length") ?? 0);
  try {
    return await readStream(response.body ?? new Blob([]).stream(), total, (done) => report({ stage: "fetch", done, total }));
  } catch (cause) {
    if (cause instanceof TuckboxError) throw cause;
    throw unreachable(url, cause);
  }
}

function unreachable(url: URL, cause: unknown): TuckboxError {
  const late = cause instanceof DOMException && cause.name === "TimeoutError";
  const message = late
    ? `\`${url.host}\` did not answer within ${TIMEOUT_MS / 1000} seconds`
    : `\`${url.host}\` is unreachable or does not allow cross-origin requests`;
  return failed(message, cause);
}

function failed(message: string, cause?: unknown): TuckboxError {
  return new TuckboxError("store", message, { path: "url", cause });
}
