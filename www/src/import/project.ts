// Imports the open logs as a project. Runs in the worker.
import { memoryStore, open } from "tuckbox/web";
import { current, reportChange } from "../engine/session.ts";
import { projectOf } from "./read.ts";

let importing: Promise<void> | undefined;

/** Imports the open logs, as far as they were read. One import runs at a time. */
export function importProject(): Promise<void> {
  importing ??= run().finally(() => (importing = undefined));
  return importing;
}

async function run(): Promise<void> {
  const opened = current();
  const { log, shared, project_id } = opened;
  if (log === undefined) return;
  const { files } = log;
  const { text, report } = await projectOf(files);
  // another tab may have imported and changed it
  if (log.isImported) return;
  if (!log.isPart) log.report = report;
  log.isImported = files === log.files;
  if (shared !== undefined) shared.take(text, log.report ?? report);
  else {
    const store = memoryStore(text);
    opened.workspace.dispose();
    [opened.store, opened.workspace] = [store, await open(store, { projectId: project_id })];
  }
  reportChange(opened);
}
