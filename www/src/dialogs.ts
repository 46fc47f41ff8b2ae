// Which dialogs are open. Their contents are loaded when they are first opened.
import { signal } from "@preact/signals";

/** The dialog that opens a project. */
export const isOpen = signal(false);
export const isPaletteOpen = signal(false);
export const isHelpOpen = signal(false);
