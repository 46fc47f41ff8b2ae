// Fits a prompt into a limit. When the user moves the slider, limits near it are requested ahead in one call, so that
// the next move needs no round trip.
import { ask } from "../engine/client.ts";
import type { FitResult, FitResults, Prompt, PromptSource, RequestTerms } from "../engine/protocol.ts";
import { limitAt, STEP } from "./state.ts";

/** How far to look ahead of the slider, in thousandths. */
const AHEAD = 200;
/** The maximum number of limits per request, so that other requests do not wait long. */
const MAX_LIMITS = 12;
/** The maximum number of messages times limits per request. */
const MAX_MESSAGES = 12_000;
/** Below this number of limits per request, looking ahead gains nothing. */
const MIN_LIMITS = 4;
/** Limits against the direction of the slider count as this many times farther away. */
const AGAINST = 4;

type Inputs = [source: PromptSource, prompt: Prompt, pinned: ReadonlySet<number>, terms: RequestTerms];

class FitLookahead {
  readonly inputs: Inputs;
  #last: FitResult | undefined;
  #isFalling = false;
  #known = new Map<number, FitResults["limits"][number]>();
  #order: Pick<FitResults, "order" | "first"> | undefined;
  #isAsking = false;

  constructor(about: Inputs) {
    this.inputs = about;
  }

  async at(limit: number): Promise<FitResult> {
    const before = this.#last?.limit;
    const [source, , pinned, terms] = this.inputs;
    const found = this.#read(limit) ?? (await ask("budget", source, { limit, pinned: [...pinned] }, terms));
    this.#last = found;
    if (before === undefined) return found;
    this.#isFalling = limit < before;
    if (!this.#isAsking) void this.#lookAhead();
    return found;
  }

  #read(limit: number): FitResult | undefined {
    const found = this.#known.get(limit);
    if (!found || this.#last === undefined || this.#order === undefined) return undefined;
    const { order, first } = this.#order;
    if (found.dropped > order.length) return undefined;
    const droppedWith = new Int32Array(this.#last.dropped_with.length).fill(-1);
    for (let at = 0; at < found.dropped; at += 1) droppedWith[order[at] ?? 0] = first[at] ?? 0;
    const { dropped, tokens, cost } = found;
    return {
      ...this.#last,
      kept: droppedWith.length - dropped,
      dropped,
      dropped_with: droppedWith,
      limit,
      account: { ...this.#last.account, tokens, cost },
    };
  }

  /** Requests limits near the slider until all are known or the inputs change. */
  async #lookAhead(): Promise<void> {
    this.#isAsking = true;
    const [source, , pinned, terms] = this.inputs;
    for (let limits = this.#nearest(); limits.length > 0 && current === this; limits = this.#nearest()) {
      const limit = this.#last?.protected_tokens ?? 0;
      const found = await ask("budgets", source, { limit, pinned: [...pinned] }, limits, terms).catch(() => null);
      // limits that cannot be requested ahead are requested when they are needed
      if (found === null) return;
      this.#order = found;
      for (const [at, one] of limits.entries()) this.#known.set(one, found.limits[at] ?? null);
    }
    this.#isAsking = false;
  }

  /** Returns the unknown limits near the slider, nearest first. */
  #nearest(): number[] {
    const {
      account: { tokens },
      messages,
    } = this.inputs[1];
    // the direction of the slider is unknown at first, so the first requests are small
    const most = Math.min(MAX_LIMITS, MIN_LIMITS + this.#known.size, Math.floor(MAX_MESSAGES / Math.max(1, messages.length)));
    if (most < MIN_LIMITS) return [];
    const here = this.#last?.limit ?? 0;
    const away = (limit: number) => Math.abs(limit - here) * (limit < here === this.#isFalling ? 1 : AGAINST);
    const places = Array.from({ length: 1000 / STEP + 1 }, (_, at) => limitAt(at * STEP, tokens));
    const unknown = [...new Set(places)].filter((limit) => !this.#known.has(limit) && away(limit) <= limitAt(AHEAD, tokens));
    return unknown.sort((a, b) => away(a) - away(b)).slice(0, most);
  }
}

let current: FitLookahead | undefined;

/** Returns the fit of a prompt for a limit, with these pins and terms. */
export function fitAt(limit: number, ...about: Inputs): Promise<FitResult> {
  if (current === undefined || about.some((one, at) => one !== current?.inputs[at])) current = new FitLookahead(about);
  return current.at(limit);
}
