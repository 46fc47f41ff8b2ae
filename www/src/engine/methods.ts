// The package: opens a project in a store and answers the page's questions.
import { jsonText, memoryStore, open, TuckboxError } from "tuckbox/web";
import type { CounterFigures, HandoverPreview, ImportOrigin, ImportReport, MemoryStore, Preview, Workspace } from "tuckbox/web";
import type {
  Account,
  Answer,
  Ask,
  Comparison,
  Counting,
  Fault,
  FileOrigin,
  Fitted,
  Found,
  Handover,
  HandoverSide,
  Hits,
  Home,
  Json,
  Looking,
  Methods,
  NamedCall,
  Origin,
  PayloadDiff,
  PayloadOptions,
  PayloadView,
  Progress,
  ProjectInfo,
  Prompt,
  PromptSource,
  Receipt,
  RequestView,
  Seen,
  Subject,
  Terms,
  Told,
  Turn,
  View,
} from "./protocol.ts";
import type { Simulation } from "../runs/simulation.ts";
import { SharedProject, type ShelfPlace } from "./shared.ts";
import { forgetProject, keepCalls, keptAbout, keptCalls, keptProjects } from "./shelf.ts";
import type { Listed } from "./snapshot.ts";
import { pack } from "./link.ts";
import { listed, textOf, withCalls } from "./snapshot.ts";
import { member } from "../text/pretty.ts";

