// The two sides of a comparison. The view that shows them is loaded when it is first opened.
import { signal } from "@preact/signals";
import type { Dialect } from "./engine/protocol.ts";
import { dialect } from "./state.ts";

/** One side: a call with a dialect, a box, or an agent's turn. */
export interface SideChoice {
  what: string;
  dialect: Dialect;
}

export const left = signal<SideChoice | null>(null);
export const right = signal<SideChoice | null>(null);

/** A call outside the project's handovers, compared as if it were committed. */
export const previewSide = signal<{ call: string; title: string } | null>(null);
export const PREVIEW_SIDE = "preview:";

/** Selects both sides. */
export function compareSides(one: string, other: string): void {
  left.value = { what: one, dialect: dialect.peek() };
  right.value = { what: other, dialect: dialect.peek() };
}

/** Compares something with the result of a call before anything is written. */
export function compareWithCall(one: string, call: string, title: string): void {
  previewSide.value = { call, title };
  compareSides(one, PREVIEW_SIDE);
}
