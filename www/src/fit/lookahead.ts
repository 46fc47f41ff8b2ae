// Fits a prompt into a limit. When the user moves the slider, limits near it are requested ahead in one call, so that
// the next move needs no round trip.
import { ask } from "../engine/client.ts";
import type { Fits, Fitted, Prompt, PromptSource, Terms } from "../engine/protocol.ts";
import { limitAt, STEP } from "./state.ts";

/** How far to look ahead of the slider, in thousandths. */
const AHEAD = 200;
/** The maximum number of limits per request, so that other requests do not wait long. */
const SLICE = 12;
/** The maximum number of messages times limits per request. */
const LOOKED_AT = 12_000;
/** Below this number of limits per request, looking ahead gains nothing. */
const LEAST = 4;
/** Limits against the direction of the slider count as this many times farther away. */
const TOWARDS = 4;

type About = [source: PromptSource, prompt: Prompt, pinned: ReadonlySet<number>, terms: Terms];

class Fitting {
  readonly about: About;
  #last: Fitted | undefined;
  #isFalling = false;
  #known = new Map<number, Fits["limits"][number]>();
  #order: Pick<Fits, "order" | "first"> | undefined;
  #isAsking = false;

  constructor(about: About) {
    this.about = about;
  }

  async at(limit: number): Promise<Fitted> {
    const before = this.#last?.limit;
    const [source, , pinned, terms] = this.about;
    const found = this.#read(limit) ?? (await ask("budget", source, { limit, pinned: [...pinned] }, terms));
    this.#last = found;
    if (before === undefined) return found;
    this.#isFalling = limit < before;
    if (!this.#isAsking) void this.#lookAhead();
    return found;
  }

  #read(limit: number): Fitted | undefined {
    const found = this.#known.get(limit);
    if (!found || this.#last === undefined || this.#order === undefined) return undefined;
    const { order, first } = this.#order;
    if (found.dropped > order.length) return undefined;
    const gone = new Int32Array(this.#last.gone.length).fill(-1);
    for (let at = 0; at < found.dropped; at += 1) gone[order[at] ?? 0] = first[at] ?? 0;
    const { dropped, tokens } = found;
    return { ...this.#last, kept: gone.length - dropped, dropped, gone, limit, account: { ...this.#last.account, tokens } };
  }

  /** Requests limits near the slider until all are known or the inputs change. */
  async #lookAhead(): Promise<void> {
    this.#isAsking = true;
    const [source, , pinned, terms] = this.about;
    for (let limits = this.#nearest(); limits.length > 0 && current === this; limits = this.#nearest()) {
      const limit = this.#last?.protected_tokens ?? 0;
      const found = await ask("budgets", source, { limit, pinned: [...pinned] }, limits, terms).catch(() => null);
      // limits that cannot be requested ahead are requested when they are needed
      if (found === null) return;
      this.#order = found;
      limits.forEach((one, at) => this.#known.set(one, found.limits[at] ?? null));
    }
    this.#isAsking = false;
  }

  /** Returns the unknown limits near the slider, nearest first. */
  #nearest(): number[] {
    const { account: { tokens }, messages } = this.about[1];
    // the direction of the slider is unknown at first, so the first requests are small
    const most = Math.min(SLICE, LEAST + this.#known.size, Math.floor(LOOKED_AT / Math.max(1, messages.length)));
    if (most < LEAST) return [];
    const here = this.#last?.limit ?? 0;
    const away = (limit: number) => Math.abs(limit - here) * (limit < here === this.#isFalling ? 1 : TOWARDS);
    const places = Array.from({ length: 1000 / STEP + 1 }, (_, at) => limitAt(at * STEP, tokens));
    const unknown = [...new Set(places)].filter((limit) => !this.#known.has(limit) && away(limit) <= limitAt(AHEAD, tokens));
    return unknown.sort((a, b) => away(a) - away(b)).slice(0, most);
  }
}

let current: Fitting | undefined;

/** Returns the fit of a prompt for a limit, with these pins and terms. */
export function fittedAt(limit: number, ...about: About): Promise<Fitted> {
  if (current === undefined || about.some((one, at) => one !== current?.about[at])) current = new Fitting(about);
  return current.at(limit);
}
