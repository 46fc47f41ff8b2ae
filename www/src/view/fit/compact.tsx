// Compacts dropped messages. A summary replaces them in a box, in both boxes of a turn, in the boxes that a call
// inherits, or in the memory of a composer. Every commit is previewed first.
import { signal } from "@preact/signals";
import { errorData } from "../../engine/client.ts";
import type { ErrorData, FitResult, Prompt } from "../../engine/protocol.ts";
import { cards, count, t } from "../../i18n/lazy.ts";
import { project } from "../../state.ts";
import { mayCommit, propose } from "../commit/propose.ts";
import { commandOf } from "../common/command.ts";
import { CopyButton } from "../common/copy.tsx";
import { ErrorNote } from "../common/error.tsx";
import { applyToCall, droppedMessages, type Fittable, hasSummary, type Plan, planFor, uncoveredNote } from "./compaction.ts";

const summary = signal("");
const error = signal<ErrorData | null>(null);
/** Why a plan replaces less than was requested. */
const notes = signal<readonly string[]>([]);

/** Proposes the steps one after another, then changes the call. */
function runPlan(plan: Plan, at = 0): void {
  const step = plan.steps[at];
  if (step !== undefined) {
    propose({ ...step, onDone: () => runPlan(plan, at + 1) });
    return;
  }
  applyToCall(plan);
  summary.value = "";
}

export function Compact({ of, prompt, fitted }: { of: Fittable; prompt: Prompt; fitted: FitResult }) {
  const found = droppedMessages(of, prompt, fitted);
  const { covers, isMessages, uncovered } = found;
  if (fitted.dropped === 0) return null;
  if (covers.length === 0) return <p class="muted compact">{uncoveredNote(found)}</p>;
  const isEmpty = summary.value.trim() === "";
  const plan = () => planFor(of, covers, summary.peek().trim());
  const compact = async () => {
    try {
      const next = await plan();
      notes.value = next.notes;
      error.value = null;
      if (next.steps.length > 0 || next.call !== undefined) runPlan(next);
    } catch (thrown) {
      error.value = errorData(thrown);
    }
  };
  const commands = async () => {
    const { steps, call } = await plan();
    const project_id = project.peek()?.project_id ?? "";
    return [
      ...steps.map((step) => commandOf(step.call, project_id, true)),
      ...(call === undefined ? [] : [commandOf(call.text, project_id)]),
    ].join("");
  };
  // a change of a composer's input writes nothing
  const mayGo = isMessages || mayCommit();
  return (
    <details class="compact">
      <summary>{t("whatif.compact", { cards: isMessages ? count("messages", covers.length) : cards(covers.length) })}</summary>
      {uncovered > 0 && <p class="muted">{uncoveredNote(found)}</p>}
      <label for="compact-text">{t("whatif.compact.text")}</label>
      {hasSummary(of) && <p class="muted">{t("whatif.compact.replaces")}</p>}
      <textarea id="compact-text" rows={3} value={summary.value} onInput={(event) => (summary.value = event.currentTarget.value)} />
      <p class="row">
        {mayGo && (
          <button type="button" class="quiet" disabled={isEmpty} onClick={() => void compact()}>
            {t("whatif.compact.go")}
          </button>
        )}
        {!isEmpty && <CopyButton text={commands} label={t("whatif.compact.commands")} title={t("whatif.copy.command.hint")} />}
      </p>
      {notes.value.map((note) => (
        <p class="muted" role="status">
          {note}
        </p>
      ))}
      {error.value !== null && <ErrorNote title={t("whatif.compact.failed")} error={error.value} />}
    </details>
  );
}
