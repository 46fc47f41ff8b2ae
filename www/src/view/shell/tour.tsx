// A tour of three steps for the first visit. Once closed, it stays closed.
import { signal } from "@preact/signals";
import { t } from "../../i18n/lazy.ts";
import { mountPoint } from "../../mount.ts";
import { loadPreference, savePreference } from "../../preferences.ts";
import { isLog, view } from "../../state.ts";

const STEPS = [1, 2, 3] as const;
const step = signal<(typeof STEPS)[number] | null>(loadPreference("tour") === null ? 1 : null);

function end(): void {
  step.value = null;
  savePreference("tour", "done");
}

export function Tour() {
  const now = step.value;
  if (now === null || !mountPoint().isOwnPage || view.value !== "context" || isLog.value) return null;
  const next = STEPS.find((one) => one === now + 1);
  return (
    <aside class="tour" data-step={now} aria-label={t("tour.label")}>
      <p>
        <b>
          {now} / {STEPS.length}
        </b>{" "}
        {t(`tour.${now}`)}
      </p>
      {next === undefined ? null : (
        <button type="button" class="quiet" onClick={() => (step.value = next)}>
          {t("tour.next")}
        </button>
      )}
      <button type="button" class="quiet" onClick={end}>
        {t(next === undefined ? "tour.done" : "tour.never")}
      </button>
    </aside>
  );
}
