// Follows the growing log that is open: reads what is new when the page's server reports it.
import { batch, effect, signal } from "@preact/signals";
import { ask } from "../engine/client.ts";
import { followFiles, type LiveConnection, type LiveFile, type LiveStatus } from "../live.ts";
import { pending } from "../pending.ts";
import { importReport, liveEvents } from "../project.ts";
import { project, stepTab, view } from "../state.ts";
import { readNewSteps } from "./state.ts";

/** The connection to the page's server; `null` for a log that does not grow. */
export const connection = signal<LiveConnection | null>(null);
/** What the recorder reports. */
export const status = signal<LiveStatus | null>(null);
/** The number of older files that are not open. */
export const omitted = signal(0);
/** True if the project has less than the timeline. */
const isStale = signal(false);

/** Changes that are not read yet, by the name of the file. */
const waiting = new Map<string, LiveFile>();
let isReading = false;

/** Reads all changes, one read at a time. */
async function readChanges(): Promise<void> {
  if (isReading) return;
  isReading = true;
  try {
    while (waiting.size > 0) {
      const files = [...waiting.values()];
      waiting.clear();
      const read = await ask("readLive", files);
      omitted.value = read.omitted;
      if (!read.changed) continue;
      await readNewSteps();
      isStale.value = true;
    }
  } finally {
    isReading = false;
  }
}

effect(() => {
  const url = liveEvents.value;
  waiting.clear();
  batch(() => {
    [connection.value, status.value, omitted.value, isStale.value] = [null, null, 0, false];
  });
  if (url === null) return;
  const stop = followFiles(
    url,
    (files, reported) => {
      status.value = reported ?? null;
      for (const file of files) waiting.set(file.name, file);
      void pending(readChanges()).catch(() => undefined);
    },
    (state) => (connection.value = state),
  );
  return stop;
});

// other views show the project, and these tabs show the report
effect(() => {
  const isShown = view.value !== "timeline" || stepTab.value === "raw" || stepTab.value === "log";
  if (!isStale.value || !isShown) return;
  isStale.value = false;
  const done = ask("importLive").then(({ info, report }) =>
    batch(() => {
      project.value = info;
      importReport.value = report;
    }),
  );
  void pending(done).catch(() => undefined);
});
