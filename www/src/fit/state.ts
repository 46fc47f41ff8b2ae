// The choices of the view "What if": what is fitted, the limit, the pins.
import { batch, signal } from "@preact/signals";
import { view } from "../state.ts";

/** What is fitted, as kind and id; `null` leaves the choice to the view. */
export const fitTarget = signal<string | null>(null);
/** The limit in thousandths of the whole prompt. */
export const share = signal(600);
/** The limit in tokens, if the user typed one. */
export const typedLimit = signal<number | null>(null);
export const pinned = signal<ReadonlySet<number>>(new Set());
/** The message that is shown in detail. */
export const openMessage = signal<number | null>(null);

// temporary changes to the composer's input
export const processKind = signal<string | null>(null);
export const hiddenLayers = signal<ReadonlySet<string>>(new Set());

/** Opens the view for a call that packs, or for an input of the composer. */
export function openFit(call_id: string): void {
  batch(() => {
    chooseTarget(`call:${call_id}`);
    view.value = "whatif";
  });
}

/** Opens the view from a problem: what is shown, a limit in tokens, and a message to pin. */
export function openFitWithin(what: string, limit: number, pin?: number): void {
  batch(() => {
    chooseTarget(what);
    setLimit(limit);
    if (pin !== undefined) {
      togglePin(pin);
      openMessage.value = pin;
    }
    view.value = "whatif";
  });
}

export function chooseTarget(what: string): void {
  batch(() => {
    fitTarget.value = what;
    pinned.value = new Set();
    hiddenLayers.value = new Set();
    processKind.value = null;
    openMessage.value = null;
  });
}

/** The step of the slider, in thousandths. */
export const STEP = 5;

/** Returns the limit for a prompt of so many tokens. */
export function limitOf(tokens = 0): number {
  return typedLimit.value ?? limitAt(share.value, tokens);
}

/** Returns the limit at a slider position. */
export function limitAt(thousandths: number, tokens: number): number {
  return Math.round((tokens * thousandths) / 1000);
}

export function setLimit(tokens: number): void {
  if (Number.isSafeInteger(tokens) && tokens >= 0) typedLimit.value = tokens;
}

export function setShare(thousandths: number): void {
  batch(() => {
    typedLimit.value = null;
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
  openMessage.value = Math.max(0, (openMessage.peek() ?? -1) + step);
}

export function pinOpenMessage(): void {
  if (openMessage.peek() !== null) togglePin(openMessage.peek() ?? 0);
}
