// The lines of two entries next to each other.
import { useEffect, useRef } from "preact/hooks";
import type { LockedContext } from "tuckbox/web";
import { codeLabel, number, t } from "../../i18n/lazy.ts";
import { callCore, type LockRows, type LockVerdict, shownGroup, shownSlot } from "../../lock/state.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { ErrorNote } from "../common/error.tsx";
import { useQuestion } from "../common/question.ts";

type Row = LockRows["rows"][number];
type Side = NonNullable<Row["before"]>;
type Change = Row["changes"][number];

interface Props {
  before: string | undefined;
  after: string | undefined;
  details: LockedContext["details"];
  /** The texts of the base by their hash, as far as the host has them. */
  texts: { readonly [hash: string]: string };
  /** True if there are no current contexts. */
  isSingle: boolean;
  verdict: LockVerdict | null;
}

export function Rows({ before, after, details, texts, isSingle, verdict }: Props) {
  const { answer, error } = useQuestion(
    () => () =>
      callCore("lock_compare", {
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
        ...(details === undefined ? {} : { details }),
        texts,
      }),
  );
  if (error.value !== null) return <ErrorNote title={t("lock.failed")} error={error.value} />;
  const found = answer.value;
  if (found === null) return <div />;
  return (
    <div class="lock-rows" data-single={isSingle}>
      <Totals found={found} isSingle={isSingle} />
      <table>
        <thead>
          <tr>
            <th>{t("lock.slot")}</th>
            <th>{isSingle ? t("lock.content") : t("lock.base")}</th>
            {!isSingle && <th>{t("lock.current")}</th>}
          </tr>
        </thead>
        <tbody>
          {found.rows.map((row) => (
            <Line row={row} isSingle={isSingle} verdict={verdict} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Totals({ found: { before, after }, isSingle }: { found: LockRows; isSingle: boolean }) {
  const tiles = (["all", "tools", "system", "messages", "prefix"] as const).map((key) => {
    const [was, is] = [before?.[key], after?.[key]];
    return (
      <div>
        <dt>{t(`lock.tokens.${key}`)}</dt>
        <dd>
          {number(was ?? is ?? 0)}
          {!isSingle && was !== undefined && is !== undefined && was !== is && (
            <>
              {" "}
              <span class="muted">→</span> {number(is)}
            </>
          )}
        </dd>
      </div>
    );
  });
  return <dl class="tiles">{tiles}</dl>;
}

function Line({ row, isSingle, verdict }: { row: Row; isSingle: boolean; verdict: LockVerdict | null }) {
  const { before, after, changes } = row;
  const slot = (after ?? before)?.slot ?? "";
  const isShown = shownSlot.value === slot;
  const line = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isShown) line.current?.scrollIntoView({ block: "nearest" });
  }, [isShown]);
  const change = changes.length > 0 ? "changed" : before === undefined ? "added" : after === undefined ? "removed" : "same";
  return (
    <tr ref={line} data-change={change} aria-current={isShown}>
      <th scope="row">
        <code>
          <Name text={slot} />
        </code>
        {changes.map((one) => (
          <CauseButton change={one} verdict={verdict} />
        ))}
      </th>
      <td>{before !== undefined && <Cell side={before} />}</td>
      {!isSingle && (
        <td>
          {after !== undefined && <Cell side={after} />}
          {changes.map((one) => one.words !== undefined && <Words words={one.words} />)}
        </td>
      )}
    </tr>
  );
}

/** A change. A click lists all contexts that have it for the same cause. */
function CauseButton({ change: { change, cause }, verdict }: { change: Change; verdict: LockVerdict | null }) {
  const label = `${codeLabel("lock.change", change)} · ${cause}`;
  const at = verdict?.groups.findIndex((group) => group.change === change && group.cause === cause) ?? -1;
  return (
    <button type="button" class="quiet lock-cause" title={t("lock.cause")} disabled={at < 0} onClick={() => (shownGroup.value = at)}>
      <Name text={label} />
    </button>
  );
}

function Words({ words: { before, after } }: { words: NonNullable<Change["words"]> }) {
  return (
    <p class="lock-words">
      {before !== "" && (
        <del>
          <Plain text={before} />
        </del>
      )}{" "}
      {after !== "" && (
        <ins>
          <Plain text={after} />
        </ins>
      )}
    </p>
  );
}

function Cell({ side: { cause, kind, role, tokens, mark, is_volatile: isVolatile, text } }: { side: Side }) {
  const facts = [kind === undefined || kind === "text" ? undefined : kind, role, mark].filter((fact) => fact !== undefined);
  return (
    <>
      <p class="muted lock-facts">
        <Name text={cause} />
        {facts.map((fact) => (
          <>
            {" · "}
            <Name text={fact} />
          </>
        ))}
        {isVolatile && ` · ${t("lock.volatile")}`}
        {tokens !== undefined && ` · ${t("lock.tokens", { n: number(tokens) })}`}
      </p>
      {text !== undefined && (
        <p class="lock-text">
          <Plain text={text} />
        </p>
      )}
    </>
  );
}
