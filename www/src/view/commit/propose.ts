// Proposals to commit. Any view can propose a call; the dialog asks the user to confirm it.
import { signal } from "@preact/signals";
import type { Receipt } from "../../engine/protocol.ts";
import { storedIn } from "../../state.ts";

/** A call to commit. */
export interface Proposal {
  title: string;
  /** The call as JSON text. */
  call: string;
  /** Called after the commit; without it the dialog stays open and links to the result. */
  onDone?: (receipt: Receipt) => void;
  /** An alternative to committing the preview. */
  alternative?: { label: string; run: () => void };
}

export const proposal = signal<Proposal | null>(null);

/** Shows what a call would write, and commits it if the user confirms. */
export function propose(next: Proposal): void {
  proposal.value = next;
}

/** Returns whether commits are allowed; an inspected page can forbid them. */
export function mayCommit(): boolean {
  const at = storedIn.value;
  return at?.kind !== "page" || at.commits;
}