interface Opened {
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

/** The team that runs in the page. */
let team: Simulation | undefined;

let tell: (told: Told) => void = () => undefined;

/** Names who hears that another tab changed the project. */
export function announceTo(listener: (told: Told) => void): void {
  tell = listener;
}

/** How many calls of another page are kept. */
const MOST_CALLS = 200;

// A preview must give the same ids each time it is looked at, or a list could not be read in
// pages; so the time and the randomness of a call stay the same until it is committed.
let env = freshEnv();

function freshEnv(): { now: number; entropy: Uint8Array } {
  return { now: Date.now(), entropy: crypto.getRandomValues(new Uint8Array(32)) };
}

function current(): Opened {
  if (opened === undefined) throw new TuckboxError("bad_request", "no project is open");
  return opened;
}

/** Previews a call that is given as JSON text, so that nothing in it passes through JavaScript. */
async function preview<T>(call: string, read: (preview: Preview<unknown>) => T | Promise<T>): Promise<T> {
  const done = await current().workspace.preview(jsonText(call), env);
  try {
    return await read(done);
  } finally {
    done.dispose();
  }
}

function info(): ProjectInfo {
  const { store, calls, shared, project_id } = current();
  return { ...listed(store.export(), project_id).info, calls: shared?.calls ?? calls };
}

/** Another tab changed the project: what was read of it is old. */
function changed(): void {
  if (opened === undefined) return;
  opened.workspace.refresh();
  opened.box_ids = undefined;
  lastMade = undefined;
  tell({ changed: info() });
}

/** Changes the calls beside the project, and keeps them. */
async function changeCalls(change: (calls: NamedCall[]) => NamedCall[]): Promise<void> {
  const opened = current();
  if (opened.shared !== undefined) return opened.shared.changeCalls(change);
  opened.calls = change(opened.calls);
  const place = placeOf(opened);
  if (place !== null) await keepCalls(place, opened.calls).catch(() => undefined);
}

/** Where the calls of a project on a server are kept. */
function placeOf({ home, project_id }: Pick<Opened, "home" | "project_id">): string | null {
  return home.kind === "server" ? `server ${home.host} ${project_id}` : null;
}

/** Where progress is told to, and whether somebody still listens. */
type Report = ((progress: Progress) => void) & { isLive: () => boolean };
type Handlers = {
  [M in keyof Methods]: (report: Report, ...params: Parameters<Methods[M]>) => Promise<ReturnType<Methods[M]>>;
};

/** Takes the place of the project that was open, unless nobody waits for it any more. */
function became(report: Report, next: Opened): { info: ProjectInfo; home: Home; looking: Looking } {
  if (!report.isLive()) throw new TuckboxError("aborted", "nobody waits for this project any more");
  opened = next;
  lastMade = undefined;
  return { info: info(), home: next.home, looking: {} };
}

const methods: Handlers = {
  async open(report, asked) {
    const isLeft = asked.kind === "demo" && asked.unless_kept === true && (await keptAbout("demo").catch(() => undefined)) !== undefined;
    const origin: Origin = isLeft ? { kind: "kept", id: "demo" } : asked;
    if (origin.kind === "server") {
      report({ stage: "connect", done: 0, total: 0 });
      const { connect } = await import("./server.ts");
      const { seen, workspace, calls: beside } = await connect(origin);
      const { project_id } = origin;
      const home: Home = { kind: "server", host: new URL(origin.url, location.href).host };
      const kept = await keptCalls(placeOf({ home, project_id }) ?? "").catch(() => []);
      const calls = [...kept, ...beside.filter(({ id }) => !kept.some((one) => one.id === id))];
      return became(report, { store: seen, workspace, calls, project_id, home });
    }
    if (origin.kind === "page") {
      report({ stage: "connect", done: 0, total: 0 });
      const { attach } = await import("./page.ts");
      const { seen, workspace } = await attach(origin);
      const { project_id } = JSON.parse(origin.settings) as { project_id: string };
      return became(report, { store: seen, workspace, calls: [], project_id, home: { kind: "page", name: origin.name, commits: origin.commits } });
    }
    if (origin.kind === "host") {
      const { name, settings } = origin;
      const { hosted } = await import("./server.ts");
      const { seen, workspace } = await hosted(origin.store, settings);
      return became(report, { store: seen, workspace, calls: [], project_id: settings.project_id, home: { kind: "page", name, commits: true } });
    }
    if (origin.kind === "given") {
      const { text, found, log } = await projectOf(origin.from, report);
      const { project_id } = found.info;
      const store = memoryStore(text);
      const workspace = await open(store, { project_id });
      return { ...became(report, { store, workspace, calls: found.info.calls, project_id, home: { kind: "page", name: project_id, commits: true }, log }), looking: found.looking };
    }
    const { text, found, log } = await projectOf(origin, report);
    const { project_id } = found.info;
    const place = await shelfPlace(origin, text);
    const { id } = place;
    const shared = new SharedProject(place, text, project_id, log, changed);
    report({ stage: "open", done: 0, total: 0 });
    const workspace = await open(shared.store, { project_id });
    return { ...became(report, { store: shared, workspace, calls: [], project_id, home: { kind: "browser", id }, shared, log }), ...found };
  },
  async project(_, project_id) {
    const opened = current();
    if (opened.shared === undefined) throw new TuckboxError("bad_request", "only what lies in the browser has neighbours");
    opened.workspace = await open(opened.shared.store, { project_id });
    opened.project_id = opened.shared.project_id = project_id;
    opened.box_ids = undefined;
    return info();
  },
  info: async () => info(),
  async happened(_, event) {
    const opened = current();
    const { callOf } = await import("./page.ts");
    const { op, call } = callOf(event, opened.calls);
    if (call !== null) opened.calls = [call, ...opened.calls.filter(({ id }) => id !== call.id)].slice(0, MOST_CALLS);
    if (event.kind === "commit") {
      // the page's boxes have moved on, and so has what was read of them
      opened.workspace.refresh();
      (await opened.workspace.preview("get_boxes", { box_ids: event.boxes })).dispose();
    }
    return { info: info(), op, call_id: call?.id ?? null };
  },
  async moment(_, now, entropy) {
    env = { now, entropy: Uint8Array.from(entropy.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)) };
    return info();
  },
  save: async () => current().shared?.save(),
  kept: () => keptProjects(),
  forget: (_, id) => forgetProject(id),
  async look(_, { subject, ...more }) {
    const about = subjectText(subject);
    const rest = JSON.stringify(more).slice(1);
    try {
      return await preview(
        `{"op":"inspect",${about}${rest === "}" ? "" : ","}${rest}`,
        (done) => JSON.parse(done.valueText) as View,
      );
    } catch (thrown) {
      throw "call" in subject ? unwrapped(thrown) : thrown;
    }
  },
  async turn(_, subject, shown, terms) {
    const turn = await turnOnce(subject, shown);
    const seen = await preview(`{"op":"turn_view",${turn.slice(1)}`, (done) => JSON.parse(done.valueText) as Turn);
    return { turn: seen, account: await account(`"turn":${turn}`, terms) };
  },
  async request(_, { subject, shown }, { options, counting }, window) {
    const counter = counting === "estimate" ? {} : { counter: await counted(`${optionsText(options)},"turn":${await turnOnce(subject, shown)}`, counting) };
    return request(subject, { shown, window, ...options, ...counter });
  },
  handover: (_, call, task) =>
    preview(`{"op":"preview_handover","call":${checked(call)},"task":${task}}`, (done): Handover => {
      const { sender, receiver, receiver_is, shared, added, not_passed_on, audit } = JSON.parse(done.valueText) as HandoverPreview;
      type SideTurn = HandoverPreview["receiver"];
      const side = (turn: SideTurn, name: string): HandoverSide => ({ name, cards: turn.entries.length, messages: turn.request.messages.length });
      const named = (turn: SideTurn) => turn.profile?.display_name ?? turn.profile?.name ?? turn.agent_id ?? "";
      return {
        sender: sender === null ? null : side(sender, named(sender)),
        receiver: side(receiver, receiver_is.display_name ?? named(receiver)),
        shared: {
          sender: shared.map(({ card_id, sender: position }) => ({ card_id, position })),
          receiver: shared.map(({ card_id, receiver: position }) => ({ card_id, position })),
        },
        added: added.map(({ card_id, position, cause }) => ({ card_id, position, cause: cause ?? undefined })),
        not_passed_on: [...not_passed_on],
        audit,
        lints: done.lints,
      };
    }),
  search(_, text) {
    const opened = current();
    if (opened.home.kind !== "browser") opened.box_ids = undefined;
    const box_ids = (opened.box_ids ??= info().boxes.map((box) => box.box_id));
    return preview(JSON.stringify({ op: "search_cards", text, box_ids, limit: 50 }), (done) => done.value as Hits);
  },
  async payload(_, source, terms) {
    const from = await sourceText(source);
    const made = await preview(`{"op":"payload",${optionsText(terms.options)},${from}}`, (done) => done.valueText);
    const { losses, renamed_tools } = JSON.parse(made) as PayloadView;
    return { body: member(made, "body"), losses, renamed_tools, account: await account(from, terms) };
  },
  async compare(_, left, right, { options }) {
    const side = ({ subject, shown }: Seen) => `{${subjectText(subject)},"shown":${shown}}`;
    const sides = `"left":${side(left)},"right":${side(right)}`;
    const comparison = await preview(`{"op":"compare",${optionsText(options)},${sides}}`, (done) => JSON.parse(done.valueText) as Comparison);
    try {
      const [before, after] = [await turnText(left.subject, left.shown), await turnText(right.subject, right.shown)];
      const cache = await preview(
        `{"op":"diff_payloads","provider":"${options.provider}","before":{"turn":${before}},"after":{"turn":${after}}}`,
        (done) => JSON.parse(done.valueText) as PayloadDiff,
      );
      return { comparison, cache, cache_fault: null };
    } catch (thrown) {
      return { comparison, cache: null, cache_fault: faultOf(thrown) };
    }
  },
  async prompt(_, source, { options }) {
    const from = await sourceText(source);
    // a budget without a limit is the prompt as it stands, with its origins
    const whole = await preview(
      `{"op":"budget",${optionsText(options)},"limit":${Number.MAX_SAFE_INTEGER},${from}}`,
      (done) => JSON.parse(done.valueText) as { prompt: Omit<Prompt, "account" | keyof Ledger>; account: Account },
    );
    const ledger = "compose" in source ? await composition(source.compose) : { entries: [], left_out: [] };
    return { ...whole.prompt, account: whole.account, ...ledger };
  },
  async budget(_, source, { limit, pinned }, { options }) {
    const from = await sourceText(source);
    return preview(
      `{"op":"budget",${optionsText(options)},"limit":${limit},"pinned":${JSON.stringify(pinned)},"brief":true,${from}}`,
      (done) => JSON.parse(done.valueText) as Fitted,
    );
  },
  writes: (_, call) => preview(call, (done) => ({ text: done.writesText, content_hash: done.contentHash })),
  async commit(_, call) {
    const receipt = await preview(call, (done) => done.commit());
    env = freshEnv();
    const opened = current();
    opened.box_ids = undefined;
    const lost = opened.shared?.lost ?? null;
    return { receipt: receipt as Receipt, info: info(), lost: lost === null ? null : faultOf(lost) };
  },
  async card(_, card_id, call) {
    const made = call === null ? undefined : (await madeBy(call)).get(card_id);
    if (made !== undefined) return made;
    const get = JSON.stringify({ op: "get_cards", card_ids: [card_id] });
    const found = await preview(get, (done) => done.value as { cards: Json[] });
    const row = found.cards.find((card) => (card as { card_id: string }).card_id === card_id);
    if (row === undefined) throw new TuckboxError("not_found", `no card \`${card_id}\` can be read`);
    return JSON.stringify(row);
  },
  find(_, card_id) {
    const opened = current();
    // what another place holds is known as far as somebody looked
    if (opened.home.kind !== "browser") opened.box_ids = undefined;
    const box_ids = (opened.box_ids ??= info().boxes.map((box) => box.box_id));
    return preview(JSON.stringify({ op: "find_cards", card_id, box_ids }), (done) => done.value as Found[]);
  },
  async keep(_, call) {
    await changeCalls((calls) => (calls.some(({ id }) => id === call.id) ? calls.map((one) => (one.id === call.id ? call : one)) : [...calls, call]));
    return info();
  },
  async drop(_, id) {
    await changeCalls((calls) => calls.filter((one) => one.id !== id));
    return info();
  },
  draft: (_, id, text) =>
    changeCalls((calls) => calls.map((one) => {
      if (one.id !== id) return one;
      const { draft: _old, ...call } = one;
      return text === null ? call : { ...call, draft: text };
    })),
  imported: async () => current().log ?? null,
  origins: (_, card_ids) =>
    preview(JSON.stringify({ op: "get_cards", card_ids }), (done) => {
      const { cards } = done.value as { cards: { card_id: string; metadata: { origin?: ImportOrigin } }[] };
      return cards.flatMap(({ card_id, metadata: { origin } }) => (origin === undefined ? [] : [{ card_id, origin }]));
    }),
  previewed: (_, call) => preview(call, (done) => ({ value: JSON.parse(done.valueText) as Json })),
  async runs(_, window, batch_ids) {
    // what other processes did since is not known yet
    if (current().home.kind !== "browser") current().workspace.refresh();
    const now = Date.now();
    const look = async (op: string, args: object) => {
      const done = await current().workspace.preview(jsonText(JSON.stringify({ ...args, op })), { now });
      try {
        return done.value;
      } finally {
        done.dispose();
      }
    };
    const { stateOf } = await import("../runs/state.ts");
    return stateOf(look, now, window, batch_ids);
  },
  async simulate(_, step, window) {
    const { Simulation } = await import("../runs/simulation.ts");
    if (step.do === "start") team = new Simulation();
    if (team === undefined) throw new TuckboxError("bad_request", "no team was started");
    return team.step(step, window);
  },
  async simulated(_, moment) {
    if (team === undefined) throw new TuckboxError("bad_request", "no team was started");
    return team.at(moment);
  },
  async export(_, looking) {
    return withCalls(current().store.export(), info().calls, looking);
  },
  async link(_, looking) {
    return pack(withCalls(current().store.export(), info().calls, looking));
  },
};

