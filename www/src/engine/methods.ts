// The methods that open a project and fill the first view. All others are loaded on first use.

import type { NamedBytes } from "tuckbox/web";
import { open, TuckboxError } from "tuckbox/web";
import { areLarge, isLargeLog } from "../import/files.ts";
import type { OpenLog } from "../import/log.ts";
import { deleteProject, listProjects, loadAbout } from "./browser-db.ts";
import type {
  FileOrigin,
  Json,
  MethodCall,
  MethodReply,
  Methods,
  OpenedLog,
  Origin,
  Progress,
  ProjectInfo,
  SavedView,
  StoredIn,
  View,
} from "./protocol.ts";
import type { ReadProject } from "./remote.ts";
import {
  current,
  currentAge,
  currentEnv,
  type Env,
  errorData,
  type Handlers,
  handleChange,
  inspect,
  logState,
  nextEnv,
  type OpenProject,
  openLog,
  preview,
  previewText,
  projectInfo,
  type Reporter,
  setCurrent,
} from "./session.ts";
import { SharedProject, type StorageSlot } from "./shared-project.ts";
import type { SnapshotContents } from "./snapshot.ts";
import { readSnapshot, snapshotText } from "./snapshot.ts";

export { setNotifier } from "./session.ts";

/** Makes a project the current one, unless the page has stopped waiting for it. */
function replaceCurrent(
  report: Reporter,
  next: OpenProject,
  found?: SnapshotContents,
): { info: ProjectInfo; storedIn: StoredIn; savedView: SavedView; log: OpenedLog | null } {
  if (!report.isLive()) throw new TuckboxError("aborted", "opening was stopped");
  setCurrent(next);
  return { info: found?.info ?? projectInfo(), storedIn: next.storedIn, savedView: found?.savedView ?? {}, log: logState(next) };
}

type FirstMethod = "open" | "info" | "setEnv" | "save" | "listSaved" | "deleteSaved" | "inspect" | "getCard";

const firstMethods: Pick<Handlers, FirstMethod> = {
  async open(report, asked) {
    const isSaved = asked.kind === "demo" && asked.unless_saved === true && (await loadAbout("demo").catch(() => undefined)) !== undefined;
    const origin: Origin = isSaved ? { kind: "saved", id: "demo" } : asked;
    if (origin.kind === "server" || origin.kind === "page" || origin.kind === "host" || origin.kind === "given" || origin.kind === "live") {
      const { openRemote } = await import("./remote.ts");
      const { next, found } = await openRemote(origin, report, readProject);
      return replaceCurrent(report, next, found);
    }
    const { text, found, log } = await readProject(origin, report);
    const { project_id } = found.info;
    const place = await slotFor(origin, contentsOf(text, log));
    const { id } = place;
    const shared = new SharedProject(place, text, found.info, log, handleChange);
    report({ stage: "open", done: 0, total: 0 });
    const workspace = await open(shared.store, { projectId: project_id });
    return replaceCurrent(
      report,
      {
        store: shared,
        workspace,
        calls: [],
        project_id,
        storedIn: { kind: "browser", id },
        shared,
        log,
      },
      found,
    );
  },
  info: async () => projectInfo(),
  async setEnv(_, now, entropy) {
    nextEnv({ now, entropy: Uint8Array.from(entropy.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)) });
    return projectInfo();
  },
  save: async () => current().shared?.save(),
  listSaved: () => listProjects(),
  deleteSaved: (_, id) => deleteProject(id),
  inspect(_, { subject, ...more }) {
    return inspect("inspect", subject, more, (text) => JSON.parse(text) as View);
  },
  async getCard(_, card_id, call) {
    const made = call === null ? undefined : (await cardsMadeBy(call)).get(card_id);
    if (made !== undefined) return made;
    const found = await preview("get_cards", { card_ids: [card_id] }, (done) => done.value as { cards: Json[] });
    const row = found.cards.find((card) => (card as { card_id: string }).card_id === card_id);
    if (row === undefined) throw new TuckboxError("not_found", `card \`${card_id}\` does not exist or cannot be read`);
    return JSON.stringify(row);
  },
};

const NO_REQUEST = "these files contain no model request";

