// The list of steps, grouped under the prompts of the user, with filters and a search.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { TimelineHits, TimelineStep } from "tuckbox/web";
import { ask } from "../../engine/client.ts";
import { number, percent, t } from "../../i18n/lazy.ts";
import { mountPoint } from "../../mount.ts";
import { step } from "../../state.ts";
import { Name, Plain, visibleText } from "../../text/plain.tsx";
import {
  activeRow,
  agentFilter,
  didLabel,
  FILTERS,
  filter,
  findText,
  goToStep,
  type ListRow,
  message,
  overview,
  rows,
  session,
  short,
  timeLabel,
  toolFilter,
  walk,
  walkPrompts,
} from "../../timeline/state.ts";
import { useQuestion } from "../common/question.ts";
import { Virtual } from "../common/virtual.tsx";

export function Steps() {
  useStepKeys();
  const all = overview.value;
  if (all === null) return null;
  const isSearching = findText.value.trim() !== "";
  return (
    <section class="tl-left" aria-label={t("timeline.steps")}>
      <Filters />
      {isSearching ? (
        <Found />
      ) : rows.value.length === 0 ? (
        <p class="empty">{t("timeline.filter.none")}</p>
      ) : (
        <Virtual
          id="tl-steps"
          count={rows.value.length}
          label={t("timeline.steps")}
          active={activeRow.value}
          of={`${session.value} ${filter.value} ${toolFilter.value} ${agentFilter.value}`}
          row={(position, style, key) => {
            const row = rows.value[position];
            return row === undefined ? null : <Row key={key} row={row} style={style} position={position} />;
          }}
        />
      )}
    </section>
  );
}

/** `j` and `k` go to the next and previous step, `]` and `[` to the next and previous prompt. */
function useStepKeys(): void {
  useEffect(() => {
    const { root } = mountPoint();
    const onKey = (event: KeyboardEvent) => {
      const at = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || at.matches?.("input, select, textarea")) return;
      if (root.querySelector("dialog[open]") !== null) return;
      const inList = at.id === "tl-steps";
      const { key } = event;
      if (key === "j" || (inList && key === "ArrowDown")) walk(1);
      else if (key === "k" || (inList && key === "ArrowUp")) walk(-1);
      else if (key === "]") walkPrompts(1);
      else if (key === "[") walkPrompts(-1);
      else return;
      event.preventDefault();
    };
    root.addEventListener("keydown", onKey as EventListener);
    return () => root.removeEventListener("keydown", onKey as EventListener);
  }, []);
}

