// Opens logs of other tools, and imports them as a project.

import type { ImportReport, NamedBytes } from "tuckbox/web";
import { importFiles, importStream, memoryStore, open, openTimeline, TuckboxError } from "tuckbox/web";
import type { FileOrigin, Progress } from "../engine/protocol.ts";
import { filesOfSession, type LogFile } from "./files.ts";
import { OpenLog } from "./log.ts";

/** A project without boxes: of logs before they are imported, and of requests that have too many cards for a project. */
export const EMPTY = '{"projects":[{"project_id":"imported"}]}';

/** Reads several files, or fetches them. */
export async function readFiles(
  origin: Extract<FileOrigin, { kind: "files" | "addresses" }>,
  report: (progress: Progress) => void,
): Promise<NamedBytes[]> {
  const given: { name: string; blob: () => Promise<Blob>; size: number }[] =
    origin.kind === "files"
      ? origin.files.map(({ name, blob }) => ({ name, blob: async () => blob, size: blob.size }))
      : origin.files.map(({ name, address }) => ({ name, blob: async () => (await fetch(address)).blob(), size: 0 }));
  const total = given.reduce((sum, { size }) => sum + size, 0);
  const files: NamedBytes[] = [];
  let done = 0;
  for (const { name, blob, size } of given) {
    report({ stage: "read", done, total });
    files.push({ name, bytes: new Uint8Array(await (await blob()).arrayBuffer()) });
    done += size;
  }
  return files;
}

/** Opens logs; `undefined` if they contain no request. */
export async function openLogs(files: readonly NamedBytes[]): Promise<OpenLog | undefined> {
  const timeline = await openTimeline(files);
  const log = new OpenLog(files, timeline);
  if (log.requests > 0) return log;
  timeline.dispose();
  return undefined;
}

/** Returns the report of files, and their project as the text of a snapshot. */
export async function projectOf(bytes: readonly NamedBytes[]): Promise<{ report: ImportReport; text: string }> {
  const workspace = await open(memoryStore(), {
    projectId: "imported",
    limits: { max_ids: 4_000_000, max_requests: 1_000_000, max_values: 10_000_000, max_messages: 10_000_000, max_answer_bytes: 2 ** 31 },
  });
  try {
    const files = await importFiles(bytes);
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
 * Opens files that are too large for memory. They are read in pieces, and only the files of the newest session are
 * opened.
 */
export async function openLargeLogs(files: readonly LogFile[], report: (progress: Progress) => void): Promise<OpenLog | undefined> {
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
  const log = await openLogs(
    await Promise.all(
      filesOfSession(newest, files).map(async ({ name, blob }) => ({ name, bytes: new Uint8Array(await blob.arrayBuffer()) })),
    ),
  );
  if (log !== undefined) [log.report, log.isPart] = [value, log.files.length < files.length];
  return log;
}

/** The number of files listed while reading. */
const LISTED = 8;
