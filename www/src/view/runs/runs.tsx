// Runs: one lane per agent, steps from left to right with the state of each turn. The source is the open project's
// store, or a simulated team.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, errorData } from "../../engine/client.ts";
import type { ErrorData } from "../../engine/protocol.ts";
import { codeLabel, count, formatTime, number, t } from "../../i18n/lazy.ts";
import { openFrom } from "../../project.ts";
import {
  currentIndex,
  currentStep,
  nameOf,
  type Source,
  selectedStep,
  simulatedSteps,
  source,
  steps,
  storeSteps,
} from "../../runs/selection.ts";
import { MAX_TASKS, type ModelQuestion, type RunRows, type RunStep, type SimAction } from "../../runs/types.ts";
import { project, show, storedIn } from "../../state.ts";
import { windowSize } from "../../terms.ts";
import { Name, Plain, visibleText } from "../../text/plain.tsx";
import { ErrorNote } from "../common/error.tsx";
import { Segments } from "../common/segments.tsx";
import { Lanes } from "./lanes.tsx";

const questions = signal<readonly ModelQuestion[]>([]);
const error = signal<ErrorData | null>(null);
const busy = signal(false);

/** How often a remote store is polled. */
const POLL_MS = 2_000;
/** The maximum number of steps kept of a store. */
const MAX_STEPS = 400;
/** The maximum number of rows drawn per table; the others are counted. */
const MAX_ROWS = 100;
/** The maximum number of waiting model calls listed; all can be answered at once. */
const MAX_QUESTIONS = 12;

