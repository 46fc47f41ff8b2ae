// Opening a project, keeping it in the browser, and committing to it.
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

/** What was found in the logs that the open project was made from. */
export const log = signal<ImportReport | null>(null);
/** The files that it was read from, where only one session of them is open. */
export const surveyed = signal<readonly Given[]>([]);
export const openFault = signal<Fault | null>(null);
/** What is being opened, and how far it is. */
export const opening = signal<{ origin: Origin; progress: Progress | null } | null>(null);

/** Opens a project. What is open stays as it is until the new one is ready. */
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
      // several requests are looked at as what they are, one after the other
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

/** What is looked at, for a link or a file. */
export function looking(): Looking {
  const at = target.peek();
  return { ...(at === null ? {} : { target: at }), dialect: dialect.peek(), window: windowSize.peek() };
}

const SAVE_AFTER_MS = 300;
let cancelSave: () => void = () => undefined;

/** Keeps the project in the browser once nothing more urgent is to be done. */
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

/** Commits any call, and takes in what the project holds after it. */
export async function commitCall(call: string): Promise<Receipt> {
  const { receipt, info, lost } = await ask("commit", call);
  batch(() => {
    notKept.value = lost;
    refreshed(info);
  });
  return receipt;
}

/** Takes in what a project holds now. */
export function refreshed(info: ProjectInfo): void {
  batch(() => {
    project.value = info;
    takeDrafts(info);
    lookAgain();
  });
}

whenChanged(refreshed);

/** Goes to another project of the same file. */
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

/** Puts a call beside the project, in place of one with the same id. */
export async function keepCall(call: NamedCall): Promise<void> {
  const info = await ask("keep", call);
  batch(() => {
    project.value = info;
    target.value = { kind: "call", id: call.id };
  });
}
