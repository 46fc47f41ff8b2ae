// The window as a stacked bar: sources above, kinds below, the rest free.
import { signal } from "@preact/signals";
import type { BoxView, CardKind, Part, Source } from "../engine/protocol.ts";
import { CARD_KINDS } from "../engine/protocol.ts";
import { cards, number, percent, t } from "../i18n/index.ts";
import { goTo } from "../state.ts";
import { Name } from "../text/plain.tsx";
import { Segments } from "./header.tsx";
import { kindWord, sourceWord } from "./words.tsx";

const scale = signal<"window" | "used">("window");

export function WindowBar({ box }: { box: BoxView }) {
  const window = box.window;
  const size = window?.size ?? box.tokens;
  const over = (window?.over ?? 0) > 0;
  const whole = Math.max(1, scale.value === "used" || over ? box.tokens : size);
  const shown = box.parts.filter((part) => part.tokens > 0);
  return (
    <section class="picture" aria-label={t("bar.label")} data-level={window?.level ?? "calm"}>
      <div class="picture-head">
        <p class="sum">
          <strong>{number(box.tokens)}</strong>
          <span class="muted">/ {number(size)} {t("bar.tokens")}</span>
          {!box.exact && <abbr class="estimated" title={t("bar.estimated.why")}>≈ {t("bar.estimated")}</abbr>}
          <span class="level">{window !== undefined && `${percent(box.tokens / size)} · ${t(`level.${window.level}`)}`}</span>
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
          {bySource(shown).map(({ source, tokens }) => (
            <div class="source" style={{ flexGrow: tokens / whole }} title={sourceWord(source)}>
              <span>{source.kind === "inherited" ? <Name text={source.box_id} /> : sourceWord(source)}</span>
            </div>
          ))}
          {scale.value === "window" && !over && <div class="source free" style={{ flexGrow: (window?.free ?? 0) / whole }} />}
        </div>
        <div class="parts">
          {shown.map((part) => <Segment part={part} whole={whole} size={size} />)}
          {scale.value === "window" && !over && (window?.free ?? 0) > 0 && (
            <div class="free" style={{ flexGrow: (window?.free ?? 0) / whole }}>
              <span>{t("bar.free")} {number(window?.free ?? 0)}</span>
            </div>
          )}
          {scale.value === "window" && <><i class="tick at70" /><i class="tick at90" /></>}
          {over && <i class="tick end" style={{ left: `${(size / whole) * 100}%` }} />}
        </div>
      </div>
      <Legend parts={box.parts} whole={box.tokens} />
    </section>
  );
}

function Segment({ part, whole, size }: { part: Part; whole: number; size: number }) {
  const label = t("bar.part", {
    source: sourceWord(part.source),
    kind: kindWord(part.kind),
    cards: cards(part.cards),
    tokens: number(part.tokens),
    share: percent(part.tokens / Math.max(1, size)),
  });
  return (
    <button
      type="button"
      class="part"
      data-kind={part.kind}
      style={{ flexGrow: part.tokens / whole }}
      title={label}
      aria-label={label}
      onClick={() => goTo(part.first)}
    />
  );
}

/** Neighbouring parts of one source, for the strip above the bar. */
function bySource(parts: Part[]): { source: Source; tokens: number }[] {
  const found: { source: Source; key: string; tokens: number }[] = [];
  for (const part of parts) {
    const key = JSON.stringify(part.source);
    const last = found.at(-1);
    if (last?.key === key) last.tokens += part.tokens;
    else found.push({ source: part.source, key, tokens: part.tokens });
  }
  return found;
}

function Legend({ parts, whole }: { parts: Part[]; whole: number }) {
  const sums = new Map<CardKind, { cards: number; tokens: number; first: number }>();
  for (const part of parts) {
    const sum = sums.get(part.kind) ?? { cards: 0, tokens: 0, first: part.first };
    sums.set(part.kind, {
      cards: sum.cards + part.cards,
      tokens: sum.tokens + part.tokens,
      first: Math.min(sum.first, part.first),
    });
  }
  return (
    <ul class="legend">
      {CARD_KINDS.map((kind) => {
        const sum = sums.get(kind);
        return sum && (
          <li>
            <button type="button" onClick={() => goTo(sum.first)} title={cards(sum.cards)}>
              <i class="swatch" data-kind={kind} />
              {kindWord(kind)}
              <span class="figure">{percent(sum.tokens / Math.max(1, whole))}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