/** The text of a project and what is in it: a snapshot as it stands, or the log of another tool. */
async function projectOf(origin: FileOrigin, report: Report): Promise<{ text: string; found: Listed; log?: ImportReport }> {
  let thrown: unknown;
  let files: { name: string; bytes: Uint8Array }[] = [];
  const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());
  if (origin.kind === "addresses" || origin.kind === "files") {
    const given: { name: string; blob: () => Promise<Blob>; size: number }[] = origin.kind === "files"
      ? origin.files.map(({ name, blob }) => ({ name, blob: async () => blob, size: blob.size }))
      : origin.files.map(({ name, address }) => ({ name, blob: async () => (await fetch(address)).blob(), size: 0 }));
    const total = given.reduce((sum, { size }) => sum + size, 0);
    let done = 0;
    for (const { name, blob, size } of given) {
      report({ stage: "read", done, total });
      files.push({ name, bytes: await bytesOf(await blob()) });
      done += size;
    }
    thrown = new TuckboxError("bad_request", "no request to a model stands in these files");
  } else {
    try {
      const text = await textOf(origin, report);
      report({ stage: "check", done: 0, total: text.length });
      files = [{ name: origin.kind === "file" ? origin.name : origin.kind, bytes: new TextEncoder().encode(text) }];
      const found = listed(text, origin.kind === "kept" ? origin.project_id : undefined);
      // what this browser wrote itself is what it should be
      return origin.kind === "kept" && found.log !== undefined ? { text, found, log: found.log as ImportReport } : { text, found };
    } catch (error) {
      if (!(error instanceof TuckboxError) || error.code !== "bad_request") throw error;
      thrown = error;
      if (origin.kind === "file") files = [{ name: origin.name, bytes: await bytesOf(origin.blob) }];
    }
  }
  if (files.length === 0) throw thrown;
  report({ stage: "import", done: 0, total: files.reduce((sum, { bytes }) => sum + bytes.length, 0) });
  const { imported } = await import("../import/read.ts");
  const log = await imported(files);
  if (log === undefined) throw thrown;
  return { text: log.text, found: { ...listed(log.text), looking: log.looking }, log: log.report };
}

