// What the log has, and what it does not have.
import type { ImportOrigin, StepDetail } from "tuckbox/web";
import { codeLabel, count, number, t } from "../../i18n/lazy.ts";
import { importReport } from "../../project.ts";
import { Name, Plain } from "../../text/plain.tsx";

function originLabel({ file, line, pointer }: ImportOrigin): string {
  return `${file ?? "–"}${line === undefined ? "" : `:${line}`}${pointer === undefined ? "" : ` ${pointer}`}`;
}

export function LogTab({ detail }: { detail: StepDetail }) {
  const report = importReport.value;
  if (report === null) return null;
  const known = report.calibration.filter(({ factor_percent: factor }) => factor !== null);
  return (
    <>
      {detail.unknown.length > 0 && (
        <>
          <h3>{t("timeline.missing")}</h3>
          <dl class="facts">
            {detail.unknown.map(({ what, why }) => (
              <>
                <dt>{codeLabel("unknown", what)}</dt>
                <dd>
                  <Plain text={why} />
                </dd>
              </>
            ))}
          </dl>
        </>
      )}
      <h3>{t("timeline.log.files")}</h3>
      <ul class="notes">
        {report.files.slice(0, 100).map(({ name, format }) => (
          <li>
            <code class="path">
              <Name text={name} />
            </code>{" "}
            <span class="muted">{format ?? t("timeline.log.unread")}</span>
          </li>
        ))}
      </ul>
      {report.notes.length > 0 && (
        <>
          <h3>{t("timeline.log.notes")}</h3>
          <ul class="notes">
            {report.notes.slice(0, 100).map(({ code, origin, message }) => (
              <li>
                <p class="note-head">
                  <code class="code">{code}</code>{" "}
                  <code class="path">
                    <Name text={originLabel(origin)} />
                  </code>
                </p>
                <p>
                  <Plain text={message} />
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
      {known.length > 0 && (
        <>
          <h3>{t("timeline.log.calibration")}</h3>
          <ul>
            {known.map(({ model, recorded, estimated, factor_percent: factor, requests }) => (
              <li>
                <b>
                  <Name text={model} />
                </b>{" "}
                {t("timeline.log.factor", {
                  recorded: number(recorded),
                  estimated: number(estimated),
                  requests: count("requests", requests),
                  factor: String(factor),
                })}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
