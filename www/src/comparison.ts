// The two sides of a comparison, as somebody chose them. The room that shows them comes when it is entered.
import { signal } from "@preact/signals";
import type { Dialect } from "./engine/protocol.ts";
import { dialect } from "./state.ts";

/** One side: a call under a dialect, a box, or an agent's turn. */
export interface Chosen {
  what: string;
  dialect: Dialect;
}

export const left = signal<Chosen | null>(null);
export const right = signal<Chosen | null>(null);

/** A call that is no handover of the project and is looked at as if it were committed. */
export const beside = signal<{ call: string; title: string } | null>(null);
export const BESIDE = "preview:";

/** Chooses both sides; used by whoever leads there. */
export function compareThese(one: string, other: string): void {
  left.value = { what: one, dialect: dialect.peek() };
  right.value = { what: other, dialect: dialect.peek() };
}

/** Compares something with what a call would make, before anything is written. */
export function compareWithCall(one: string, call: string, title: string): void {
  beside.value = { call, title };
  compareThese(one, BESIDE);
}
