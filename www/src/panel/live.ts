// Shows the events of the page's project as calls. A preview is repeated with its original time and randomness, and so
// with the same ids.
import { effect, signal } from "@preact/signals";
import { ask, faultOf } from "../engine/client.ts";
import type { Fault, ProjectInfo } from "../engine/protocol.ts";
import { openFrom, refreshed } from "../project.ts";
import { project, show, target } from "../state.ts";
import { channelOf, connect, type Exposed, exposed, type Happened, who } from "./connection.ts";

/** The maximum number of events listed. */
const LISTED = 200;
const REMEMBERED = 1_000;

/** An event, and the call that shows it. */
export interface Entry extends Happened {
  op: string;
  call_id: string | null;
}

/** The inspected project. */
export const current = signal<Exposed | null>(null);
/** Its events, newest first. */
export const log = signal<readonly Entry[]>([]);
/** Whether new previews are shown as they arrive. */
export const isFollowing = signal(true);
/** The last event that failed. */
export const trouble = signal<Fault | null>(null);

const waiting: Happened[] = [];
/** The keys of known events; the page repeats all events when asked. */
const known = new Set<string>();
const moments = new Map<string, { now: number; entropy: string }>();
/** The call whose time and randomness the worker uses. */
let applied: string | null = null;
let isReady = false;
let working = false;

/** Connects, and follows the page. */
export function follow(): void {
  connect((happened) => {
    const { id, count, kind, entropy } = happened;
    const key = `${count} ${kind} ${entropy}`;
    if (id !== current.peek()?.id || known.has(key)) return;
    known.add(key);
    forgetOldest(known);
    waiting.push(happened);
    // if the page is faster than the panel, the oldest events are skipped
    if (waiting.length > LISTED) waiting.shift();
    void work();
  });
  effect(() => {
    const all = exposed.value;
    const now = current.peek();
    if (now !== null && all.some(({ id }) => id === now.id)) return;
    const [first] = all;
    // a reloaded page exposes the same project under another id
    const next = all.find(({ project_id, name }) => project_id === now?.project_id && name === now?.name) ?? first;
    if (next !== undefined) void choose(next);
  });
  effect(() => {
    const at = target.value;
    if (at?.kind === "call" && at.id !== applied) void apply(at.id).then((info) => info !== undefined && refreshed(info), () => undefined);
  });
}

/** Sets the worker's time and randomness to those of a call in the page. */
async function apply(id: string): Promise<ProjectInfo | undefined> {
  const moment = moments.get(id);
  if (moment === undefined) return undefined;
  applied = id;
  return ask("moment", moment.now, moment.entropy);
}

/** Switches to another project of the page. */
export async function choose(next: Exposed): Promise<void> {
  isReady = false;
  known.clear();
  waiting.length = 0;
  current.value = next;
  log.value = [];
  moments.clear();
  applied = null;
  const { name, settings, commits } = next;
  const opened = await openFrom({ kind: "page", channel: channelOf(next), settings, name, commits });
  if (current.peek() !== next) return;
  isReady = opened;
  // its events while another project was shown
  who();
  void work();
}

/** Deletes the oldest entries beyond the limit. */
function forgetOldest(kept: Map<string, unknown> | Set<string>): void {
  for (const old of kept.keys()) {
    if (kept.size <= REMEMBERED) return;
    kept.delete(old);
  }
}

/** Applies waiting events in order. */
async function work(): Promise<void> {
  if (working || !isReady) return;
  working = true;
  while (isReady) {
    const next = waiting.shift();
    if (next === undefined) break;
    try {
      await takeIn(next);
      trouble.value = null;
    } catch (thrown) {
      trouble.value = faultOf(thrown);
    }
  }
  working = false;
}

async function takeIn(happened: Happened): Promise<void> {
  const { call, kind, now, entropy, at, boxes, fault } = happened;
  const { info, op, call_id } = await ask("happened", { call, kind, entropy, at, boxes, fault: fault?.message ?? null });
  log.value = [{ ...happened, op, call_id }, ...log.peek()].slice(0, LISTED);
  if (call_id === null) {
    project.value = info;
    return;
  }
  moments.set(call_id, { now, entropy });
  forgetOldest(moments);
  const isFollowed = isFollowing.peek();
  if (isFollowed) await apply(call_id);
  refreshed(info);
  if (isFollowed) show({ kind: "call", id: call_id });
}
