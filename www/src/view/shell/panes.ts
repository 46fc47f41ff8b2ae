// The widths of the panes, if the user changed them.
import { signal } from "@preact/signals";
import { loadPreference } from "../../preferences.ts";

export type Side = "nav" | "why";
export const MIN_WIDTH = 140;
export const MAX_WIDTH = 900;

export const widths = { nav: signal(savedWidth("nav")), why: signal(savedWidth("why")) };

function savedWidth(side: Side): number | null {
  const found = Number(loadPreference(`pane.${side}`) ?? Number.NaN);
  return found >= MIN_WIDTH && found <= MAX_WIDTH ? found : null;
}

/** Returns the widths as CSS properties. */
export function paneStyle(): Record<string, string> {
  return Object.fromEntries(
    (["nav", "why"] as const).flatMap((side) => (widths[side].value === null ? [] : [[`--${side}-width`, `${widths[side].value}px`]])),
  );
}
