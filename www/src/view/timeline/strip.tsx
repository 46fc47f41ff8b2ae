// The strip: one column for each step, stacked by kind, with marks, an axis and a legend.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TimelineOverview, TimelineStep } from "tuckbox/web";
import { lang, number, percent, t } from "../../i18n/lazy.ts";
import { step } from "../../state.ts";
import { money } from "../../text/money.ts";
import { theme } from "../../theme.ts";
import { duration, goToStep, overview, short, zoom } from "../../timeline/state.ts";
import { LiveNote } from "./live.tsx";

/** The height of the marks and the axis below the columns. */
const FOOT = 26;
/** The window is part of the scale if it is at most this many times the largest request. */
const MAX_WINDOW = 2.5;

/** The maximum width of a column. */
const MAX_COLUMN = 64;

const inputOf = ({ recorded, estimated }: TimelineStep) => recorded.input ?? estimated;

const DARK = "(prefers-color-scheme: dark)";

function largest(steps: readonly TimelineStep[]): number {
  return steps.reduce((most, one) => Math.max(most, inputOf(one), one.estimated), 1);
}

/** Returns whether the strip shows the window as a line. */
function isInScale(window: number | null, steps: readonly TimelineStep[]): boolean {
  return window !== null && window <= largest(steps) * MAX_WINDOW;
}

/** Returns the steps in the strip. */
function shownSteps(all: TimelineOverview): readonly TimelineStep[] {
  const [from, to] = zoom.value ?? [1, all.steps.length];
  return all.steps.slice(from - 1, to);
}

export function Strip() {
  const all = overview.value;
  const canvas = useRef<HTMLCanvasElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const brush = useSignal<[number, number] | null>(null);
  useEffect(() => {
    const at = canvas.current;
    if (at === null) return;
    const watch = new ResizeObserver(() => (size.value = { width: at.clientWidth, height: at.clientHeight }));
    watch.observe(at);
    return () => watch.disconnect();
  }, []);
  const steps = all === null ? [] : shownSteps(all);
  const { width, height } = size.value;
  const isDark = useSignal(matchMedia(DARK).matches);
  useEffect(() => {
    const scheme = matchMedia(DARK);
    const onChange = () => (isDark.value = scheme.matches);
    scheme.addEventListener("change", onChange);
    return () => scheme.removeEventListener("change", onChange);
  }, []);
  useEffect(() => {
    if (canvas.current !== null && legend.current !== null && all !== null) draw(canvas.current, legend.current, steps);
  }, [all, zoom.value, width, height, theme.value, isDark.value, lang.value]);
  if (all === null) return null;
  const first = steps[0]?.step ?? 1;
  const column = Math.min(MAX_COLUMN, width / Math.max(1, steps.length));
  const stepAt = (x: number) => Math.max(0, Math.min(steps.length - 1, Math.floor(x / Math.max(1e-6, column))));
  const at = step.value === null ? -1 : step.value - first;
  const used = all.kinds.filter((_, index) => steps.some(({ tokens_by_kind }) => (tokens_by_kind[index] ?? 0) > 0));
  const window = steps.findLast((one) => one.window !== null)?.window ?? null;
  const hasWindow = isInScale(window, steps);
  const hasUnknown = steps.some(({ recorded, estimated }) => (recorded.input ?? 0) > estimated);
  return (
    <section class="tl-strip" aria-label={t("timeline.strip")}>
      <div class="tl-chart">
        <div
          class="tl-columns"
          title={t("timeline.strip.hint")}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            brush.value = [event.offsetX, event.offsetX];
          }}
          onPointerMove={(event) => {
            if (brush.value !== null) brush.value = [brush.value[0], event.offsetX];
          }}
          onPointerUp={() => {
            const [from, to] = (brush.value ?? [0, 0]).toSorted((a, b) => a - b) as [number, number];
            brush.value = null;
            const [one, other] = [stepAt(from), stepAt(to)];
            if (to - from < 6 || one === other) goToStep(first + stepAt(to));
            else zoom.value = [first + one, first + other];
          }}
          onDblClick={() => (zoom.value = null)}
        >
          {at >= 0 && at < steps.length && <i class="tl-at" style={{ left: `${at * column}px`, width: `${Math.max(3, column)}px` }} />}
          <canvas ref={canvas} aria-hidden="true" />
          {brush.value !== null && (
            <i
              class="tl-brush"
              style={{ left: `${Math.min(...brush.value)}px`, width: `${Math.abs(brush.value[1] - brush.value[0])}px` }}
            />
          )}
          {window !== null && hasWindow && <span class="tl-window">{t("timeline.window", { n: short(window) })}</span>}
        </div>
        <ul class="tl-legend" ref={legend}>
          {used.map((kind) => (
            <li>
              <i class="swatch" data-part={kind} />
              {t(`timeline.kind.${kind}`)}
            </li>
          ))}
          {hasUnknown && (
            <li>
              <i class="swatch unknown" />
              {t("timeline.unknown.value")}
            </li>
          )}
          <li>
            <i class="swatch hatched" />
            {t("timeline.legend.cached")}
          </li>
          <li>▔ {t("timeline.legend.recorded")}</li>
          <li class="tl-bad">⚡ {t("timeline.legend.break")}</li>
          <li>▼ {t("timeline.legend.compaction")}</li>
          <li class="tl-bad">● {t("timeline.legend.error")}</li>
          {zoom.value !== null && (
            <li>
              <button type="button" class="quiet" onClick={() => (zoom.value = null)}>
                {t("timeline.zoom.out")}
              </button>
            </li>
          )}
        </ul>
      </div>
      <Totals all={all} />
    </section>
  );
}

