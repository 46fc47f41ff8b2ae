// What the page knows and what the person chose. Facts come from the worker; choices live here.
import { batch, computed, effect, signal } from "@preact/signals";
import { ask, faultOf, openProject, pageFault, STOPPED, whenChanged } from "./engine/client.ts";
import type {
  BoxView,
  DialectName,
  Fault,
  Home,
  Looking,
  NamedCall,
  Origin,
  PlacedLint,
  Progress,
  ProjectInfo,
  Question,
  Receipt,
  RequestView,
  Row,
  Subject,
  View,
} from "./engine/protocol.ts";
import { DIALECTS, PACKING } from "./engine/protocol.ts";
import type { ImportReport } from "tuckbox/web";
import { areLarge, type Given } from "./import/files.ts";
import { keep, kept } from "./kept.ts";
import { setWindow, terms, windowSize } from "./terms.ts";
import { parse, write } from "./text/json.ts";

/** How many rows are asked for at once. */
export const PAGE = 200;

export type Target =
  | { kind: "call"; id: string }
  | { kind: "box"; box_id: string }
  | { kind: "agent"; agent_id: string };
export const ROOMS = ["context", "compare", "whatif", "boxes", "runs", "handoff", "memory", "sessions", "search"] as const;
export type Room = (typeof ROOMS)[number];
export const TABS = ["cards", "sides", "messages", "payload", "problems", "writes"] as const;
export type Tab = (typeof TABS)[number];

export const project = signal<ProjectInfo | null>(null);
/** Where the open project lives. */
export const home = signal<Home | null>(null);
/** What was found in the logs that it was made from. */
export const log = signal<ImportReport | null>(null);
/** The files that it was read from, where only one session of them is open. */
export const surveyed = signal<readonly Given[]>([]);
/** Why the browser does not keep it, if it does not. */
export const notKept = signal<Fault | null>(null);
export const room = signal<Room>("context");
export const target = signal<Target | null>(null);
export const dialect = signal<DialectName>(kept("dialect", DIALECTS, "v1r3"));
export const tab = signal<Tab>("cards");
export const selected = signal<number | null>(null);
export const shown = signal(0);
/** What is looked for among the cards. */
export const search = signal("");

/** What is looked for in the whole project. */
export const sought = signal("");

/** The last preview that worked, and the fault of the newest one if it did not. */
export const view = signal<View | null>(null);
export const fault = signal<Fault | null>(null);
export const busy = signal(false);
/** What the last commit said. */
export const committed = signal<Receipt | null>(null);
/** Goes up whenever the store changed under what is shown. */
const revision = signal(0);
/** The request behind what is shown: the one account of every view. `null` until it is there. */
export const request = signal<RequestView | null>(null);
export const requestFault = signal<Fault | null>(null);
/** True while the request on the page is that of something older. */
export const requestBusy = signal(false);
/** Rows by position; grows while the list is scrolled. */
export const rows = signal<ReadonlyMap<number, Row>>(new Map());

export const boxView = computed<BoxView | null>(() => view.value?.boxes[shown.value] ?? null);

// --- the call that is shown, and the changes to it that are not kept yet

export const namedCall = computed<NamedCall | null>(() => {
  const at = target.value;
  if (at?.kind !== "call") return null;
  return project.value?.calls.find((call) => call.id === at.id) ?? null;
});

/** Changed calls by id, as JSON text; a text may be anything while somebody writes. */
export const drafts = signal<ReadonlyMap<string, string>>(new Map());

/** Drafts that were changed and are not kept yet. */
const unsaved = new Set<string>();
const DRAFT_AFTER_MS = 300;
let draftTimer: ReturnType<typeof setTimeout> | undefined;

/** Keeps what was written, now. */
export async function saveDrafts(): Promise<void> {
  clearTimeout(draftTimer);
  const ids = [...unsaved];
  unsaved.clear();
  for (const id of ids) {
    await ask("draft", id, drafts.peek().get(id) ?? null).catch((thrown: unknown) => {
      const found = faultOf(thrown);
      if (found.code !== STOPPED) notKept.value = found;
    });
  }
}

