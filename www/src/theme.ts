import { effect, signal } from "@preact/signals";
import { keep, kept } from "./kept.ts";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(kept("theme", THEMES, "auto"));

effect(() => {
  const chosen = theme.value;
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  keep("theme", chosen);
});
