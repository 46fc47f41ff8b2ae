// The request as it was recorded: provider, model, parameters and body.
import type { StepDetail, TimelineStep } from "tuckbox/web";
import { number, t } from "../../i18n/lazy.ts";
import { Long } from "../../text/long.tsx";
import { Name } from "../../text/plain.tsx";

/** Returns the place of something in the log. */
export function placeLabel({ file, line, pointer }: StepDetail["origin"]): string {
  return `${file}${line === null ? "" : `:${line}`}${pointer === "" ? "" : ` ${pointer}`}`;
}

export function RawTab({ detail, one }: { detail: StepDetail; one: TimelineStep }) {
  const missing = <span class="muted">{t("timeline.unknown.value")}</span>;
  return (
    <>
      <dl class="facts">
        <dt>{t("timeline.provider")}</dt>
        <dd>{one.provider === null ? missing : <code>{one.provider}</code>}</dd>
        <dt>{t("timeline.model")}</dt>
        <dd>{one.model === null ? missing : <Name text={one.model} />}</dd>
        <dt>{t("timeline.limit")}</dt>
        <dd>{detail.output_limit === null ? missing : number(detail.output_limit)}</dd>
        <dt>{t("timeline.raw.parameters")}</dt>
        <dd>
          {detail.parameters.length === 0 ? (
            missing
          ) : (
            <ul>
              {detail.parameters.map(({ name, value }) => (
                <li>
                  <code>
                    <Name text={`${name}: ${value}`} />
                  </code>
                </li>
              ))}
            </ul>
          )}
        </dd>
        <dt>{t("timeline.detail.from")}</dt>
        <dd>
          <code class="path">
            <Name text={placeLabel(detail.origin)} />
          </code>
        </dd>
      </dl>
      {detail.body === null ? (
        <p class="muted">{t("timeline.raw.none")}</p>
      ) : (
        <>
          <h3>{t("timeline.raw.exact")}</h3>
          <Long whole={JSON.stringify(detail.body, null, 2)} first={20_000} class="raw" />
        </>
      )}
    </>
  );
}
