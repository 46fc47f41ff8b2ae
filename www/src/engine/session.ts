// The open project, and the functions that all methods use.
import { JsonText, jsonText, type Preview, TuckboxError } from "tuckbox/web";
import type { ImportReport, MemoryStore, OperationName, Workspace } from "tuckbox/web";
import type { Fault, Home, Json, Methods, NamedCall, Progress, ProjectInfo, Subject, Told } from "./protocol.ts";
import type { SharedProject } from "./shared-project.ts";
import { keepCalls } from "./browser-db.ts";
import { listed } from "./snapshot.ts";

export interface Opened {
  /** Everything known of the project: all of it in the browser, or what was read from elsewhere. */
  store: Pick<MemoryStore, "export">;
  workspace: Workspace;
  calls: NamedCall[];
  project_id: string;
  home: Home;
  /** The project's copy in the browser, shared by all tabs. */
  shared?: SharedProject | undefined;
  /** The report of the logs that it was imported from. */
  log?: ImportReport | undefined;
  /** The ids of its boxes, cached until the next commit. */
  box_ids?: string[] | undefined;
}

let opened: Opened | undefined;
/** Increases when what was read of the project is stale. */
let age = 0;

let tell: (told: Told) => void = () => undefined;

/** Sets the listener for changes made by another tab. */
export function announceTo(listener: (told: Told) => void): void {
  tell = listener;
}

// A preview must return the same ids every time, because lists are read in pages. Time and randomness therefore stay
// the same until the next commit.
let env = freshEnv();

export interface Env {
  now: number;
  entropy: Uint8Array;
}

function freshEnv(): Env {
  return { now: Date.now(), entropy: crypto.getRandomValues(new Uint8Array(32)) };
}

/** Returns time and randomness of the next preview. */
export function envNow(): Env {
  return env;
}

/** Sets time and randomness of the next previews. */
export function nextEnv(next: Env = freshEnv()): void {
  env = next;
}

/** Replaces the open project. */
export function become(next: Opened): void {
  opened = next;
  age += 1;
}

export function ageNow(): number {
  return age;
}

export function current(): Opened {
  if (opened === undefined) throw new TuckboxError("bad_request", "no project is open");
  return opened;
}

/** The arguments of a call. What the user typed is in them as JSON text, unchanged by JavaScript. */
export type Args = { readonly [name: string]: unknown } | JsonText;

/** Previews an operation. */
export function preview<T>(op: OperationName, args: Args, read: (preview: Preview<unknown>) => T | Promise<T>): Promise<T> {
  // an object that contains JSON text is valid where JSON text is
  return reading(current().workspace.preview(op, args as JsonText, env), read);
}

/** Previews a call given as JSON text. */
export function previewText<T>(call: string, read: (preview: Preview<unknown>) => T | Promise<T>): Promise<T> {
  return reading(current().workspace.preview(jsonText(call), env), read);
}

async function reading<T>(asked: Promise<Preview<unknown>>, read: (preview: Preview<unknown>) => T | Promise<T>): Promise<T> {
  const done = await asked;
  try {
    return await read(done);
  } finally {
    done.dispose();
  }
}

export function info(): ProjectInfo {
  const { store, calls, shared, project_id } = current();
  return { ...listed(store.export(), project_id).info, calls: shared?.calls ?? calls };
}

/** Discards what was read, because another tab changed the project. */
export function changed(): void {
  if (opened === undefined) return;
  opened.workspace.refresh();
  opened.box_ids = undefined;
  age += 1;
  tell({ changed: info() });
}

/** Changes the project's calls and saves them. */
export async function changeCalls(change: (calls: NamedCall[]) => NamedCall[]): Promise<void> {
  const opened = current();
  if (opened.shared !== undefined) return opened.shared.changeCalls(change);
  opened.calls = change(opened.calls);
  const place = placeOf(opened);
  if (place !== null) await keepCalls(place, opened.calls).catch(() => undefined);
}

/** Returns the key under which the calls of a project on a server are saved. */
export function placeOf({ home, project_id }: Pick<Opened, "home" | "project_id">): string | null {
  return home.kind === "server" ? `server ${home.host} ${project_id}` : null;
}

/** Reports progress, and returns whether the page still waits. */
export type Report = ((progress: Progress) => void) & { isLive: () => boolean };
export type Handlers = {
  [M in keyof Methods]: (report: Report, ...params: Parameters<Methods[M]>) => Promise<ReturnType<Methods[M]>>;
};

/** Returns a subject as arguments. */
export function subjectOf(subject: Subject): { readonly [name: string]: unknown } {
  return "call" in subject ? { call: jsonText(subject.call) } : subject;
}

/** Returns a value that may contain JSON text as JSON text. */
export function textOf(value: unknown): string {
  if (value instanceof JsonText) return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(",")}}`;
}

/** Runs an operation on a subject. Error paths of a call start at the call itself. */
export async function inspect<T>(op: OperationName, subject: Subject, more: object, read: (text: string) => T): Promise<T> {
  try {
    return await preview(op, { ...subjectOf(subject), ...more }, (done) => read(done.valueText));
  } catch (thrown) {
    throw "call" in subject ? unwrapped(thrown) : thrown;
  }
}

/** Removes the prefix `call` from an error path. */
function unwrapped(thrown: unknown): unknown {
  if (!(thrown instanceof TuckboxError)) return thrown;
  const path = thrown.path.replace(/^call(?:\.|(?=\[)|$)/, "");
  return new TuckboxError(thrown.code, thrown.message, { path, details: thrown.details, cause: thrown });
}

export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof TuckboxError) {
    const { code, message, path, details } = thrown;
    return { code, message, path, details: details as Json };
  }
  return { code: "page", message: thrown instanceof Error ? thrown.message : String(thrown), path: "", details: null };
}