function Totals({ all }: { all: TimelineOverview }) {
  const { totals } = all;
  const row = (label: string, value: string, bad = false) => (
    <div>
      <dt>{label}</dt>
      <dd class={bad ? "tl-bad" : undefined}>{value}</dd>
    </div>
  );
  const cost = totals.cost === null ? t("timeline.total.cost.unknown") : `${totals.all_costs ? "" : "≥"}${money(totals.cost)}`;
  return (
    <div class="tl-totals">
      <dl>
        {row(t("timeline.total.steps"), number(totals.steps))}
        {row(t("timeline.total.input"), `${totals.recorded ? "" : "≈"}${short(totals.input)}`)}
        {totals.share !== null && row(t("timeline.total.share"), percent(totals.share))}
        {row(t("timeline.total.cost"), cost)}
        {totals.lost_cost !== null && totals.lost_cost > 0 && row(t("timeline.total.lost"), money(totals.lost_cost), true)}
        {totals.seconds !== null && row(t("timeline.total.time"), duration(totals.seconds))}
      </dl>
      {totals.most_expensive !== null && (
        <button type="button" class="quiet" onClick={() => goToStep(totals.most_expensive ?? 1)}>
          {t(totals.cost === null ? "timeline.largest" : "timeline.costly")}
        </button>
      )}
      <LiveNote />
    </div>
  );
}

/** Returns one step for each column: where columns are narrower than a pixel, the largest. */
function columnsOf(steps: readonly TimelineStep[], width: number): readonly TimelineStep[] {
  if (steps.length <= width) return steps;
  return Array.from({ length: width }, (_, at) => {
    const from = Math.floor((at * steps.length) / width);
    const group = steps.slice(from, Math.max(from + 1, Math.floor(((at + 1) * steps.length) / width)));
    return group.reduce((most, one) => (inputOf(one) > inputOf(most) ? one : most));
  });
}

