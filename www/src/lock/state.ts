// The lockfile that is open: its entries, the current contexts, and the entry that is shown. The core reads, compares
// and writes lockfiles; the page keeps only their text.
import { batch, signal } from "@preact/signals";
import type { JsonInput, LockAssertion, LockedContext, Operations } from "tuckbox/web";
import { ask } from "../engine/client.ts";
import { openFrom } from "../project.ts";
import { project, view } from "../state.ts";

type BuildError = { readonly name: string; readonly message: string };
export type LockEntry = Operations["lock_read"]["value"]["entries"][number];
export type LockVerdict = Operations["lock_check"]["value"];
export type LockRows = Operations["lock_compare"]["value"];

export interface OpenLockfile {
  readonly name: string;
  /** The text of the file; `undefined` if it does not exist yet. */
  readonly text: string | undefined;
  /** The contexts to compare with. */
  readonly entries?: readonly LockedContext[];
  /** The text of another lockfile to compare with. */
  readonly other?: string;
  readonly errors: readonly BuildError[];
  readonly assertions: readonly LockAssertion[];
  /** The texts of locked positions by their hash. */
  readonly texts: { readonly [hash: string]: string };
  /** True if the page added an entry that no file has. */
  readonly isChanged: boolean;
}

const NO_LOCKFILE: OpenLockfile = {
  name: "tuckbox.lock",
  text: undefined,
  errors: [],
  assertions: [],
  texts: {},
  isChanged: false,
};

export const lockfile = signal<OpenLockfile | null>(null);
/** The name of the entry that is shown; `null` is the first. */
export const shownEntry = signal<string | null>(null);
/** The group of changes whose contexts are listed; `null` lists all. */
export const shownGroup = signal<number | null>(null);
/** The slot of the change that is shown. */
export const shownSlot = signal<string | null>(null);

/** Runs an operation of the core. */
export async function callCore<Op extends keyof Operations>(
  op: Op,
  args: { readonly [name: string]: unknown },
): Promise<Operations[Op]["value"]> {
  const { value } = await ask("preview", JSON.stringify({ ...args, op }));
  return value as unknown as Operations[Op]["value"];
}

/** Returns true if there is something to compare the lockfile with. */
export function isCompared({ entries, other }: OpenLockfile): boolean {
  return entries !== undefined || other !== undefined;
}

function showLock(next: OpenLockfile, entry: string | null = null): void {
  batch(() => {
    lockfile.value = next;
    shownEntry.value = entry;
    shownGroup.value = null;
    shownSlot.value = null;
    view.value = "compare";
  });
}

/** A project without boxes, for a page that was opened with a lockfile. */
const EMPTY = '{"projects":[{"project_id":"lock"}]}';

/** Opens the lockfile that the page was served with, and the contexts of its config. */
export async function openServedLock(given: Partial<OpenLockfile>): Promise<void> {
  if (await openFrom({ kind: "given", from: { kind: "text", text: EMPTY } })) showLock({ ...NO_LOCKFILE, ...given });
}

/**
 * Opens lockfiles: the first is the base, a second one has the current contexts. A lockfile that is dropped on an open
 * one is compared with it.
 */
export async function openLockfiles(files: readonly File[]): Promise<void> {
  if (project.peek() === null) await openFrom({ kind: "given", from: { kind: "text", text: EMPTY } });
  const texts = await Promise.all(files.map((file) => file.text()));
  const open = lockfile.peek();
  if (texts.length === 1 && open !== null && !isCompared(open)) return showLock({ ...open, other: texts[0] ?? "" });
  const [text, other] = texts;
  showLock({ ...NO_LOCKFILE, name: files[0]?.name ?? NO_LOCKFILE.name, text, ...(other === undefined ? {} : { other }) });
}

/** Adds the entry of a captured request to the open lockfile, or to a new one. */
export async function addRequest(
  name: string,
  request: { readonly body: JsonInput; readonly provider?: string; readonly model?: string },
  from: string,
): Promise<void> {
  const open = lockfile.peek() ?? NO_LOCKFILE;
  const entry = await callCore("lock_entry", { name, request, from });
  const { lock } = await callCore("lock_update", { ...(open.text === undefined ? {} : { lock: open.text }), entries: [entry] });
  showLock({ ...open, text: lock, isChanged: true }, name);
}

/** Downloads the text of the lockfile. */
export function saveLockfile({ name, text = "" }: OpenLockfile): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url));
}
