// The methods that are not needed for the first view.
import { jsonText, open, TuckboxError } from "tuckbox/web";
import type { Composed, CounterFigures, Fitted as Budgeted, HandoverPreview, ImportOrigin, Results } from "tuckbox/web";
import type { Account, BudgetOptions, CardCosts, Comparison, Counting, Fits, Fitted, Found, Handover, HandoverSide, Hits, Json, PayloadDiff, PayloadOptions, PayloadView, PromptSource, Receipt, RequestView, Seen, Sized, Subject, Terms, Turn, View } from "./protocol.ts";
import type { Simulation } from "../runs/simulation.ts";
import { type Args, current, envNow, faultOf, type Handlers, info, inspect, nextEnv, preview, previewText, subjectOf, textOf } from "./session.ts";
import { pack } from "./link.ts";
import { withCalls } from "./snapshot.ts";
import { member } from "../text/pretty.ts";

/** The simulated team. */
let team: Simulation | undefined;

/** The maximum number of calls kept for an inspected page. */
const MOST_CALLS = 200;

type Late = "project" | "happened" | "turn" | "request" | "matches" | "handover" | "search" | "payload" | "compare" | "prompt" | "budget" | "budgets" | "fitting" | "writes" | "commit" | "find" | "origins" | "previewed" | "runs" | "simulate" | "simulated" | "export" | "link";

