// Files that are no snapshot are logs of other tools: the core reads them and gives a project.
import { importFiles, memoryStore, open } from "tuckbox/web";
import type { ImportReport } from "tuckbox/web";
import type { Looking } from "../engine/protocol.ts";

/** A project as the text of a snapshot, and the request to look at first. */
export interface Imported {
  text: string;
  /** What was recognised, and what nobody can know. */
  report: ImportReport;
  looking: Looking;
}

/** What the core finds in some files; nothing when no request stands in them. */
export async function imported(files: { name: string; bytes: Uint8Array }[]): Promise<Imported | undefined> {
  const workspace = await open(memoryStore(), { project_id: "imported" });
  try {
    const given = await importFiles(files);
    const report = await workspace.preview("import", { files: given });
    const found = report.value as ImportReport;
    const { sessions } = found;
    report.dispose();
    const requests = sessions.flatMap(({ requests: sent }) => sent);
    const last = requests.filter(({ kind }) => kind === "main").at(-1) ?? requests.at(-1);
    if (last === undefined) return undefined;
    const snapshot = await workspace.preview("import", { files: given, shape: "snapshot" });
    const text = snapshot.valueText;
    snapshot.dispose();
    return { text, report: found, looking: { target: { kind: "box", box_id: last.box_id } } };
  } finally {
    workspace.dispose();
  }
}