addEventListener("pagehide", () => void saveDrafts());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") void saveDrafts();
});

/** The drafts that a project was kept with; those that somebody writes here and now stay. */
function takeDrafts(info: ProjectInfo): void {
  const next = new Map(info.calls.flatMap(({ id, draft }) => (draft === undefined || unsaved.has(id) ? [] : [[id, draft] as const])));
  for (const id of unsaved) {
    const mine = drafts.peek().get(id);
    if (mine !== undefined) next.set(id, mine);
  }
  drafts.value = next;
}

// --- what was written before, and after

interface History {
  past: string[];
  future: string[];
  at: number;
}

const histories = new Map<string, History>();
/** Goes up whenever there is more or less to undo. */
const written = signal(0);
/** What is typed within this time is undone together. */
const STROKE_MS = 600;

function remember(id: string, before: string): void {
  const history = histories.get(id) ?? { past: [], future: [], at: 0 };
  const now = performance.now();
  if (now - history.at > STROKE_MS || history.past.length === 0) history.past.push(before);
  histories.set(id, { past: history.past.slice(-200), future: [], at: now });
  written.value += 1;
}

export const canUndo = computed(() => (void written.value, (histories.get(namedCall.value?.id ?? "")?.past.length ?? 0) > 0));
export const canRedo = computed(() => (void written.value, (histories.get(namedCall.value?.id ?? "")?.future.length ?? 0) > 0));

/** Goes one step back or forth in what was written. */
export function undo(direction: "back" | "forth" = "back"): void {
  const [call, now] = [namedCall.peek(), callText.peek()];
  const history = histories.get(call?.id ?? "");
  if (call === null || now === null || history === undefined) return;
  const [from, to] = direction === "back" ? [history.past, history.future] : [history.future, history.past];
  const next = from.pop();
  if (next === undefined) return;
  to.push(now);
  history.at = 0;
  written.value += 1;
  put(call, next);
}

export const callText = computed<string | null>(() => {
  const call = namedCall.value;
  return call === null ? null : (drafts.value.get(call.id) ?? write(call.call));
});

export const parsedCall = computed(() => (callText.value === null ? null : parse(callText.value)));

export function change(text: string): void {
  const [call, now] = [namedCall.peek(), callText.peek()];
  if (call === null || now === null || now === text) return;
  remember(call.id, now);
  put(call, text);
}

function put(call: NamedCall, text: string): void {
  const next = new Map(drafts.peek());
  if (text === write(call.call)) next.delete(call.id);
  else next.set(call.id, text);
  drafts.value = next;
  unsaved.add(call.id);
  clearTimeout(draftTimer);
  draftTimer = setTimeout(() => void saveDrafts(), DRAFT_AFTER_MS);
}

/** The operations that read a dialect. */
const UNDER_DIALECTS: readonly unknown[] = PACKING;

/** The call as it is sent: JSON text, under the chosen dialect unless it names one itself. */
export const sentCall = computed<string | null>(() => {
  const text = callText.value;
  return text === null ? null : underDialect(text, dialect.value);
});

/** A call under a dialect unless it names one itself or knows none; `null` while it is no JSON. */
export function underDialect(text: string, name: DialectName): string | null {
  const parsed = parse(text);
  if (!parsed.ok) return null;
  const value = parsed.value;
  if (typeof value !== "object" || value === null || Array.isArray(value) || "dialect" in value) return text;
  if (!UNDER_DIALECTS.includes(value.op)) return text;
  const comma = Object.keys(value).length === 0 ? "" : ",";
  return `${text.trimEnd().slice(0, -1)}${comma}"dialect":${JSON.stringify(name)}}`;
}

/** A call with its changes, as JSON text. */
export function textOfCall(call: NamedCall): string {
  return drafts.value.get(call.id) ?? write(call.call);
}

