// The open project, and the functions that all methods use.

import type { MemoryStore, OperationName, Workspace } from "tuckbox/web";
import { JsonText, jsonText, type Preview, TuckboxError } from "tuckbox/web";
import type { OpenLog } from "../import/log.ts";
import { saveCalls } from "./browser-db.ts";
import type {
  ErrorData,
  Json,
  Methods,
  NamedCall,
  OpenedLog,
  Progress,
  ProjectChanged,
  ProjectInfo,
  StoredIn,
  Subject,
} from "./protocol.ts";
import type { SharedProject } from "./shared-project.ts";
import { readSnapshot } from "./snapshot.ts";

export interface OpenProject {
  /** Everything known of the project: all of it in the browser, or what was read from elsewhere. */
  store: Pick<MemoryStore, "export">;
  workspace: Workspace;
  calls: NamedCall[];
  project_id: string;
  storedIn: StoredIn;
  /** The project's copy in the browser, shared by all tabs. */
  shared?: SharedProject | undefined;
  /** The logs that it is imported from. */
  log?: OpenLog | undefined;
  /** The ids of its boxes, cached until the next commit. */
  box_ids?: string[] | undefined;
}

let openProject: OpenProject | undefined;
/** Increases when what was read of the project is stale. */
let readAge = 0;

let notify: (change: ProjectChanged) => void = () => undefined;

/** Sets the listener for changes of the project that the page did not ask for. */
export function setNotifier(listener: (change: ProjectChanged) => void): void {
  notify = listener;
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
export function currentEnv(): Env {
  return env;
}

/** Sets time and randomness of the next previews. */
export function nextEnv(next: Env = freshEnv()): void {
  env = next;
}

/** Replaces the open project. */
export function setCurrent(next: OpenProject): void {
  openProject = next;
  readAge += 1;
}

export function currentAge(): number {
  return readAge;
}

/** Returns what the page knows of a project's logs. */
export function logState({ log }: OpenProject): OpenedLog | null {
  return log === undefined ? null : { isImported: log.isImported, box_id: log.box_id, report: log.report ?? null };
}

/** Returns the open logs. */
export function openLog(): OpenLog | undefined {
  return openProject?.log;
}

export function current(): OpenProject {
  if (openProject === undefined) throw new TuckboxError("bad_request", "no project is open");
  return openProject;
}

/** The arguments of a call. What the user typed is in them as JSON text, unchanged by JavaScript. */
export type Args = { readonly [name: string]: unknown } | JsonText;

/** Previews an operation. */
export function preview<T>(op: OperationName, args: Args, read: (preview: Preview<unknown>) => T | Promise<T>): Promise<T> {
  // an object that contains JSON text is valid where JSON text is
  return readPreview(current().workspace.preview(op, args as JsonText, env), read);
}

/** Previews a call given as JSON text. */
export function previewText<T>(call: string, read: (preview: Preview<unknown>) => T | Promise<T>): Promise<T> {
  return readPreview(current().workspace.preview(jsonText(call), env), read);
}

async function readPreview<T>(asked: Promise<Preview<unknown>>, read: (preview: Preview<unknown>) => T | Promise<T>): Promise<T> {
  const done = await asked;
  try {
    return await read(done);
  } finally {
    done.dispose();
  }
}

export function projectInfo(): ProjectInfo {
  const { store, calls, shared, project_id } = current();
  return { ...readSnapshot(store.export(), project_id).info, calls: shared?.calls ?? calls };
}

/** Discards what was read, because another tab changed the project. */
export function handleChange(): void {
  if (openProject === undefined) return;
  const { log, shared } = openProject;
  if (log !== undefined && shared?.report !== undefined) [log.report, log.isImported] = [shared.report, true];
  reportChange(openProject);
}

/** Discards what was read of the project, and notifies the page. */
export function reportChange(opened: OpenProject): void {
  opened.workspace.refresh();
  opened.box_ids = undefined;
  readAge += 1;
  notify({ changed: projectInfo(), log: logState(opened) });
}

/** Changes the project's calls and saves them. */
export async function changeCalls(change: (calls: NamedCall[]) => NamedCall[]): Promise<void> {
  const opened = current();
  if (opened.shared !== undefined) return opened.shared.changeCalls(change);
  opened.calls = change(opened.calls);
  const place = callsKey(opened);
  if (place !== null) await saveCalls(place, opened.calls).catch(() => undefined);
}

/** Returns the key under which the calls of a project on a server are saved. */
export function callsKey({ storedIn, project_id }: Pick<OpenProject, "storedIn" | "project_id">): string | null {
  return storedIn.kind === "server" ? `server ${storedIn.host} ${project_id}` : null;
}

/** Reports progress, and returns whether the page still waits. */
export type Reporter = ((progress: Progress) => void) & { isLive: () => boolean };
export type Handlers = {
  [M in keyof Methods]: (report: Reporter, ...params: Parameters<Methods[M]>) => Promise<ReturnType<Methods[M]>>;
};

/** Returns a subject as arguments. */
export function subjectOf(subject: Subject): { readonly [name: string]: unknown } {
  return "call" in subject ? { call: jsonText(subject.call) } : subject;
}

/** Returns a value that may contain JSON text as JSON text. */
export function toJsonText(value: unknown): string {
  if (value instanceof JsonText) return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toJsonText).join(",")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toJsonText(member)}`).join(",")}}`;
}

/** Runs an operation on a subject. Error paths of a call start at the call itself. */
export async function inspect<T>(op: OperationName, subject: Subject, more: object, read: (text: string) => T): Promise<T> {
  try {
    return await preview(op, { ...subjectOf(subject), ...more }, (done) => read(done.valueText));
  } catch (thrown) {
    throw "call" in subject ? unwrapCallPath(thrown) : thrown;
  }
}

/** Removes the prefix `call` from an error path. */
function unwrapCallPath(thrown: unknown): unknown {
  if (!(thrown instanceof TuckboxError)) return thrown;
  const path = thrown.path.replace(/^call(?:\.|(?=\[)|$)/, "");
  return new TuckboxError(thrown.code, thrown.message, { path, details: thrown.details, cause: thrown });
}

export function errorData(thrown: unknown): ErrorData {
  if (thrown instanceof TuckboxError) {
    const { code, message, path, details } = thrown;
    return { code, message, path, details: details as Json };
  }
  return { code: "page", message: thrown instanceof Error ? thrown.message : String(thrown), path: "", details: null };
}
