// Imports logs of other tools as a project.

import type { ImportReport } from "tuckbox/web";
import { importFiles, importStream, memoryStore, open } from "tuckbox/web";
import type { Progress, SavedView } from "../engine/protocol.ts";
import { filesOfSession, type LogFile } from "./files.ts";

/** A project as the text of a snapshot, and the request to show first. */
export interface ImportedProject {
  text: string;
  /** What was recognized, and what is not in the log. */
  report: ImportReport;
  savedView: SavedView;
}

/** Imports files; `undefined` if they contain no request. */
export async function importLogs(files: { name: string; bytes: Uint8Array }[]): Promise<ImportedProject | undefined> {
  const workspace = await open(memoryStore(), {
    projectId: "imported",
    limits: { max_ids: 4_000_000, max_requests: 1_000_000, max_values: 10_000_000, max_messages: 10_000_000, max_answer_bytes: 2 ** 31 },
  });
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
    return { text, report: found, savedView: { target: { kind: "box", box_id: last.box_id } } };
  } finally {
    workspace.dispose();
  }
}

/** The interval of progress reports. */
const REPORT_EVERY_MS = 100;

/**
 * Imports files that are too large for memory. They are read in pieces, and only the files of the newest session are
 * opened as a project.
 */
export async function importLargeLogs(
  files: readonly LogFile[],
  report: (progress: Progress) => void,
): Promise<ImportedProject | undefined> {
  const total = files.reduce((sum, { blob }) => sum + blob.size, 0);
  const table: { name: string; requests: number }[] = [];
  let [done, reportedAt, read, before] = [0, 0, 0, 0];
  const reportProgress = () => {
    reportedAt = performance.now();
    report({ stage: "import", done, total, table: table.slice(-LISTED) });
  };
  async function* pieces(blob: Blob): AsyncGenerator<Uint8Array> {
    const reader = blob.stream().getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      yield piece.value;
      done += piece.value.length;
      if (performance.now() - reportedAt > REPORT_EVERY_MS) reportProgress();
    }
  }
  const sources = files.map(({ name, blob }) => ({ name, size: blob.size, chunks: pieces(blob) }));
  const { value } = await importStream(sources, {
    progress({ name, files: finished, requests }) {
      const [isNew, isDone] = [table.length === 0, finished > read];
      // the file being read is the last entry, with its requests so far
      table[read] = { name, requests: requests - before };
      if (isDone) [read, before] = [finished, requests];
      if (isNew || (isDone && read === 1)) reportProgress();
    },
  });
  const newest = value.sessions.at(-1);
  if (newest === undefined) return undefined;
  const found = await importLogs(
    await Promise.all(
      filesOfSession(newest, files).map(async ({ name, blob }) => ({ name, bytes: new Uint8Array(await blob.arrayBuffer()) })),
    ),
  );
  return found === undefined ? undefined : { ...found, report: value };
}

/** The number of files listed while reading. */
const LISTED = 8;