/** Calls that pack contexts; inputs of the composer are calls too, but pack nothing. */
export const packingCalls = computed(() => (project.value?.calls ?? []).filter((call) => call.call.op !== "compose"));
export const compositions = computed(() => (project.value?.calls ?? []).filter((call) => call.call.op === "compose"));

const subject = computed<Subject | null>(() => {
  const at = target.value;
  if (at?.kind === "box") return { box_id: at.box_id };
  if (at?.kind === "agent") return { turn: { agent_id: at.agent_id } };
  return sentCall.value === null ? null : { call: sentCall.value };
});

/** What the preview on the page is of; while the newest call is wrong, an older one. */
export const pictured = signal<Subject | null>(null);
/** The call behind the preview on the page. */
export const picturedCall = computed<string | null>(() =>
  pictured.value !== null && "call" in pictured.value ? pictured.value.call : null,
);

export const lintsByPosition = computed<ReadonlyMap<number, PlacedLint[]>>(() => {
  const found = new Map<number, PlacedLint[]>();
  for (const lint of view.value?.lints ?? []) {
    if (lint.place === undefined || lint.place.shown !== shown.value) continue;
    found.set(lint.place.position, [...(found.get(lint.place.position) ?? []), lint]);
  }
  return found;
});

// --- opening and committing

export const openFault = signal<Fault | null>(null);
/** What is being opened, and how far it is. */
export const opening = signal<{ origin: Origin; progress: Progress | null } | null>(null);

