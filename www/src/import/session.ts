// Opens one session at a time of logs that are too large to open at once.
import { batch } from "@preact/signals";
import type { ImportReport } from "tuckbox/web";
import { log, openFrom, surveyed } from "../project.ts";
import { project, room } from "../state.ts";
import { filesOf } from "./files.ts";

type Session = ImportReport["sessions"][number];

/** Returns whether a session is open; false for large logs while another session is. */
export function isOpen({ requests }: Session): boolean {
  const last = requests.at(-1)?.box_id;
  return surveyed.value.length === 0 || project.value?.boxes.some(({ box_id }) => box_id === last) === true;
}

/** Opens the files of another session; the report of all files stays. */
export async function openSession(session: Session): Promise<void> {
  const [report, files] = [log.peek(), surveyed.peek()];
  if (!(await openFrom({ kind: "files", files: filesOf(session, files) }))) return;
  batch(() => {
    log.value = report;
    surveyed.value = files;
    room.value = "sessions";
  });
}
