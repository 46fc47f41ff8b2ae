// Plans how a summary replaces dropped messages: commits, then a change of the call. What the package's rules cannot
// replace stays.
import type { BoxRow, Results } from "tuckbox/web";
import { changeCall, editedText, withDialect } from "../../calls.ts";
import { ask } from "../../engine/client.ts";
import type { FitResult, Json, JsonObject, NamedCall, Prompt } from "../../engine/protocol.ts";
import { cards, count, t } from "../../i18n/lazy.ts";
import { dialect } from "../../state.ts";
import { parse, write } from "../../text/json.ts";

/** What is fitted: a box, an agent's turn, a call that packs, or an input of the composer. */
export type Fittable = { box_id: string } | { agent_id: string } | { call: NamedCall };

/** The dropped messages: those a summary can cover, and the number of the others. */
export interface DroppedMessages {
  covers: string[];
  isMessages: boolean;
  uncovered: number;
}

export interface Plan {
  /** The commits, in order. */
  steps: { title: string; call: string }[];
  /** The call with the summary, if the call itself changes. */
  call?: { of: NamedCall; text: string };
  /** Why the plan replaces less than was requested, one sentence each. */
  notes: string[];
}

const isComposition = (of: Fittable): boolean => "call" in of && of.call.call.op === "compose";

/** Returns what a summary can cover: cards by id, or remembered messages of a composer by id. */
export function droppedMessages(of: Fittable, { origins, entries }: Prompt, { dropped_with, dropped }: FitResult): DroppedMessages {
  const isDropped = (position: number) => (dropped_with[position] ?? -1) >= 0;
  const isMessages = isComposition(of);
  const found = isMessages
    ? entries.flatMap(({ position, layer, message_id }) =>
        isDropped(position) && layer === "checkpoint_messages" && message_id !== undefined ? [message_id] : [],
      )
    : origins.flatMap(({ card_id }, position) => (isDropped(position) && card_id !== undefined ? [card_id] : []));
  return { covers: [...new Set(found)], isMessages, uncovered: dropped - found.length };
}

export async function planFor(of: Fittable, covers: readonly string[], summary: string): Promise<Plan> {
  if ("box_id" in of) return planInPlace([of.box_id], covers, summary);
  if ("agent_id" in of) {
    const { context_box_id, output_box_id } = await previewValue("turn_view", { agent_id: of.agent_id });
    return planInPlace(
      [...new Set([context_box_id, output_box_id])].filter((id): id is string => typeof id === "string" && id !== ""),
      covers,
      summary,
    );
  }
  return isComposition(of) ? planInMemory(of.call, covers, summary) : planInCopies(of.call, covers, summary);
}

async function previewValue<Op extends keyof Results>(op: Op, args: JsonObject): Promise<Results[Op]> {
  return (await ask("preview", write({ op, ...args }))).value as unknown as Results[Op];
}

async function boxesOf(box_ids: string[]): Promise<readonly BoxRow[]> {
  return box_ids.length === 0 ? [] : (await previewValue("get_boxes", { box_ids })).boxes;
}

/** Returns the card with the summary, and the card lists of boxes with it in place of the first covered card. */
function replaceCovered(boxes: readonly BoxRow[], covers: readonly string[], summary: string) {
  const covered = new Set(covers);
  const card_id = `summary_${crypto.randomUUID()}`;
  const card = {
    card_id,
    type: "note.summary",
    author_id: "inspector",
    content: { __type__: "TextContent", text: summary },
    metadata: { role: "user", covers: [...covers] },
  };
  let isPut = false;
  const lists = boxes
    .filter(({ card_ids }) => card_ids.some((id) => covered.has(id)))
    .map(({ box_id, card_ids }) => {
      const next = card_ids.flatMap((id) => {
        if (!covered.has(id)) return [id];
        if (isPut) return [];
        isPut = true;
        return [card_id];
      });
      return { box_id, card_ids: next, count: card_ids.filter((id) => covered.has(id)).length };
    });
  return { put: { title: t("whatif.compact.put"), call: write({ op: "put_cards", cards: [card] }) }, lists };
}

/** Changes the boxes themselves; every reader sees the summary from then on. */
async function planInPlace(box_ids: string[], covers: readonly string[], summary: string): Promise<Plan> {
  const { put, lists } = replaceCovered(await boxesOf(box_ids), covers, summary);
  const steps = lists.map(({ box_id, card_ids, count }) => ({
    title: t("whatif.compact.replace", { cards: cards(count), box: box_id }),
    call: write({ op: "replace_box", box_id, card_ids }),
  }));
  return { steps: steps.length === 0 ? [] : [put, ...steps], notes: [] };
}

/** The number of rows per request. */
const ROWS = 1_000;

