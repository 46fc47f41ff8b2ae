// Shows the events of the page's project as calls. A preview is repeated with its original time and randomness, and so
// with the same ids.
import { effect, signal } from "@preact/signals";
import { ask, errorData } from "../engine/client.ts";
import type { ErrorData, ProjectInfo } from "../engine/protocol.ts";
import { applyInfo, openFrom } from "../project.ts";
import { project, show, target } from "../state.ts";
import { channelOf, connect, type ExposedProject, exposedProjects, type ProjectEvent, requestProjects } from "./connection.ts";

/** The maximum number of events listed. */
const MAX_LISTED = 200;
const MAX_KNOWN = 1_000;

/** An event, and the call that shows it. */
export interface LogEntry extends ProjectEvent {
  op: string;
  call_id: string | null;
}

/** The inspected project. */
export const inspected = signal<ExposedProject | null>(null);
/** Its events, newest first. */
export const events = signal<readonly LogEntry[]>([]);
/** Whether new previews are shown as they arrive. */
export const isFollowing = signal(true);
/** The last event that failed. */
export const eventError = signal<ErrorData | null>(null);

const waiting: ProjectEvent[] = [];
/** The keys of known events; the page repeats all events when asked. */
const known = new Set<string>();
const envs = new Map<string, { now: number; entropy: string }>();
/** The call whose time and randomness the worker uses. */
let applied: string | null = null;
let isReady = false;
let isWorking = false;

/** Connects, and follows the page. */
export function follow(): void {
  connect((happened) => {
    const { id, count, kind, entropy } = happened;
    const key = `${count} ${kind} ${entropy}`;
    if (id !== inspected.peek()?.id || known.has(key)) return;
    known.add(key);
    deleteOldest(known);
    waiting.push(happened);
    // if the page is faster than the panel, the oldest events are skipped
    if (waiting.length > MAX_LISTED) waiting.shift();
    void work();
  });
  effect(() => {
    const all = exposedProjects.value;
    const now = inspected.peek();
    if (now !== null && all.some(({ id }) => id === now.id)) return;
    const [first] = all;
    // a reloaded page exposes the same project under another id
    const next = all.find(({ project_id, name }) => project_id === now?.project_id && name === now?.name) ?? first;
    if (next !== undefined) void selectProject(next);
  });
  effect(() => {
    const at = target.value;
    if (at?.kind === "call" && at.id !== applied)
      void apply(at.id).then(
        (info) => info !== undefined && applyInfo(info),
        () => undefined,
      );
  });
}

/** Sets the worker's time and randomness to those of a call in the page. */
async function apply(id: string): Promise<ProjectInfo | undefined> {
  const env = envs.get(id);
  if (env === undefined) return undefined;
  applied = id;
  return ask("setEnv", env.now, env.entropy);
}

/** Switches to another project of the page. */
export async function selectProject(next: ExposedProject): Promise<void> {
  isReady = false;
  known.clear();
  waiting.length = 0;
  inspected.value = next;
  events.value = [];
  envs.clear();
  applied = null;
  const { name, settings, commits } = next;
  const opened = await openFrom({ kind: "page", channel: channelOf(next), settings, name, commits });
  if (inspected.peek() !== next) return;
  isReady = opened;
  // its events while another project was shown
  requestProjects();
  void work();
}

/** Deletes the oldest entries beyond the limit. */
function deleteOldest(entries: Map<string, unknown> | Set<string>): void {
  for (const old of entries.keys()) {
    if (entries.size <= MAX_KNOWN) return;
    entries.delete(old);
  }
}

/** Applies waiting events in order. */
async function work(): Promise<void> {
  if (isWorking || !isReady) return;
  isWorking = true;
  while (isReady) {
    const next = waiting.shift();
    if (next === undefined) break;
    try {
      await applyEvent(next);
      eventError.value = null;
    } catch (thrown) {
      eventError.value = errorData(thrown);
    }
  }
  isWorking = false;
}

async function applyEvent(happened: ProjectEvent): Promise<void> {
  const { call, kind, now, entropy, at, boxes, error } = happened;
  const { info, op, call_id } = await ask("recordEvent", { call, kind, entropy, at, boxes, error: error?.message ?? null });
  events.value = [{ ...happened, op, call_id }, ...events.peek()].slice(0, MAX_LISTED);
  if (call_id === null) {
    project.value = info;
    return;
  }
  envs.set(call_id, { now, entropy });
  deleteOldest(envs);
  const isFollowed = isFollowing.peek();
  if (isFollowed) await apply(call_id);
  applyInfo(info);
  if (isFollowed) show({ kind: "call", id: call_id });
}
