// Follows the growing log that is open: reads what is new when the page's server reports it.
import { batch, effect, signal } from "@preact/signals";
import { ask } from "../engine/client.ts";
import { followFiles, type LiveConnection, type LiveFile, type LiveStatus } from "../live.ts";
import { pending } from "../pending.ts";
import { liveEvents } from "../project.ts";
import { isImported } from "../state.ts";
import { readNewSteps } from "./state.ts";

/** The connection to the page's server; `null` for a log that does not grow. */
export const connection = signal<LiveConnection | null>(null);
/** What the recorder reports. */
export const status = signal<LiveStatus | null>(null);
/** The number of older files that are not open. */
export const omitted = signal(0);

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
      isImported.value = false;
      await readNewSteps();
    }
  } finally {
    isReading = false;
  }
}

effect(() => {
  const url = liveEvents.value;
  waiting.clear();
  batch(() => {
    [connection.value, status.value, omitted.value] = [null, null, 0];
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
