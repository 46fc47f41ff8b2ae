// Compacting a box: one card with a summary takes the place of what falls out. Two commits, each a preview first; the
// first one puts a card that no box holds yet.
import { signal } from "@preact/signals";
import { ask } from "../engine/client.ts";
import type { Fitted, Prompt } from "../engine/protocol.ts";
import { cards, t } from "../i18n/rooms.ts";
import { project } from "../state.ts";
import { write } from "../text/json.ts";
import { Copy } from "./copy.tsx";
import { commandOf } from "./command.ts";
import { mayCommit, propose } from "./propose.ts";

const summary = signal("");

/** The cards of the messages that fall out. */
function coveredBy({ origins }: Prompt, { dropped }: Fitted): string[] {
  return [...new Set(dropped.flatMap(({ position }) => origins[position]?.card_id ?? []))];
}

/** The two calls: a card with the summary, and the box with that card where the first of the others stood. */
async function callsOf(box_id: string, covers: readonly string[]): Promise<[string, string]> {
  const { value } = await ask("previewed", write({ op: "get_boxes", box_ids: [box_id] }));
  const { card_ids = [] } = (value as unknown as { boxes: { card_ids: string[] }[] }).boxes[0] ?? {};
  const card_id = `summary_${crypto.randomUUID()}`;
  const card = { card_id, type: "note.summary", author_id: "inspector", content: { __type__: "TextContent", text: summary.peek().trim() }, metadata: { role: "user", covers: [...covers] } };
  const first = card_ids.findIndex((id) => covers.includes(id));
  const next = card_ids.flatMap((id, at) => (at === first ? [card_id] : covers.includes(id) ? [] : [id]));
  return [write({ op: "put_cards", cards: [card] }), write({ op: "replace_box", box_id, card_ids: next })];
}

export function Compact({ box_id, prompt, fitted }: { box_id: string; prompt: Prompt; fitted: Fitted }) {
  const covers = coveredBy(prompt, fitted);
  if (covers.length === 0) return null;
  const isEmpty = summary.value.trim() === "";
  const compact = async () => {
    const [put, replace] = await callsOf(box_id, covers);
    const next = () => propose({ title: t("whatif.compact.replace", { cards: cards(covers.length), box: box_id }), call: replace, onDone: () => (summary.value = "") });
    propose({ title: t("whatif.compact.put"), call: put, onDone: next });
  };
  const commands = async () => {
    const calls = await callsOf(box_id, covers);
    return calls.map((call) => commandOf(call, project.peek()?.project_id ?? "", true)).join("");
  };
  return (
    <details class="compact">
      <summary>{t("whatif.compact", { cards: cards(covers.length) })}</summary>
      <label for="compact-text">{t("whatif.compact.text")}</label>
      <textarea id="compact-text" rows={3} value={summary.value} onInput={(event) => (summary.value = event.currentTarget.value)} />
      <p class="row">
        {mayCommit() && <button type="button" class="quiet" disabled={isEmpty} onClick={() => void compact()}>{t("whatif.compact.go")}</button>}
        {!isEmpty && <Copy text={commands} label={t("whatif.compact.commands")} title={t("whatif.copy.command.hint")} />}
      </p>
    </details>
  );
}
