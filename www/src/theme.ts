import { effect, signal } from "@preact/signals";
import { keep, kept } from "./preferences.ts";
import { place } from "./mount.ts";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(kept("theme", THEMES, "auto"));

effect(() => {
  const chosen = theme.value;
  const { host } = place();
  if (chosen === "auto") delete host.dataset.theme;
  else host.dataset.theme = chosen;
  keep("theme", chosen);
});
