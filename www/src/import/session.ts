// Opens one session at a time of logs that are too large to open at once.
import { batch } from "@preact/signals";
import type { ImportReport } from "tuckbox/web";
import { importReport, logFiles, openFrom } from "../project.ts";
import { view } from "../state.ts";
import { overview } from "../timeline/state.ts";
import { filesOfSession } from "./files.ts";

type Session = ImportReport["sessions"][number];

/** Returns whether a session is open; false for large logs while another session is. */
export function isSessionOpen({ id }: Session): boolean {
  return logFiles.value.length === 0 || overview.value?.sessions.some((one) => one.id === id) === true;
}

/** Opens the files of another session; the report of all files stays. */
export async function openSession(session: Session): Promise<void> {
  const [report, files] = [importReport.peek(), logFiles.peek()];
  if (!(await openFrom({ kind: "files", files: filesOfSession(session, files) }))) return;
  batch(() => {
    importReport.value = report;
    logFiles.value = files;
    view.value = "timeline";
  });
}