/**
 * Under which id the browser keeps a project, and at which revision it is there. The demo has one place; the same
 * text opened again is the same entry, unless somebody has changed that one since.
 */
async function shelfPlace(origin: Origin, text: string): Promise<ShelfPlace> {
  if (origin.kind === "kept") return { id: origin.id, revision: (await keptAbout(origin.id))?.revision ?? 0, isKept: true };
  const id = origin.kind === "demo" ? "demo" : await fingerprint(text);
  const about = await keptAbout(id).catch(() => undefined);
  if (about === undefined) return { id, revision: 0, isKept: false };
  // the demo afresh is a change like any other: whoever looks at it elsewhere is told
  if (origin.kind === "demo") return { id, revision: about.revision ?? 0, isKept: false };
  return about.revision === 1 ? { id, revision: 1, isKept: true } : { id: crypto.randomUUID(), revision: 0, isKept: false };
}

async function fingerprint(text: string): Promise<string> {
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined) return crypto.randomUUID();
  const digest = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function subjectText(subject: Subject): string {
  if ("call" in subject) return `"call":${checked(subject.call)}`;
  if ("turn" in subject) return `"turn":${JSON.stringify(subject.turn)}`;
  return `"box_id":${JSON.stringify(subject.box_id)}`;
}

/** The turn behind a subject, as the call of a turn view. */
async function turnText(subject: Subject, shown: number): Promise<string> {
  if ("turn" in subject) return JSON.stringify(subject.turn);
  if ("box_id" in subject) return JSON.stringify({ context_box_id: subject.box_id });
  const { turn } = await request(subject, { shown });
  return `{"after":${checked(subject.call)},${JSON.stringify(turn).slice(1)}`;
}

