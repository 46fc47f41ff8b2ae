// The request as a stacked bar: sources above, kinds below, then the reserve and the free rest.
import { signal } from "@preact/signals";
import type { CardKind, CountedRequest, Part, PartSource, RequestView } from "../../engine/protocol.ts";
import { CARD_KINDS } from "../../engine/protocol.ts";
import { cards, number, percent, t } from "../../i18n/lazy.ts";
import { goTo } from "../../state.ts";
import { Name } from "../../text/plain.tsx";
import { Price } from "../common/cost.tsx";
import { kindLabel, sourceLabel } from "../common/labels.tsx";
import { Segments } from "../common/segments.tsx";

const scale = signal<"window" | "used">("window");

/** Beyond this number, parts have no minimum width. */
const MAX_WIDE_PARTS = 100;

/** A label that distinguishes exact counts from estimates. */
export function Estimated({ exact }: { exact: boolean }) {
  return exact ? (
    <span class="muted">{t("payload.exact")}</span>
  ) : (
    <abbr class="estimated" title={t("bar.estimated.why")}>
      ≈ {t("bar.estimated")}
    </abbr>
  );
}

export function RequestBar({ view }: { view: CountedRequest }) {
  const { window, tokens, reserve } = view;
  const taken = tokens + reserve;
  const size = window?.size ?? taken;
  const isOver = (window?.over ?? 0) > 0;
  const isWindow = scale.value === "window";
  const whole = Math.max(1, !isWindow ? tokens : isOver ? taken : size);
  const shown = view.parts.filter((part) => part.tokens > 0);
  return (
    <>
      <div class="picture-head">
        <p class="sum">
          <strong data-total="bar">{number(tokens)}</strong>
          <span class="muted">
            / {number(size)} {t("bar.tokens")}
          </span>
          <Estimated exact={view.exact} />
          <Price dollars={view.cost} />
          {window !== undefined && (
            <span class="level">
              {isOver
                ? t("bar.over", { over: number(window.over) })
                : `${percent(taken / Math.max(1, size))} · ${t(`level.${window.level}`)}`}
            </span>
          )}
        </p>
        <Segments
          label={t("bar.scale.label")}
          options={[
            { value: "window", text: t("bar.scale.window") },
            { value: "used", text: t("bar.scale.used") },
          ]}
          value={scale.value}
          onChange={(next) => (scale.value = next as "window" | "used")}
        />
      </div>
      <div class="stack">
        <div class="sources" aria-hidden="true">
          {bySource(shown).map(({ source, tokens: sum }) => (
            <div class="source" style={{ flexGrow: sum / whole }} title={sourceLabel(source)}>
              <span>{"box_id" in source ? <Name text={source.box_id} /> : sourceLabel(source)}</span>
            </div>
          ))}
          {isWindow && <div class="source free" style={{ flexGrow: (reserve + (window?.free ?? 0)) / whole }} />}
        </div>
        <div class="parts" data-many={shown.length > MAX_WIDE_PARTS}>
          {shown.map((part) => (
            <Segment part={part} whole={whole} size={size} />
          ))}
          {isWindow && reserve > 0 && (
            <div class="reserve" style={{ flexGrow: reserve / whole }} title={t("bar.reserve", { n: number(reserve) })} />
          )}
          {isWindow && !isOver && (window?.free ?? 0) > 0 && (
            <div class="free" style={{ flexGrow: (window?.free ?? 0) / whole }}>
              <span>
                {t("bar.free")} {number(window?.free ?? 0)}
              </span>
            </div>
          )}
          {isWindow && [70, 90].map((mark) => <i class={`tick at${mark}`} style={{ left: `${(size / whole) * mark}%` }} />)}
          {isWindow && isOver && <i class="tick end" style={{ left: `${(size / whole) * 100}%` }} />}
        </div>
      </div>
      <Sections view={view} />
      <Legend parts={view.parts} whole={tokens} />
    </>
  );
}

/** Tokens by section; the sections add up to the total. */
export function Sections({ view }: { view: Pick<RequestView, "sections" | "reserve"> }) {
  return (
    <ul class="sections" aria-label={t("bar.sections")}>
      {view.sections.map(({ section, tokens, exact }) => (
        <li data-section={section} data-empty={tokens === 0}>
          {t(`section.${section}`)}{" "}
          <b>
            {exact ? "" : "≈ "}
            {number(tokens)}
          </b>
        </li>
      ))}
      <li data-section="reserve" data-empty={view.reserve === 0}>
        {t("section.reserve")} <b>{number(view.reserve)}</b>
      </li>
    </ul>
  );
}

/** Returns the color of a part: its kind, or its source if it has none. */
function partColor(part: Part): string {
  return part.kind ?? part.source.kind;
}

function Segment({ part, whole, size }: { part: Part; whole: number; size: number }) {
  const about = {
    source: sourceLabel(part.source),
    cards: cards(part.cards),
    tokens: number(part.tokens),
    share: percent(part.tokens / Math.max(1, size)),
  };
  const label = part.kind === undefined ? t("bar.part.other", about) : t("bar.part", { ...about, kind: kindLabel(part.kind) });
  const common = { class: "part", "data-kind": partColor(part), style: { flexGrow: part.tokens / whole }, title: label };
  const { first } = part;
  if (first === undefined) return <span {...common} role="img" aria-label={label} />;
  return <button type="button" {...common} aria-label={label} onClick={() => goTo(first)} />;
}

/** Merges neighboring parts of one source, for the strip above the bar. */
function bySource(parts: readonly Part[]): { source: PartSource; tokens: number }[] {
  const found: { source: PartSource; key: string; tokens: number }[] = [];
  for (const part of parts) {
    const key = JSON.stringify(part.source);
    const last = found.at(-1);
    if (last?.key === key) last.tokens += part.tokens;
    else found.push({ source: part.source, key, tokens: part.tokens });
  }
  return found;
}

function Legend({ parts, whole }: { parts: readonly Part[]; whole: number }) {
  const sums = new Map<CardKind, { cards: number; tokens: number; first: number }>();
  for (const { kind, first, cards: count, tokens } of parts) {
    if (kind === undefined || first === undefined) continue;
    const sum = sums.get(kind) ?? { cards: 0, tokens: 0, first };
    sums.set(kind, { cards: sum.cards + count, tokens: sum.tokens + tokens, first: Math.min(sum.first, first) });
  }
  return (
    <ul class="legend">
      {CARD_KINDS.map((kind) => {
        const sum = sums.get(kind);
        return (
          sum && (
            <li>
              <button type="button" onClick={() => goTo(sum.first)} title={cards(sum.cards)}>
                <i class="swatch" data-kind={kind} />
                {kindLabel(kind)}
                <span class="num">{percent(sum.tokens / Math.max(1, whole))}</span>
              </button>
            </li>
          )
        );
      })}
    </ul>
  );
}
