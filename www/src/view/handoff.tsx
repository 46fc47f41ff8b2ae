// A handoff package: check, files, the reading plan within a budget, and what the receiver gets.
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { CardRow, Finding, LoadedHandoff, LoadPlan, Operations } from "tuckbox/web";
import { ask, errorData } from "../engine/client.ts";
import type { ErrorData } from "../engine/protocol.ts";
import { example } from "../handoff/example.ts";
import { codeLabel, count, number, t } from "../i18n/lazy.ts";
import { project } from "../state.ts";
import { parse } from "../text/json.ts";
import { Long } from "../text/long.tsx";
import { Name, Plain, visibleText } from "../text/plain.tsx";
import { indentJson } from "../text/pretty.ts";
import { mayCommit, propose } from "./commit/propose.ts";
import { ErrorNote } from "./common/error.tsx";
import { useQuestion } from "./common/question.ts";

type Value<Op extends keyof Operations> = Operations[Op]["value"];
const DEPTHS = ["report_summary", "typical_cases", "all_cases"] as const;

const text = signal("");
const budget = signal(8_000);
const depth = signal<(typeof DEPTHS)[number]>("all_cases");
/** The packages found in cards of the project. */
const foundPackages = signal<{ card_id: string; text: string }[]>([]);
const error = signal<ErrorData | null>(null);
/** Increases when files were stored. */
const stored = signal(0);

const given = computed<string | null>(() => {
  const read = parse(text.value);
  return text.value.trim() !== "" && read.ok ? text.value : null;
});

export function Handoff() {
  useEffect(() => {
    void findPackages();
  }, [project.value?.project_id]);
  const isBroken = text.value.trim() !== "" && given.value === null;
  return (
    <section class="handoff browse">
      <div class="browse-side">
        <h2>{t("handoff.package")}</h2>
        <ul class="plain">
          {foundPackages.value.map((one) => (
            <li>
              <button type="button" class="link" onClick={() => (text.value = one.text)}>
                <Name text={one.card_id} />
              </button>
            </li>
          ))}
        </ul>
        <button type="button" class="quiet" onClick={() => void buildExample()}>
          {t("handoff.example")}
        </button>
        <label class="stacked">
          <span class="muted">{t("handoff.json")}</span>
          <textarea
            rows={16}
            spellcheck={false}
            value={text.value}
            aria-invalid={isBroken}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        {isBroken && <p class="mark error">{t("handoff.broken")}</p>}
        {error.value !== null && <ErrorNote title={t("error.title")} error={error.value} />}
      </div>
      <div class="browse-main">{given.value === null ? <p class="muted">{t("handoff.about")}</p> : <Package json={given.value} />}</div>
    </section>
  );
}

/** Finds packages in the project's cards. */
async function findPackages(): Promise<void> {
  try {
    const { hits } = await ask("searchCards", "handoff_type", 50);
    const cards = [];
    for (const card_id of [...new Set(hits.map((hit) => hit.card_id))].slice(0, 20)) {
      const { content } = JSON.parse(await ask("getCard", card_id, null)) as CardRow;
      if (content.__type__ === "JsonContent" && "handoff_type" in content.data)
        cards.push({ card_id, text: indentJson(JSON.stringify(content.data)) });
    }
    foundPackages.value = cards;
    if (text.peek() === "" && cards[0] !== undefined) text.value = cards[0].text;
  } catch {
    // without search, packages can still be pasted
  }
}

/** Builds the package of an invented iteration, and proposes to store its files. */
async function buildExample(): Promise<void> {
  try {
    const { value } = await ask("preview", JSON.stringify({ op: "build_handoff", ...example }));
    const { package: made, files } = value as unknown as Value<"build_handoff">;
    text.value = indentJson(JSON.stringify(made));
    error.value = null;
    propose({
      title: t("handoff.store"),
      call: JSON.stringify({ op: "store_handoff", package: made, files }),
      onDone: () => (stored.value += 1),
    });
  } catch (thrown) {
    error.value = errorData(thrown);
  }
}