async function request(subject: Subject, more: object): Promise<RequestView> {
  try {
    const call = `{"op":"inspect_request",${subjectText(subject)},${JSON.stringify(more).slice(1)}`;
    return await preview(call, (done) => JSON.parse(done.valueText) as RequestView);
  } catch (thrown) {
    throw "call" in subject ? unwrapped(thrown) : thrown;
  }
}

function optionsText(options: PayloadOptions): string {
  return JSON.stringify(options).slice(1, -1);
}

async function sourceText(source: PromptSource): Promise<string> {
  if ("compose" in source) return `"compose":${checked(source.compose)}`;
  return `"turn":${await turnOnce(source.subject, source.shown)}`;
}

// a slider asks for the same turn many times a second
let lastTurn: { key: string; text: string } | undefined;

async function turnOnce(subject: Subject, shown: number): Promise<string> {
  const key = JSON.stringify([subject, shown, env.now]);
  if (lastTurn?.key !== key) lastTurn = { key, text: await turnText(subject, shown) };
  return lastTurn.text;
}

// whoever walks through a list asks for one card of a call after the other
let lastMade: { call: string; env: typeof env; cards: Map<string, string> } | undefined;

/** The cards that a call would write, each as its row. */
async function madeBy(call: string): Promise<Map<string, string>> {
  if (lastMade?.call !== call || lastMade.env !== env) {
    const cards = await preview(call, (done) => new Map(Array.from(done.writes.cards ?? [], (card) => [card.card_id, JSON.stringify(card)])));
    lastMade = { call, env, cards };
  }
  return lastMade.cards;
}

