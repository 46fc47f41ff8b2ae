// Compares two contexts: unchanged runs are collapsed; moved, added and removed ones are shown.
import type { ListedRows } from "tuckbox/web";
import { computed, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "../../engine/client.ts";
import { type ComparedRun, type Comparison, DIALECTS, type Dialect, type PayloadDiff, type PayloadPlace, type NamedCall, type ContextRef } from "../../engine/protocol.ts";
import { cards, lang, formatTime, number, t, codeLabel } from "../../i18n/lazy.ts";
import { byId } from "../../mount.ts";
import { packingCalls, editedText, withDialect } from "../../calls.ts";
import { dialect, goTo, project, show, target } from "../../state.ts";
import { PREVIEW_SIDE, previewSide, type SideChoice, left, right } from "../../comparison.ts";
import { terms } from "../../terms.ts";
import { at } from "../../text/paths.ts";
import { Name } from "../../text/plain.tsx";
import { useQuestion } from "../common/question.ts";
import { TextDiffs } from "./text-diffs.tsx";
import { SearchSelect } from "../common/search-select.tsx";
import { ErrorNote } from "../common/error.tsx";
import { Cells } from "../context/card-list.tsx";
import { Cost, Prices } from "./prices.tsx";
import { sourceLabel } from "../common/labels.tsx";

/** The recorded turns of an agent, oldest first. */
const recordedTurns = signal<{ agent_id: string; views: { view_id: string; at: string }[] } | null>(null);

/** Loads the recorded turns of an agent; without any, its current turn is compared. */
async function loadTurns(agent_id: string): Promise<void> {
  const { value } = await ask("preview", JSON.stringify({ op: "list_turn_views", agent_id, limit: 200 })).catch(() => ({ value: null }));
  const rows = (value as unknown as ListedRows | null)?.rows ?? [];
  recordedTurns.value = { agent_id, views: rows.map(({ view_id, at: when }) => ({ view_id: String(view_id), at: String(when) })) };
}

const options = computed(() => [
  ...(recordedTurns.value?.views ?? []).map(({ view_id, at: when }, index) => ({ what: `view:${view_id}`, text: t("compare.turn", { agent: agentName(recordedTurns.value?.agent_id ?? ""), n: index + 1, when: formatTime(Date.parse(when)) }) })),
  ...(previewSide.value === null ? [] : [{ what: PREVIEW_SIDE, text: previewSide.value.title }]),
  ...packingCalls.value.flatMap((call) => {
    const title = call.title[lang.value] ?? call.id;
    const count = tasks(call);
    if (count < 2) return [{ what: `call:${call.id}`, text: title }];
    // every context of a call can be compared
    return Array.from({ length: count }, (_, index) => ({ what: whatOf(call.id, index), text: `${title} · ${index + 1}` }));
  }),
  ...(project.value?.agents ?? []).map((agent) => ({ what: `agent:${agent.agent_id}`, text: agent.display_name ?? agent.agent_id })),
  ...(project.value?.boxes ?? []).map((box) => ({ what: `box:${box.box_id}`, text: box.box_id })),
]);

function agentName(agent_id: string): string {
  return project.value?.agents.find((agent) => agent.agent_id === agent_id)?.display_name ?? agent_id;
}

/** Returns the initial side: the shown call under two dialects, two turns of an agent, or a box. */
function initialSide(side: 0 | 1): SideChoice {
  const at = target.value;
  if (at?.kind === "agent") {
    const now = { what: `agent:${at.agent_id}`, dialect: dialect.value };
    const views = recordedTurns.value?.agent_id === at.agent_id ? recordedTurns.value.views : [];
    // two recorded turns: the last two; one: that and the current turn
    const recorded = (back: number) => ({ what: `view:${views.at(-back)?.view_id ?? ""}`, dialect: dialect.value });
    if (views.length === 0) return now;
    if (views.length === 1) return side === 0 ? recorded(1) : now;
    return recorded(side === 0 ? 2 : 1);
  }
  const what = at?.kind === "call" ? `call:${at.id}` : at?.kind === "box" ? `box:${at.box_id}` : (options.value[0]?.what ?? "");
  return { what, dialect: side === 0 ? "v1r3" : "v1r4_hotfix" };
}

/** Returns how many contexts a call packs. */
function tasks(call: NamedCall): number {
  const given = at(call.call, ["arguments", "tasks"]);
  return Array.isArray(given) ? given.length : 1;
}

function whatOf(id: string, shown: number): string {
  return shown === 0 ? `call:${id}` : `call${shown}:${id}`;
}

function contextOf(chosen: SideChoice): ContextRef | null {
  if (chosen.what === PREVIEW_SIDE) return previewSide.value === null ? null : { subject: { call: previewSide.value.call }, shown: 0 };
  const colon = chosen.what.indexOf(":");
  const [kind, id] = [chosen.what.slice(0, colon), chosen.what.slice(colon + 1)];
  if (kind === "box") return { subject: { box_id: id }, shown: 0 };
  if (kind === "view") return { subject: { turn: { recorded: id } }, shown: 0 };
  if (kind === "agent") return { subject: { turn: { agent_id: id } }, shown: 0 };
  const call = packingCalls.value.find((one) => one.id === id);
  const text = call === undefined ? null : withDialect(editedText(call), chosen.dialect);
  return text === null ? null : { subject: { call: text }, shown: Number(kind.slice("call".length)) };
}

const sides = computed(() => {
  const [one, other] = [left.value ?? initialSide(0), right.value ?? initialSide(1)];
  return { one, other, left: contextOf(one), right: contextOf(other) };
});

export function Compare() {
  const at = target.value;
  const agent_id = at?.kind === "agent" ? at.agent_id : null;
  useEffect(() => {
    if (agent_id !== null) void loadTurns(agent_id);
  }, [agent_id]);
  const { answer, error } = useQuestion(() => {
    const { left: before, right: after } = sides.value;
    const wanted = terms.value;
    return before === null || after === null ? null : () => ask("compare", before, after, wanted);
  });
  const found = answer.value;
  return (
    <section class="compare" aria-label={t("compare.label")}>
      <div class="compare-head">
        <Chooser label={t("compare.left")} chosen={sides.value.one} onChange={(next) => (left.value = next)} />
        <button
          type="button"
          class="quiet"
          title={t("compare.swap")}
          aria-label={t("compare.swap")}
          onClick={() => {
            const { one, other } = sides.peek();
            left.value = other;
            right.value = one;
          }}
        >
          ⇄
        </button>
        <Chooser label={t("compare.right")} chosen={sides.value.other} onChange={(next) => (right.value = next)} />
      </div>
      {error.value !== null && <ErrorNote title={t("compare.failed")} error={error.value} />}
      {found !== null && error.value === null && (
        <>
          <Bars comparison={found.comparison} />
          <Numbers comparison={found.comparison} cache={found.cache} />
          {found.cache !== null && <Prices />}
          {found.cache_error !== null && <p class="muted">{t("compare.nocache")} {found.cache_error.message}</p>}
          <div class="compare-body">
            <Runs comparison={found.comparison} />
            <Growth comparison={found.comparison} />
          </div>
        </>
      )}
    </section>
  );
}

/** Both contexts as bars on one scale; unchanged parts are gray. */
function Bars({ comparison }: { comparison: Comparison }) {
  const { left: before, right: after, runs } = comparison;
  const whole = Math.max(1, before.tokens, after.tokens);
  const bar = (side: "left" | "right", total: number) => (
    <div class="change-bar">
      <span class="muted">{t(`compare.${side}`)}</span>
      <div class="parts">
        {runs.map((run, index) => run[side] !== undefined && (
          <button
            type="button"
            class="part change-part"
            data-change={run.change}
            style={{ flexGrow: run.tokens / whole }}
            title={`${t(`change.${run.change}`)}: ${cards(run.cards)}, ${number(run.tokens)} ${t("bar.tokens")}`}
            aria-label={`${t(`change.${run.change}`)}: ${cards(run.cards)}, ${number(run.tokens)} ${t("bar.tokens")}`}
            onClick={() => byId(`run-${index}`)?.scrollIntoView({ block: "center" })}
          />
        ))}
        <div class="rest" style={{ flexGrow: (whole - total) / whole }} />
      </div>
      <b class="tokens">{number(total)}</b>
    </div>
  );
  return (
    <div class="change-bars">
      {bar("left", before.tokens)}
      {bar("right", after.tokens)}
      <ul class="legend">
        {CHANGES.filter((change) => runs.some((run) => run.change === change)).map((change) => (
          <li><i class="swatch change-part" data-change={change} /> {t(`change.${change}`)}</li>
        ))}
      </ul>
    </div>
  );
}

const CHANGES = ["kept", "added", "removed", "moved_away", "moved_here"] as const;


function Chooser({ label, chosen, onChange }: { label: string; chosen: SideChoice; onChange: (next: SideChoice) => void }) {
  return (
    <div class="chooser">
      <SearchSelect label={label} options={options.value} chosen={chosen.what} onChange={(what) => onChange({ what, dialect: dialect.peek() })} />
      {chosen.what.startsWith("call") && chosen.what !== PREVIEW_SIDE && (
        <label class="choice">
          <span class="sr">{t("dialect.label")}</span>
          <select value={chosen.dialect} onChange={(event) => onChange({ ...chosen, dialect: event.currentTarget.value as Dialect })}>
            {DIALECTS.map((name) => <option value={name}>{name}</option>)}
          </select>
        </label>
      )}
    </div>
  );
}

function signed(n: number): string {
  return n > 0 ? `+${number(n)}` : number(n);
}

function Numbers({ comparison, cache }: { comparison: Comparison; cache: PayloadDiff | null }) {
  const { left: before, right: after, same_prefix, summaries = [] } = comparison;
  return (
    <div class="compare-sum">
      <dl class="tiles">
        <div>
          <dt>{t("compare.growth")}</dt>
          <dd>{signed(after.tokens - before.tokens)} <span class="muted">{t("bar.tokens")}</span></dd>
        </div>
        <div>
          <dt>{t("tab.cards")}</dt>
          <dd>{number(before.cards)} <span class="muted">→</span> {number(after.cards)}</dd>
        </div>
        <div>
          <dt>{t("compare.prefix")}</dt>
          <dd>{cards(same_prefix.cards)} <span class="muted">· {number(same_prefix.tokens)}</span></dd>
        </div>
        {cache !== null && (
          <div>
            <dt>{t("compare.cache")}</dt>
            <dd>
              {number(cache.cache.kept_tokens)} <span class="muted">/ {number(cache.after_tokens)} {t("bar.tokens")}</span>
            </dd>
          </div>
        )}
        {cache !== null && <Cost cache={cache} />}
      </dl>
      {cache?.first_difference != null && (
        <p>
          <b>{t("compare.first")}</b>{" "}
          {codeLabel("diff", cache.first_difference.why)}
          {": "}
          <PlaceName place={cache.first_difference.after ?? cache.first_difference.before} />
          {cache.cache.kept_tokens === 0 && (
            <span class="muted"> · {t("compare.cache.least", { n: number(cache.cache.policy.least_tokens) })}</span>
          )}
        </p>
      )}
      {summaries.filter((summary) => summary.covers.length > 0).map((summary) => (
        <p>
          <b>{t("compare.summary")}</b>{" "}
          {t("compare.summary.covers", {
            position: number(summary.right),
            cards: cards(summary.covers.length),
            from: number(summary.covered_tokens),
            to: number(summary.tokens),
          })}
        </p>
      ))}
    </div>
  );
}

/** The tokens of each source on both sides. */
function Growth({ comparison: { growth } }: { comparison: Comparison }) {
  return (
    <table class="growth">
      <caption class="sr">{t("compare.bysource")}</caption>
      <thead>
        <tr>
          <th>{t("compare.bysource")}</th>
          <th class="tokens">{t("compare.left")}</th>
          <th class="tokens">{t("compare.right")}</th>
          <th class="tokens">±</th>
        </tr>
      </thead>
      <tbody>
        {growth.map((one) => (
          <tr>
            <td><Name text={sourceLabel(one.source)} /></td>
            <td class="tokens">{number(one.left_tokens)}</td>
            <td class="tokens">{number(one.right_tokens)}</td>
            <td class="tokens" data-sign={Math.sign(one.right_tokens - one.left_tokens)}>{signed(one.right_tokens - one.left_tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function PlaceName({ place }: { place: PayloadPlace | null }) {
  if (place === null) return null;
  const name = place.card_id ?? place.layer ?? place.tool;
  return (
    <>
      {place.role !== undefined && <span>{place.role} </span>}
      {name !== undefined && <code><Name text={name} /></code>}
    </>
  );
}

const FIRST_RUNS = 200;

/** A number for each comparison, so that rows of different comparisons have different keys. */
const generations = new WeakMap<Comparison, number>();
let lastGeneration = 0;

function Runs({ comparison }: { comparison: Comparison }) {
  const limit = useSignal(FIRST_RUNS);
  const { runs } = comparison;
  const generation = generations.get(comparison) ?? (lastGeneration += 1);
  generations.set(comparison, generation);
  return (
    <ol class="runs">
      {runs.slice(0, limit.value).map((run, index) => (
        <RunView key={`${generation} ${index}`} id={`run-${index}`} run={run} instead={replacedRun(runs, index)} />
      ))}
      {runs.length > limit.value && (
        <li>
          <button type="button" class="quiet" onClick={() => (limit.value += FIRST_RUNS)}>
            {t("messages.more", { n: number(runs.length - limit.value) })}
          </button>
        </li>
      )}
    </ol>
  );
}

/** Returns the run that `runs[index]` replaced: the run before it, if one was added and the other removed. */
function replacedRun(runs: readonly ComparedRun[], index: number): ComparedRun | null {
  const [run, before] = [runs[index], runs[index - 1]];
  if (run === undefined || before === undefined) return null;
  const changes = [before.change, run.change].toSorted().join();
  return changes === "added,removed" ? before : null;
}

/** Goes to a card of one side. */
function openCard({ what }: SideChoice, position: number): void {
  const colon = what.indexOf(":");
  const [kind, id] = [what.slice(0, colon), what.slice(colon + 1)];
  if (what === PREVIEW_SIDE) return;
  if (kind === "box") show({ kind: "box", box_id: id });
  else if (kind === "agent") show({ kind: "agent", agent_id: id });
  else show({ kind: "call", id });
  goTo(position, kind.startsWith("call") ? Number(kind.slice("call".length)) : 0);
}

const FIRST_ROWS = 100;

function RunView({ id, run, instead }: { id: string; run: ComparedRun; instead: ComparedRun | null }) {
  const open = useSignal(run.change !== "kept");
  const isDiff = useSignal(false);
  const { left: before, right: after } = sides.value;
  const [went, came] = run.change === "removed" ? [run, instead] : [instead, run];
  const head = (
    <>
      <span class="change">{t(`change.${run.change}`)}</span>
      <span>{cards(run.cards)}</span>
      <span class="muted">{number(run.tokens)} {t("bar.tokens")}</span>
    </>
  );
  return (
    <li class="run" id={id} data-change={run.change}>
      <button type="button" class="run-head" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>{head}</button>
      {instead !== null && (
        <button type="button" class="quiet diff-toggle" aria-pressed={isDiff.value} onClick={() => (isDiff.value = !isDiff.value)}>{t("compare.diff")}</button>
      )}
      {isDiff.value && went !== null && came !== null && before !== null && after !== null && <TextDiffs before={{ context: before, run: went }} after={{ context: after, run: came }} />}
      {open.value && <RunRows run={run} />}
    </li>
  );
}

function RunRows({ run }: { run: ComparedRun }) {
  const limit = useSignal(FIRST_ROWS);
  const fromRight = run.right !== undefined;
  const first = run.right ?? run.left ?? 0;
  const { answer, error } = useQuestion(() => {
    const context = fromRight ? sides.value.right : sides.value.left;
    const to = first + Math.min(run.cards, limit.value);
    return context === null ? null : () => ask("inspect", { ...context, from: first, to });
  });
  if (error.value !== null) return <ErrorNote title={t("compare.failed")} error={error.value} />;
  return (
    <div class="run-rows">
      {answer.value?.rows.map((row) => (
        <button type="button" class="line still" key={row.position} data-kind={row.kind} data-presence={row.presence} title={t("compare.goto")} onClick={() => openCard(fromRight ? sides.peek().other : sides.peek().one, row.position)}>
          <Cells row={row} />
        </button>
      ))}
      {run.cards > limit.value && (
        <button type="button" class="quiet" onClick={() => (limit.value += FIRST_ROWS * 5)}>
          {t("messages.more", { n: number(run.cards - limit.value) })}
        </button>
      )}
    </div>
  );
}
