// Imports logs of other tools as a project.

import type { ImportFile, ImportReport, NamedBytes } from "tuckbox/web";
import { importFiles, importStream, memoryStore, open, openTimeline, type Timeline, TuckboxError } from "tuckbox/web";
import type { Progress, SavedView } from "../engine/protocol.ts";
import { filesOfSession, type LogFile } from "./files.ts";

/** A project as the text of a snapshot, and the request to show first. */
export interface ImportedProject {
  text: string;
  /** What was recognized, and what is not in the log. */
  report: ImportReport;
  savedView: SavedView;
  /** The files, and their timeline. */
  files: ImportFile[];
  timeline: Timeline;
}

/** Opens the timeline of files that the browser saved. */
export function savedTimeline(files: readonly ImportFile[]): Promise<Timeline> {
  const bytes = (file: ImportFile) =>
    "text" in file && typeof file.text === "string"
      ? new TextEncoder().encode(file.text)
      : Uint8Array.from(atob((file as { base64: string }).base64), (char) => char.charCodeAt(0));
  return openTimeline(files.map((file) => ({ name: file.name, bytes: bytes(file) })));
}

/** A project without boxes, for sessions whose requests have too many cards for a project. */
const EMPTY = '{"projects":[{"project_id":"imported"}]}';

/** Imports files; `undefined` if they contain no request. */
export async function importLogs(files: NamedBytes[]): Promise<ImportedProject | undefined> {
  const given = await importFiles(files);
  const { report, text } = await projectOf(files, given);
  const requests = report.sessions.flatMap(({ requests: sent }) => sent);
  const last = requests.filter(({ kind }) => kind === "main").at(-1) ?? requests.at(-1);
  if (last === undefined) return undefined;
  const timeline = await openTimeline(files);
  return { text, report, savedView: { target: { kind: "box", box_id: last.box_id } }, files: given, timeline };
}

/** Returns the report of files, and their project as the text of a snapshot. */
export async function projectOf(bytes: NamedBytes[], files?: ImportFile[]): Promise<{ report: ImportReport; text: string }> {
  const workspace = await open(memoryStore(), {
    projectId: "imported",
    limits: { max_ids: 4_000_000, max_requests: 1_000_000, max_values: 10_000_000, max_messages: 10_000_000, max_answer_bytes: 2 ** 31 },
  });
  try {
    files ??= await importFiles(bytes);
    const read = await workspace.preview("import", { files });
    const report = read.value as ImportReport;
    read.dispose();
    const snapshot = await workspace.preview("import", { files, shape: "snapshot" });
    const text = snapshot.valueText;
    snapshot.dispose();
    return { report, text };
  } catch (error) {
    if (!(error instanceof TuckboxError) || error.code !== "limit") throw error;
    const { value } = await importStream(bytes);
    return { report: value, text: EMPTY };
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