type Ledger = Pick<Prompt, "entries" | "left_out">;

async function composition(compose: string): Promise<Ledger> {
  const composed = await preview(
    `{"op":"compose",${checked(compose).trim().slice(1)}`,
    (done) => JSON.parse(done.valueText) as { ledger: Ledger },
  );
  const { entries, left_out } = composed.ledger;
  return { entries, left_out };
}

async function account(from: string, { options, counting }: Terms): Promise<Account> {
  const call = `${optionsText(options)},${from}`;
  const counter = counting === "estimate" ? "" : `,"counter":${JSON.stringify(await counted(call, counting))}`;
  return preview(
    `{"op":"count_tokens",${call}${counter}}`,
    (done) => JSON.parse(done.valueText) as Account,
  );
}

/** The exact figures of a payload's texts; the vocabulary is loaded the first time they are asked for. */
async function counted(call: string, encoding: Exclude<Counting, "estimate">): Promise<CounterFigures> {
  const { openaiCounter } = await import("tuckbox/counters/openai");
  const counter = await openaiCounter(encoding);
  const { texts } = await preview(`{"op":"token_texts",${call}}`, (done) => done.value as { texts: string[] });
  return { counts: texts.map((text) => counter.count(text)), exact: counter.exact, encoding };
}

/** JSON text, or a refusal: it will stand in the middle of other text. */
function checked(text: string): string {
  return jsonText(text).toString();
}

/** A fault of a call that was wrapped, told from where the call itself begins. */
function unwrapped(thrown: unknown): unknown {
  if (!(thrown instanceof TuckboxError)) return thrown;
  const path = thrown.path.replace(/^call(?:\.|(?=\[)|$)/, "");
  return new TuckboxError(thrown.code, thrown.message, { path, details: thrown.details, cause: thrown });
}

function faultOf(thrown: unknown): Fault {
  if (thrown instanceof TuckboxError) {
    const { code, message, path, details } = thrown;
    return { code, message, path, details: details as Json };
  }
  return { code: "page", message: thrown instanceof Error ? thrown.message : String(thrown), path: "", details: null };
}

/** Answers one question; `isLive` says whether whoever asked still waits. */
export async function answer({ id, method, params }: Ask, say: (answer: Answer) => void, isLive: () => boolean): Promise<void> {
  try {
    const work = methods[method] as (report: Report, ...params: unknown[]) => Promise<unknown>;
    const report = Object.assign((progress: Progress) => say({ id, progress }), { isLive });
    say({ id, result: await work(report, ...params) });
  } catch (thrown) {
    say({ id, fault: faultOf(thrown) });
  }
}