export function Runs() {
  useEffect(() => {
    void readStore();
    const timer = setInterval(() => {
      if (source.peek() === "store" && storedIn.peek()?.kind !== "browser" && document.visibilityState === "visible") void readStore();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [project.value?.project_id]);
  return (
    <section class="scroll-view">
      <header class="row runs-head">
        <h2>{t("runs.title")}</h2>
        <Segments
          label={t("runs.source")}
          options={[
            { value: "store", text: t("runs.source.store") },
            { value: "simulated", text: t("runs.source.simulated") },
          ]}
          value={source.value}
          onChange={(next) => {
            source.value = next as Source;
            selectedStep.value = null;
          }}
        />
        {source.value === "store" ? (
          <button type="button" class="quiet" onClick={() => void readStore()}>
            {t("runs.refresh")}
          </button>
        ) : (
          <button type="button" class="quiet" disabled={busy.value} onClick={() => void start()}>
            {t(simulatedSteps.value.length === 0 ? "runs.start" : "runs.restart")}
          </button>
        )}
      </header>
      {error.value !== null && <ErrorNote title={t("runs.failed")} error={error.value} />}
      {source.value === "simulated" && simulatedSteps.value.length === 0 && <p class="muted">{t("runs.simulated.about")}</p>}
      {source.value === "store" && currentStep.value !== null && currentStep.value.agents.length === 0 && (
        <p class="row muted">
          {t("runs.empty")}
          <button
            type="button"
            class="quiet"
            onClick={() => {
              source.value = "simulated";
              if (simulatedSteps.peek().length === 0) void start();
            }}
          >
            {t("runs.start")}
          </button>
        </p>
      )}
      {currentStep.value !== null && currentStep.value.agents.length > 0 && (
        <>
          <p class="muted">{t("runs.clock", { time: clock(currentStep.value.at) })}</p>
          <Lanes />
          <Scrubber />
          {source.value === "simulated" && <Actions />}
          <Details now={currentStep.value} />
        </>
      )}
    </section>
  );
}

/** Reads the store; adds a step if something changed. */
async function readStore(): Promise<void> {
  try {
    const last = storeSteps.peek().at(-1);
    const now = await ask("runState", windowSize.peek(), last?.batches.map(({ batch_id }) => batch_id) ?? []);
    error.value = null;
    if (last !== undefined && isSame(last, now)) return;
    storeSteps.value = [...storeSteps.peek(), { ...now, action: { do: "look" } as const, changes: [], lost_wakeups: [] }].slice(-MAX_STEPS);
  } catch (thrown) {
    error.value = errorData(thrown);
  }
}

function isSame({ agents, queued, batches, tasks, due, outbox }: RunRows, now: RunRows): boolean {
  return (
    JSON.stringify([agents, queued, batches, tasks, due, outbox]) ===
    JSON.stringify([now.agents, now.queued, now.batches, now.tasks, now.due, now.outbox])
  );
}

async function start(): Promise<void> {
  simulatedSteps.value = [];
  await runAction({ do: "start" });
}

async function runAction(step: SimAction): Promise<void> {
  busy.value = true;
  try {
    const found = await ask("simulate", step, windowSize.peek());
    simulatedSteps.value = step.do === "start" ? [found.step] : [...simulatedSteps.peek(), found.step];
    questions.value = found.questions;
    selectedStep.value = null;
    error.value = null;
  } catch (thrown) {
    error.value = errorData(thrown);
  }
  busy.value = false;
}

function Scrubber() {
  const last = steps.value.length - 1;
  if (last < 1) return null;
  return (
    <label class="choice scrubber">
      <span>{t("runs.scrub")}</span>
      <input
        type="range"
        min="0"
        max={last}
        value={currentIndex.value}
        onInput={(event) => (selectedStep.value = Number(event.currentTarget.value) === last ? null : Number(event.currentTarget.value))}
      />
      <span class="num">
        {currentIndex.value} / {last}
      </span>
      {source.value === "simulated" && (
        <button type="button" class="quiet" onClick={() => void openStep()}>
          {t("runs.open")}
        </button>
      )}
    </label>
  );
}

/** Opens an agent. That of a simulation is in the project of the step. */
async function openAgent(agent_id: string): Promise<void> {
  if (source.peek() === "simulated") await openStep();
  if (error.peek() === null) show({ kind: "agent", agent_id });
}

const clock = (ms: number) => new Date(ms).toTimeString().slice(0, 8);

/** Returns the time of the first step since which an agent has its state. */
function sinceOf(agent_id: string): string {
  const all = steps.value;
  const stateAt = (at: number) => all[at]?.agents.find((row) => row.agent_id === agent_id)?.status;
  const state = stateAt(currentIndex.value);
  let at = currentIndex.value;
  while (at > 0 && stateAt(at - 1) === state) at -= 1;
  return clock(all[at]?.at ?? 0);
}

/** Opens the project as it was at this step. */
async function openStep(): Promise<void> {
  try {
    await openFrom({ kind: "text", text: await ask("simulatedSnapshot", currentIndex.peek()) });
  } catch (thrown) {
    error.value = errorData(thrown);
  }
}

const tasks = signal(3);
const failFast = signal(false);
const deadline = signal(false);

/** The actions that are possible now. */
function Actions() {
  const isNow = selectedStep.value === null;
  if (!isNow) return <p class="muted">{t("runs.past")}</p>;
  const waits = currentStep.value?.outbox.length ?? 0;
  return (
    <section class="sim-actions" aria-label={t("runs.actions")} aria-busy={busy.value}>
      <fieldset class="row" disabled={busy.value}>
        <button type="button" class={waits > 0 ? "primary" : "quiet"} onClick={() => void runAction({ do: "send", lose_wakeups: false })}>
          {t("runs.do.send", { n: number(waits) })}
        </button>
        <button type="button" class="quiet" onClick={() => void runAction({ do: "send", lose_wakeups: true })}>
          {t("runs.do.lose")}
        </button>
        {[60, 600].map((seconds) => (
          <button type="button" class="quiet" onClick={() => void runAction({ do: "wait", seconds })}>
            {t("runs.do.wait", { n: seconds / 60 })}
          </button>
        ))}
      </fieldset>
      <ul class="plain">
        {questions.value.length > 1 && (
          <li class="row">
            <span class="muted">{t("runs.waiting", { n: number(questions.value.length) })}</span>
            <button
              type="button"
              class="quiet"
              disabled={busy.value}
              onClick={() => void runAction({ do: "answer_all", text: t("runs.answer.text") })}
            >
              {t("runs.do.answer_all")}
            </button>
          </li>
        )}
        {questions.value.slice(0, MAX_QUESTIONS).map((question) => (
          <li class="row question">
            <span>
              <Name text={nameOf(question.agent_id)} /> <span class="muted">{t("runs.waits", { profile: question.profile })}</span>
            </span>
            <button
              type="button"
              class="primary"
              disabled={busy.value}
              onClick={() => void runAction({ do: "answer", question: question.id, text: t("runs.answer.text") })}
            >
              {t("runs.do.answer")}
            </button>
            {question.profile === "Lead" && question.step_count === 0 && (
              <>
                <button
                  type="button"
                  class="quiet"
                  disabled={busy.value}
                  onClick={() =>
                    void runAction({
                      do: "fork",
                      question: question.id,
                      tasks: tasks.value,
                      fail_fast: failFast.value,
                      deadline_seconds: deadline.value ? 300 : null,
                    })
                  }
                >
                  {t("runs.do.fork", { n: tasks.value })}
                </button>
                <label class="choice">
                  <span>{t("runs.tasks")}</span>
                  <input
                    type="number"
                    min="1"
                    max={MAX_TASKS}
                    value={tasks.value}
                    onInput={(event) => (tasks.value = Math.max(1, Math.min(MAX_TASKS, Number(event.currentTarget.value) || 1)))}
                  />
                </label>
                <label class="choice check">
                  <input type="checkbox" checked={failFast.value} onChange={(event) => (failFast.value = event.currentTarget.checked)} />
                  <span>fail_fast</span>
                </label>
                <label class="choice check">
                  <input type="checkbox" checked={deadline.value} onChange={(event) => (deadline.value = event.currentTarget.checked)} />
                  <span>{t("runs.deadline")}</span>
                </label>
              </>
            )}
            <button type="button" class="quiet" disabled={busy.value} onClick={() => void runAction({ do: "fail", question: question.id })}>
              {t("runs.do.fail")}
            </button>
            <button type="button" class="quiet" disabled={busy.value} onClick={() => void runAction({ do: "kill", question: question.id })}>
              {t("runs.do.kill")}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** All rows of the store at the selected step. */
function Details({ now }: { now: RunStep }) {
  const changes = now.changes.flatMap(({ op, transitions }) => transitions.map((one) => ({ ...one, op })));
  return (
    <div class="runs-details">
      {now.changes.length > 0 && (
        <section>
          <h3>{t("runs.rules")}</h3>
          <ul class="plain rules" tabIndex={0} aria-label={t("runs.rules")}>
            {changes.slice(0, MAX_ROWS).map(({ op, rule, guard, table, key }) => (
              <li>
                <code>{op}</code> → <b>{rule}</b>{" "}
                <span class="muted">
                  <code>{table}</code>{" "}
                  {key.map((part) => (
                    <>
                      <ShortId id={nameOf(part)} />{" "}
                    </>
                  ))}
                </span>{" "}
                <Plain text={guard} />
              </li>
            ))}
            <More than={MAX_ROWS} of={changes.length} />
          </ul>
        </section>
      )}
      <Rows
        title={t("runs.agents")}
        head={[t("runs.agent"), t("runs.state"), t("runs.since"), t("runs.turn.col"), t("messages.tokens")]}
        rows={now.agents.map((row) => () => [
          <button type="button" class="link" onClick={() => void openAgent(row.agent_id)}>
            <Name text={nameOf(row.agent_id)} />
          </button>,
          codeLabel("run", row.status),
          sinceOf(row.agent_id),
          row.active_agent_turn_id === undefined ? (
            t("runs.turn.none")
          ) : (
            <ShortId id={row.active_agent_turn_id} more={` @${row.turn_epoch}`} />
          ),
          now.tokens[row.agent_id] === undefined ? "" : number(now.tokens[row.agent_id] ?? 0),
        ])}
      />
      <Rows
        title={t("runs.queued")}
        head={[t("runs.agent"), t("runs.state"), t("runs.message"), ""]}
        rows={now.queued.map((row) => () => [
          <Name text={nameOf(row.agent_id)} />,
          codeLabel("run", row.status),
          <code>
            <Name text={row.message_type} />
          </code>,
          <ShortId id={row.inbox_id} />,
        ])}
      />
      {now.batches.map((batch) => (
        <Rows
          title={`${t("runs.batch")} ${codeLabel("run", batch.status)} · ${t("runs.open.count", { n: number(batch.open_count ?? 0), of: number(batch.task_count) })}${batch.deadline_at === undefined ? "" : ` · ${t("runs.until", { when: formatTime(Date.parse(batch.deadline_at)) })}`}${batch.metadata.fail_fast === true ? " · fail_fast" : ""}`}
          isCounted={false}
          head={[t("runs.agent"), t("runs.state"), t("runs.turn.col"), ""]}
          rows={now.tasks
            .filter((task) => task.batch_id === batch.batch_id)
            .map((task) => () => [
              <Name text={nameOf(task.agent_id)} />,
              codeLabel("run", task.status),
              <ShortId id={task.current_agent_turn_id} />,
              <Name text={task.error_detail ?? ""} />,
            ])}
        />
      ))}
      <section>
        <h3>{t("runs.due")}</h3>
        <p>{now.due.length === 0 ? <span class="muted">{t("runs.due.none")}</span> : now.due.map((op) => <code class="due">{op}</code>)}</p>
        <h3>
          {t("runs.outbox")} <span class="num">{count("messages", now.outbox.length)}</span>
        </h3>
        <ul class="plain">
          {now.outbox.slice(0, 50).map(({ subject }) => (
            <li>
              <code class="path">
                <Name text={subject} />
              </code>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** The end of a long id, with the whole id on hover. */
function ShortId({ id, more = "" }: { id: string | undefined; more?: string }) {
  if (id === undefined) return <>–</>;
  const isLong = id.length > 16 && !id.includes(" ");
  return (
    <code title={visibleText(id)}>
      <Name text={isLong ? `…${id.slice(-8)}${more}` : `${id}${more}`} />
    </code>
  );
}

/** A table, with its number of rows unless the title has it. */
function Rows({
  title,
  isCounted = true,
  head,
  rows,
}: {
  title: string;
  isCounted?: boolean;
  head: string[];
  rows: (() => preact.ComponentChildren[])[];
}) {
  if (rows.length === 0) return null;
  return (
    <section class="runs-rows">
      <table class="buckets">
        <caption>
          {title} {isCounted && <span class="num">{number(rows.length)}</span>}
        </caption>
        <thead>
          <tr>
            {head.map((cell) => (
              <th scope="col">{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map((row) => (
            <tr>
              {row().map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <More than={MAX_ROWS} of={rows.length} />
    </section>
  );
}

/** The number of rows that are not drawn. */
function More({ than, of }: { than: number; of: number }) {
  return of > than ? <p class="muted">{t("problems.more", { n: number(of - than) })}</p> : null;
}
