// Compacts what is dropped: a summary replaces it in a box, in both boxes of a turn, in what a call inherits, or in
// what a composer remembers. Every commit is previewed first.
import { signal } from "@preact/signals";
import { faultOf } from "../../engine/client.ts";
import type { Fault, Fitted, Prompt } from "../../engine/protocol.ts";
import { cards, count, t } from "../../i18n/lazy.ts";
import { project } from "../../state.ts";
import { commandOf } from "../common/command.ts";
import { fallen, type Fittable, hasSummary, leftWord, type Plan, planFor, takeOver } from "./compaction.ts";
import { Copy } from "../common/copy.tsx";
import { FaultNote } from "../common/error.tsx";
import { mayCommit, propose } from "../commit/propose.ts";

const summary = signal("");
const failed = signal<Fault | null>(null);
/** Why a plan replaces less than was requested. */
const notes = signal<readonly string[]>([]);

/** Proposes the steps one after another, then changes the call. */
function follow(plan: Plan, at = 0): void {
  const step = plan.steps[at];
  if (step !== undefined) return propose({ ...step, onDone: () => follow(plan, at + 1) });
  takeOver(plan);
  summary.value = "";
}

export function Compact({ of, prompt, fitted }: { of: Fittable; prompt: Prompt; fitted: Fitted }) {
  const found = fallen(of, prompt, fitted);
  const { covers, isMessages, left } = found;
  if (fitted.dropped === 0) return null;
  if (covers.length === 0) return <p class="muted compact">{leftWord(found)}</p>;
  const isEmpty = summary.value.trim() === "";
  const plan = () => planFor(of, covers, summary.peek().trim());
  const compact = async () => {
    try {
      const next = await plan();
      notes.value = next.notes;
      failed.value = null;
      if (next.steps.length > 0 || next.call !== undefined) follow(next);
    } catch (thrown) {
      failed.value = faultOf(thrown);
    }
  };
  const commands = async () => {
    const { steps, call } = await plan();
    const project_id = project.peek()?.project_id ?? "";
    return [...steps.map((step) => commandOf(step.call, project_id, true)), ...(call === undefined ? [] : [commandOf(call.text, project_id)])].join("");
  };
  // a change of a composer's input writes nothing
  const mayGo = isMessages || mayCommit();
  return (
    <details class="compact">
      <summary>{t("whatif.compact", { cards: isMessages ? count("messages", covers.length) : cards(covers.length) })}</summary>
      {left > 0 && <p class="muted">{leftWord(found)}</p>}
      <label for="compact-text">{t("whatif.compact.text")}</label>
      {hasSummary(of) && <p class="muted">{t("whatif.compact.replaces")}</p>}
      <textarea id="compact-text" rows={3} value={summary.value} onInput={(event) => (summary.value = event.currentTarget.value)} />
      <p class="row">
        {mayGo && <button type="button" class="quiet" disabled={isEmpty} onClick={() => void compact()}>{t("whatif.compact.go")}</button>}
        {!isEmpty && <Copy text={commands} label={t("whatif.compact.commands")} title={t("whatif.copy.command.hint")} />}
      </p>
      {notes.value.map((note) => <p class="muted" role="status">{note}</p>)}
      {failed.value !== null && <FaultNote title={t("whatif.compact.failed")} fault={failed.value} />}
    </details>
  );
}