export const late: Pick<Handlers, Late> = {
  async project(_, project_id) {
    const opened = current();
    if (opened.shared === undefined) throw new TuckboxError("bad_request", "only what lies in the browser has neighbours");
    opened.workspace = await open(opened.shared.store, { project_id });
    opened.project_id = opened.shared.project_id = project_id;
    opened.box_ids = undefined;
    return info();
  },
  async happened(_, event) {
    const opened = current();
    const { callOf } = await import("./page.ts");
    const { op, call } = callOf(event, opened.calls);
    if (call !== null) opened.calls = [call, ...opened.calls.filter(({ id }) => id !== call.id)].slice(0, MOST_CALLS);
    if (event.kind === "commit") {
      // a commit changed boxes of the page, so what was read is stale
      opened.workspace.refresh();
      (await opened.workspace.preview("get_boxes", { box_ids: event.boxes })).dispose();
    }
    return { info: info(), op, call_id: call?.id ?? null };
  },
  async turn(_, subject, shown, terms) {
    const turn = await turnOnce(subject, shown);
    const seen = await preview("turn_view", turn, (done) => JSON.parse(done.valueText) as Turn);
    return { turn: seen, account: await account({ turn }, terms) };
  },
  async request(_, seen, { options, counting }, window) {
    const { subject, shown } = seen;
    const counter = counting === "estimate" ? {} : { counter: await counted({ ...options, turn: await turnOnce(subject, shown) }, counting) };
    await readAhead(seen);
    const { cards, losses: _losses, ...more } = await inspect("inspect_request", subject, { shown, window, ...options, ...counter }, (text) => JSON.parse(text) as RequestView);
    return { ...more, cards: inColumns(cards) };
  },
  matches: (_, { subject, shown, find }) =>
    inspect("inspect", subject, { shown, find, from: 0, to: 0 }, (text) => Uint32Array.from((JSON.parse(text) as View).matches ?? [])),
  handover: (_, call, task) =>
    preview("preview_handover", { call: jsonText(call), task }, (done): Handover => {
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
  search(_, text, limit) {
    const opened = current();
    if (opened.home.kind !== "browser") opened.box_ids = undefined;
    const box_ids = (opened.box_ids ??= info().boxes.map((box) => box.box_id));
    return preview("search_cards", { text, box_ids, limit }, (done) => done.value as Hits);
  },
  async payload(_, source, terms) {
    const from = await sourceOf(source);
    const made = await preview("payload", { ...terms.options, ...from }, (done) => done.valueText);
    const { losses, renamed_tools } = JSON.parse(made) as PayloadView;
    return { body: member(made, "body"), losses, renamed_tools, account: await account(from, terms) };
  },
  async compare(_, left, right, { options }) {
    const side = ({ subject, shown }: Seen) => ({ ...subjectOf(subject), shown });
    const comparison = await preview("compare", { ...options, left: side(left), right: side(right) }, (done) => JSON.parse(done.valueText) as Comparison);
    try {
      const [before, after] = [await turnOf(left.subject, left.shown), await turnOf(right.subject, right.shown)];
      const sides = { before: { turn: before }, after: { turn: after } };
      const cache = await preview("diff_payloads", { provider: options.provider, ...sides }, (done) => JSON.parse(done.valueText) as PayloadDiff);
      return { comparison, cache, cache_fault: null };
    } catch (thrown) {
      return { comparison, cache: null, cache_fault: faultOf(thrown) };
    }
  },
  async prompt(_, source, { options }) {
    // a budget without a limit returns the whole prompt with its origins
    const all = { ...options, limit: Number.MAX_SAFE_INTEGER, ...(await sourceOf(source)) };
    const whole = await preview("budget", all, (done) => JSON.parse(done.valueText) as Budgeted);
    const ledger = "compose" in source ? await composition(source.compose) : { entries: [], left_out: [] };
    const { messages, origins } = whole.prompt;
    return { messages, origins, account: whole.account, ...ledger };
  },
  async budget(_, source, options, { options: more }) {
    const args = await budgetOf(source, options, more, { brief: true });
    return preview("budget", args, (done) => fitted(JSON.parse(done.valueText) as Budgeted));
  },
  async budgets(_, source, options, limits, { options: more }) {
    const args = await budgetOf(source, options, more, { brief: true, also: limits });
    return preview("budget", args, (done): Fits => {
      const { dropped, also = [] } = JSON.parse(done.valueText) as Budgeted;
      return { order: Int32Array.from(dropped, ({ position }) => position), first: Int32Array.from(dropped, firstOf), limits: [...also] };
    });
  },
  fitting: async (_, source, options, { options: more }) => textOf({ op: "budget", ...(await budgetOf(source, options, more)) }),
  writes: (_, call) => previewText(call, (done) => ({ text: done.writesText, content_hash: done.contentHash })),
  async commit(_, call) {
    const receipt = await previewText(call, (done) => done.commit());
    nextEnv();
    const opened = current();
    opened.box_ids = undefined;
    const lost = opened.shared?.lost ?? null;
    return { receipt: receipt as Receipt, info: info(), lost: lost === null ? null : faultOf(lost) };
  },
  find(_, card_id) {
    const opened = current();
    // of a remote project only the boxes that were read are known
    if (opened.home.kind !== "browser") opened.box_ids = undefined;
    const box_ids = (opened.box_ids ??= info().boxes.map((box) => box.box_id));
    return preview("find_cards", { card_id, box_ids }, (done) => done.value as Found[]);
  },
  origins: (_, card_ids) =>
    preview("get_cards", { card_ids }, (done) => {
      const { cards } = done.value as { cards: { card_id: string; metadata: { origin?: ImportOrigin } }[] };
      return cards.flatMap(({ card_id, metadata: { origin } }) => (origin === undefined ? [] : [{ card_id, origin }]));
    }),
  previewed: (_, call) => previewText(call, (done) => ({ value: JSON.parse(done.valueText) as Json })),
  async runs(_, window, batch_ids) {
    // other processes may have changed the store
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

/** Cards are read in slices of this size; other calls are answered between two slices. */
const SLICE = 1_000;

/** Reads the cards of a large context in slices, so that counting them does not block other calls. */
async function readAhead({ subject, shown, cards }: Sized): Promise<void> {
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
function fitted({ kept, dropped, limit, protected_tokens, account: { tokens, exact } }: Budgeted): Fitted {
  const gone = new Int32Array(kept.length + dropped.length).fill(-1);
  for (const message of dropped) gone[message.position] = firstOf(message);
  return { kept: kept.length, dropped: dropped.length, gone, limit, protected_tokens, account: { tokens, exact } };
}

/** Returns the message that a message is dropped with: the first of its group, or itself. */
function firstOf({ position, reason }: Budgeted["dropped"][number]): number {
  return reason.kind === "with_its_call" ? reason.first : position;
}

/** Encodes the costs of cards for transfer to the page. */
function inColumns(cards: RequestView["cards"]): CardCosts {
  const fates = new Map<string, number>();
  const found: CardCosts = { tokens: new Float64Array(cards.length), fate: new Uint16Array(cards.length), fates: [], message: new Uint32Array(cards.length) };
  cards.forEach((card, at) => {
    const { became, exact = false } = card;
    const reason = became === "nothing" ? card.reason : "";
    const key = `${became} ${exact} ${reason}`;
    let fate = fates.get(key);
    if (fate === undefined) {
      fate = found.fates.push(became === "nothing" ? { became, reason, exact } : { became, exact }) - 1;
      fates.set(key, fate);
    }
    found.fate[at] = fate;
    found.tokens[at] = card.tokens;
    if (became === "message") found.message[at] = card.position;
  });
  return found;
}

async function sourceOf(source: PromptSource): Promise<object> {
  return "compose" in source ? { compose: jsonText(source.compose) } : { turn: await turnOnce(source.subject, source.shown) };
}

/** Returns the arguments of a budget. The brief form names the messages that stay and does not repeat them. */
async function budgetOf(source: PromptSource, { limit, pinned }: BudgetOptions, options: PayloadOptions, more: { brief?: true; also?: number[] } = {}): Promise<{ readonly [name: string]: unknown }> {
  return { ...options, limit, pinned, ...more, ...(await sourceOf(source)) };
}

// a slider requests the same turn many times per second
let lastTurn: { key: string; turn: Args } | undefined;

async function turnOnce(subject: Subject, shown: number): Promise<Args> {
  const key = JSON.stringify([subject, shown, envNow().now]);
  if (lastTurn?.key !== key) lastTurn = { key, turn: await turnOf(subject, shown) };
  return lastTurn.turn;
}

async function composition(compose: string): Promise<Composed["ledger"]> {
  const composed = await preview("compose", jsonText(compose), (done) => JSON.parse(done.valueText) as Composed);
  const { entries, left_out } = composed.ledger;
  return { entries, left_out };
}

async function account(from: object, { options, counting }: Terms): Promise<Account> {
  const args = { ...options, ...from };
  const counter = counting === "estimate" ? {} : { counter: await counted(args, counting) };
  return preview("count_tokens", { ...args, ...counter }, (done) => JSON.parse(done.valueText) as Account);
}

/** Returns exact token counts of a payload's strings. The vocabulary is loaded on first use. */
async function counted(args: Args, encoding: Exclude<Counting, "estimate">): Promise<CounterFigures> {
  const { openaiCounter } = await import("tuckbox/counters/openai");
  const counter = await openaiCounter(encoding);
  const { texts } = await preview("token_texts", args, (done) => done.value as Results["token_texts"]);
  return { counts: texts.map((text) => counter.count(text)), exact: counter.exact, encoding };
}
