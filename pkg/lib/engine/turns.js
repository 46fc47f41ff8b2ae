// The end of a turn, and what happens until then.
/** @import { Engine, TurnEvent, TurnResult } from "../../types/engine.js" */
/** @import { Results } from "../../types/results.js" */
/** @import { AbortSignalLike } from "../../types/store.js" */
import { sleep } from "../clock.js";
import { TuckboxError } from "../error.js";

/** @typedef {{ agent_id: string, agent_turn_id: string, output_box_id: string }} Turn */

/**
 * Returns the result of a turn as hosts get it: its deliverable, with the fields by name.
 *
 * @param {Results["turn_result"]["result"] & {}} result
 * @returns {TurnResult}
 */
export function resultOf({ deliverable, error, ...more }) {
  return /** @type {any} */ ({ ...deliverable, ...more, ...(error === null ? {} : { error: { message: error } }) });
}

/**
 * Yields the cards of a turn as they are stored, the deltas of its model's stream, and its result.
 *
 * @param {Pick<Engine, "watch" | "look" | "clock">} engine
 * @param {Turn} turn
 * @param {{ after?: number, signal?: AbortSignalLike, pollMs?: number }} options
 * @returns {AsyncGenerator<TurnEvent, void, undefined>}
 */
export async function* turnEvents(engine, turn, { after = 0, signal, pollMs = 200 }) {
  const { agent_id, agent_turn_id, output_box_id } = turn;
  const { clock } = engine;
  const watcher = engine.watch({ signal, kinds: ["delta", "step", "task"] });
  let position = after;
  let message = watcher.next();
  try {
    for (;;) {
      if (signal?.aborted) throw stopped(agent_turn_id, signal);
      const { cards, result } = await engine.look("turn_result", { agent_id, agent_turn_id, output_box_id, after: position });
      for (const card of cards) {
        position += 1;
        yield { kind: "card", position, card };
      }
      if (result !== null) {
        yield { kind: "end", position, result: resultOf(result) };
        return;
      }
      const pause = sleep(clock, pollMs);
      for (;;) {
        const woke = await Promise.race([message, pause]);
        if (woke === undefined || woke === null || typeof woke !== "object") break;
        const { done, value } = /** @type {IteratorResult<any>} */ (woke);
        message = done ? new Promise(() => {}) : watcher.next();
        if (done) continue;
        const isOwn = value.payload?.agent_turn_id === agent_turn_id;
        if (value.kind !== "delta" && isOwn) break;
        if (isOwn) yield { kind: "delta", position, step_id: value.payload.step_id, delta: value.payload.delta };
      }
    }
  } finally {
    watcher.return?.();
  }
}

/**
 * Returns the error of a caller that stopped to wait.
 *
 * @param {string} agent_turn_id
 * @param {AbortSignalLike} signal
 */
export function stopped(agent_turn_id, signal) {
  return new TuckboxError("aborted", `the caller stopped waiting for turn \`${agent_turn_id}\``, { cause: signal.reason });
}