/** Returns the boxes that a call inherits covered cards from, and how many covered cards the call makes itself. */
async function sourcesOf(call: string, covers: readonly string[]): Promise<{ sources: Map<string, Set<string>>; made: number }> {
  const covered = new Set(covers);
  const sources = new Map<string, Set<string>>();
  let made = 0;
  for (let from = 0, count = 1; from < count; from += ROWS) {
    const { rows, boxes } = await ask("inspect", { subject: { call }, shown: 0, from, to: from + ROWS });
    count = boxes[0]?.cards ?? 0;
    for (const { card_id, cause, presence, swallowed = [] } of rows.filter((row) => covered.has(row.card_id))) {
      made += presence === "new" ? 1 : 0;
      for (const one of [cause, ...swallowed]) {
        if (one?.kind === "inherited") sources.set(one.box_id, (sources.get(one.box_id) ?? new Set()).add(card_id));
      }
    }
  }
  return { sources, made };
}

/** Copies the boxes and names the copies in the call; other readers of the boxes are not affected. */
async function planInCopies(call: NamedCall, covers: readonly string[], summary: string): Promise<Plan> {
  const text = editedText(call);
  const given = parse(text);
  const { sources, made } = await sourcesOf(withDialect(text, dialect.peek()) ?? text, covers);
  const names = new Set(given.ok ? strings(given.value) : []);
  const unnamed = new Set(Array.from(sources).flatMap(([box_id, ids]) => (names.has(box_id) ? [] : [...ids])));
  const notes = [
    ...(unnamed.size === 0 ? [] : [t("whatif.compact.unnamed", { n: cards(unnamed.size) })]),
    ...(made === 0 ? [] : [t("whatif.compact.made", { n: cards(made) })]),
  ];
  const { put, lists } = replaceCovered(await boxesOf([...sources.keys()].filter((id) => names.has(id))), covers, summary);
  if (!given.ok || lists.length === 0) return { steps: [], notes };
  const copies = new Map(lists.map(({ box_id }) => [box_id, `${box_id}_${crypto.randomUUID().slice(0, 8)}`]));
  const steps = lists.map(({ box_id, card_ids, count }) => ({
    title: t("whatif.compact.copy", { cards: cards(count), box: box_id }),
    call: write({ op: "create_box", box_id: copies.get(box_id) ?? box_id, card_ids, parent_ids: [box_id] }),
  }));
  return { steps: [put, ...steps], call: { of: call, text: write(renameBoxes(given.value, copies)) }, notes };
}

function strings(json: Json): string[] {
  if (typeof json === "string") return [json];
  return typeof json === "object" && json !== null ? Object.values(json).flatMap(strings) : [];
}

function renameBoxes(json: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof json === "string") return names.get(json) ?? json;
  if (Array.isArray(json)) return json.map((one) => renameBoxes(one, names));
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([key, one]) => [key, renameBoxes(one, names)]));
}

/** Changes what the composer remembers by the rules of memory; nothing is committed. */
async function planInMemory(call: NamedCall, covers: readonly string[], summary: string): Promise<Plan> {
  const given = parse(editedText(call));
  if (!given.ok) return { steps: [], notes: [] };
  const input = given.value as JsonObject;
  const contexts = (input.contexts ?? {}) as JsonObject;
  const before = contexts.compression__context;
  const state = { messages: input.checkpoint_messages ?? [], ...(before === undefined ? {} : { compression__context: before }) };
  const change = {
    op: "compact",
    id: `s-${crypto.randomUUID().slice(0, 8)}`,
    covers: [...covers],
    summary,
    ...(before === undefined ? {} : { replaces: "compression__context" }),
  };
  const { state: next } = await previewValue("change_memory", { state, changes: [change] });
  const text = write({
    ...input,
    contexts: { ...contexts, compression__context: next.compression__context ?? summary },
    checkpoint_messages: next.messages as unknown as Json,
  });
  return { steps: [], call: { of: call, text }, notes: [] };
}

/** Returns whether a composition has a summary already; it can have one. */
export function hasSummary(of: Fittable): boolean {
  if (!isComposition(of) || !("call" in of)) return false;
  const given = parse(editedText(of.call));
  return given.ok && ((given.value as JsonObject).contexts as JsonObject | undefined)?.compression__context !== undefined;
}

/** Changes the call with an undoable edit. */
export function applyToCall({ call }: Plan): void {
  if (call !== undefined) changeCall(call.of, call.text);
}

/** Returns the note about messages that no summary can cover. */
export function uncoveredNote({ uncovered, isMessages }: DroppedMessages): string {
  return t(isMessages ? "whatif.compact.left.layers" : "whatif.compact.left", { n: count("messages", uncovered) });
}
