// The edge of a pane: moved with the pointer or the arrow keys, and saved.
import { tLazy } from "../../i18n/index.ts";
import { savePreference } from "../../preferences.ts";
import { MAX_WIDTH, MIN_WIDTH, type Side, widths } from "./panes.ts";

const STEP = 16;

function set(side: Side, width: number): void {
  const next = Math.round(Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, innerWidth / 2, width)));
  widths[side].value = next;
  savePreference(`pane.${side}`, String(next));
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
      aria-label={tLazy(`pane.${side}`)}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      aria-valuenow={widths[side].value ?? MIN_WIDTH}
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
        savePreference(`pane.${side}`, "");
      }}
    />
  );
}
