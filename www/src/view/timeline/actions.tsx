// What can be done with a step: compare it, fit it, convert it, save it, add it to a lockfile.
import { batch } from "@preact/signals";
import type { StepDetail, TimelineStep } from "tuckbox/web";
import { compareSides } from "../../comparison.ts";
import { openFitWithin } from "../../fit/state.ts";
import { t } from "../../i18n/lazy.ts";
import { pending } from "../../pending.ts";
import { isImported, project, show, stepTab, tab, view } from "../../state.ts";
import { windowSize } from "../../terms.ts";
import { overview } from "../../timeline/state.ts";
import { AddToLockfile } from "../lock/add.tsx";

/** Returns the box of a step in the project of the log. */
function boxOf(number: number): string | null {
  const box = overview.value?.steps[number - 1]?.box_id;
  if (box === undefined) return null;
  // a project that is not imported yet will have it
  return !isImported.value || project.value?.boxes.some(({ box_id }) => box_id === box) === true ? box : null;
}

/** Takes the window of a step, if it is known. */
function useTerms({ window }: TimelineStep): void {
  if (window !== null) windowSize.value = window;
}

/** Shows a step as a request to a provider. */
function convert(one: TimelineStep, box_id: string): void {
  batch(() => {
    useTerms(one);
    show({ kind: "box", box_id });
    tab.value = "payload";
  });
}

export function StepActions({ one, detail, facts }: { one: TimelineStep; detail: StepDetail; facts: string }) {
  const box = boxOf(one.step);
  const other = boxOf(detail.before ?? (one.step > 1 ? one.step - 1 : one.step + 1));
  const save = async () => (await import("./export.ts")).exportStep(one, detail, stepTab.peek(), facts);
  return (
    <p class="row tl-actions">
      {box !== null && other !== null && (
        <button
          type="button"
          class="quiet"
          title={t("timeline.compare.hint")}
          onClick={() => {
            useTerms(one);
            compareSides(`box:${other}`, `box:${box}`);
            view.value = "compare";
          }}
        >
          {t("timeline.compare")}
        </button>
      )}
      {box !== null && (
        <>
          <button
            type="button"
            class="quiet"
            title={t("timeline.whatif.hint")}
            onClick={() => {
              useTerms(one);
              openFitWithin(`box:${box}`, Math.round(one.estimated / 2));
            }}
          >
            {t("timeline.whatif")}
          </button>
          <button type="button" class="quiet" title={t("timeline.convert.hint")} onClick={() => convert(one, box)}>
            {t("timeline.convert")}
          </button>
        </>
      )}
      <button type="button" class="quiet" title={t("timeline.save.hint")} onClick={() => void pending(save())}>
        {t("timeline.save")}
      </button>
      <AddToLockfile detail={detail} one={one} />
    </p>
  );
}