function useHandoff<Op extends keyof Operations>(op: Op, json: string, more: () => object) {
  return useQuestion(() => {
    void stored.value;
    const rest = JSON.stringify(more()).slice(1);
    const call = `{"op":"${op}","package":${given.value ?? json}${rest === "}" ? "" : ","}${rest}`;
    return async () => (await ask("preview", call)).value as unknown as Value<Op>;
  });
}

function Package({ json }: { json: string }) {
  const check = useHandoff("check_handoff", json, () => ({}));
  const audit = useHandoff("audit_handoff", json, () => ({}));
  const plan = useHandoff("plan_handoff", json, () => ({ budget: budget.value, depth: depth.value }));
  const load = useHandoff("load_handoff", json, () => ({ budget: budget.value, depth: depth.value }));
  const checkError = check.error.value ?? plan.error.value;
  const checked = check.answer.value;
  return (
    <>
      {checkError !== null && <ErrorNote title={t("handoff.refused")} error={checkError} />}
      {checked !== null && (
        <section>
          <h3>{t("handoff.check")}</h3>
          <p data-accepted={checked.accepted}>
            <b class={checked.accepted ? "committed" : "gone"}>{t(checked.accepted ? "handoff.accepted" : "handoff.not")}</b>{" "}
            <span class="muted">
              {number(checked.size.tokens)} {t("bar.tokens")},{" "}
              {t(`handoff.fit.${checked.size.fit}`, { low: number(checked.size.low), high: number(checked.size.high) })}
            </span>
          </p>
          <Findings findings={checked.findings} />
        </section>
      )}
      {audit.answer.value !== null && <Audit audit={audit.answer.value} />}
      <section>
        <h3>{t("handoff.plan")}</h3>
        <div class="row">
          <label class="choice">
            <span>{t("whatif.budget")}</span>
            <input
              type="range"
              min="200"
              max="80000"
              step="200"
              value={budget.value}
              aria-valuetext={`${number(budget.value)} ${t("bar.tokens")}`}
              onInput={(event) => (budget.value = Number(event.currentTarget.value))}
            />
            <input
              type="number"
              min="1"
              aria-label={t("whatif.budget")}
              value={budget.value}
              onInput={(event) => (budget.value = Math.max(1, Number(event.currentTarget.value) || 1))}
            />
          </label>
          <label class="choice">
            <span>{t("handoff.depth")}</span>
            <select value={depth.value} onChange={(event) => (depth.value = event.currentTarget.value as (typeof DEPTHS)[number])}>
              {DEPTHS.map((name) => (
                <option value={name}>{t(`handoff.depth.${name}`)}</option>
              ))}
            </select>
          </label>
          {mayCommit() && (
            <button
              type="button"
              class="quiet"
              onClick={() =>
                propose({
                  title: t("handoff.cards"),
                  call: `{"op":"make_handoff_cards","author_id":"inspector","content":"loaded","budget":${budget.peek()},"depth":"${depth.peek()}","package":${json}}`,
                })
              }
            >
              {t("handoff.cards")}
            </button>
          )}
        </div>
        {plan.answer.value !== null && <Steps plan={plan.answer.value} />}
      </section>
      {load.answer.value !== null && <Loaded loaded={load.answer.value} />}
    </>
  );
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul class="notes">
      {findings.slice(0, 100).map(({ weight, type, path, message }) => (
        <li>
          <p class="note-head">
            <span class="severity" data-severity={weight === "error" ? "error" : "warning"}>
              {t(weight === "error" ? "handoff.error" : "handoff.lint")}
            </span>{" "}
            <code class="code">{type}</code>{" "}
            <code class="path">
              <Name text={path} />
            </code>
          </p>
          <p>
            <Plain text={message} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function Audit({ audit }: { audit: Value<"audit_handoff"> }) {
  const groups = [
    ["dangling", audit.dangling],
    ["missing", audit.missing],
    ["orphans", audit.orphans],
  ] as const;
  return (
    <section>
      <h3>{t("handoff.audit")}</h3>
      <p>
        <b class={audit.complete ? "committed" : "gone"}>{t(audit.complete ? "handoff.complete" : "handoff.incomplete")}</b>
      </p>
      {groups.map(
        ([name, paths]) =>
          paths.length > 0 && (
            <details open={paths.length <= 12}>
              <summary>
                {t(`handoff.${name}`)} <span class="num">{number(paths.length)}</span>
              </summary>
              <ul class="plain">
                {paths.slice(0, 200).map((path) => (
                  <li>
                    <code class="path">
                      <Name text={path} />
                    </code>
                  </li>
                ))}
              </ul>
            </details>
          ),
      )}
    </section>
  );
}

function Steps({ plan }: { plan: LoadPlan }) {
  return (
    <>
      <p role="status">{t("handoff.spent", { spent: number(plan.spent), budget: number(plan.budget) })}</p>
      <div class="runs-rows">
        <table class="buckets">
          <thead>
            <tr>
              <th scope="col">#</th>
              <th scope="col">{t("handoff.read")}</th>
              <th scope="col">{t("handoff.path")}</th>
              <th scope="col">{t("messages.tokens")}</th>
              <th scope="col">{t("handoff.extent")}</th>
              <th scope="col">{t("handoff.why")}</th>
            </tr>
          </thead>
          <tbody>
            {plan.steps.slice(0, 300).map((step, index) => (
              <tr>
                <td class="num">{index + 1}</td>
                <td>{codeLabel("part", step.read)}</td>
                <td>
                  <code class="path">
                    <Name text={step.path ?? step.name ?? "–"} />
                  </code>
                </td>
                <td class="tokens">
                  {number(step.tokens)}
                  {step.tokens < step.whole_tokens && <span class="muted"> / {number(step.whole_tokens)}</span>}
                </td>
                <td>{codeLabel("cut", step.cut.keep)}</td>
                <td>
                  <Name text={reason(step.reason)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {plan.left_out.length > 0 && (
        <details open={plan.left_out.length <= 12}>
          <summary>
            {t("handoff.left")} <span class="num">{number(plan.left_out.length)}</span>
          </summary>
          <ul class="plain">
            {plan.left_out.slice(0, 200).map(({ name, parts, tokens, because }) => (
              <li>
                <code>
                  <Name text={name ?? "–"} />
                </code>{" "}
                <span class="muted">
                  {parts.map((part) => codeLabel("part", part)).join(", ")} · {number(tokens)} {t("bar.tokens")} ·{" "}
                  {t(`handoff.because.${because}`)}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function reason({ typical_of, priority, affected_count }: LoadPlan["steps"][number]["reason"]): string {
  return [
    typical_of === undefined ? "" : t("handoff.typical", { of: typical_of }),
    priority === undefined ? "" : t("handoff.priority", { priority: codeLabel("priority", priority) }),
    affected_count === undefined ? "" : t("handoff.affected", { n: number(affected_count) }),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function Loaded({ loaded }: { loaded: LoadedHandoff }) {
  return (
    <section>
      <h3>
        {t("handoff.loaded")} <span class="num">{number(loaded.pieces.length)}</span>
      </h3>
      {loaded.missing.length > 0 && <p class="gone">{t("handoff.absent", { files: count("files", loaded.missing.length) })}</p>}
      {loaded.pieces.slice(0, 60).map((piece) => (
        <details>
          <summary>
            {codeLabel("part", piece.read)} <Name text={visibleText(piece.name ?? piece.path ?? "")} />{" "}
            <span class="num">{number(piece.tokens)}</span>
          </summary>
          <Long class="raw" whole={piece.text} first={8_000} />
        </details>
      ))}
    </section>
  );
}
