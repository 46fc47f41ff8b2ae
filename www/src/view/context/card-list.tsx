// The cards of a context in the order in which the model sees them.
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { CardCost, Row } from "../../engine/protocol.ts";
import { number, t, tLazy } from "../../i18n/index.ts";
import { reportRows, setVisible } from "../../preview.ts";
import { boxView, costAt, lintsByPosition, matches, request, rowAt, select, selected, shown, target } from "../../state.ts";
import { Name, Plain } from "../../text/plain.tsx";
import { Badge, kindLabel, outcomeLabel, roleLabel } from "../common/labels.tsx";
import { Virtual } from "../common/virtual.tsx";

/** Returns whether a position is in a sorted list. */
function contains(found: Uint32Array, position: number): boolean {
  let [from, to] = [0, found.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((found[middle] ?? 0) < position) from = middle + 1;
    else to = middle;
  }
  return found[from] === position;
}

export type Order = "position" | "tokens";
/** The order of the list, and whether only matches are listed. */
export const order = signal<Order>("position");
export const isOnlyMatches = signal(false);

/** The listed positions in order; `null` for all positions. */
const listed = computed<Uint32Array | null>(() => {
  const found = isOnlyMatches.value ? matches.value : null;
  if (order.value === "position") return found;
  const tokens = request.value?.cards.tokens;
  const all = found ?? Uint32Array.from({ length: boxView.value?.cards ?? 0 }, (_, position) => position);
  return all.toSorted((a, b) => (tokens?.[b] ?? 0) - (tokens?.[a] ?? 0) || a - b);
});

/** Sorts the list. By tokens it goes to the largest card. */
function sortBy(by: Order): void {
  order.value = by;
  const [largest] = listed.value ?? [];
  if (by === "tokens" && largest !== undefined) select(largest);
}

function Sortable({ by, children }: { by: Order; children: string }) {
  return (
    <button type="button" class="sort" tabIndex={-1} data-sorted={order.value === by} onClick={() => sortBy(by)}>
      {children}
      {order.value === by && <span class="sort-mark">{by === "position" ? "↑" : "↓"}</span>}
    </button>
  );
}

export function CardList() {
  const all = boxView.value?.cards ?? 0;
  const positions = listed.value;
  const count = positions?.length ?? all;
  const at = (index: number) => positions?.[index] ?? index;
  const active = selected.value === null ? null : positions === null ? selected.value : positions.indexOf(selected.value);
  return (
    <div class="list" role="tabpanel" id="panel-cards" aria-labelledby="tab-cards" data-searching={matches.value !== null}>
      <div class="columns">
        <Sortable by="position">{t("list.col.position")}</Sortable>
        <span>{t("list.col.type")}</span>
        <span>{t("list.col.content")}</span>
        <span title={tLazy("term.cause.is")}>{t("list.col.source")}</span>
        <span class="end">
          <Sortable by="tokens">{t("list.col.tokens")}</Sortable>
        </span>
      </div>
      <Virtual
        id="card"
        count={count}
        label={t("list.label")}
        active={active === -1 ? null : active}
        of={`${JSON.stringify(target.value)} ${shown.value} ${order.value} ${isOnlyMatches.value}`}
        idOf={at}
        onRange={(from, to) => {
          setVisible(
            positions === null ? Array.from({ length: to - from }, (_, index) => from + index) : Array.from(positions.subarray(from, to)),
          );
        }}
        row={(index, style, key) => <Line key={key} position={at(index)} row={rowAt(at(index))} count={count} style={style} />}
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
    "data-match": matches.value === null ? undefined : contains(matches.value, position),
    style,
    onClick: () => select(position),
  } as const;
  useEffect(() => {
    if (row !== undefined) reportRows();
  }, [row === undefined]);
  if (row === undefined) {
    return (
      <div {...common} data-waiting="true">
        <span class="position">{number(position)}</span>
      </div>
    );
  }
  return (
    <div {...common} data-kind={row.kind} data-presence={row.presence}>
      <Cells row={row} cost={costAt(position)} lints={lintsByPosition.value.get(position)?.map((lint) => lint.code)} />
    </div>
  );
}

/** The cells of one card, used by all lists. */
export function Cells({ row, cost, lints }: { row: Row; cost?: CardCost | undefined; lints?: string[] | undefined }) {
  const swallowed = row.swallowed?.length ?? 0;
  return (
    <>
      <span class="position">{number(row.position)}</span>
      <span class="what">
        <i class="swatch" data-kind={row.kind} />
        <Name of="name type" text={row.type == null || row.type.startsWith("import.") ? kindLabel(row.kind) : row.type} />
        <Name of="name role" text={row.kind === "missing" ? t(`presence.${row.presence}`) : roleLabel(row.role)} />
      </span>
      <span class="excerpt">{row.kind === "missing" ? <Name text={row.card_id} /> : <Plain text={row.excerpt} />}</span>
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

/** The cost of a card in the request, or why it is not sent. */
function Cost({ cost }: { cost: CardCost | undefined }) {
  if (cost === undefined) return <span class="tokens" />;
  const label = outcomeLabel(cost);
  switch (cost.became) {
    case "message":
      return <span class="tokens">{number(cost.tokens)}</span>;
    case "nothing":
      return (
        <span class="tokens unsent" title={label}>
          <span aria-hidden="true">–</span>
          <span class="sr">{label}</span>
        </span>
      );
    case "system_prompt":
    case "tools":
      return (
        <span class="tokens muted" title={label}>
          <span aria-hidden="true">↑</span>
          <span class="sr">{label}</span>
        </span>
      );
  }
}
