// One step: a sentence, the reason for the cache, and tabs.
import { useEffect } from "preact/hooks";
import type { StepDetail, TimelineStep } from "tuckbox/web";
import { ask } from "../../engine/client.ts";
import { codeLabel, count, number, percent, t } from "../../i18n/lazy.ts";
import { STEP_TABS, type StepTab, step, stepTab } from "../../state.ts";
import { diff } from "../../text/diff.ts";
import { money } from "../../text/money.ts";
import { Name, Plain, visibleText } from "../../text/plain.tsx";
import { current, didLabel, duration, session, stepDetail, timeLabel, walk } from "../../timeline/state.ts";
import { ErrorNote } from "../common/error.tsx";
import { useQuestion } from "../common/question.ts";
import { StepActions } from "./actions.tsx";
import { LogTab } from "./log.tsx";
import { MessageCard, SIGNS } from "./parts.tsx";
import { RawTab } from "./raw.tsx";
import { TokensTab, ToolsTab } from "./tokens.tsx";

export function StepPane() {
  const { answer, error } = useQuestion<StepDetail | null>(() => {
    const [at, of] = [step.value, session.value];
    if (current.value === null || at === null) return null;
    return () => ask("timelineStep", of, at);
  });
  const one = current.value;
  // an answer about another step is not shown
  const detail = one !== null && answer.value?.step === one.step ? answer.value : null;
  useEffect(() => {
    stepDetail.value = detail;
  }, [detail]);
  if (one === null) return <section class="tl-mid" />;
  return (
    <section class="tl-mid" aria-label={t("timeline.step", { n: one.step })}>
      <Sentence one={one} detail={detail} />
      {one.error !== null && <ErrorReason reason={one.error} />}
      {detail !== null && <CacheNote one={one} detail={detail} />}
      <Tabs detail={detail} />
      <div class="tl-tab" role="tabpanel" id="tl-panel" aria-labelledby={`tl-tab-${stepTab.value}`} tabIndex={0} data-step={detail?.step}>
        {error.value !== null && <ErrorNote title={t("timeline.step", { n: one.step })} error={error.value} />}
        {detail !== null && <Panel detail={detail} one={one} />}
      </div>
    </section>
  );
}

/** Who did what, and what it cost. */
function Sentence({ one, detail }: { one: TimelineStep; detail: StepDetail | null }) {
  const { recorded, estimated, window, cost } = one;
  const input = recorded.input ?? estimated;
  const facts: string[] = [
    one.model === null ? t("timeline.model.unknown") : visibleText(one.model),
    t(recorded.input === null ? "timeline.input.estimated" : "timeline.input", { n: number(input) }),
    recorded.cached === null ? null : t("timeline.read", { n: number(recorded.cached) }),
    recorded.output === null ? null : t("timeline.output", { n: number(recorded.output) }),
    cost === null ? t("timeline.cost.unknown") : money(cost),
    window === null ? null : t("timeline.of.window", { share: percent(input / window) }),
    one.retries === 0 ? null : t("timeline.retries", { n: one.retries }),
  ].filter((fact) => fact !== null);
  const sentence = facts.join(" · ");
  return (
    <header class="tl-head">
      <div class="row">
        <h2>
          {t("timeline.step", { n: one.step })}
          {one.at !== null && (
            <>
              {" · "}
              <time dateTime={one.at}>{timeLabel(one.at)}</time>
            </>
          )}
          {" · "}
          <Plain text={didLabel(one)} />
        </h2>
        <span class="tl-space" />
        <button type="button" class="quiet" aria-label={t("timeline.previous")} onClick={() => walk(-1)}>
          ‹
        </button>
        <button type="button" class="quiet" aria-label={t("timeline.next")} onClick={() => walk(1)}>
          ›
        </button>
      </div>
      <p class="tl-facts">{sentence}</p>
      {detail !== null && <StepActions one={one} detail={detail} facts={sentence} />}
    </header>
  );
}

/** Why the provider did not answer. */
function ErrorReason({ reason }: { reason: string }) {
  return (
    <div class="tl-why" role="note">
      <p>
        <b>{t("timeline.error")}</b> <Plain text={reason} />
      </p>
    </div>
  );
}

/** Why the cache read less than it could, and what that cost. */
function CacheNote({ one, detail }: { one: TimelineStep; detail: StepDetail }) {
  const { cache } = detail;
  if (cache === null || one.cache === null) return null;
  const { is_break: isBreak, lost_tokens: lost, lost_cost: lostCost } = one.cache;
  const { idle_seconds: idle, seconds } = cache.ttl;
  if (!isBreak) return null;
  return (
    <div class="tl-why" role="note">
      <p>
        <b>
          {t("timeline.break")}: {codeLabel("timeline.cause", cache.cause)}
        </b>{" "}
        {cache.cause === "expired" && idle !== undefined && seconds !== null && (
          <>{t("timeline.since", { time: duration(idle), life: duration(seconds) })} </>
        )}
        {cache.at.words !== undefined && (
          <>
            <del>
              <Plain text={cache.at.words.before} />
            </del>{" "}
            <ins>
              <Plain text={cache.at.words.after} />
            </ins>{" "}
          </>
        )}
        {cache.at.tool !== undefined && (
          <>
            <Name text={cache.at.tool} />{" "}
          </>
        )}
        {t("timeline.lost", { n: number(lost), money: lostCost === null || lostCost === 0 ? "" : ` (+${money(lostCost)})` })}
      </p>
      {!cache.sure && cache.reason !== undefined && <p class="muted">{t("timeline.unsure", { reason: cache.reason })}</p>}
      {cache.fix !== undefined && <p>{t("timeline.fix", { fix: cache.fix })}</p>}
    </div>
  );
}

