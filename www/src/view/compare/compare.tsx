// Compares two contexts: unchanged runs are collapsed; moved, added and removed ones are shown.
import { useEffect } from "preact/hooks";
import { left, PREVIEW_SIDE, right, type SideChoice } from "../../comparison.ts";
import { ask } from "../../engine/client.ts";
import { type Comparison, DIALECTS, type Dialect, type PayloadDiff, type PayloadPlace } from "../../engine/protocol.ts";
import { cards, codeLabel, number, t } from "../../i18n/lazy.ts";
import { lockfile } from "../../lock/state.ts";
import { byId } from "../../mount.ts";
import { dialect, target } from "../../state.ts";
import { terms } from "../../terms.ts";
import { Name } from "../../text/plain.tsx";
import { ErrorNote } from "../common/error.tsx";
import { sourceLabel } from "../common/labels.tsx";
import { useQuestion } from "../common/question.ts";
import { SearchSelect } from "../common/search-select.tsx";
import { Lockfile } from "../lock/lockfile.tsx";
import { Cost, Prices } from "./prices.tsx";
import { Runs } from "./runs.tsx";
import { loadTurns, options, sides } from "./sides.ts";

/** The view "Compare": a lockfile if one is open, otherwise two contexts of the project. */
export function Compare() {
  return lockfile.value === null ? <Contexts /> : <Lockfile />;
}

function Contexts() {
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
          {found.cache_error !== null && (
            <p class="muted">
              {t("compare.nocache")} {found.cache_error.message}
            </p>
          )}
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
        {runs.map(
          (run, index) =>
            run[side] !== undefined && (
              <button
                type="button"
                class="part change-part"
                data-change={run.change}
                style={{ flexGrow: run.tokens / whole }}
                title={`${t(`change.${run.change}`)}: ${cards(run.cards)}, ${number(run.tokens)} ${t("bar.tokens")}`}
                aria-label={`${t(`change.${run.change}`)}: ${cards(run.cards)}, ${number(run.tokens)} ${t("bar.tokens")}`}
                onClick={() => byId(`run-${index}`)?.scrollIntoView({ block: "center" })}
              />
            ),
        )}
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
          <li>
            <i class="swatch change-part" data-change={change} /> {t(`change.${change}`)}
          </li>
        ))}
      </ul>
    </div>
  );
}

const CHANGES = ["kept", "added", "removed", "moved_away", "moved_here"] as const;

function Chooser({ label, chosen, onChange }: { label: string; chosen: SideChoice; onChange: (next: SideChoice) => void }) {
  return (
    <div class="chooser">
      <SearchSelect
        label={label}
        options={options.value}
        chosen={chosen.what}
        onChange={(what) => onChange({ what, dialect: dialect.peek() })}
      />
      {chosen.what.startsWith("call") && chosen.what !== PREVIEW_SIDE && (
        <label class="choice">
          <span class="sr">{t("dialect.label")}</span>
          <select value={chosen.dialect} onChange={(event) => onChange({ ...chosen, dialect: event.currentTarget.value as Dialect })}>
            {DIALECTS.map((name) => (
              <option value={name}>{name}</option>
            ))}
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
          <dd>
            {signed(after.tokens - before.tokens)} <span class="muted">{t("bar.tokens")}</span>
          </dd>
        </div>
        <div>
          <dt>{t("tab.cards")}</dt>
          <dd>
            {number(before.cards)} <span class="muted">→</span> {number(after.cards)}
          </dd>
        </div>
        <div>
          <dt>{t("compare.prefix")}</dt>
          <dd>
            {cards(same_prefix.cards)} <span class="muted">· {number(same_prefix.tokens)}</span>
          </dd>
        </div>
        {cache !== null && (
          <div>
            <dt>{t("compare.cache")}</dt>
            <dd>
              {number(cache.cache.kept_tokens)}{" "}
              <span class="muted">
                / {number(cache.after_tokens)} {t("bar.tokens")}
              </span>
            </dd>
          </div>
        )}
        {cache !== null && <Cost cache={cache} />}
      </dl>
      {cache?.first_difference != null && (
        <p>
          <b>{t("compare.first")}</b> {codeLabel("diff", cache.first_difference.why)}
          {": "}
          <PlaceName place={cache.first_difference.after ?? cache.first_difference.before} />
          {cache.cache.kept_tokens === 0 && (
            <span class="muted"> · {t("compare.cache.least", { n: number(cache.cache.policy.least_tokens) })}</span>
          )}
        </p>
      )}
      {summaries
        .filter((summary) => summary.covers.length > 0)
        .map((summary) => (
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
            <td>
              <Name text={sourceLabel(one.source)} />
            </td>
            <td class="tokens">{number(one.left_tokens)}</td>
            <td class="tokens">{number(one.right_tokens)}</td>
            <td class="tokens" data-sign={Math.sign(one.right_tokens - one.left_tokens)}>
              {signed(one.right_tokens - one.left_tokens)}
            </td>
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
      {name !== undefined && (
        <code>
          <Name text={name} />
        </code>
      )}
    </>
  );
}
