// The request as it was recorded: provider, model, parameters and body; and what can be done with it.
import type { StepDetail, TimelineStep } from "tuckbox/web";
import { compareSides } from "../../comparison.ts";
import { openFitWithin } from "../../fit/state.ts";
import { number, t } from "../../i18n/lazy.ts";
import { importReport } from "../../project.ts";
import { project, show, view } from "../../state.ts";
import { Long } from "../../text/long.tsx";
import { Name } from "../../text/plain.tsx";
import { overview } from "../../timeline/state.ts";
import { AddToLockfile } from "../lock/add.tsx";

/** Returns the place of something in the log. */
export function placeLabel({ file, line, pointer }: StepDetail["origin"]): string {
  return `${file}${line === null ? "" : `:${line}`}${pointer === "" ? "" : ` ${pointer}`}`;
}

/** Returns the box of a step in the project of the log. */
function boxOf(number: number): string | null {
  const request = overview.value?.steps[number - 1]?.request;
  const all = importReport.value?.sessions.flatMap(({ requests }) => requests) ?? [];
  const box = all.find((one) => one.request === request)?.box_id ?? null;
  return project.value?.boxes.some(({ box_id }) => box_id === box) === true ? box : null;
}

export function RawTab({ detail, one }: { detail: StepDetail; one: TimelineStep }) {
  const missing = <span class="muted">{t("timeline.unknown.value")}</span>;
  const box = boxOf(one.step);
  const before = detail.before === null ? null : boxOf(detail.before);
  return (
    <>
      <p class="row">
        {box !== null && (
          <>
            <button type="button" class="quiet" onClick={() => show({ kind: "box", box_id: box })}>
              {t("timeline.raw.convert")}
            </button>
            <button type="button" class="quiet" onClick={() => openFitWithin(`box:${box}`, Math.round(one.estimated / 2))}>
              {t("timeline.raw.whatif")}
            </button>
          </>
        )}
        {box !== null && before !== null && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              compareSides(`box:${before}`, `box:${box}`);
              view.value = "compare";
            }}
          >
            {t("timeline.raw.compare")}
          </button>
        )}
        <AddToLockfile detail={detail} one={one} />
      </p>
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
