// Log files, and which of them a session is in.
import type { ImportReport } from "tuckbox/web";

/** A file that the browser can read in pieces. */
export interface LogFile {
  name: string;
  blob: Blob;
}

/** From this size on, logs are read in pieces, and only the files of one session are opened. */
export const LARGE_BYTES = 24 * 1024 * 1024;

export function areLarge(files: readonly LogFile[]): boolean {
  return files.length > 1 && files.reduce((sum, { blob }) => sum + blob.size, 0) > LARGE_BYTES;
}

/** How much of a file is read to detect its type. */
const SNIFF_BYTES = 1024 * 1024;

/** Returns whether a large file starts with a line that is a JSON value; a snapshot never does. */
export async function isLargeLog(blob: Blob): Promise<boolean> {
  if (blob.size <= LARGE_BYTES) return false;
  const start = await blob.slice(0, SNIFF_BYTES).text();
  try {
    JSON.parse(start.slice(0, start.indexOf("\n")));
    return true;
  } catch {
    return false;
  }
}

/** Returns the files that contain the requests of a session; files in an archive are named after it. */
export function filesOfSession({ requests }: ImportReport["sessions"][number], files: readonly LogFile[]): LogFile[] {
  const names = new Set(requests.map(({ origin }) => origin.file ?? ""));
  return files.filter(({ name }) => [...names].some((one) => one.startsWith(name)));
}
