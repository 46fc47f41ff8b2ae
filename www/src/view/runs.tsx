// What runs: a lane for every agent, moments from left to right, in each the state of its turn. Live on the open
// project's store, or a team that is simulated in the page, step by step.
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, faultOf } from "../engine/client.ts";
import type { Fault } from "../engine/protocol.ts";
import { count, moment as dateOf, number, t, word } from "../i18n/rooms.ts";
import { home, openFrom, project, show } from "../state.ts";
import type { Moment, Question, RunsNow, SimStep } from "../runs/types.ts";
import { windowSize } from "../terms.ts";
import { legible, Name, Plain } from "../text/plain.tsx";
import { FaultNote } from "./fault.tsx";
import { Segments } from "./header.tsx";

type Source = "store" | "simulated";

const source = signal<Source>("store");
const live = signal<readonly Moment[]>([]);
const simulated = signal<readonly Moment[]>([]);
const questions = signal<readonly Question[]>([]);
/** The moment that is looked at; `null` follows the newest. */
const chosen = signal<number | null>(null);
const fault = signal<Fault | null>(null);
const busy = signal(false);

const moments = computed(() => (source.value === "store" ? live.value : simulated.value));
const at = computed(() => Math.min(chosen.value ?? Infinity, moments.value.length - 1));
const shown = computed<Moment | null>(() => moments.value[at.value] ?? null);

/** How often a store of other processes is asked. */
const LOOK_MS = 2_000;
/** So many agents have a lane; more are counted. */
const LANES = 200;
/** So many moments are drawn: the newest. */
const COLUMNS = 120;

