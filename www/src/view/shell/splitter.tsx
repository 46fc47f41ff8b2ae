// The edge of a pane: moved with the pointer or the arrow keys, and saved.
import { late } from "../../i18n/index.ts";
import { keep } from "../../preferences.ts";
import { LEAST, MOST, type Side, widths } from "./panes.ts";

const STEP = 16;

function set(side: Side, width: number): void {
  const next = Math.round(Math.max(LEAST, Math.min(MOST, innerWidth / 2, width)));
  widths[side].value = next;
  keep(`pane.${side}`, String(next));
}

export function Splitter({ side }: { side: Side }) {
  const pane = (from: HTMLElement) => (side === "nav" ? from.previousElementSibling : from.nextElementSibling);
  const widthOf = (from: HTMLElement) => pane(from)?.getBoundingClientRect().width ?? 0;
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={late(`pane.${side}`)}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={widths[side].value ?? LEAST}
      onKeyDown={(event) => {
        const step = event.key === "ArrowRight" ? STEP : event.key === "ArrowLeft" ? -STEP : 0;
        if (step === 0) return;
        event.preventDefault();
        set(side, widthOf(event.currentTarget) + (side === "nav" ? step : -step));
      }}
      onPointerDown={(event) => {
        const handle = event.currentTarget;
        const [start, width] = [event.clientX, widthOf(handle)];
        handle.setPointerCapture(event.pointerId);
        const move = (moved: PointerEvent) => set(side, width + (side === "nav" ? moved.clientX - start : start - moved.clientX));
        handle.addEventListener("pointermove", move);
        handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", move), { once: true });
      }}
      onDblClick={() => {
        widths[side].value = null;
        keep(`pane.${side}`, "");
      }}
    />
  );
}
