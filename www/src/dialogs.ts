// Which dialogs are open. What is in them comes when they are first opened.
import { signal } from "@preact/signals";

/** The ways to open a project. */
export const isOpen = signal(false);
export const isPaletteOpen = signal(false);
export const isHelpOpen = signal(false);
