// The state of a growing log.
import { number, t } from "../../i18n/lazy.ts";
import { Plain, visibleText } from "../../text/plain.tsx";
import { connection, omitted, status } from "../../timeline/live.ts";

export function LiveNote() {
  const [state, recorder] = [connection.value, status.value];
  if (state === null) return null;
  return (
    <div class="tl-live" role="status">
      <p data-state={state}>● {t(`timeline.live.${state}`)}</p>
      {recorder !== null && recorder.skipped > 0 && (
        <p class="tl-bad">
          {t("timeline.skipped", { n: number(recorder.skipped) })} <Plain text={recorder.reason ?? ""} />
        </p>
      )}
      {recorder?.note !== undefined && (
        <p class="muted tl-note" title={visibleText(recorder.note)}>
          <Plain text={recorder.note} />
        </p>
      )}
      {omitted.value > 0 && <p class="muted">{t("timeline.omitted", { n: number(omitted.value) })}</p>}
    </div>
  );
}
