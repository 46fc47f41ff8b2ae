// The methods that are not needed for the first view.

import type { Fitted as Budgeted, Composed, CounterFigures, HandoverPreview, Results } from "tuckbox/web";
import { jsonText, open, openTimeline, TuckboxError } from "tuckbox/web";
import type { Simulation } from "../runs/simulation.ts";
import { member } from "../text/pretty.ts";
import { pack } from "./link.ts";
import type {
  Account,
  BudgetOptions,
  CardCosts,
  Comparison,
  ContextRef,
  Counting,
  FitResult,
  FitResults,
  Found,
  Handover,
  HandoverSide,
  Hits,
  Json,
  PayloadDiff,
  PayloadOptions,
  PayloadView,
  PromptSource,
  Receipt,
  RequestTerms,
  RequestView,
  SizedContextRef,
  Subject,
  Turn,
  View,
} from "./protocol.ts";
import {
  type Args,
  changeCalls,
  current,
  currentEnv,
  errorData,
  type Handlers,
  inspect,
  nextEnv,
  preview,
  previewText,
  projectInfo,
  subjectOf,
  toJsonText,
} from "./session.ts";
import { exportText } from "./snapshot.ts";

/** The simulated team. */
let team: Simulation | undefined;

/** The maximum number of calls kept for an inspected page. */
const MAX_PAGE_CALLS = 200;

/** The maximum number of boxes that are looked up to find the newest one. */
const MAX_TRIED = 50;

type LazyMethod =
  | "saveCall"
  | "saveDraft"
  | "selectProject"
  | "recordEvent"
  | "turnView"
  | "inspectRequest"
  | "findMatches"
  | "previewHandover"
  | "searchCards"
  | "payload"
  | "compare"
  | "prompt"
  | "budget"
  | "budgets"
  | "budgetCall"
  | "previewWrites"
  | "commit"
  | "findCard"
  | "newestBox"
  | "readLive"
  | "importReport"
  | "timeline"
  | "timelineStep"
  | "timelineRequest"
  | "timelineMessage"
  | "timelineFind"
  | "preview"
  | "runState"
  | "simulate"
  | "simulatedSnapshot"
  | "exportProject"
  | "exportLink";

