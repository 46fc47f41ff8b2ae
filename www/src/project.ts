// Opens projects, saves them in the browser, and commits.
import { batch, signal } from "@preact/signals";
import type { ImportReport } from "tuckbox/web";
import { forgetDrafts, saveDrafts, takeDrafts } from "./calls.ts";
import { ask, faultOf, openProject, STOPPED, whenChanged } from "./engine/client.ts";
import { DIALECTS, type Fault, type Looking, type NamedCall, type Origin, type Progress, type ProjectInfo, type Receipt } from "./engine/protocol.ts";
import { areLarge, type Given } from "./import/files.ts";
import { keep } from "./preferences.ts";
import { pending, soon } from "./pending.ts";
import { forget, lookAgain, passOver } from "./preview.ts";
import { dialect, fault, home, notKept, project, room, show, target, type Target } from "./state.ts";
import { setWindow, windowSize } from "./terms.ts";

/** The report of the logs that the open project was imported from. */
export const log = signal<ImportReport | null>(null);
/** The log files, if only one session of them is open. */
export const surveyed = signal<readonly Given[]>([]);
export const openFault = signal<Fault | null>(null);
/** What is being opened, and the progress. */
export const opening = signal<{ origin: Origin; progress: Progress | null } | null>(null);

/** Opens a project. The current one stays open until the new one is ready. */
export function openFrom(origin: Origin): Promise<boolean> {
  return pending(opened(origin));
}

async function opened(origin: Origin): Promise<boolean> {
  await saveDrafts();
  batch(() => {
    openFault.value = null;
    opening.value = { origin, progress: null };
  });
  try {
    const { info, home: place, looking } = await openProject(origin, (progress) => {
      opening.value = { origin, progress };
    });
    if (place.kind === "browser") keep("last", place.id);
    batch(() => {
      passOver();
      opening.value = null;
      forgetDrafts();
      takeDrafts(info);
      fault.value = null;
      forget();
      notKept.value = null;
      home.value = place;
      project.value = info;
      if (looking.dialect !== undefined && DIALECTS.includes(looking.dialect)) dialect.value = looking.dialect;
      if (typeof looking.window === "number" && looking.window > 0) setWindow(looking.window);
      const call = info.calls.find((one) => one.call.op !== "compose");
      const [box] = info.boxes;
      if (looking.target !== undefined && isThere(info, looking.target)) show(looking.target);
      else if (call !== undefined) show({ kind: "call", id: call.id });
      else if (box !== undefined) show({ kind: "box", box_id: box.box_id });
      else {
        target.value = null;
        room.value = "context";
      }
    });
    saveSoon();
    const found = await ask("imported").catch(() => null);
    batch(() => {
      log.value = found;
      surveyed.value = origin.kind === "files" && areLarge(origin.files) ? origin.files : [];
      // several requests are shown as a session
      if ((found?.sessions.reduce((sum, { requests }) => sum + requests.length, 0) ?? 0) > 1) room.value = "sessions";
    });
    return true;
  } catch (thrown) {
    const found = faultOf(thrown);
    batch(() => {
      opening.value = null;
      if (found.code !== STOPPED) openFault.value = found;
    });
    return false;
  }
}

function isThere(info: ProjectInfo, at: Target): boolean {
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
export function looking(): Looking {
  const at = target.peek();
  return { ...(at === null ? {} : { target: at }), dialect: dialect.peek(), window: windowSize.peek() };
}

const SAVE_AFTER_MS = 300;
let cancelSave: () => void = () => undefined;

/** Saves the project in the browser after a short delay. */
function saveSoon(): void {
  if (home.peek()?.kind !== "browser") return;
  cancelSave();
  cancelSave = soon(() => {
    ask("save").then(
      () => {
        notKept.value = null;
      },
      (thrown: unknown) => {
        const found = faultOf(thrown);
        if (found.code !== STOPPED) notKept.value = found;
      },
    );
  }, SAVE_AFTER_MS);
}

/** Commits a call, and updates the project. */
export async function commitCall(call: string): Promise<Receipt> {
  const { receipt, info, lost } = await ask("commit", call);
  batch(() => {
    notKept.value = lost;
    refreshed(info);
  });
  return receipt;
}

/** Applies the new contents of the project. */
export function refreshed(info: ProjectInfo): void {
  batch(() => {
    project.value = info;
    takeDrafts(info);
    lookAgain();
  });
}

whenChanged(refreshed);

/** Switches to another project of the same file. */
export async function chooseProject(project_id: string): Promise<void> {
  await saveDrafts();
  const info = await ask("project", project_id);
  batch(() => {
    forget();
    project.value = info;
    const [call, box] = [info.calls.find((one) => one.call.op !== "compose"), info.boxes[0]];
    if (box !== undefined) show({ kind: "box", box_id: box.box_id });
    else if (call !== undefined) show({ kind: "call", id: call.id });
    else target.value = null;
  });
}

/** Saves a call with the project, replacing one with the same id. */
export async function keepCall(call: NamedCall): Promise<void> {
  const info = await ask("keep", call);
  batch(() => {
    project.value = info;
    target.value = { kind: "call", id: call.id };
  });
}
