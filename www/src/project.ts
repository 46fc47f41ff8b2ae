// Opens projects, saves them in the browser, and commits.
import { batch, computed, effect, signal } from "@preact/signals";
import type { ImportReport } from "tuckbox/web";
import { clearDrafts, loadDrafts, saveDrafts } from "./calls.ts";
import { ask, errorData, openInWorker, STOPPED, setChangeListener } from "./engine/client.ts";
import {
  DIALECTS,
  type ErrorData,
  type NamedCall,
  type Origin,
  type Progress,
  type ProjectInfo,
  type Receipt,
  type SavedView,
} from "./engine/protocol.ts";
import { areLarge, type LogFile } from "./import/files.ts";
import { pending, soon } from "./pending.ts";
import { savePreference } from "./preferences.ts";
import { clearPreview, ignorePending, refreshPreview } from "./preview.ts";
import {
  dialect,
  isImported,
  isLog,
  openings,
  previewError,
  project,
  saveError,
  show,
  step,
  stepTab,
  storedIn,
  type Target,
  target,
  VIEWS,
  type ViewName,
  view,
} from "./state.ts";
import { setWindow, windowSize } from "./terms.ts";

/** The report of the open logs; `null` until they are imported. */
export const importReport = signal<ImportReport | null>(null);
/** The views that apply to the open project, and the one that is open. */
export const visibleViews = computed<readonly ViewName[]>(() => {
  if (!isLog.value) return VIEWS.filter((name) => name !== "timeline" || view.value === name);
  return OF_LOGS.includes(view.value) ? OF_LOGS : [...OF_LOGS, view.value];
});
/** The views of a log. The others show packing, which a log does not have. */
const OF_LOGS: readonly ViewName[] = ["timeline", "compare", "whatif", "search"];
/** The log files, if only one session of them is open. */
export const logFiles = signal<readonly LogFile[]>([]);
/** The URL of reports about the growing log that is open. */
export const liveEvents = signal<string | null>(null);
export const openError = signal<ErrorData | null>(null);
/** What is being opened, and the progress. */
export const opening = signal<{ origin: Origin; progress: Progress | null } | null>(null);

/** Opens a project. The current one stays open until the new one is ready. */
export function openFrom(origin: Origin): Promise<boolean> {
  return pending(open(origin));
}

async function open(origin: Origin): Promise<boolean> {
  await saveDrafts();
  batch(() => {
    openError.value = null;
    opening.value = { origin, progress: null };
  });
  try {
    const {
      info,
      storedIn: place,
      savedView,
      log,
    } = await openInWorker(origin, (progress) => {
      opening.value = { origin, progress };
    });
    if (place.kind === "browser") savePreference("last", place.id);
    const call = info.calls.find((one) => one.call.op !== "compose");
    const isChosen = savedView.target !== undefined && hasTarget(info, savedView.target);
    const newest = async () => (log === null ? newestBox(info) : log.box_id);
    const box_id = isChosen || call !== undefined ? null : await newest();
    const agent = info.agents.at(-1);
    batch(() => {
      ignorePending();
      opening.value = null;
      clearDrafts();
      loadDrafts(info);
      previewError.value = null;
      clearPreview();
      saveError.value = null;
      storedIn.value = place;
      project.value = info;
      if (savedView.dialect !== undefined && DIALECTS.includes(savedView.dialect)) dialect.value = savedView.dialect;
      if (typeof savedView.window === "number" && savedView.window > 0) setWindow(savedView.window);
      if (isChosen && savedView.target !== undefined) show(savedView.target);
      else if (call !== undefined) show({ kind: "call", id: call.id });
      else if (box_id !== null) show({ kind: "box", box_id });
      else if (agent !== undefined) show({ kind: "agent", agent_id: agent.agent_id });
      else {
        target.value = null;
        view.value = "context";
      }
      openings.value += 1;
      [isLog.value, isImported.value, importReport.value] = [log !== null, log?.isImported !== false, log?.report ?? null];
      liveEvents.value = origin.kind === "live" ? origin.events : null;
      logFiles.value = origin.kind === "files" && areLarge(origin.files) ? origin.files : [];
      step.value = null;
      if (log !== null) view.value = "timeline";
    });
    scheduleSave();
    return true;
  } catch (thrown) {
    const found = errorData(thrown);
    batch(() => {
      opening.value = null;
      if (found.code !== STOPPED) openError.value = found;
    });
    return false;
  }
}