function Tabs({ detail }: { detail: StepDetail | null }) {
  const notes: Partial<Record<StepTab, string>> = {
    changes: detail === null ? "" : number(detail.changes.length),
    request: detail === null ? "" : number(detail.message_count),
    tools: detail === null || detail.tools.unused === 0 ? "" : t("timeline.unused.short", { n: detail.tools.unused }),
  };
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const next = STEP_TABS[(STEP_TABS.indexOf(stepTab.value) + by + STEP_TABS.length) % STEP_TABS.length] ?? "changes";
    stepTab.value = next;
    const list = event.currentTarget as HTMLElement;
    list.querySelector<HTMLElement>(`#tl-tab-${next}`)?.focus();
    event.preventDefault();
  };
  return (
    <div class="tl-tabs" role="tablist" aria-label={t("timeline.tabs")} onKeyDown={move}>
      {STEP_TABS.map((name) => (
        <button
          type="button"
          role="tab"
          id={`tl-tab-${name}`}
          aria-controls="tl-panel"
          aria-selected={stepTab.value === name}
          tabIndex={stepTab.value === name ? 0 : -1}
          onClick={() => (stepTab.value = name)}
        >
          {t(`timeline.tab.${name}`)} <small>{notes[name]}</small>
        </button>
      ))}
    </div>
  );
}

function Panel({ detail, one }: { detail: StepDetail; one: TimelineStep }) {
  switch (stepTab.value) {
    case "changes":
      return <ChangesTab detail={detail} />;
    case "request":
      return <RequestTab at={one.step} />;
    case "tokens":
      return <TokensTab detail={detail} one={one} />;
    case "tools":
      return <ToolsTab detail={detail} one={one} />;
    case "raw":
      return <RawTab detail={detail} one={one} />;
    case "log":
      return <LogTab detail={detail} />;
  }
}

/** All messages of a request. */
function RequestTab({ at }: { at: number }) {
  const { answer, error } = useQuestion(() => {
    const [number, of] = [step.value, session.value];
    return number === null ? null : async () => ({ number, rows: await ask("timelineRequest", of, number) });
  });
  const found = answer.value;
  return (
    <>
      {error.value !== null && <ErrorNote title={t("timeline.step", { n: at })} error={error.value} />}
      <ul class="tl-cards">{found?.number === at && found.rows.map((row) => <MessageCard row={row} />)}</ul>
    </>
  );
}

/** What changed since the step before, and the answer. */
function ChangesTab({ detail }: { detail: StepDetail }) {
  const { changes, compaction, answer, before } = detail;
  // a compaction has a block of its own
  const listed = compaction === null ? changes : changes.filter(({ change, subject }) => change !== "removed" || subject !== "message");
  return (
    <>
      {compaction !== null && <Compacted detail={detail} />}
      <h3>{before === null ? t("timeline.changes.first") : t("timeline.changes.since", { n: before })}</h3>
      {listed.length === 0 && <p class="muted">{t("timeline.changes.none")}</p>}
      <ul class="tl-cards">
        {listed.map((change) =>
          change.message !== null ? <MessageCard row={change.message} change={change.change} /> : <ValueChange change={change} />,
        )}
      </ul>
      {answer !== null && (
        <>
          <h3>{t("timeline.changes.answer")}</h3>
          <ul class="tl-cards">
            <MessageCard row={answer} />
          </ul>
        </>
      )}
    </>
  );
}

/** A changed model, system prompt, tool or parameter, word by word. */
function ValueChange({ change }: { change: StepDetail["changes"][number] }) {
  const pieces = diff(change.before ?? "", change.after ?? "");
  return (
    <li class="tl-card" data-change={change.change}>
      <p class="tl-part-head">
        <span class="tl-change">
          {SIGNS[change.change]} {t(`timeline.change.${change.change as "added"}`)}
        </span>
        <span class="tl-kind">{t(`timeline.subject.${change.subject as "tool"}`)}</span>
        {change.name !== null && <Name text={change.name} />}
      </p>
      <pre>
        {pieces.map(({ change: what, text }) =>
          what === "added" ? (
            <ins>
              <Plain text={text} />
            </ins>
          ) : what === "removed" ? (
            <del>
              <Plain text={text} />
            </del>
          ) : (
            <Plain text={text.length > 300 ? `${text.slice(0, 140)} … ${text.slice(-140)}` : text} />
          ),
        )}
      </pre>
    </li>
  );
}

/** The summary next to what it replaced. */
function Compacted({ detail }: { detail: StepDetail }) {
  const { compaction } = detail;
  if (compaction === null) return null;
  const { totals } = compaction.account;
  const gone = compaction.replaced.length;
  const title = compaction.summaries.length > 0 ? "timeline.compaction.title" : "timeline.compaction.plain";
  return (
    <section class="tl-compaction">
      <h3>{t(title, { messages: count("messages", gone) })}</h3>
      <p class="muted">
        {t("timeline.compaction.account", {
          kept: number(totals.kept),
          covered: number(totals.covered),
          tokens: number(totals.covered_tokens),
          dropped: number(totals.dropped),
          unknown: number(totals.unknown),
        })}
      </p>
      <div class="tl-two">
        <div>
          <h4>{t("timeline.compaction.summary")}</h4>
          <ul class="tl-cards">
            {compaction.summaries.map((row) => (
              <MessageCard row={row} />
            ))}
          </ul>
        </div>
        <div>
          <h4>{t("timeline.compaction.replaced")}</h4>
          <ul class="tl-cards">
            {compaction.replaced.map((row) => (
              <MessageCard row={row} change="removed" />
            ))}
          </ul>
        </div>
      </div>
    </section>
  );
}