export const lazyMethods: Pick<Handlers, LazyMethod> = {
  async saveCall(_, call) {
    await changeCalls((calls) =>
      calls.some(({ id }) => id === call.id) ? calls.map((one) => (one.id === call.id ? call : one)) : [...calls, call],
    );
    return projectInfo();
  },
  saveDraft: (_, id, text) =>
    changeCalls((calls) =>
      calls.map((one) => {
        if (one.id !== id) return one;
        const { draft: _old, ...call } = one;
        return text === null ? call : { ...call, draft: text };
      }),
    ),
  async selectProject(_, project_id) {
    const opened = current();
    if (opened.shared === undefined) throw new TuckboxError("bad_request", "only a project in the browser can be switched");
    opened.workspace = await open(opened.shared.store, { projectId: project_id });
    opened.project_id = opened.shared.project_id = project_id;
    opened.box_ids = undefined;
    return projectInfo();
  },
  async recordEvent(_, event) {
    const opened = current();
    const { callOf } = await import("./page.ts");
    const { op, call } = callOf(event, opened.calls);
    if (call !== null) opened.calls = [call, ...opened.calls.filter(({ id }) => id !== call.id)].slice(0, MAX_PAGE_CALLS);
    if (event.kind === "commit") {
      // a commit changed boxes of the page, so what was read is stale
      opened.workspace.refresh();
      (await opened.workspace.preview("get_boxes", { box_ids: event.boxes })).dispose();
    }
    return { info: projectInfo(), op, call_id: call?.id ?? null };
  },
  async turnView(_, subject, shown, terms) {
    const turn = await cachedTurn(subject, shown);
    const view = await preview("turn_view", turn, (done) => JSON.parse(done.valueText) as Turn);
    return { turn: view, account: await account({ turn }, terms) };
  },
  async inspectRequest(_, context, { options, counting }, window) {
    const { subject, shown } = context;
    const counter =
      counting === "estimate" ? {} : { counter: await exactCounts({ ...options, turn: await cachedTurn(subject, shown) }, counting) };
    await prefetchCards(context);
    const {
      cards,
      losses: _losses,
      ...more
    } = await inspect("inspect_request", subject, { shown, window, ...options, ...counter }, (text) => JSON.parse(text) as RequestView);
    return { ...more, cards: toColumns(cards) };
  },
  findMatches: (_, { subject, shown, find }) =>
    inspect("inspect", subject, { shown, find, from: 0, to: 0 }, (text) => Uint32Array.from((JSON.parse(text) as View).matches ?? [])),
  previewHandover: (_, call, task) =>
    preview("preview_handover", { call: jsonText(call), task }, (done): Handover => {
      const { sender, receiver, receiver_is, shared, added, not_passed_on, audit } = JSON.parse(done.valueText) as HandoverPreview;
      type SideTurn = HandoverPreview["receiver"];
      const side = (turn: SideTurn, name: string): HandoverSide => ({
        name,
        cards: turn.entries.length,
        messages: turn.request.messages.length,
      });
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
  searchCards(_, text, limit) {
    const opened = current();
    if (opened.storedIn.kind !== "browser") opened.box_ids = undefined;
    const box_ids = (opened.box_ids ??= projectInfo().boxes.map((box) => box.box_id));
    return preview("search_cards", { text, box_ids, limit }, (done) => done.value as Hits);
  },
  async payload(_, source, terms) {
    const from = await sourceArgs(source);
    const made = await preview("payload", { ...terms.options, ...from }, (done) => done.valueText);
    const { losses, renamed_tools } = JSON.parse(made) as PayloadView;
    return { body: member(made, "body"), losses, renamed_tools, account: await account(from, terms) };
  },
  async compare(_, left, right, { options }) {
    const side = ({ subject, shown }: ContextRef) => ({ ...subjectOf(subject), shown });
    const comparison = await preview(
      "compare",
      { ...options, left: side(left), right: side(right) },
      (done) => JSON.parse(done.valueText) as Comparison,
    );
    try {
      const [before, after] = [await turnOf(left.subject, left.shown), await turnOf(right.subject, right.shown)];
      const sides = { before: { turn: before }, after: { turn: after } };
      const cache = await preview(
        "diff_payloads",
        { provider: options.provider, ...sides },
        (done) => JSON.parse(done.valueText) as PayloadDiff,
      );
      return { comparison, cache, cache_error: null };
    } catch (thrown) {
      return { comparison, cache: null, cache_error: errorData(thrown) };
    }
  },
  async prompt(_, source, { options }) {
    // a budget without a limit returns the whole prompt with its origins
    const all = { ...options, limit: Number.MAX_SAFE_INTEGER, ...(await sourceArgs(source)) };
    const whole = await preview("budget", all, (done) => JSON.parse(done.valueText) as Budgeted);
    const ledger = "compose" in source ? await composeLedger(source.compose) : { entries: [], left_out: [] };
    const { messages, origins } = whole.prompt;
    return { messages, origins, account: whole.account, ...ledger };
  },
  async budget(_, source, options, { options: more }) {
    const args = await budgetArgs(source, options, more, { brief: true });
    return preview("budget", args, (done) => encodeFit(JSON.parse(done.valueText) as Budgeted));
  },
  async budgets(_, source, options, limits, { options: more }) {
    const args = await budgetArgs(source, options, more, { brief: true, also: limits });
    return preview("budget", args, (done): FitResults => {
      const { dropped, also = [] } = JSON.parse(done.valueText) as Budgeted;
      return { order: Int32Array.from(dropped, ({ position }) => position), first: Int32Array.from(dropped, firstOf), limits: [...also] };
    });
  },
  budgetCall: async (_, source, options, { options: more }) => toJsonText({ op: "budget", ...(await budgetArgs(source, options, more)) }),
  previewWrites: (_, call) => previewText(call, (done) => ({ text: done.writesText, content_hash: done.contentHash })),
  async commit(_, call) {
    const receipt = await previewText(call, (done) => done.commit());
    nextEnv();
    const opened = current();
    opened.box_ids = undefined;
    const saveError = opened.shared?.saveError ?? null;
    return { receipt: receipt as Receipt, info: projectInfo(), save_error: saveError === null ? null : errorData(saveError) };
  },
  async newestBox() {
    // profiles are listed first, then what agents use, then what calls packed
    const { boxes } = await preview("list_boxes", {}, (done) => done.value as Results["list_boxes"]);
    const info = projectInfo();
    const isUsed = ({ uses }: { uses: readonly { kind: string }[] }) => uses.some(({ kind }) => kind !== "profile");
    const profiles = info.agents.length > 0 ? [] : boxes.filter((box) => !isUsed(box));
    const box_ids = [...profiles, ...boxes.filter(isUsed)].map(({ box_id }) => box_id).slice(-MAX_TRIED);
    const known = info.boxes[0]?.box_id;
    if (box_ids.length === 0) return known ?? null;
    // a row can name a box that does not exist
    const found = await preview("get_boxes", { box_ids }, (done) => done.value as Results["get_boxes"]);
    const existing = new Set(found.boxes.map(({ box_id }) => box_id));
    return box_ids.findLast((box_id) => existing.has(box_id)) ?? known ?? null;
  },
  findCard(_, card_id) {
    const opened = current();
    // of a remote project only the boxes that were read are known
    if (opened.storedIn.kind !== "browser") opened.box_ids = undefined;
    const box_ids = (opened.box_ids ??= projectInfo().boxes.map((box) => box.box_id));
    return preview("find_cards", { card_id, box_ids }, (done) => done.value as Found[]);
  },
  async readLive(_, files) {
    const { log } = current();
    const live = log?.live;
    if (log === undefined || live === undefined) throw new TuckboxError("bad_request", "the open project is not a growing log");
    const changed = await live.read(files);
    if (changed) log.replace(live.files(), await openTimeline(live.files()));
    return { changed, omitted: live.omitted };
  },
  importReport: async () => current().log?.report ?? null,
  timeline: async (_, session) => current().log?.overview(session) ?? null,
  timelineStep: async (_, session, step) => current().log?.timeline.ask({ ...ofSession(session), step, brief: true }) ?? null,
  timelineRequest: async (_, session, step) => current().log?.timeline.ask({ ...ofSession(session), step }).messages ?? [],
  timelineMessage: async (_, session, message) => current().log?.timeline.ask({ ...ofSession(session), message }) ?? null,
  timelineFind: async (_, session, find) => current().log?.timeline.ask({ ...ofSession(session), find }) ?? null,
  preview: (_, call) => previewText(call, (done) => ({ value: JSON.parse(done.valueText) as Json })),
  async runState(_, window, batch_ids) {
    // other processes may have changed the store
    if (current().storedIn.kind !== "browser") current().workspace.refresh();
    const now = Date.now();
    const look = async (op: string, args: object) => {
      const done = await current().workspace.preview(jsonText(JSON.stringify({ ...args, op })), { now });
      try {
        return done.value;
      } finally {
        done.dispose();
      }
    };
    const { readRunState } = await import("../runs/state.ts");
    return readRunState(look, now, window, batch_ids);
  },
  async simulate(_, step, window) {
    const { Simulation } = await import("../runs/simulation.ts");
    if (step.do === "start") team = new Simulation();
    if (team === undefined) throw new TuckboxError("bad_request", "no team is running; start one first");
    return team.run(step, window);
  },
  async simulatedSnapshot(_, step) {
    if (team === undefined) throw new TuckboxError("bad_request", "no team is running; start one first");
    return team.snapshotAt(step);
  },
  async exportProject(_, view) {
    return exportText(current().store.export(), projectInfo().calls, view);
  },
  async exportLink(_, view) {
    const { maskJson } = await import("tuckbox/mask");
    return pack(maskJson(exportText(current().store.export(), projectInfo().calls, view)));
  },
};

function ofSession(session: number | undefined): { session?: number } {
  return session === undefined ? {} : { session };
}

/** Cards are read in slices of this size; other calls are answered between two slices. */
const SLICE = 1_000;

/** Reads the cards of a large context in slices, so that counting them does not block other calls. */
async function prefetchCards({ subject, shown, cards }: SizedContextRef): Promise<void> {
  for (let to = SLICE; to < cards; to += SLICE) {
    await preview("inspect", { ...subjectOf(subject), shown, from: to - SLICE, to }, () => undefined);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** Returns the turn of a subject, as arguments of `turn_view`. */
async function turnOf(subject: Subject, shown: number): Promise<Args> {
  if ("turn" in subject) return subject.turn;
  if ("box_id" in subject) return { context_box_id: subject.box_id };
  const { turn } = await inspect("inspect_request", subject, { shown }, (text) => JSON.parse(text) as RequestView);
  return { after: jsonText(subject.call), ...turn };
}

/** Encodes a fit for transfer to the page; a slider requests many per second. */
function encodeFit({ kept, dropped, limit, protected_tokens, account: { tokens, exact, cost } }: Budgeted): FitResult {
  const droppedWith = new Int32Array(kept.length + dropped.length).fill(-1);
  for (const message of dropped) droppedWith[message.position] = firstOf(message);
  return {
    kept: kept.length,
    dropped: dropped.length,
    dropped_with: droppedWith,
    limit,
    protected_tokens,
    account: { tokens, exact, cost },
  };
}

/** Returns the message that a message is dropped with: the first of its group, or itself. */
function firstOf({ position, reason }: Budgeted["dropped"][number]): number {
  return reason.kind === "with_its_call" ? reason.first : position;
}

/** Encodes the costs of cards for transfer to the page. */
function toColumns(cards: RequestView["cards"]): CardCosts {
  const fates = new Map<string, number>();
  const found: CardCosts = {
    tokens: new Float64Array(cards.length),
    outcome: new Uint16Array(cards.length),
    outcomes: [],
    message: new Uint32Array(cards.length),
  };
  cards.forEach((card, at) => {
    const { became, exact = false } = card;
    const reason = became === "nothing" ? card.reason : "";
    const key = `${became} ${exact} ${reason}`;
    let fate = fates.get(key);
    if (fate === undefined) {
      fate = found.outcomes.push(became === "nothing" ? { became, reason, exact } : { became, exact }) - 1;
      fates.set(key, fate);
    }
    found.outcome[at] = fate;
    found.tokens[at] = card.tokens;
    if (became === "message") found.message[at] = card.position;
  });
  return found;
}

async function sourceArgs(source: PromptSource): Promise<object> {
  return "compose" in source ? { compose: jsonText(source.compose) } : { turn: await cachedTurn(source.subject, source.shown) };
}

/** Returns the arguments of a budget. The brief form names the messages that stay and does not repeat them. */
async function budgetArgs(
  source: PromptSource,
  { limit, pinned }: BudgetOptions,
  options: PayloadOptions,
  more: { brief?: true; also?: number[] } = {},
): Promise<{ readonly [name: string]: unknown }> {
  return { ...options, limit, pinned, ...more, ...(await sourceArgs(source)) };
}

// a slider requests the same turn many times per second
let lastTurn: { key: string; turn: Args } | undefined;

async function cachedTurn(subject: Subject, shown: number): Promise<Args> {
  const key = JSON.stringify([subject, shown, currentEnv().now]);
  if (lastTurn?.key !== key) lastTurn = { key, turn: await turnOf(subject, shown) };
  return lastTurn.turn;
}

async function composeLedger(compose: string): Promise<Composed["ledger"]> {
  const composed = await preview("compose", jsonText(compose), (done) => JSON.parse(done.valueText) as Composed);
  const { entries, left_out } = composed.ledger;
  return { entries, left_out };
}

async function account(from: object, { options, counting }: RequestTerms): Promise<Account> {
  const args = { ...options, ...from };
  const counter = counting === "estimate" ? {} : { counter: await exactCounts(args, counting) };
  return preview("count_tokens", { ...args, ...counter }, (done) => JSON.parse(done.valueText) as Account);
}

/** Returns exact token counts of a payload's strings. The vocabulary is loaded on first use. */
async function exactCounts(args: Args, encoding: Exclude<Counting, "estimate">): Promise<CounterFigures> {
  const { openaiCounter } = await import("tuckbox/counters/openai");
  const counter = await openaiCounter(encoding);
  const { texts } = await preview("token_texts", args, (done) => done.value as Results["token_texts"]);
  return { counts: texts.map((text) => counter.count(text)), exact: counter.exact, encoding };
}
