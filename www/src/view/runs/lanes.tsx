// One lane per agent, steps from left to right. A block is the state of a turn, an arrow a handover between lanes, a
// bracket above the lanes a batch with its open tasks.
import { computed, signal } from "@preact/signals";
import type { BatchRow, HeadRow, TaskRow } from "tuckbox/web";
import { codeLabel, count, formatTime, number, t } from "../../i18n/lazy.ts";
import { agents, currentIndex, currentStep, nameOf, selectedStep, steps } from "../../runs/selection.ts";
import type { RunStep } from "../../runs/types.ts";
import { windowSize } from "../../terms.ts";
import { Name, visibleText } from "../../text/plain.tsx";

/** The number of lanes per page. */
const MAX_LANES = 60;
/** The number of steps drawn, around the current one. */
const MAX_COLUMNS = 60;
/** The number of batches drawn, newest first. */
const MAX_BRACKETS = 8;
/** The number of handovers to one agent that the tooltip names. */
const MAX_NAMED = 5;
/** The height of a lane with its border, as in the style sheet. */
const LANE_PX = 35;

const find = signal("");
const page = signal(0);

const named = computed(() => {
  const wanted = find.value.trim().toLowerCase();
  return wanted === "" ? agents.value : agents.value.filter((id) => `${nameOf(id)} ${id}`.toLowerCase().includes(wanted));
});

/** The rows of a step by agent. */
interface Index {
  heads: Map<string, HeadRow>;
  tasks: Map<string, TaskRow>;
  queued: Map<string, number>;
  edges: Set<string>;
}

const indexes = new WeakMap<RunStep, Index>();

function indexOf(one: RunStep): Index {
  const known = indexes.get(one);
  if (known !== undefined) return known;
  const queued = new Map<string, number>();
  for (const { agent_id } of one.queued) queued.set(agent_id, (queued.get(agent_id) ?? 0) + 1);
  const found = {
    heads: new Map(one.agents.map((row) => [row.agent_id, row])),
    tasks: new Map(one.tasks.map((row) => [row.agent_id, row])),
    queued,
    edges: new Set(one.edges.map(({ edge_id }) => edge_id)),
  };
  indexes.set(one, found);
  return found;
}

/** A handover from another agent. */
interface Handover {
  from: string;
  phase: "request" | "response";
}

/** The final states of a task, of which its batch is notified. */
const FINAL_STATES: readonly string[] = ["success", "failed", "timeout", "canceled"] satisfies TaskRow["status"][];

/** Returns the handovers of a step by receiver: new edges, dispatched tasks, and ended tasks. */
function handovers(one: RunStep, before: RunStep | undefined): Map<string, Handover[]> {
  const old = before === undefined ? undefined : indexOf(before);
  const found = new Map<string, Handover[]>();
  const add = (to: string, handover: Handover) => {
    const list = found.get(to) ?? [];
    if (!list.some(({ from, phase }) => from === handover.from && phase === handover.phase)) found.set(to, [...list, handover]);
  };
  for (const { edge_id, source_agent_id: from, target_agent_id: to, edge_phase } of one.edges) {
    if (old?.edges.has(edge_id) === true || to === undefined || from === undefined || from === to) continue;
    add(to, { from, phase: edge_phase === "response" ? "response" : "request" });
  }
  const parents = new Map(one.batches.map(({ batch_id, parent_agent_id }) => [batch_id, parent_agent_id]));
  for (const { agent_id, batch_id, status } of one.tasks) {
    const parent = parents.get(batch_id);
    if (parent === undefined) continue;
    const then = old?.tasks.get(agent_id)?.status;
    if (then === undefined) add(agent_id, { from: parent, phase: "request" });
    if (then !== status && FINAL_STATES.includes(status)) add(parent, { from: agent_id, phase: "response" });
  }
  return found;
}

/** The states of a turn, as the legend lists them. */
const STATES = ["idle", "queued", "dispatched", "running", "suspended", "failed"] as const;

