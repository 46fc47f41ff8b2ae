import { effect, signal } from "@preact/signals";
import { mountPoint } from "./mount.ts";
import { loadChoice, savePreference } from "./preferences.ts";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(loadChoice("theme", THEMES, "auto"));

effect(() => {
  const chosen = theme.value;
  const { host } = mountPoint();
  if (chosen === "auto") delete host.dataset.theme;
  else host.dataset.theme = chosen;
  savePreference("theme", chosen);
});
