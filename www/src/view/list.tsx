// The ordered list. Only the rows in sight are in the document; their height is fixed, so that a
// position is a product and not a measurement.
import { signal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Row } from "../engine/protocol.ts";
import { number, t } from "../i18n/index.ts";
import { boxView, lintsByPosition, needRows, rows, select, selected, shown, target } from "../state.ts";
import { Plain, Name } from "../text/plain.tsx";
import { Badge, kindWord, roleWord } from "./words.tsx";

const OVERSCAN = 10;
const scrolled = signal({ top: 0, height: 800, row: 36 });

export function CardList() {
  const scroller = useRef<HTMLDivElement>(null);
  const count = boxView.value?.cards ?? 0;

  const measure = () => {
    const at = scroller.current;
    if (at === null) return;
    const row = Number.parseFloat(getComputedStyle(at).getPropertyValue("--row")) || 36;
    scrolled.value = { top: at.scrollTop, height: at.clientHeight, row };
  };
  useLayoutEffect(() => {
    measure();
    const watch = new ResizeObserver(measure);
    if (scroller.current !== null) watch.observe(scroller.current);
    return () => watch.disconnect();
  }, []);
  // another context starts at its beginning
  useSignalEffect(() => {
    void target.value;
    void shown.value;
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  });
  useSignalEffect(() => {
    const at = scroller.current;
    const position = selected.value;
    if (at === null || position === null) return;
    const { row } = scrolled.peek();
    if (position * row < at.scrollTop) at.scrollTop = position * row;
    else if ((position + 1) * row > at.scrollTop + at.clientHeight) {
      at.scrollTop = (position + 1) * row - at.clientHeight;
    }
  });

  const { top, height, row } = scrolled.value;
  const from = Math.max(0, Math.floor(top / row) - OVERSCAN);
  const to = Math.min(count, Math.ceil((top + height) / row) + OVERSCAN);
  useLayoutEffect(() => needRows(from, to));

  const visible = [];
  for (let position = from; position < to; position += 1) {
    visible.push(<Line key={position} position={position} row={rows.value.get(position)} count={count} height={row} />);
  }
  return (
    <div class="list" role="tabpanel" id="panel-cards" aria-labelledby="tab-cards">
      <div class="columns" aria-hidden="true">
        <span>{t("list.col.position")}</span>
        <span>{t("list.col.type")}</span>
        <span>{t("list.col.content")}</span>
        <span>{t("list.col.source")}</span>
        <span class="end">{t("list.col.tokens")}</span>
      </div>
      <div
        class="scroller"
        id="cards"
        ref={scroller}
        role="listbox"
        tabIndex={0}
        aria-label={t("list.label")}
        aria-activedescendant={selected.value === null ? undefined : `card-${selected.value}`}
        onScroll={measure}
      >
        {count === 0 && <p class="empty">{t("list.empty")}</p>}
        <div class="canvas" role="presentation" style={{ height: `${count * row}px` }}>{visible}</div>
      </div>
    </div>
  );
}

interface LineProps {
  position: number;
  row: Row | undefined;
  count: number;
  height: number;
}

function Line({ position, row, count, height }: LineProps) {
  const isSelected = selected.value === position;
  const common = {
    class: "line",
    id: `card-${position}`,
    role: "option",
    "aria-selected": isSelected,
    "aria-setsize": count,
    "aria-posinset": position + 1,
    style: { transform: `translateY(${position * height}px)` },
    onClick: () => select(position),
  } as const;
  if (row === undefined) {
    return (
      <div {...common} data-waiting="true">
        <span class="position">{number(position)}</span>
      </div>
    );
  }
  const lints = lintsByPosition.value.get(position);
  const swallowed = row.swallowed?.length ?? 0;
  return (
    <div {...common} data-kind={row.kind} data-presence={row.presence}>
      <span class="position">{number(position)}</span>
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
          <span class="lint" title={lints.map((lint) => lint.code).join(", ")}>
            <span aria-hidden="true">!</span>
            <span class="sr">{t("list.lint")}</span>
          </span>
        )}
        <Badge cause={row.cause} />
      </span>
      <span class="tokens">{number(row.tokens)}</span>
    </div>
  );
}
