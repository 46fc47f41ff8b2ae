// The cards of a context in the order the model meets them.
import { computed } from "@preact/signals";
import type { JSX } from "preact";
import type { CardCost, Row } from "../engine/protocol.ts";
import { number, t } from "../i18n/index.ts";
import { boxView, lintsByPosition, needRows, request, rows, search, select, selected, shown, target, view } from "../state.ts";
import { Name, Plain } from "../text/plain.tsx";
import { Virtual } from "./virtual.tsx";
import { Badge, fateWord, kindWord, roleWord } from "./words.tsx";

/** The positions that hold what is looked for; `null` while nothing is. */
const matching = computed<ReadonlySet<number> | null>(() => {
  const found = search.value === "" ? undefined : view.value?.matches;
  return found === undefined ? null : new Set(found);
});

export function CardList() {
  const count = boxView.value?.cards ?? 0;
  return (
    <div class="list" role="tabpanel" id="panel-cards" aria-labelledby="tab-cards" data-searching={matching.value !== null}>
      <div class="columns" aria-hidden="true">
        <span>{t("list.col.position")}</span>
        <span>{t("list.col.type")}</span>
        <span>{t("list.col.content")}</span>
        <span>{t("list.col.source")}</span>
        <span class="end">{t("list.col.tokens")}</span>
      </div>
      <Virtual
        id="card"
        count={count}
        label={t("list.label")}
        active={selected.value}
        of={`${JSON.stringify(target.value)} ${shown.value}`}
        onSight={needRows}
        row={(position, style) => <Line key={position} position={position} row={rows.value.get(position)} count={count} style={style} />}
      >
        {count === 0 && <p class="empty">{t("list.empty")}</p>}
      </Virtual>
    </div>
  );
}

interface LineProps {
  position: number;
  row: Row | undefined;
  count: number;
  style: JSX.CSSProperties;
}

function Line({ position, row, count, style }: LineProps) {
  const common = {
    class: "line",
    id: `card-${position}`,
    role: "option",
    "aria-selected": selected.value === position,
    "aria-setsize": count,
    "aria-posinset": position + 1,
    "data-match": matching.value?.has(position) ?? undefined,
    style,
    onClick: () => select(position),
  } as const;
  if (row === undefined) {
    return (
      <div {...common} data-waiting="true">
        <span class="position">{number(position)}</span>
      </div>
    );
  }
  return (
    <div {...common} data-kind={row.kind} data-presence={row.presence}>
      <Cells row={row} cost={request.value?.cards[position]} lints={lintsByPosition.value.get(position)?.map((lint) => lint.code)} />
    </div>
  );
}

/** The cells of one card, wherever it is listed. */
export function Cells({ row, cost, lints }: { row: Row; cost?: CardCost | undefined; lints?: string[] | undefined }) {
  const swallowed = row.swallowed?.length ?? 0;
  return (
    <>
      <span class="position">{number(row.position)}</span>
      <span class="what">
        <i class="swatch" data-kind={row.kind} />
        <span class="type"><Name text={row.type ?? kindWord(row.kind)} /></span>
        <span class="role">{row.kind === "missing" ? t(`presence.${row.presence}`) : <Name text={roleWord(row.role)} />}</span>
      </span>
      <span class="excerpt">
        {row.kind === "missing" ? <Name text={row.card_id} /> : <Plain text={row.excerpt} />}
      </span>
      <span class="from">
        {swallowed > 0 && (
          <span class="dup" title={t("list.swallowed", { n: swallowed })}>
            <span aria-hidden="true">+{swallowed}</span>
            <span class="sr">{t("list.swallowed", { n: swallowed })}</span>
          </span>
        )}
        {lints !== undefined && (
          <span class="lint" title={lints.join(", ")}>
            <span aria-hidden="true">!</span>
            <span class="sr">{t("list.lint")}</span>
          </span>
        )}
        <Badge cause={row.cause} />
      </span>
      <Cost cost={cost} />
    </>
  );
}

/** What a card costs in the request; a card that the model never gets says so. */
function Cost({ cost }: { cost: CardCost | undefined }) {
  if (cost === undefined) return <span class="tokens" />;
  const label = fateWord(cost);
  switch (cost.became) {
    case "message":
      return <span class="tokens">{number(cost.tokens)}</span>;
    case "nothing":
      return <span class="tokens unsent" title={label}><span aria-hidden="true">–</span><span class="sr">{label}</span></span>;
    case "system_prompt":
    case "tools":
      return <span class="tokens muted" title={label}><span aria-hidden="true">↑</span><span class="sr">{label}</span></span>;
  }
}
