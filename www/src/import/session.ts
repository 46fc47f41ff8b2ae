// Logs that are too large to be open at once: one session of them after the other.
import { batch } from "@preact/signals";
import type { ImportReport } from "tuckbox/web";
import { log, openFrom, surveyed } from "../project.ts";
import { project, room } from "../state.ts";
import { filesOf } from "./files.ts";

type Session = ImportReport["sessions"][number];

/** False for a session of large logs while another one of them is open. */
export function isOpen({ requests }: Session): boolean {
  const last = requests.at(-1)?.box_id;
  return surveyed.value.length === 0 || project.value?.boxes.some(({ box_id }) => box_id === last) === true;
}

/** Opens the files of another session; the report stays that of all. */
export async function openSession(session: Session): Promise<void> {
  const [report, files] = [log.peek(), surveyed.peek()];
  if (!(await openFrom({ kind: "files", files: filesOf(session, files) }))) return;
  batch(() => {
    log.value = report;
    surveyed.value = files;
    room.value = "sessions";
  });
}
