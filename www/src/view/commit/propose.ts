// What somebody wants to commit: proposed from anywhere, and asked for once more in a dialog that comes with it.
import { signal } from "@preact/signals";
import type { Receipt } from "../../engine/protocol.ts";
import { home } from "../../state.ts";

/** A call that somebody wants to commit. */
export interface Act {
  title: string;
  /** The call as JSON text. */
  call: string;
  /** Told once it is committed; without it the dialog stays and leads to what was made. */
  onDone?: (receipt: Receipt) => void;
  /** Something else to do with the preview, without committing it. */
  instead?: { label: string; run: () => void };
}

export const act = signal<Act | null>(null);

/** Shows what a call would write, and commits it if somebody says so. */
export function propose(next: Act): void {
  act.value = next;
}

/** False where a page lets itself be looked at, and no more. */
export function mayCommit(): boolean {
  const at = home.value;
  return at?.kind !== "page" || at.commits;
}
