// What somebody tries in the room of budgets: of what, with how much room, with which pins.
import { batch, signal } from "@preact/signals";
import { room } from "../state.ts";

/** What is fitted, as its kind and its id; `null` leaves it to the room. */
export const chosen = signal<string | null>(null);
/** The limit in thousandths of the whole, */
export const share = signal(600);
/** or in tokens, where somebody wrote it down. */
export const typed = signal<number | null>(null);
export const pinned = signal<ReadonlySet<number>>(new Set());
/** The message that is looked at. */
export const open = signal<number | null>(null);

// changes to the composer's input, while somebody plays with it
export const process = signal<string | null>(null);
export const off = signal<ReadonlySet<string>>(new Set());

/** Leads here from elsewhere: to a call that packs, or to an input of the composer. */
export function fitThis(call_id: string): void {
  batch(() => {
    choose(`call:${call_id}`);
    room.value = "whatif";
  });
}

/** Leads here from a finding: what is shown, within so many tokens, with a message that has to stay. */
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

/** The least that the slider moves, in thousandths. */
export const STEP = 5;

/** The limit, of so many tokens. */
export function limitOf(tokens = 0): number {
  return typed.value ?? limitAt(share.value, tokens);
}

/** The limit at a place of the slider. */
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

/** Pins or unpins; from the keyboard it is `p` on the selected message. */
export function togglePin(position: number): void {
  const next = new Set(pinned.peek());
  if (next.has(position)) next.delete(position);
  else next.add(position);
  pinned.value = next;
}

/** Walks the messages from the keyboard. */
export function walkMessages(step: number): void {
  open.value = Math.max(0, (open.peek() ?? -1) + step);
}

export function pinOpen(): void {
  if (open.peek() !== null) togglePin(open.peek() ?? 0);
}
