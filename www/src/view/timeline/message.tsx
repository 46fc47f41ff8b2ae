// The selected message: all of it, where it comes from, and which steps send it.
import type { MessageDetail } from "tuckbox/web";
import { ask } from "../../engine/client.ts";
import { codeLabel, count, number, t } from "../../i18n/lazy.ts";
import { Long } from "../../text/long.tsx";
import { Name, Plain } from "../../text/plain.tsx";
import { goToStep, message, session, stepDetail } from "../../timeline/state.ts";
import { useQuestion } from "../common/question.ts";
import { PartName } from "./parts.tsx";
import { placeLabel } from "./raw.tsx";

/** The number of characters of a part before the user asks for all. */
const MAX_SHOWN = 12_000;

export function MessagePane() {
  const { answer } = useQuestion<MessageDetail | null>(() => {
    const [id, at] = [message.value, session.value];
    return id === null ? null : () => ask("timelineMessage", at, id);
  });
  const found = answer.value?.message.id === message.value ? answer.value : null;
  if (message.value === null || found === null)
    return (
      <aside class="tl-right" aria-label={t("timeline.detail")}>
        <p class="muted">{t("timeline.detail.none")}</p>
        <NotInLog />
      </aside>
    );
  const { message: row } = found;
  const first = row.parts[0];
  return (
    <aside class="tl-right" aria-label={t("timeline.detail")} tabIndex={0}>
      <div class="row">
        <h2 class="tl-title">{first !== undefined && <PartName part={first} />}</h2>
        <span class="tl-space" />
        <button type="button" class="quiet" onClick={() => (message.value = null)}>
          {t("timeline.detail.close")}
        </button>
      </div>
      <Facts found={found} />
      <h3>{t("timeline.detail.content")}</h3>
      {row.parts.map((part, at) => (
        <section class="tl-content">
          {at > 0 && (
            <h4 class="tl-title">
              <PartName part={part} />
            </h4>
          )}
          {part.sealed ? <p class="muted">{t("timeline.detail.sealed")}</p> : <Long whole={part.text} first={MAX_SHOWN} class="content" />}
        </section>
      ))}
    </aside>
  );
}

/** What the log does not have of the shown step. */
function NotInLog() {
  const detail = stepDetail.value;
  if (detail === null || (detail.unknown.length === 0 && detail.residual === null)) return null;
  return (
    <>
      <h3>{t("timeline.missing")}</h3>
      {detail.residual !== null && <p class="muted">{t("timeline.tokens.residual", { n: number(detail.residual) })}</p>}
      <dl class="facts">
        {detail.unknown.map(({ what, why }) => (
          <>
            <dt>{codeLabel("unknown", what)}</dt>
            <dd class="muted">
              <Plain text={why} />
            </dd>
          </>
        ))}
      </dl>
    </>
  );
}

function Facts({ found }: { found: MessageDetail }) {
  const link = (at: number | null, none: string) =>
    at === null ? (
      <span class="muted">{none}</span>
    ) : (
      <button type="button" class="link" onClick={() => goToStep(at, found.message.id)}>
        {t("timeline.step", { n: at })}
      </button>
    );
  const { reason, made_by: by } = found;
  const why =
    by !== null && (reason === "answer" || reason === "result")
      ? t(`timeline.why.${reason as "answer"}.of`, { n: by })
      : t(`timeline.why.${reason as "system"}`);
  return (
    <dl class="facts">
      <dt>{t("timeline.detail.why")}</dt>
      <dd>{why}</dd>
      <dt>{t("timeline.detail.role")}</dt>
      <dd>{found.message.role}</dd>
      <dt>{t("timeline.detail.from")}</dt>
      <dd>
        <code class="path">
          <Name text={placeLabel(found.origin)} />
        </code>
      </dd>
      <dt>{t("timeline.detail.first")}</dt>
      <dd>{link(found.first_step, t("timeline.detail.never"))}</dd>
      <dt>{t("timeline.detail.dropped")}</dt>
      <dd>{link(found.dropped_step, t("timeline.detail.never"))}</dd>
      <dt>{t("timeline.detail.resent")}</dt>
      <dd>{t("timeline.detail.times", { requests: count("requests", found.times), tokens: number(found.resent_tokens) })}</dd>
      <dt>{t("timeline.detail.tokens")}</dt>
      <dd>{t("timeline.detail.estimated", { n: number(found.message.tokens) })}</dd>
    </dl>
  );
}
