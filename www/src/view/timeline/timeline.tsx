// The view "Timeline": a log as it was recorded. The strip shows all requests, the list their steps, the center one
// step, and the right one message.
import { useEffect } from "preact/hooks";
import type { ImportReport } from "tuckbox/web";
import { number, t } from "../../i18n/lazy.ts";
import { isSessionOpen, openSession } from "../../import/session.ts";
import { pending } from "../../pending.ts";
import { reportRows } from "../../preview.ts";
import { importReport, liveEvents, logFiles } from "../../project.ts";
import { isLog, openings, step } from "../../state.ts";
import { visibleText } from "../../text/plain.tsx";
import "../../timeline/live.ts";
import "../../timeline/names.ts";
import { findText, message, overview, readSteps, session, zoom } from "../../timeline/state.ts";
import { LiveNote } from "./live.tsx";
import { MessagePane } from "./message.tsx";
import { StepPane } from "./step.tsx";
import { Steps } from "./steps.tsx";
import { Strip } from "./strip.tsx";

export function Timeline() {
  useEffect(() => {
    void pending(readSteps()).catch(() => undefined);
  }, [openings.value, session.value]);
  const all = overview.value;
  // what waits for the first rows goes on
  useEffect(() => {
    if (all !== null) reportRows();
  }, [all]);
  if (!isLog.value || all === null)
    return <section class="scroll-view">{!isLog.value && <p class="muted">{t("timeline.none")}</p>}</section>;
  if (all.steps.length === 0 && liveEvents.value !== null) return <Waiting />;
  return (
    <div class="tl" data-message={message.value !== null}>
      <Sessions />
      <Strip />
      <div class="tl-panes">
        <Steps />
        <StepPane />
        <MessagePane />
      </div>
    </div>
  );
}

/** Shown until a growing log has its first request. */
function Waiting() {
  return (
    <section class="scroll-view tl-waiting">
      <h2>{t("timeline.waiting")}</h2>
      <p class="muted">{t("timeline.waiting.hint")}</p>
      <LiveNote />
    </section>
  );
}

/** The choice of the session, if the files have several. */
function Sessions() {
  const all = overview.value;
  if (all === null) return null;
  if (logFiles.value.length > 0 && importReport.value !== null) return <LargeSessions report={importReport.value} />;
  if (all.sessions.length < 2) return null;
  return (
    <label class="choice tl-session">
      <span>{t("timeline.session")}</span>
      <select
        value={String(all.session ?? "")}
        onChange={(event) => {
          session.value = Number(event.currentTarget.value);
          step.value = null;
          [message.value, zoom.value, findText.value] = [null, null, ""];
        }}
      >
        {all.sessions.map((one, at) => (
          <option value={String(at)}>{visibleText(`${one.title?.slice(0, 80) ?? one.id} · ${one.source} (${number(one.steps)})`)}</option>
        ))}
      </select>
    </label>
  );
}

/** The sessions of large logs, of which one is open at a time. */
function LargeSessions({ report }: { report: ImportReport }) {
  const open = report.sessions.find(isSessionOpen);
  return (
    <label class="choice tl-session" title={t("timeline.closed")}>
      <span>{t("timeline.session")}</span>
      <select
        value={open?.id ?? ""}
        onChange={(event) => {
          const next = report.sessions.find(({ id }) => id === event.currentTarget.value);
          if (next !== undefined) void openSession(next);
        }}
      >
        {report.sessions.map((one) => (
          <option value={one.id}>{visibleText(`${one.id} · ${one.source} (${number(one.requests.length)})`)}</option>
        ))}
      </select>
      <span class="muted">{t("timeline.closed")}</span>
    </label>
  );
}
