// The two sides of a comparison. The view that shows them is loaded when it is first opened.
import { signal } from "@preact/signals";
import type { Dialect } from "./engine/protocol.ts";
import { dialect } from "./state.ts";

/** One side: a call with a dialect, a box, or an agent's turn. */
export interface Chosen {
  what: string;
  dialect: Dialect;
}

export const left = signal<Chosen | null>(null);
export const right = signal<Chosen | null>(null);

/** A call outside the project's handovers, compared as if it were committed. */
export const beside = signal<{ call: string; title: string } | null>(null);
export const BESIDE = "preview:";

/** Selects both sides. */
export function compareThese(one: string, other: string): void {
  left.value = { what: one, dialect: dialect.peek() };
  right.value = { what: other, dialect: dialect.peek() };
}

/** Compares something with the result of a call before anything is written. */
export function compareWithCall(one: string, call: string, title: string): void {
  beside.value = { call, title };
  compareThese(one, BESIDE);
}
