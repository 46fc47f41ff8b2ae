// The questions that come after the first view: what a model gets, what it costs, what changes, what runs.
import { jsonText, open, TuckboxError } from "tuckbox/web";
import type { Composed, CounterFigures, Fitted as Budgeted, HandoverPreview, ImportOrigin, Results } from "tuckbox/web";
import type { Account, BudgetOptions, CardCosts, Comparison, Counting, Fits, Fitted, Found, Handover, HandoverSide, Hits, Json, PayloadDiff, PayloadOptions, PayloadView, PromptSource, Receipt, RequestView, Seen, Sized, Subject, Terms, Turn, View } from "./protocol.ts";
import type { Simulation } from "../runs/simulation.ts";
import { checked, current, envNow, faultOf, type Handlers, info, inspect, nextEnv, preview, subjectText } from "./session.ts";
import { pack } from "./link.ts";
import { withCalls } from "./snapshot.ts";
import { member } from "../text/pretty.ts";

/** The team that runs in the page. */
let team: Simulation | undefined;

/** How many calls of another page are kept. */
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
      // the page's boxes have moved on, and so has what was read of them
      opened.workspace.refresh();
      (await opened.workspace.preview("get_boxes", { box_ids: event.boxes })).dispose();
    }
    return { info: info(), op, call_id: call?.id ?? null };
  },
  async turn(_, subject, shown, terms) {
    const turn = await turnOnce(subject, shown);
    const seen = await preview(`{"op":"turn_view",${turn.slice(1)}`, (done) => JSON.parse(done.valueText) as Turn);
    return { turn: seen, account: await account(`"turn":${turn}`, terms) };
  },
  async request(_, seen, { options, counting }, window) {
    const { subject, shown } = seen;
    const counter = counting === "estimate" ? {} : { counter: await counted(`${optionsText(options)},"turn":${await turnOnce(subject, shown)}`, counting) };
    await readAhead(seen);
    const { cards, losses: _losses, ...more } = await inspect("inspect_request", subject, { shown, window, ...options, ...counter }, (text) => JSON.parse(text) as RequestView);
    return { ...more, cards: inColumns(cards) };
  },
  matches: (_, { subject, shown, find }) =>
    inspect("inspect", subject, { shown, find, from: 0, to: 0 }, (text) => Uint32Array.from((JSON.parse(text) as View).matches ?? [])),
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
  search(_, text, limit) {
    const opened = current();
    if (opened.home.kind !== "browser") opened.box_ids = undefined;
    const box_ids = (opened.box_ids ??= info().boxes.map((box) => box.box_id));
    return preview(JSON.stringify({ op: "search_cards", text, box_ids, limit }), (done) => done.value as Hits);
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
      (done) => JSON.parse(done.valueText) as Budgeted,
    );
    const ledger = "compose" in source ? await composition(source.compose) : { entries: [], left_out: [] };
    const { messages, origins } = whole.prompt;
    return { messages, origins, account: whole.account, ...ledger };
  },
  async budget(_, source, options, { options: more }) {
    const call = await budgetText(source, options, more, true);
    return preview(call, (done) => fitted(JSON.parse(done.valueText) as Budgeted));
  },
  async budgets(_, source, options, limits, { options: more }) {
    const call = await budgetText(source, options, more, true, limits);
    return preview(call, (done): Fits => {
      const { dropped, also = [] } = JSON.parse(done.valueText) as Budgeted;
      return { order: Int32Array.from(dropped, ({ position }) => position), first: Int32Array.from(dropped, firstOf), limits: [...also] };
    });
  },
  fitting: (_, source, options, { options: more }) => budgetText(source, options, more, false),
  writes: (_, call) => preview(call, (done) => ({ text: done.writesText, content_hash: done.contentHash })),
  async commit(_, call) {
    const receipt = await preview(call, (done) => done.commit());
    nextEnv();
    const opened = current();
    opened.box_ids = undefined;
    const lost = opened.shared?.lost ?? null;
    return { receipt: receipt as Receipt, info: info(), lost: lost === null ? null : faultOf(lost) };
  },
  find(_, card_id) {
    const opened = current();
    // what another place holds is known as far as somebody looked
    if (opened.home.kind !== "browser") opened.box_ids = undefined;
    const box_ids = (opened.box_ids ??= info().boxes.map((box) => box.box_id));
    return preview(JSON.stringify({ op: "find_cards", card_id, box_ids }), (done) => done.value as Found[]);
  },
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