/** Returns the text of a project and its contents, from a snapshot or from another tool's log. */
async function readProject(origin: FileOrigin, report: Reporter): Promise<ReadProject> {
  let thrown: unknown;
  let files: NamedBytes[] = [];
  const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());
  const isLarge = (origin.kind === "files" && areLarge(origin.files)) || (origin.kind === "file" && (await isLargeLog(origin.blob)));
  if (isLarge) {
    const { openLargeLogs } = await import("../import/read.ts");
    const log = await openLargeLogs(origin.kind === "files" ? origin.files : [origin], report);
    if (log !== undefined) return emptyProject(log);
    throw new TuckboxError("bad_request", NO_REQUEST);
  }
  if (origin.kind === "addresses" || origin.kind === "files") {
    files = await (await import("../import/read.ts")).readFiles(origin, report);
    thrown = new TuckboxError("bad_request", NO_REQUEST);
  } else {
    let text = "";
    try {
      let saved: readonly NamedBytes[] | undefined;
      ({ text, files: saved } = await snapshotText(origin, report));
      report({ stage: "check", done: 0, total: text.length });
      const found = readSnapshot(text, origin.kind === "saved" ? origin.project_id : undefined);
      const log = saved === undefined ? undefined : await (await import("../import/read.ts")).openLogs(saved);
      // this browser wrote the report itself, so it is valid
      if (log !== undefined) [log.report, log.isImported] = [found.importReport, found.importReport !== undefined];
      return { text, found, log };
    } catch (error) {
      if (!(error instanceof TuckboxError) || error.code !== "bad_request") throw error;
      thrown = error;
      if (origin.kind === "file") files = [{ name: origin.name, bytes: await bytesOf(origin.blob) }];
      else if (text !== "") files = [{ name: origin.kind, bytes: new TextEncoder().encode(text) }];
    }
  }
  if (files.length === 0) throw thrown;
  report({ stage: "import", done: 0, total: files.reduce((sum, { bytes }) => sum + bytes.length, 0) });
  const { openLogs } = await import("../import/read.ts");
  const log = await openLogs(files);
  if (log === undefined) throw thrown;
  return emptyProject(log);
}

/** Returns the project of logs that are not imported yet. */
async function emptyProject(log: OpenLog): Promise<ReadProject> {
  const { EMPTY } = await import("../import/read.ts");
  return { text: EMPTY, found: readSnapshot(EMPTY), log };
}

/**
 * Returns the slot in which the browser saves a project, with its revision. The demo has one slot. The same contents
 * opened again use the same slot, unless that project has changed since.
 */
async function slotFor(origin: Origin, contents: BlobPart[]): Promise<StorageSlot> {
  if (origin.kind === "saved") return { id: origin.id, revision: (await loadAbout(origin.id))?.revision ?? 0, isSaved: true };
  const id = origin.kind === "demo" ? "demo" : await fingerprint(contents);
  const about = await loadAbout(id).catch(() => undefined);
  if (about === undefined) return { id, revision: 0, isSaved: false };
  // resetting the demo is a change that other tabs are notified of
  if (origin.kind === "demo") return { id, revision: about.revision ?? 0, isSaved: false };
  return about.revision === 1 ? { id, revision: 1, isSaved: true } : { id: crypto.randomUUID(), revision: 0, isSaved: false };
}

/** Returns what distinguishes a project from others. */
function contentsOf(text: string, log: OpenLog | undefined): BlobPart[] {
  return log === undefined ? [text] : log.files.flatMap(({ name, bytes }) => [name, "\0", bytes as Uint8Array<ArrayBuffer>]);
}

async function fingerprint(contents: BlobPart[]): Promise<string> {
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined) return crypto.randomUUID();
  const digest = new Uint8Array(await subtle.digest("SHA-256", await new Blob(contents).arrayBuffer()));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// walking a list requests the cards of one call one after another
let lastCards: { call: string; env: Env; age: number; cards: Map<string, string> } | undefined;

/** Returns the cards that a call would write, each as JSON text. */
async function cardsMadeBy(call: string): Promise<Map<string, string>> {
  const [env, age] = [currentEnv(), currentAge()];
  if (lastCards?.call !== call || lastCards.env !== env || lastCards.age !== age) {
    const cards = await previewText(
      call,
      (done) => new Map(Array.from(done.writes.cards ?? [], (card) => [card.card_id, JSON.stringify(card)])),
    );
    lastCards = { call, env, age, cards };
  }
  return lastCards.cards;
}

/** The methods that need no project of open logs. */
const OF_LOGS: ReadonlySet<keyof Methods> = new Set<keyof Methods>([
  "open",
  "save",
  "saveDraft",
  "listSaved",
  "deleteSaved",
  "readLive",
  "timeline",
  "timelineStep",
  "timelineRequest",
  "timelineMessage",
  "timelineFind",
  "simulate",
  "simulatedSnapshot",
]);

/** Imports the open logs, unless a method does not need their project. */
async function importFor(method: keyof Methods): Promise<void> {
  const log = openLog();
  if (log === undefined || log.isImported || OF_LOGS.has(method)) return;
  await (await import("../import/project.ts")).importProject();
}

const isFirst = (method: keyof Methods): method is FirstMethod => Object.hasOwn(firstMethods, method);

/** Answers one call; `isLive` returns whether the page still waits for the answer. */
export async function answerCall(
  { id, method, params }: MethodCall,
  send: (answer: MethodReply) => void,
  isLive: () => boolean,
): Promise<void> {
  try {
    await importFor(method);
    const work = (isFirst(method) ? firstMethods[method] : (await import("./lazy-methods.ts")).lazyMethods[method]) as (
      report: Reporter,
      ...params: unknown[]
    ) => Promise<unknown>;
    const report = Object.assign((progress: Progress) => send({ id, progress }), { isLive });
    send({ id, result: await work(report, ...params) });
  } catch (thrown) {
    send({ id, error: errorData(thrown) });
  }
}