function Filters() {
  const all = overview.value;
  if (all === null) return null;
  const { breaks, compactions, failed } = all.totals;
  const counts = { all: all.steps.length, breaks, compactions, errors: failed };
  return (
    <div class="tl-filters">
      <div class="row" role="group" aria-label={t("timeline.filter")}>
        {FILTERS.filter((name) => name === "all" || counts[name] > 0 || filter.value === name).map((name) => (
          <button type="button" class="tl-chip" aria-pressed={filter.value === name} onClick={() => (filter.value = name)}>
            {t(`timeline.filter.${name}`)} {name !== "all" && <span class="num">{number(counts[name])}</span>}
          </button>
        ))}
      </div>
      <div class="row">
        {all.tools.length > 0 && (
          <select
            aria-label={t("timeline.filter.tool")}
            value={toolFilter.value}
            onChange={(event) => (toolFilter.value = event.currentTarget.value)}
          >
            <option value="">{t("timeline.filter.any.tool")}</option>
            {all.tools.slice(0, 200).map((name) => (
              <option value={name}>{visibleText(name)}</option>
            ))}
          </select>
        )}
        {all.agents.length > 1 && (
          <select
            aria-label={t("timeline.filter.agent")}
            value={agentFilter.value === null ? "" : String(agentFilter.value)}
            onChange={(event) => (agentFilter.value = event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}
          >
            <option value="">{t("timeline.filter.any.agent")}</option>
            {all.agents.slice(0, 200).map((_, at) => (
              <option value={String(at)}>{agentLabel(at)}</option>
            ))}
          </select>
        )}
      </div>
      <input
        id="search"
        type="search"
        aria-label={t("timeline.find")}
        placeholder={t("timeline.find.hint")}
        value={findText.value}
        onInput={(event) => (findText.value = event.currentTarget.value)}
      />
    </div>
  );
}

/** Returns the name of an agent, and the task of a sub-agent. */
export function agentLabel(at: number): string {
  const agent = overview.value?.agents[at];
  if (agent === undefined || agent.depth === 0) return t("timeline.agent.main");
  const name = agent.name === null ? t("timeline.agent.sub") : `${agent.name} · ${t("timeline.agent.sub")}`;
  return visibleText(agent.task === null ? name : `${name}: ${agent.task.slice(0, 60)}`);
}

/** Where the step is below the list. */
const STACKED = "(max-width: 760px) and (min-height: 481px)";

/** Goes to a step that the user clicked, and scrolls to it where it is below the list. */
function choose(number: number, at: HTMLElement): void {
  goToStep(number);
  if (matchMedia(STACKED).matches) at.closest(".tl")?.querySelector(".tl-mid")?.scrollIntoView();
}

function Row({ row, style, position }: { row: ListRow; style: JSX.CSSProperties; position: number }) {
  const id = `tl-steps-${position}`;
  if (row.kind === "prompt")
    return (
      <div
        class="tl-row tl-prompt"
        role="option"
        aria-selected="false"
        id={id}
        style={style}
        onClick={({ currentTarget }) => choose(row.step, currentTarget)}
      >
        <span title={visibleText(row.text)}>{row.text === "" ? t("timeline.noprompt") : <Plain text={`“${row.text}”`} />}</span>
      </div>
    );
  if (row.kind === "agent")
    return (
      <div
        class="tl-row tl-agent"
        role="option"
        aria-selected="false"
        id={id}
        style={style}
        onClick={({ currentTarget }) => choose(row.step, currentTarget)}
      >
        <span>{agentLabel(row.agent)}</span>
      </div>
    );
  const { at } = row;
  const depth = overview.value?.agents[at.agent]?.depth ?? 0;
  return (
    <div
      class="tl-row tl-step"
      role="option"
      aria-selected={at.step === step.value}
      id={id}
      style={style}
      data-depth={depth}
      data-failed={at.failed}
      onClick={({ currentTarget }) => choose(at.step, currentTarget)}
    >
      <b>{at.step}</b>
      <time>{timeLabel(at.at)}</time>
      <span class="tl-did" title={visibleText(didLabel(at))}>
        {at.compacted !== null && <span class="tl-mark">▼ </span>}
        <Plain text={didLabel(at)} />
      </span>
      <span class="num">+{short(at.added)}</span>
      <Badge at={at} />
    </div>
  );
}

function Badge({ at }: { at: TimelineStep }) {
  const share = at.cache?.share;
  const text = share === null || share === undefined ? "" : percent(share);
  return at.cache?.is_break === true ? <span class="tl-cache tl-bad">⚡ {text}</span> : <span class="tl-cache">{text}</span>;
}

/** The matches of the search. */
function Found() {
  const { answer, busy } = useQuestion<TimelineHits | null>(() => {
    const [find, at] = [findText.value.trim(), session.value];
    return find === "" ? null : () => ask("timelineFind", at, find);
  });
  const found = answer.value;
  if (found === null) return <p class="empty">{busy.value ? "…" : ""}</p>;
  return (
    <div class="tl-hits" tabIndex={0} role="region" aria-label={t("timeline.find")}>
      <p class="muted">{t("timeline.find.count", { n: number(found.count) })}</p>
      <ul>
        {found.hits.map((hit) => (
          <li>
            <button
              type="button"
              class="tl-hit"
              aria-current={message.value === hit.message ? "true" : undefined}
              onClick={() => goToStep(hit.step, hit.message)}
            >
              <span class="row">
                <b>{t("timeline.step", { n: hit.step })}</b>
                <i class="swatch" data-part={hit.kind} />
                {t(`timeline.kind.${hit.kind}`)}
                <Name text={[hit.tool, hit.target].filter((part) => part !== null).join(" ")} />
              </span>
              <span class="tl-snippet">
                <Plain text={hit.before} />
                <mark>
                  <Plain text={hit.found} />
                </mark>
                <Plain text={hit.after} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
