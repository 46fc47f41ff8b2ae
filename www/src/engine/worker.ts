// The package, off the main thread: opens a project in a store and answers the page's questions.
import { jsonText, memoryStore, open, TuckboxError } from "tuckbox/web";
import type { MemoryStore, Preview, Workspace } from "tuckbox/web";
import type {
  Account,
  Answer,
  Ask,
  Comparison,
  Counting,
  Fault,
  Fitted,
  Found,
  Home,
  Json,
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
  Seen,
  Subject,
  Turn,
  View,
} from "./protocol.ts";
import { attach, callOf } from "./page.ts";
import { connect } from "./server.ts";
import { forgetProject, keepProject, keptProjects } from "./shelf.ts";
import { listed, pack, textOf, withCalls } from "./snapshot.ts";
import { member } from "../text/pretty.ts";

interface Opened {
  /** Everything that is known of the project. */
  store: MemoryStore;
  workspace: Workspace;
  calls: NamedCall[];
  home: Home;
  /** The ids of its boxes, until something is committed. */
  box_ids?: string[] | undefined;
}

let opened: Opened | undefined;

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
  const { store, calls } = current();
  return { ...listed(store.export()).info, calls };
}

type Report = (progress: Progress) => void;
type Handlers = {
  [M in keyof Methods]: (report: Report, ...params: Parameters<Methods[M]>) => Promise<ReturnType<Methods[M]>>;
};