export function Lanes() {
  const from = Math.max(0, Math.min(steps.value.length - MAX_COLUMNS, currentIndex.value - MAX_COLUMNS / 2));
  const columns = steps.value
    .slice(from, from + MAX_COLUMNS)
    .map((one, index) => ({ one, at: from + index, handed: handovers(one, steps.value[from + index - 1]) }));
  const pages = Math.max(1, Math.ceil(named.value.length / MAX_LANES));
  const first = Math.min(page.value, pages - 1) * MAX_LANES;
  const lanes = named.value.slice(first, first + MAX_LANES);
  const rowOf = new Map(lanes.map((agent_id, row) => [agent_id, row]));
  const queued = currentStep.value === null ? undefined : indexOf(currentStep.value).queued;
  return (
    <>
      {agents.value.length > MAX_LANES && (
        <div class="row lane-pages">
          <input
            type="search"
            aria-label={t("runs.find")}
            placeholder={t("runs.find")}
            value={find.value}
            onInput={(event) => (find.value = event.currentTarget.value)}
          />
          <button type="button" class="quiet" disabled={first === 0} onClick={() => (page.value = first / MAX_LANES - 1)}>
            {t("runs.page.back")}
          </button>
          <span class="num">
            {t("runs.page", {
              from: number(Math.min(first + 1, named.value.length)),
              to: number(first + lanes.length),
              of: number(named.value.length),
            })}
          </span>
          <button
            type="button"
            class="quiet"
            disabled={first + MAX_LANES >= named.value.length}
            onClick={() => (page.value = first / MAX_LANES + 1)}
          >
            {t("runs.page.on")}
          </button>
        </div>
      )}
      <div class="lanes" tabIndex={0} role="region" aria-label={t("runs.lanes")}>
        <table class="lane-table">
          <thead>
            <tr>
              <th scope="col">{t("runs.agent")}</th>
              <th scope="col">{t("runs.queue")}</th>
              {columns.map(({ one, at: number }) => (
                <th scope="col">
                  <button
                    type="button"
                    class="step"
                    aria-pressed={currentIndex.value === number}
                    title={stepLabel(one)}
                    onClick={() => (selectedStep.value = number)}
                  >
                    <span aria-hidden="true">{number}</span>
                    <span class="sr">{t("runs.step", { n: number, what: stepLabel(one) })}</span>
                  </button>
                </th>
              ))}
            </tr>
            {batchesOf(columns.map(({ one }) => one)).map((batch) => (
              <Bracket batch={batch} columns={columns.map(({ one }) => one)} />
            ))}
          </thead>
          <tbody>
            {lanes.map((agent_id, row) => (
              <tr>
                <th scope="row">
                  <Name text={nameOf(agent_id)} />
                </th>
                <td class="num">{number(queued?.get(agent_id) ?? 0)}</td>
                {columns.map(({ one, at: number, handed }) => (
                  <Block
                    step={one}
                    agent_id={agent_id}
                    row={row}
                    rowOf={rowOf}
                    handed={handed.get(agent_id) ?? []}
                    isChosen={currentIndex.value === number}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ul class="legend lane-legend" aria-label={t("runs.legend")}>
        {STATES.map((state) => (
          <li>
            <span class="turn" data-state={state} /> {codeLabel("run", state)}
          </li>
        ))}
        <li>→ {t("runs.legend.request")}</li>
        <li>← {t("runs.legend.response")}</li>
        <li>✕ {t("runs.lost")}</li>
      </ul>
    </>
  );
}

/** Returns the newest state of the batches of some steps, newest first. */
function batchesOf(steps: readonly RunStep[]): BatchRow[] {
  const last = new Map<string, BatchRow>();
  for (const one of steps) for (const batch of one.batches) last.set(batch.batch_id, batch);
  return [...last.values()].reverse().slice(0, MAX_BRACKETS);
}

/** A batch over time: one part per state, with its number of open tasks. */
function Bracket({ batch, columns }: { batch: BatchRow; columns: readonly RunStep[] }) {
  const terms = [
    t("runs.join", { tasks: count("tasks", batch.task_count) }),
    batch.metadata.fail_fast === true ? "fail_fast" : "",
    batch.deadline_at === undefined ? "" : t("runs.until", { when: formatTime(Date.parse(batch.deadline_at)) }),
  ]
    .filter((part) => part !== "")
    .join(" · ");
  const stretches: { status: string | null; open: number; length: number }[] = [];
  for (const one of columns) {
    const row = one.batches.find(({ batch_id }) => batch_id === batch.batch_id);
    const [status, open] = [row?.status ?? null, row?.open_count ?? 0];
    const last = stretches.at(-1);
    if (last !== undefined && last.status === status && last.open === open) last.length += 1;
    else stretches.push({ status, open, length: 1 });
  }
  return (
    <tr class="batch">
      <th scope="row" title={visibleText(terms)}>
        {t("runs.batch")} <Name text={nameOf(batch.parent_agent_id)} /> <span class="muted">{terms}</span>
      </th>
      <td />
      {stretches.map(({ status, open, length }) => {
        if (status === null) return <td colSpan={length} />;
        const label = `${codeLabel("run", status)} · ${t("runs.open.count", { n: number(open), of: number(batch.task_count) })}`;
        return (
          <td colSpan={length}>
            <span class="bracket" data-status={status} title={label}>
              <span>{label}</span>
            </span>
          </td>
        );
      })}
    </tr>
  );
}

interface BlockProps {
  step: RunStep;
  agent_id: string;
  row: number;
  rowOf: ReadonlyMap<string, number>;
  handed: readonly Handover[];
  isChosen: boolean;
}

/** The turn of an agent at a step: its color is the state, its height the share of the window. */
function Block({ step, agent_id, row, rowOf, handed, isChosen }: BlockProps) {
  const { heads, tasks, queued } = indexOf(step);
  const head = heads.get(agent_id);
  if (head === undefined) return <td class="cell" data-chosen={isChosen} />;
  const task = tasks.get(agent_id);
  const hasFailed = head.status === "idle" && (task?.status === "failed" || task?.status === "timeout" || task?.status === "canceled");
  const state = hasFailed ? "failed" : head.status === "idle" && queued.has(agent_id) ? "queued" : head.status;
  const tokens = step.tokens[agent_id];
  const label = [
    codeLabel("run", state),
    head.active_agent_turn_id === undefined ? "" : t("runs.turn", { turn: head.active_agent_turn_id, epoch: head.turn_epoch }),
    tokens === undefined ? "" : `${number(tokens)} ${t("bar.tokens")}`,
    ...handed.slice(0, MAX_NAMED).map(({ from, phase }) => t(phase === "response" ? "runs.answered" : "runs.asked", { by: nameOf(from) })),
  ]
    .filter((part) => part !== "")
    .join(" · ");
  return (
    <td class="cell" data-chosen={isChosen}>
      <span
        class="turn"
        data-state={state}
        title={label}
        style={{ height: `${state === "idle" ? 4 : 8 + Math.min(1, (tokens ?? 0) / windowSize.value) * 20}px` }}
      >
        <span class="sr">{label}</span>
      </span>
      {handed.slice(0, MAX_LANES).map(({ from, phase }) => (
        <Arrow phase={phase} row={row} source={rowOf.get(from)} />
      ))}
      {step.lost_wakeups.includes(agent_id) && (
        <i class="arrow lost" aria-hidden="true" title={t("runs.lost")}>
          ✕
        </i>
      )}
    </td>
  );
}

/** A handover, drawn from the sender's lane to the receiver's lane. */
function Arrow({ phase, row, source }: { phase: Handover["phase"]; row: number; source: number | undefined }) {
  if (source === undefined)
    return (
      <i class="arrow" aria-hidden="true">
        {phase === "response" ? "←" : "→"}
      </i>
    );
  const lanes = source - row;
  return (
    <i
      class="handover"
      aria-hidden="true"
      data-phase={phase}
      data-from={lanes < 0 ? "above" : "below"}
      style={{ height: `${Math.abs(lanes) * LANE_PX}px` }}
    />
  );
}

export function stepLabel(one: RunStep): string {
  const { action } = one;
  if (action.do === "look") return formatTime(one.at);
  if (action.do === "wait") return t("runs.action.wait", { n: action.seconds });
  return t(`runs.action.${action.do}`);
}