function draw(canvas: HTMLCanvasElement, legend: HTMLElement, steps: readonly TimelineStep[]): void {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const pen = canvas.getContext("2d");
  if (pen === null || width === 0 || height === 0 || steps.length === 0) return;
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  pen.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colors = new Map(
    Array.from(legend.querySelectorAll<HTMLElement>("[data-part]"), (node) => [
      node.dataset.part ?? "",
      getComputedStyle(node).backgroundColor,
    ]),
  );
  const kinds = overview.peek()?.kinds ?? [];
  const foot = height < 40 ? 0 : FOOT;
  const base = height - foot;
  const columns = columnsOf(steps, Math.floor(width));
  const column = Math.min(MAX_COLUMN, width / columns.length);
  const gap = column > 4 ? Math.min(3, column * 0.15) : 0;
  const most = largest(steps);
  const window = steps.findLast((one) => one.window !== null)?.window ?? null;
  const line = isInScale(window, steps) ? (window ?? 0) : 0;
  const scale = (base - 6) / Math.max(most, line);
  const hatch = hatching(pen, style.caretColor);
  columns.forEach((one, at) => {
    const x = at * column;
    const wide = Math.max(0.6, column - gap);
    let y = base;
    one.tokens_by_kind.forEach((tokens, kind) => {
      if (tokens === 0) return;
      const tall = tokens * scale;
      pen.fillStyle = colors.get(kinds[kind] ?? "") ?? "gray";
      pen.fillRect(x, y - tall, wide, tall);
      y -= tall;
    });
    const { input, cached } = one.recorded;
    const top = input === null ? y : base - input * scale;
    // tokens that the log does not have
    if (top < y) {
      pen.globalAlpha = 0.22;
      pen.fillStyle = style.outlineColor;
      pen.fillRect(x, top, wide, y - top);
      pen.globalAlpha = 1;
    }
    if (cached !== null && cached > 0 && column >= 3) {
      pen.fillStyle = hatch;
      pen.fillRect(x, base - cached * scale, wide, cached * scale);
    }
    if (input !== null) {
      pen.fillStyle = style.color;
      pen.fillRect(x, top - 0.75, wide, 1.5);
    }
  });
  if (line > 0) {
    pen.strokeStyle = style.borderTopColor;
    pen.setLineDash([4, 3]);
    pen.beginPath();
    pen.moveTo(0, base - line * scale);
    pen.lineTo(width, base - line * scale);
    pen.stroke();
    pen.setLineDash([]);
  }
  if (foot === 0) return;
  drawMarks(pen, style, columns, column, base);
}

/** Draws the marks and the numbers below the columns. */
function drawMarks(
  pen: CanvasRenderingContext2D,
  style: CSSStyleDeclaration,
  columns: readonly TimelineStep[],
  column: number,
  base: number,
): void {
  pen.textAlign = "center";
  pen.font = `10px ${style.fontFamily}`;
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((n) => n * column >= 34) ?? 2000;
  columns.forEach((one, at) => {
    const x = (at + 0.5) * column;
    if (one.step % every === 0 || (at === 0 && every === 1)) {
      pen.fillStyle = style.outlineColor;
      pen.fillText(String(one.step), x, base + 23);
    }
    const marks = [one.compacted !== null ? "▼" : "", one.cache?.is_break === true ? "⚡" : "", one.failed ? "●" : ""].join("");
    if (marks === "") return;
    pen.fillStyle = marks.includes("▼") ? style.color : style.borderTopColor;
    pen.fillText(marks, x, base + 11);
  });
}

/** Returns a pattern of diagonal lines. */
function hatching(pen: CanvasRenderingContext2D, color: string): CanvasPattern | string {
  const tile = document.createElement("canvas");
  [tile.width, tile.height] = [5, 5];
  const small = tile.getContext("2d");
  if (small === null) return "transparent";
  small.strokeStyle = color;
  small.lineWidth = 1.1;
  small.beginPath();
  for (const from of [-5, 0, 5]) {
    small.moveTo(from, 5);
    small.lineTo(from + 5, 0);
  }
  small.stroke();
  return pen.createPattern(tile, "repeat") ?? "transparent";
}
