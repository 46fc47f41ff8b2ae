// The project that is open, and what every answer stands on.
import { JsonText, jsonText, type Preview, TuckboxError } from "tuckbox/web";
import type { ImportReport, MemoryStore, OperationName, Workspace } from "tuckbox/web";
import type { Fault, Home, Json, Methods, NamedCall, Progress, ProjectInfo, Subject, Told } from "./protocol.ts";
import type { SharedProject } from "./shared-project.ts";
import { keepCalls } from "./browser-db.ts";
import { listed } from "./snapshot.ts";

export interface Opened {
  /** Everything that is known of the project: all of it in the browser, what was looked at elsewhere. */
  store: Pick<MemoryStore, "export">;
  workspace: Workspace;
  calls: NamedCall[];
  project_id: string;
  home: Home;
  /** Where the browser keeps it for all tabs. */
  shared?: SharedProject | undefined;
  /** What was found in the logs that it was made from. */
  log?: ImportReport | undefined;
  /** The ids of its boxes, until something is committed. */
  box_ids?: string[] | undefined;
}

let opened: Opened | undefined;
/** Goes up whenever what was read of the project is old. */
let age = 0;

let tell: (told: Told) => void = () => undefined;

/** Names who hears that another tab changed the project. */
export function announceTo(listener: (told: Told) => void): void {
  tell = listener;
}

// A preview must give the same ids each time it is looked at, or a list could not be read in
// pages; so the time and the randomness of a call stay the same until it is committed.
let env = freshEnv();

export interface Env {
  now: number;
  entropy: Uint8Array;
}

function freshEnv(): Env {
  return { now: Date.now(), entropy: crypto.getRandomValues(new Uint8Array(32)) };
}

/** The time and the randomness of the next preview. */
export function envNow(): Env {
  return env;
}

/** Previews from now on have another time and other randomness. */
export function nextEnv(next: Env = freshEnv()): void {
  env = next;
}

/** Takes the place of the project that was open. */
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

/** The arguments of a call. What somebody typed stands in them as JSON text: nothing of it passes through JavaScript. */
export type Args = { readonly [name: string]: unknown } | JsonText;

/** Previews an operation. */
export function preview<T>(op: OperationName, args: Args, read: (preview: Preview<unknown>) => T | Promise<T>): Promise<T> {
  // an object that holds JSON text is as good as the text of the whole
  return reading(current().workspace.preview(op, args as JsonText, env), read);
}

/** Previews a call that is given as text. */
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

/** Another tab changed the project: what was read of it is old. */
export function changed(): void {
  if (opened === undefined) return;
  opened.workspace.refresh();
  opened.box_ids = undefined;
  age += 1;
  tell({ changed: info() });
}

/** Changes the calls beside the project, and keeps them. */
export async function changeCalls(change: (calls: NamedCall[]) => NamedCall[]): Promise<void> {
  const opened = current();
  if (opened.shared !== undefined) return opened.shared.changeCalls(change);
  opened.calls = change(opened.calls);
  const place = placeOf(opened);
  if (place !== null) await keepCalls(place, opened.calls).catch(() => undefined);
}

/** Where the calls of a project on a server are kept. */
export function placeOf({ home, project_id }: Pick<Opened, "home" | "project_id">): string | null {
  return home.kind === "server" ? `server ${home.host} ${project_id}` : null;
}

/** Where progress is told to, and whether somebody still listens. */
export type Report = ((progress: Progress) => void) & { isLive: () => boolean };
export type Handlers = {
  [M in keyof Methods]: (report: Report, ...params: Parameters<Methods[M]>) => Promise<ReturnType<Methods[M]>>;
};

/** A subject as arguments. */
export function subjectOf(subject: Subject): { readonly [name: string]: unknown } {
  return "call" in subject ? { call: jsonText(subject.call) } : subject;
}

/** The text of a value that may hold JSON text. */
export function textOf(value: unknown): string {
  if (value instanceof JsonText) return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(",")}}`;
}

/** Asks an operation about a subject; a fault of a call that is looked at is told from where the call begins. */
export async function inspect<T>(op: OperationName, subject: Subject, more: object, read: (text: string) => T): Promise<T> {
  try {
    return await preview(op, { ...subjectOf(subject), ...more }, (done) => read(done.valueText));
  } catch (thrown) {
    throw "call" in subject ? unwrapped(thrown) : thrown;
  }
}

/** A fault of a call that was wrapped, told from where the call itself begins. */
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