const methods: Handlers = {
  async open(report, origin) {
    if (origin.kind === "server") {
      report({ stage: "connect", done: 0, total: 0 });
      const { seen, workspace } = await connect(origin);
      opened = { store: seen, workspace, calls: [], home: { kind: "server", host: new URL(origin.url).host } };
      return { info: info(), home: opened.home, looking: {} };
    }
    if (origin.kind === "page") {
      report({ stage: "connect", done: 0, total: 0 });
      const { seen, workspace } = await attach(origin);
      opened = { store: seen, workspace, calls: [], home: { kind: "page", name: origin.name, commits: origin.commits } };
      return { info: info(), home: opened.home, looking: {} };
    }
    const text = await textOf(origin, report);
    report({ stage: "check", done: 0, total: text.length });
    const found = listed(text);
    const store = memoryStore(text);
    report({ stage: "open", done: 0, total: 0 });
    const workspace = await open(store, { project_id: found.info.project_id });
    opened = { store, workspace, calls: found.info.calls, home: { kind: "browser", id: shelfId(origin) } };
    return { ...found, home: opened.home };
  },
  info: async () => info(),
  async happened(_, event) {
    const opened = current();
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
  async save() {
    const { store, calls, home } = current();
    if (home.kind !== "browser") return;
    const { project_id, cards, boxes } = info();
    const about = { id: home.id, project_id, saved: Date.now(), cards, boxes: boxes.length };
    await keepProject(about, withCalls(store.export(), calls, {}));
  },
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
  async turn(_, subject, shown) {
    const turn = await turnText(subject, shown);
    const seen = await preview(`{"op":"turn_view",${turn.slice(1)}`, (done) => JSON.parse(done.valueText) as Turn);
    return { turn: seen, account: await account(`"turn":${turn}`, { provider: "neutral" }) };
  },
  async payload(_, source, options, counting) {
    const from = await sourceText(source);
    const made = await preview(`{"op":"payload",${JSON.stringify(options).slice(1, -1)},${from}}`, (done) => done.valueText);
    const { losses, renamed_tools } = JSON.parse(made) as PayloadView;
    return { body: member(made, "body"), losses, renamed_tools, account: await account(from, options, counting) };
  },
  async compare(_, left, right, provider) {
    const side = ({ subject, shown }: Seen) => `{${subjectText(subject)},"shown":${shown}}`;
    const sides = `"left":${side(left)},"right":${side(right)}`;
    const comparison = await preview(`{"op":"compare",${sides}}`, (done) => JSON.parse(done.valueText) as Comparison);
    try {
      const [before, after] = [await turnText(left.subject, left.shown), await turnText(right.subject, right.shown)];
      const cache = await preview(
        `{"op":"diff_payloads","provider":"${provider}","before":{"turn":${before}},"after":{"turn":${after}}}`,
        (done) => JSON.parse(done.valueText) as PayloadDiff,
      );
      return { comparison, cache, cache_fault: null };
    } catch (thrown) {
      return { comparison, cache: null, cache_fault: faultOf(thrown) };
    }
  },
  async prompt(_, source, provider) {
    const from = await sourceText(source);
    // a budget without a limit is the prompt as it stands, with its origins
    const whole = await preview(
      `{"op":"budget","provider":"${provider}","limit":${Number.MAX_SAFE_INTEGER},${from}}`,
      (done) => JSON.parse(done.valueText) as { prompt: Omit<Prompt, "account" | keyof Ledger>; account: Account },
    );
    const ledger = "compose" in source ? await composition(source.compose) : { entries: [], left_out: [] };
    return { ...whole.prompt, account: whole.account, ...ledger };
  },
  async budget(_, source, { provider, limit, pinned }) {
    const from = await sourceText(source);
    return preview(
      `{"op":"budget","provider":"${provider}","limit":${limit},"pinned":${JSON.stringify(pinned)},"brief":true,${from}}`,
      (done) => JSON.parse(done.valueText) as Fitted,
    );
  },
  writes: (_, call) => preview(call, (done) => done.writesText),
  async commit(_, call) {
    const receipt = await preview(call, (done) => done.commit());
    env = freshEnv();
    current().box_ids = undefined;
    return { receipt: receipt as Receipt, info: info() };
  },
  async card(_, card_id, call) {
    if (call !== null) {
      const made = await preview(call, (done) => rowText([...(done.writes.cards ?? [])], card_id));
      if (made !== null) return made;
    }
    const get = JSON.stringify({ op: "get_cards", card_ids: [card_id] });
    const found = await preview(get, (done) => done.value as { cards: Json[] });
    const text = rowText(found.cards, card_id);
    if (text === null) throw new TuckboxError("not_found", `no card \`${card_id}\` can be read`);
    return text;
  },
  find(_, card_id) {
    const opened = current();
    // what another place holds is known as far as somebody looked
    if (opened.home.kind !== "browser") opened.box_ids = undefined;
    const box_ids = (opened.box_ids ??= info().boxes.map((box) => box.box_id));
    return preview(JSON.stringify({ op: "find_cards", card_id, box_ids }), (done) => done.value as Found[]);
  },
  async keep(_, call) {
    const opened = current();
    opened.calls = [...opened.calls.filter((one) => one.id !== call.id), call];
    return info();
  },
  async drop(_, id) {
    const opened = current();
    opened.calls = opened.calls.filter((one) => one.id !== id);
    return info();
  },
  async export(_, looking) {
    const { store, calls } = current();
    return withCalls(store.export(), calls, looking);
  },
  async link(_, looking) {
    const { store, calls } = current();
    return pack(withCalls(store.export(), calls, looking));
  },
};

/** Under which id the browser keeps a project. The demo has one place, everything else its own. */
function shelfId(origin: Origin): string {
  if (origin.kind === "kept") return origin.id;
  return origin.kind === "demo" ? "demo" : crypto.randomUUID();
}

function subjectText(subject: Subject): string {
  if ("call" in subject) return `"call":${checked(subject.call)}`;
  if ("turn" in subject) return `"turn":${JSON.stringify(subject.turn)}`;
  return `"box_id":${JSON.stringify(subject.box_id)}`;
}

interface Receiver {
  context_box_id: string;
  profile_box_id?: string | null;
  output_box_id?: string | null;
  display_name?: string;
}

/** Who receives the boxes that a call packs, in their order. */
function receivers(value: unknown): Receiver[] {
  if (typeof value !== "object" || value === null) return [];
  const { context_box_id, dispatch, packed, tasks } = value as Record<string, unknown>;
  if (typeof context_box_id === "string") return [value as Receiver];
  if (Array.isArray(tasks)) return tasks.flatMap((task: { handed: unknown }) => receivers(task.handed));
  return receivers(dispatch ?? packed);
}

/** The turn behind a subject, as the call of a turn view. */
async function turnText(subject: Subject, shown: number): Promise<string> {
  if ("turn" in subject) return JSON.stringify(subject.turn);
  if ("box_id" in subject) return JSON.stringify({ context_box_id: subject.box_id });
  const receiver = await preview(subject.call, (done) => receivers(done.value)[shown]);
  if (receiver === undefined) throw new TuckboxError("bad_request", "the call packs no context: nobody would see anything");
  const { context_box_id, profile_box_id, output_box_id, display_name } = receiver;
  const dialect = (JSON.parse(subject.call) as { dialect?: Json }).dialect;
  const boxes = JSON.stringify({
    context_box_id,
    ...(profile_box_id ? { profile_box_id } : {}),
    ...(output_box_id ? { output_box_id } : {}),
    ...(display_name === undefined ? {} : { display_name }),
    ...(dialect === undefined ? {} : { dialect }),
  });
  return `{"after":${checked(subject.call)},${boxes.slice(1)}`;
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

type Ledger = Pick<Prompt, "entries" | "left_out">;

async function composition(compose: string): Promise<Ledger> {
  const composed = await preview(
    `{"op":"compose",${checked(compose).trim().slice(1)}`,
    (done) => JSON.parse(done.valueText) as { ledger: Ledger },
  );
  const { entries, left_out } = composed.ledger;
  return { entries, left_out };
}

async function account(from: string, options: PayloadOptions, counting: Counting = "estimate"): Promise<Account> {
  const call = `${JSON.stringify(options).slice(1, -1)},${from}`;
  const counter = counting === "estimate" ? "" : `,"counter":${JSON.stringify(await counted(call, counting))}`;
  return preview(
    `{"op":"count_tokens",${call}${counter}}`,
    (done) => JSON.parse(done.valueText) as Account,
  );
}

/** The exact figures of a payload's texts; the vocabulary is loaded the first time they are asked for. */
async function counted(call: string, encoding: Exclude<Counting, "estimate">): Promise<{ counts: number[]; exact: boolean }> {
  const { openaiCounter } = await import("tuckbox/counters/openai");
  const counter = await openaiCounter(encoding);
  const { texts } = await preview(`{"op":"token_texts",${call}}`, (done) => done.value as { texts: string[] });
  return { counts: texts.map((text) => counter.count(text)), exact: counter.exact };
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

function rowText(cards: unknown[], card_id: string): string | null {
  const found = cards.find((card) => (card as { card_id: string }).card_id === card_id);
  return found === undefined ? null : JSON.stringify(found);
}

function faultOf(thrown: unknown): Fault {
  if (thrown instanceof TuckboxError) {
    const { code, message, path, details } = thrown;
    return { code, message, path, details: details as Json };
  }
  return { code: "page", message: thrown instanceof Error ? thrown.message : String(thrown), path: "", details: null };
}

self.onmessage = async ({ data: { id, method, params } }: MessageEvent<Ask>) => {
  const say = (answer: Answer) => self.postMessage(answer);
  try {
    const work = methods[method] as (report: Report, ...params: unknown[]) => Promise<unknown>;
    say({ id, result: await work((progress) => say({ id, progress }), ...params) });
  } catch (thrown) {
    say({ id, fault: faultOf(thrown) });
  }
};