/** So many cards are read at once; between two slices whatever somebody waits for is answered. */
const SLICE = 1_000;

/** Reads the cards of a large context in slices, so that counting them does not begin with a long silence. */
async function readAhead({ subject, shown, cards }: Sized): Promise<void> {
  for (let to = SLICE; to < cards; to += SLICE) {
    await preview(`{"op":"inspect",${subjectText(subject)},"shown":${shown},"from":${to - SLICE},"to":${to}}`, () => undefined);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** The turn behind a subject, as the call of a turn view. */
async function turnText(subject: Subject, shown: number): Promise<string> {
  if ("turn" in subject) return JSON.stringify(subject.turn);
  if ("box_id" in subject) return JSON.stringify({ context_box_id: subject.box_id });
  const { turn } = await inspect("inspect_request", subject, { shown }, (text) => JSON.parse(text) as RequestView);
  return `{"after":${checked(subject.call)},${JSON.stringify(turn).slice(1)}`;
}

/** What falls out, as it crosses to the page: a slider asks many times a second. */
function fitted({ kept, dropped, limit, protected_tokens, account: { tokens, exact } }: Budgeted): Fitted {
  const gone = new Int32Array(kept.length + dropped.length).fill(-1);
  for (const message of dropped) gone[message.position] = firstOf(message);
  return { kept: kept.length, dropped: dropped.length, gone, limit, protected_tokens, account: { tokens, exact } };
}

/** The message that one falls out with: the first of its group, or itself. */
function firstOf({ position, reason }: Budgeted["dropped"][number]): number {
  return reason.kind === "with_its_call" ? reason.first : position;
}

/** The costs of cards as they cross to the page. */
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

function optionsText(options: PayloadOptions): string {
  return JSON.stringify(options).slice(1, -1);
}

async function sourceText(source: PromptSource): Promise<string> {
  if ("compose" in source) return `"compose":${checked(source.compose)}`;
  return `"turn":${await turnOnce(source.subject, source.shown)}`;
}

/** The call that fits a prompt into a limit; its brief form names what stays and does not repeat it. */
async function budgetText(source: PromptSource, { limit, pinned }: BudgetOptions, options: PayloadOptions, isBrief: boolean, also?: number[]): Promise<string> {
  const more = JSON.stringify({ limit, pinned, ...(isBrief ? { brief: true } : {}), also }).slice(1, -1);
  return `{"op":"budget",${optionsText(options)},${more},${await sourceText(source)}}`;
}

// a slider asks for the same turn many times a second
let lastTurn: { key: string; text: string } | undefined;

async function turnOnce(subject: Subject, shown: number): Promise<string> {
  const key = JSON.stringify([subject, shown, envNow().now]);
  if (lastTurn?.key !== key) lastTurn = { key, text: await turnText(subject, shown) };
  return lastTurn.text;
}

async function composition(compose: string): Promise<Composed["ledger"]> {
  const composed = await preview(
    `{"op":"compose",${checked(compose).trim().slice(1)}`,
    (done) => JSON.parse(done.valueText) as Composed,
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
  const { texts } = await preview(`{"op":"token_texts",${call}}`, (done) => done.value as Results["token_texts"]);
  return { counts: texts.map((text) => counter.count(text)), exact: counter.exact, encoding };
}
