// The choices of the view "What if": what is fitted, the limit, the pins.
import { batch, signal } from "@preact/signals";
import { room } from "../state.ts";

/** What is fitted, as kind and id; `null` leaves the choice to the view. */
export const chosen = signal<string | null>(null);
/** The limit in thousandths of the whole prompt. */
export const share = signal(600);
/** The limit in tokens, if the user typed one. */
export const typed = signal<number | null>(null);
export const pinned = signal<ReadonlySet<number>>(new Set());
/** The message that is shown in detail. */
export const open = signal<number | null>(null);

// temporary changes to the composer's input
export const process = signal<string | null>(null);
export const off = signal<ReadonlySet<string>>(new Set());

/** Opens the view for a call that packs, or for an input of the composer. */
export function fitThis(call_id: string): void {
  batch(() => {
    choose(`call:${call_id}`);
    room.value = "whatif";
  });
}

/** Opens the view from a problem: what is shown, a limit in tokens, and a message to pin. */
export function fitWithin(what: string, limit: number, pin?: number): void {
  batch(() => {
    choose(what);
    setLimit(limit);
    if (pin !== undefined) {
      togglePin(pin);
      open.value = pin;
    }
    room.value = "whatif";
  });
}

export function choose(what: string): void {
  batch(() => {
    chosen.value = what;
    pinned.value = new Set();
    off.value = new Set();
    process.value = null;
    open.value = null;
  });
}

/** The step of the slider, in thousandths. */
export const STEP = 5;

/** Returns the limit for a prompt of so many tokens. */
export function limitOf(tokens = 0): number {
  return typed.value ?? limitAt(share.value, tokens);
}

/** Returns the limit at a slider position. */
export function limitAt(thousandths: number, tokens: number): number {
  return Math.round((tokens * thousandths) / 1000);
}

export function setLimit(tokens: number): void {
  if (Number.isSafeInteger(tokens) && tokens >= 0) typed.value = tokens;
}

export function setShare(thousandths: number): void {
  batch(() => {
    typed.value = null;
    share.value = thousandths;
  });
}

/** Pins or unpins a message; the key `p` does the same. */
export function togglePin(position: number): void {
  const next = new Set(pinned.peek());
  if (next.has(position)) next.delete(position);
  else next.add(position);
  pinned.value = next;
}

/** Moves to the next or previous message. */
export function walkMessages(step: number): void {
  open.value = Math.max(0, (open.peek() ?? -1) + step);
}

export function pinOpen(): void {
  if (open.peek() !== null) togglePin(open.peek() ?? 0);
}