/** Returns the newest box of a project. A store without lists has the boxes that were read. */
function newestBox({ boxes }: ProjectInfo): Promise<string | null> {
  return ask("newestBox").catch(() => boxes[0]?.box_id ?? null);
}

function hasTarget(info: ProjectInfo, at: Target): boolean {
  switch (at.kind) {
    case "call":
      return info.calls.some((call) => call.id === at.id);
    case "box":
      return info.boxes.some((box) => box.box_id === at.box_id);
    case "agent":
      return info.agents.some((agent) => agent.agent_id === at.agent_id);
  }
}

/** Returns what is shown, for a link or a file. */
export function currentView(): SavedView {
  const at = target.peek();
  return { ...(at === null ? {} : { target: at }), dialect: dialect.peek(), window: windowSize.peek() };
}

const SAVE_AFTER_MS = 300;
let cancelSave: () => void = () => undefined;

/** Saves the project in the browser after a short delay. */
function scheduleSave(): void {
  if (storedIn.peek()?.kind !== "browser") return;
  cancelSave();
  cancelSave = soon(() => {
    ask("save").then(
      () => {
        saveError.value = null;
      },
      (thrown: unknown) => {
        const found = errorData(thrown);
        if (found.code !== STOPPED) saveError.value = found;
      },
    );
  }, SAVE_AFTER_MS);
}

/** Commits a call, and updates the project. */
export async function commitCall(call: string): Promise<Receipt> {
  const { receipt, info, save_error } = await ask("commit", call);
  batch(() => {
    saveError.value = save_error;
    applyInfo(info);
  });
  return receipt;
}

/** Applies the new contents of the project. */
export function applyInfo(info: ProjectInfo): void {
  batch(() => {
    project.value = info;
    loadDrafts(info);
    refreshPreview();
  });
}

setChangeListener(({ changed, log }) =>
  batch(() => {
    applyInfo(changed);
    if (log === null) return;
    [isImported.value, importReport.value] = [log.isImported, log.report];
    // requests that have too many cards for a project have no boxes
    const at = target.peek();
    if (log.isImported && at?.kind === "box" && !hasTarget(changed, at)) target.value = null;
  }),
);

/** Other views show the project of logs, and one tab shows their report. */
const needsProject = computed(() => isLog.value && !isImported.value && (view.value !== "timeline" || stepTab.value === "log"));

/** Imports the open logs, and again if they grow meanwhile. */
async function importLogs(): Promise<void> {
  while (needsProject.peek()) await ask("importReport");
}

effect(() => {
  if (needsProject.value) void pending(importLogs()).catch(() => undefined);
});

/** Switches to another project of the same file. */
export async function chooseProject(project_id: string): Promise<void> {
  await saveDrafts();
  const info = await ask("selectProject", project_id);
  const box_id = await newestBox(info);
  batch(() => {
    clearPreview();
    project.value = info;
    const call = info.calls.find((one) => one.call.op !== "compose");
    if (box_id !== null) show({ kind: "box", box_id });
    else if (call !== undefined) show({ kind: "call", id: call.id });
    else target.value = null;
  });
}

/** Saves a call with the project, replacing one with the same id. */
export async function saveCall(call: NamedCall): Promise<void> {
  const info = await ask("saveCall", call);
  batch(() => {
    project.value = info;
    target.value = { kind: "call", id: call.id };
  });
}