/** Opens a project. What is open stays as it is until the new one is ready. */
export async function openFrom(origin: Origin): Promise<boolean> {
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
      asked += 1;
      opening.value = null;
      histories.clear();
      unsaved.clear();
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
let saving: ReturnType<typeof setTimeout> | undefined;

/** Keeps the project in the browser once nothing more urgent is to be done. */
function saveSoon(): void {
  if (home.peek()?.kind !== "browser") return;
  clearTimeout(saving);
  saving = setTimeout(() => {
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

/** Commits the call that is shown, and looks again at what there is now. */
export async function commit(): Promise<void> {
  const now = sentCall.peek();
  if (now === null) return;
  committed.value = await commitCall(now);
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
    revision.value += 1;
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

export function show(next: Target): void {
  batch(() => {
    room.value = "context";
    target.value = next;
    committed.value = null;
    selected.value = null;
    search.value = "";
    shown.value = 0;
    if (next.kind !== "call" && (tab.value === "writes" || tab.value === "sides")) tab.value = "cards";
  });
}

export function setDialect(next: DialectName): void {
  dialect.value = next;
  keep("dialect", next);
}

// --- previews: one at a time, and only the newest question waits

let asked = 0;
let running = false;
let waiting: Question | null = null;

effect(() => {
  const about = subject.value;
  void revision.value;
  const wrong = parsedCall.value;
  if (wrong !== null && !wrong.ok) fault.value = pageFault(wrong.message, "bad_request");
  if (about === null) return;
  const find = search.value;
  waiting = {
    subject: about,
    shown: shown.value,
    from: 0,
    to: PAGE,
    ...(find === "" ? {} : { find }),
  };
  asked += 1;
  void run();
});

async function run(): Promise<void> {
  if (running) return;
  running = true;
  busy.value = true;
  while (waiting !== null) {
    const question: Question = waiting;
    waiting = null;
    const mine = asked;
    try {
      const found = await ask("look", question);
      // a newer question of the same thing may come; this answer is still worth showing
      if (mine === asked || waiting !== null) accept(question, found);
    } catch (thrown) {
      const found = faultOf(thrown);
      if (mine !== asked || found.code === STOPPED) continue;
      batch(() => {
        fault.value = found;
        // the preview of something else is no last preview of this
        if (picturedTarget !== target.value) forget();
      });
    }
  }
  running = false;
  busy.value = false;
}

let picturedTarget: Target | null = null;

function forget(): void {
  batch(() => {
    view.value = null;
    pictured.value = null;
    request.value = null;
    requestFault.value = null;
    rows.value = new Map();
  });
}

function accept(question: Question, found: View): void {
  batch(() => {
    view.value = found;
    pictured.value = question.subject;
    picturedTarget = target.value;
    rows.value = new Map(found.rows.map((row) => [row.position, row]));
    pending.clear();
    fault.value = null;
    const count = found.boxes[shown.value]?.cards ?? 0;
    if (selected.value === null || selected.value >= count) selected.value = count > 0 ? 0 : null;
  });
  // a server is known as far as somebody looked
  if (home.peek()?.kind !== "browser") {
    ask("info").then((info) => {
      if (JSON.stringify(info) !== JSON.stringify(project.peek())) project.value = info;
    }, () => undefined);
  }
}

const pending = new Set<number>();

/** Asks for the pages of rows between two positions that are not here yet. */
export function needRows(from: number, to: number): void {
  const about = pictured.peek();
  if (about === null) return;
  for (let page = Math.floor(from / PAGE); page * PAGE < to; page += 1) {
    if (rows.peek().has(page * PAGE) || pending.has(page)) continue;
    pending.add(page);
    void fetchRows(about, page);
  }
}

async function fetchRows(about: Subject, page: number): Promise<void> {
  const from = page * PAGE;
  try {
    const found = await ask("look", { subject: about, shown: shown.peek(), from, to: from + PAGE });
    if (about !== pictured.peek()) return;
    const more = new Map(rows.peek());
    for (const row of found.rows) more.set(row.position, row);
    rows.value = more;
  } catch (thrown) {
    if (about === pictured.peek()) fault.value = faultOf(thrown);
  } finally {
    pending.delete(page);
  }
}

let tellFirstRows: () => void;

/** Fulfilled when the first rows are on the screen. What needs a larger part of the package waits for them. */
export const firstRows = new Promise<void>((resolve) => (tellFirstRows = resolve));

/** True from then on: what stands beside the cards comes after them. */
export const areRowsThere = signal(false);
void firstRows.then(() => (areRowsThere.value = true));

/** Says that rows have been drawn; what waits for them goes on after the frame that shows them. */
export function rowsDrawn(): void {
  if (areRowsThere.peek()) return;
  // a page that nobody sees draws no frames
  if (document.visibilityState === "hidden") tellFirstRows();
  else requestAnimationFrame(() => setTimeout(tellFirstRows));
}

{
  const stop = effect(() => {
    const isList = room.value === "context" && tab.value === "cards" && (view.value?.boxes[shown.value]?.cards ?? 0) > 0;
    if ((view.value === null && fault.value === null) || isList) return;
    queueMicrotask(() => stop());
    rowsDrawn();
  });
}

let accountAsked = 0;

effect(() => {
  const about = pictured.value;
  const wanted = terms.value;
  const [size, at] = [windowSize.value, shown.value];
  if (about === null) return;
  const mine = (accountAsked += 1);
  requestBusy.value = true;
  firstRows.then(() => ask("request", { subject: about, shown: at }, wanted, size)).then(
    (found) => {
      if (mine !== accountAsked) return;
      batch(() => {
        request.value = found;
        requestFault.value = null;
        requestBusy.value = false;
      });
    },
    (thrown: unknown) => {
      const found = faultOf(thrown);
      if (mine !== accountAsked || found.code === STOPPED) return;
      batch(() => {
        request.value = null;
        requestFault.value = found;
        requestBusy.value = false;
      });
    },
  );
});

/** Moves the selection; the list follows. */
export function select(position: number): void {
  const count = boxView.peek()?.cards ?? 0;
  if (count > 0) selected.value = Math.max(0, Math.min(count - 1, position));
}

/** Goes to a card from anywhere. */
export function goTo(position: number, box = shown.peek()): void {
  batch(() => {
    shown.value = box;
    tab.value = "cards";
    selected.value = position;
  });
}
