// Proposals to commit. Any view can propose a call; the dialog asks the user to confirm it.
import { signal } from "@preact/signals";
import type { Receipt } from "../../engine/protocol.ts";
import { home } from "../../state.ts";

/** A call to commit. */
export interface Act {
  title: string;
  /** The call as JSON text. */
  call: string;
  /** Called after the commit; without it the dialog stays open and links to the result. */
  onDone?: (receipt: Receipt) => void;
  /** An alternative to committing the preview. */
  instead?: { label: string; run: () => void };
}

export const act = signal<Act | null>(null);

/** Shows what a call would write, and commits it if the user confirms. */
export function propose(next: Act): void {
  act.value = next;
}

/** Returns whether commits are allowed; an inspected page can forbid them. */
export function mayCommit(): boolean {
  const at = home.value;
  return at?.kind !== "page" || at.commits;
}
