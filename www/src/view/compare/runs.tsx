// The runs of a comparison: neighboring cards with the same change.
import { useSignal } from "@preact/signals";
import { ask } from "../../engine/client.ts";
import type { ComparedRun, Comparison } from "../../engine/protocol.ts";
import { cards, number, t } from "../../i18n/lazy.ts";
import { ErrorNote } from "../common/error.tsx";
import { useQuestion } from "../common/question.ts";
import { Cells } from "../context/card-list.tsx";
import { openCard, sides } from "./sides.ts";
import { TextDiffs } from "./text-diffs.tsx";

const FIRST_RUNS = 200;

/** A number for each comparison, so that rows of different comparisons have different keys. */
const generations = new WeakMap<Comparison, number>();
let lastGeneration = 0;

export function Runs({ comparison }: { comparison: Comparison }) {
  const limit = useSignal(FIRST_RUNS);
  const { runs } = comparison;
  const generation = generations.get(comparison) ?? (lastGeneration += 1);
  generations.set(comparison, generation);
  return (
    <ol class="runs">
      {runs.slice(0, limit.value).map((run, index) => (
        <RunView key={`${generation} ${index}`} id={`run-${index}`} run={run} instead={replacedRun(runs, index)} />
      ))}
      {runs.length > limit.value && (
        <li>
          <button type="button" class="quiet" onClick={() => (limit.value += FIRST_RUNS)}>
            {t("messages.more", { n: number(runs.length - limit.value) })}
          </button>
        </li>
      )}
    </ol>
  );
}

/** Returns the run that `runs[index]` replaced: the run before it, if one was added and the other removed. */
function replacedRun(runs: readonly ComparedRun[], index: number): ComparedRun | null {
  const [run, before] = [runs[index], runs[index - 1]];
  if (run === undefined || before === undefined) return null;
  const changes = [before.change, run.change].toSorted().join();
  return changes === "added,removed" ? before : null;
}

const FIRST_ROWS = 100;

function RunView({ id, run, instead }: { id: string; run: ComparedRun; instead: ComparedRun | null }) {
  const open = useSignal(run.change !== "kept");
  const isDiff = useSignal(false);
  const { left: before, right: after } = sides.value;
  const [went, came] = run.change === "removed" ? [run, instead] : [instead, run];
  const head = (
    <>
      <span class="change">{t(`change.${run.change}`)}</span>
      <span>{cards(run.cards)}</span>
      <span class="muted">
        {number(run.tokens)} {t("bar.tokens")}
      </span>
    </>
  );
  return (
    <li class="run" id={id} data-change={run.change}>
      <button type="button" class="run-head" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        {head}
      </button>
      {instead !== null && (
        <button type="button" class="quiet diff-toggle" aria-pressed={isDiff.value} onClick={() => (isDiff.value = !isDiff.value)}>
          {t("compare.diff")}
        </button>
      )}
      {isDiff.value && went !== null && came !== null && before !== null && after !== null && (
        <TextDiffs before={{ context: before, run: went }} after={{ context: after, run: came }} />
      )}
      {open.value && <RunRows run={run} />}
    </li>
  );
}

function RunRows({ run }: { run: ComparedRun }) {
  const limit = useSignal(FIRST_ROWS);
  const fromRight = run.right !== undefined;
  const first = run.right ?? run.left ?? 0;
  const { answer, error } = useQuestion(() => {
    const context = fromRight ? sides.value.right : sides.value.left;
    const to = first + Math.min(run.cards, limit.value);
    return context === null ? null : () => ask("inspect", { ...context, from: first, to });
  });
  if (error.value !== null) return <ErrorNote title={t("compare.failed")} error={error.value} />;
  return (
    <div class="run-rows">
      {answer.value?.rows.map((row) => (
        <button
          type="button"
          class="line still"
          key={row.position}
          data-kind={row.kind}
          data-presence={row.presence}
          title={t("compare.goto")}
          onClick={() => openCard(fromRight ? sides.peek().other : sides.peek().one, row.position)}
        >
          <Cells row={row} />
        </button>
      ))}
      {run.cards > limit.value && (
        <button type="button" class="quiet" onClick={() => (limit.value += FIRST_ROWS * 5)}>
          {t("messages.more", { n: number(run.cards - limit.value) })}
        </button>
      )}
    </div>
  );
}