export function Runs() {
  useEffect(() => {
    void look();
    const timer = setInterval(() => {
      if (source.peek() === "store" && home.peek()?.kind !== "browser" && document.visibilityState === "visible") void look();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [project.value?.project_id]);
  return (
    <section class="runs-room">
      <header class="row runs-head">
        <h2>{t("runs.title")}</h2>
        <Segments
          label={t("runs.source")}
          options={[{ value: "store", text: t("runs.source.store") }, { value: "simulated", text: t("runs.source.simulated") }]}
          value={source.value}
          onChange={(next) => {
            source.value = next as Source;
            chosen.value = null;
          }}
        />
        {source.value === "store"
          ? <button type="button" class="quiet" onClick={() => void look()}>{t("runs.look")}</button>
          : <button type="button" class="quiet" disabled={busy.value} onClick={() => void start()}>{t(simulated.value.length === 0 ? "runs.start" : "runs.again")}</button>}
      </header>
      {fault.value !== null && <FaultNote title={t("runs.failed")} fault={fault.value} />}
      {source.value === "simulated" && simulated.value.length === 0 && <p class="muted">{t("runs.simulated.about")}</p>}
      {source.value === "store" && shown.value !== null && shown.value.agents.length === 0 && <p class="muted">{t("runs.empty")}</p>}
      {shown.value !== null && shown.value.agents.length > 0 && (
        <>
          <Lanes />
          <Scrubber />
          {source.value === "simulated" && <Actions />}
          <Details now={shown.value} />
        </>
      )}
    </section>
  );
}

/** Looks at the store; a moment is kept when something changed. */
async function look(): Promise<void> {
  try {
    const last = live.peek().at(-1);
    const now = await ask("runs", windowSize.peek(), last?.batches.map(({ batch_id }) => batch_id) ?? []);
    fault.value = null;
    if (last !== undefined && same(last, now)) return;
    live.value = [...live.peek(), { ...now, step: { do: "look" } as const, changes: [], lost: [] }].slice(-COLUMNS);
  } catch (thrown) {
    fault.value = faultOf(thrown);
  }
}

function same({ agents, queued, batches, tasks, due, outbox }: RunsNow, now: RunsNow): boolean {
  return JSON.stringify([agents, queued, batches, tasks, due, outbox]) === JSON.stringify([now.agents, now.queued, now.batches, now.tasks, now.due, now.outbox]);
}

async function start(): Promise<void> {
  simulated.value = [];
  await act({ do: "start" });
}

async function act(step: SimStep): Promise<void> {
  busy.value = true;
  try {
    const found = await ask("simulate", step, windowSize.peek());
    simulated.value = found.moments;
    questions.value = found.questions;
    chosen.value = null;
    fault.value = null;
  } catch (thrown) {
    fault.value = faultOf(thrown);
  }
  busy.value = false;
}

/** The agents of all moments, in the order in which they came. */
const agents = computed(() => [...new Set(moments.value.flatMap((one) => one.agents.map(({ agent_id }) => agent_id)))]);

function nameOf(agent_id: string): string {
  const named = moments.value.at(-1)?.names[agent_id];
  return named ?? project.value?.agents.find((agent) => agent.agent_id === agent_id)?.display_name ?? agent_id;
}

function Lanes() {
  const from = Math.max(0, moments.value.length - COLUMNS);
  const columns = moments.value.slice(from);
  const size = windowSize.value;
  return (
    <div class="lanes" tabIndex={0} role="region" aria-label={t("runs.lanes")}>
      <table class="lane-table">
        <thead>
          <tr>
            <th scope="col">{t("runs.agent")}</th>
            <th scope="col">{t("runs.queue")}</th>
            {columns.map((one, index) => (
              <th scope="col">
                <button type="button" class="moment" aria-pressed={at.value === from + index} title={stepWord(one)} onClick={() => (chosen.value = from + index)}>
                  <span aria-hidden="true">{from + index}</span>
                  <span class="sr">{t("runs.moment", { n: from + index, what: stepWord(one) })}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {agents.value.slice(0, LANES).map((agent_id) => (
            <tr>
              <th scope="row"><Name text={nameOf(agent_id)} /></th>
              <td class="figure">{number(shown.value?.queued.filter((row) => row.agent_id === agent_id).length ?? 0)}</td>
              {columns.map((one, index) => <Block moment={one} agent_id={agent_id} size={size} isChosen={at.value === from + index} previous={columns[index - 1]} />)}
            </tr>
          ))}
        </tbody>
      </table>
      {agents.value.length > LANES && <p class="muted">{t("problems.more", { n: number(agents.value.length - LANES) })}</p>}
    </div>
  );
}

interface BlockProps {
  moment: Moment;
  agent_id: string;
  size: number;
  isChosen: boolean;
  previous: Moment | undefined;
}

/** The turn of an agent at a moment: its colour is the state, its height the tokens over the window. */
function Block({ moment, agent_id, size, isChosen, previous }: BlockProps) {
  const head = moment.agents.find((row) => row.agent_id === agent_id);
  if (head === undefined) return <td class="cell" />;
  const task = moment.tasks.find((row) => row.agent_id === agent_id);
  const hasFailed = head.status === "idle" && (task?.status === "failed" || task?.status === "timeout" || task?.status === "canceled");
  const state = hasFailed ? "failed" : head.status === "idle" && moment.queued.some((row) => row.agent_id === agent_id) ? "queued" : head.status;
  const tokens = moment.tokens[agent_id];
  const asks = moment.edges.filter((edge) => edge.target_agent_id === agent_id && edge.edge_phase === "request" && !previous?.edges.some(({ edge_id }) => edge_id === edge.edge_id));
  const answers = moment.edges.filter((edge) => edge.target_agent_id === agent_id && edge.edge_phase === "response" && !previous?.edges.some(({ edge_id }) => edge_id === edge.edge_id));
  const label = [
    word("run", state),
    head.active_agent_turn_id === undefined ? "" : t("runs.turn", { turn: head.active_agent_turn_id, epoch: head.turn_epoch }),
    tokens === undefined ? "" : `${number(tokens)} ${t("bar.tokens")}`,
    ...asks.map((edge) => t("runs.asked", { by: nameOf(edge.source_agent_id ?? "?") })),
    ...answers.map((edge) => t("runs.answered", { by: nameOf(edge.source_agent_id ?? "?") })),
  ].filter((part) => part !== "").join(" · ");
  return (
    <td class="cell" data-chosen={isChosen}>
      <span class="turn" data-state={state} title={label} style={{ height: `${state === "idle" ? 4 : 8 + Math.min(1, (tokens ?? 0) / size) * 20}px` }}>
        <span class="sr">{label}</span>
      </span>
      {asks.length > 0 && <i class="arrow" aria-hidden="true">→</i>}
      {answers.length > 0 && <i class="arrow" aria-hidden="true">←</i>}
      {moment.lost.includes(agent_id) && <i class="arrow lost" aria-hidden="true" title={t("runs.lost")}>✕</i>}
    </td>
  );
}

function stepWord(one: Moment): string {
  const { step } = one;
  if (step.do === "look") return dateOf(one.at);
  if (step.do === "wait") return t("runs.step.wait", { n: step.seconds });
  return t(`runs.step.${step.do}`);
}

function Scrubber() {
  const last = moments.value.length - 1;
  if (last < 1) return null;
  return (
    <label class="choice scrubber">
      <span>{t("runs.scrub")}</span>
      <input type="range" min="0" max={last} value={at.value} onInput={(event) => (chosen.value = Number(event.currentTarget.value) === last ? null : Number(event.currentTarget.value))} />
      <span class="figure">{at.value} / {last}</span>
      {source.value === "simulated" && <button type="button" class="quiet" onClick={() => void openMoment()}>{t("runs.open")}</button>}
    </label>
  );
}

/** Every other room shows the project as it was at this moment. */
async function openMoment(): Promise<void> {
  try {
    await openFrom({ kind: "text", text: await ask("simulated", at.peek()) });
  } catch (thrown) {
    fault.value = faultOf(thrown);
  }
}

const tasks = signal(3);
const failFast = signal(false);
const deadline = signal(false);

/** What can be done to the team now. */
function Actions() {
  const isNow = chosen.value === null;
  if (!isNow) return <p class="muted">{t("runs.past")}</p>;
  const waits = shown.value?.outbox.length ?? 0;
  return (
    <section class="sim-actions" aria-label={t("runs.actions")} aria-busy={busy.value}>
      <fieldset class="row" disabled={busy.value}>
        <button type="button" class={waits > 0 ? "primary" : "quiet"} onClick={() => void act({ do: "send", lose_wakeups: false })}>{t("runs.do.send", { n: number(waits) })}</button>
        <button type="button" class="quiet" onClick={() => void act({ do: "send", lose_wakeups: true })}>{t("runs.do.lose")}</button>
        {[60, 600].map((seconds) => (
          <button type="button" class="quiet" onClick={() => void act({ do: "wait", seconds })}>{t("runs.do.wait", { n: seconds / 60 })}</button>
        ))}
      </fieldset>
      <ul class="plain">
        {questions.value.map((question) => (
          <li class="row question">
            <span><Name text={nameOf(question.agent_id)} /> <span class="muted">{t("runs.waits", { profile: question.profile })}</span></span>
            <button type="button" class="primary" disabled={busy.value} onClick={() => void act({ do: "answer", question: question.id, text: t("runs.said") })}>{t("runs.do.answer")}</button>
            {question.profile === "Lead" && question.step_count === 0 && (
              <>
                <button type="button" class="quiet" disabled={busy.value} onClick={() => void act({ do: "fork", question: question.id, tasks: tasks.value, fail_fast: failFast.value, deadline_seconds: deadline.value ? 300 : null })}>{t("runs.do.fork", { n: tasks.value })}</button>
                <label class="choice"><span>{t("runs.tasks")}</span><input type="number" min="1" max="20" value={tasks.value} onInput={(event) => (tasks.value = Math.max(1, Math.min(20, Number(event.currentTarget.value) || 1)))} /></label>
                <label class="choice check"><input type="checkbox" checked={failFast.value} onChange={(event) => (failFast.value = event.currentTarget.checked)} /><span>fail_fast</span></label>
                <label class="choice check"><input type="checkbox" checked={deadline.value} onChange={(event) => (deadline.value = event.currentTarget.checked)} /><span>{t("runs.deadline")}</span></label>
              </>
            )}
            <button type="button" class="quiet" disabled={busy.value} onClick={() => void act({ do: "fail", question: question.id })}>{t("runs.do.fail")}</button>
            <button type="button" class="quiet" disabled={busy.value} onClick={() => void act({ do: "kill", question: question.id })}>{t("runs.do.kill")}</button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Everything that stands in the store at the chosen moment. */
function Details({ now }: { now: Moment }) {
  return (
    <div class="runs-details">
      {now.changes.length > 0 && (
        <section>
          <h3>{t("runs.rules")}</h3>
          <ul class="plain rules">
            {now.changes.flatMap(({ op, transitions }, call) => transitions.map(({ rule, guard, table, key }) => (
              <li key={`${call} ${table} ${key.join(" ")}`}>
                <code>{op}</code> → <b>{rule}</b> <span class="muted"><code>{table}</code> {key.map((part) => <><Short id={nameOf(part)} /> </>)}</span> <Plain text={guard} />
              </li>
            )))}
          </ul>
        </section>
      )}
      <Rows title={t("runs.agents")} head={[t("runs.agent"), t("runs.state"), t("runs.turn.col"), t("messages.tokens")]} rows={now.agents.map((row) => [
        <button type="button" class="link" onClick={() => show({ kind: "agent", agent_id: row.agent_id })}><Name text={nameOf(row.agent_id)} /></button>,
        word("run", row.status),
        <Short id={row.active_agent_turn_id} more={` @${row.turn_epoch}`} />,
        now.tokens[row.agent_id] === undefined ? "" : number(now.tokens[row.agent_id] ?? 0),
      ])} />
      <Rows title={t("runs.queued")} head={[t("runs.agent"), t("runs.state"), t("runs.message"), ""]} rows={now.queued.map((row) => [<Name text={nameOf(row.agent_id)} />, word("run", row.status), <code><Name text={row.message_type} /></code>, <Short id={row.inbox_id} />])} />
      {now.batches.map((batch) => (
        <Rows
          title={`${t("runs.batch")} ${word("run", batch.status)} · ${t("runs.open.count", { n: number(batch.open_count ?? 0), of: number(batch.task_count) })}${batch.deadline_at === undefined ? "" : ` · ${t("runs.until", { when: dateOf(Date.parse(batch.deadline_at)) })}`}${batch.metadata.fail_fast === true ? " · fail_fast" : ""}`}
          head={[t("runs.agent"), t("runs.state"), t("runs.turn.col"), ""]}
          rows={now.tasks.filter((task) => task.batch_id === batch.batch_id).map((task) => [<Name text={nameOf(task.agent_id)} />, word("run", task.status), <Short id={task.current_agent_turn_id} />, <Name text={task.error_detail ?? ""} />])}
        />
      ))}
      <section>
        <h3>{t("runs.due")}</h3>
        <p>{now.due.length === 0 ? <span class="muted">{t("runs.due.none")}</span> : now.due.map((op) => <code class="due">{op}</code>)}</p>
        <h3>{t("runs.outbox")} <span class="figure">{count("messages", now.outbox.length)}</span></h3>
        <ul class="plain">{now.outbox.slice(0, 50).map(({ subject }) => <li><code class="path"><Name text={subject} /></code></li>)}</ul>
      </section>
    </div>
  );
}

/** The end of a long id, which is what differs; the whole of it on hover. */
function Short({ id, more = "" }: { id: string | undefined; more?: string }) {
  if (id === undefined) return <>–</>;
  const isLong = id.length > 16 && !id.includes(" ");
  return <code title={legible(id)}><Name text={isLong ? `…${id.slice(-8)}${more}` : `${id}${more}`} /></code>;
}

function Rows({ title, head, rows }: { title: string; head: string[]; rows: preact.ComponentChildren[][] }) {
  if (rows.length === 0) return null;
  return (
    <section class="runs-rows">
      <table class="buckets">
        <caption>{title} <span class="figure">{number(rows.length)}</span></caption>
        <thead><tr>{head.map((cell) => <th scope="col">{cell}</th>)}</tr></thead>
        <tbody>{rows.slice(0, LANES).map((cells) => <tr>{cells.map((cell) => <td>{cell}</td>)}</tr>)}</tbody>
      </table>
    </section>
  );
}

