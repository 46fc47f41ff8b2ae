// The widths of the panes, if the user changed them.
import { signal } from "@preact/signals";
import { recalled } from "../../preferences.ts";

export type Side = "nav" | "why";
export const LEAST = 140;
export const MOST = 900;

export const widths = { nav: signal(remembered("nav")), why: signal(remembered("why")) };

function remembered(side: Side): number | null {
  const found = Number(recalled(`pane.${side}`) ?? Number.NaN);
  return found >= LEAST && found <= MOST ? found : null;
}

/** Returns the widths as CSS properties. */
export function paneStyle(): Record<string, string> {
  return Object.fromEntries((["nav", "why"] as const).flatMap((side) => (widths[side].value === null ? [] : [[`--${side}-width`, `${widths[side].value}px`]])));
}
