// Files of logs, and which of them a session stands in.
import type { ImportReport } from "tuckbox/web";

/** A file that lies where the browser can read it in pieces. */
export interface Given {
  name: string;
  blob: Blob;
}

/** From here on logs are read in pieces, and only those of one session are opened. */
const LARGE = 24 * 1024 * 1024;

export function areLarge(files: readonly Given[]): boolean {
  return files.length > 1 && files.reduce((sum, { blob }) => sum + blob.size, 0) > LARGE;
}

/** How much of a file is looked at. */
const LOOKED_AT = 1024 * 1024;

/** True for a large file that begins with a line which is a value by itself: no snapshot does. */
export async function isLargeLog(blob: Blob): Promise<boolean> {
  if (blob.size <= LARGE) return false;
  const start = await blob.slice(0, LOOKED_AT).text();
  try {
    JSON.parse(start.slice(0, start.indexOf("\n")));
    return true;
  } catch {
    return false;
  }
}

/** The files that hold the requests of a session; what lies in an archive is named after it. */
export function filesOf({ requests }: ImportReport["sessions"][number], files: readonly Given[]): Given[] {
  const names = new Set(requests.map(({ origin }) => origin.file ?? ""));
  return files.filter(({ name }) => [...names].some((one) => one.startsWith(name)));
}
