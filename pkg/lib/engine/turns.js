// The end of a turn, and what happens until then.
/** @import { Clock, Engine, TurnEvent, TurnResult } from "../../types/engine.js" */
/** @import { CardRow, InboxRow } from "../../types/results.js" */
/** @import { AbortSignalLike } from "../../types/store.js" */
/** @import { Session } from "./calls.js" */
/** @import { Rows } from "./rows.js" */
import { sleep } from "../clock.js";
import { TuckboxError } from "../error.js";

/** @typedef {{ agent_id: string, agent_turn_id: string, output_box_id: string }} Turn */

/** @typedef {{ attempts: number }} End How a turn ended: `attempts` counts its workers, of which all but one were lost. */

/**
 * Returns the end of a turn; `undefined` for a turn that runs or waits.
 *
 * @param {Rows} rows
 * @param {string} agent_id
 * @param {string} agent_turn_id
 * @returns {Promise<End | undefined>}
 */
export async function endOf(rows, agent_id, agent_turn_id) {
  const { head, messages } = await rows.turn(agent_id, agent_turn_id);
  if (head?.active_agent_turn_id === agent_turn_id) return undefined;
  // a leased turn has ended if the agent reached its epoch and has another turn, or none
  /** @param {InboxRow} message */
  const isAhead = ({ payload }) => !(Number(head?.turn_epoch) >= Number(/** @type {any} */ (payload)?.turn_epoch));
  const own = messages.filter(({ message_type }) => message_type === "turn");
  if (own.some((message) => message.status === "queued" || (message.status === "pending" && isAhead(message)))) return undefined;
  return { attempts: Math.max(1, ...own.map(({ payload }) => Number(/** @type {any} */ (payload)?.attempt ?? 1))) };
}

/**
 * Returns the cards of an output box; none if the box does not exist.
 *
 * @param {Session} session
 * @param {string} output_box_id
 * @returns {Promise<readonly CardRow[]>}
 */
async function outputOf(session, output_box_id) {
  const { boxes } = await session.view("get_boxes", { box_ids: [output_box_id] });
  if (boxes.length === 0) return [];
  return (await session.view("get_box_cards", { box_id: output_box_id })).cards;
}

/**
 * Returns the result of a turn that ended.
 *
 * @param {Session} session
 * @param {string} output_box_id
 * @param {End} end
 */
export async function resultOf(session, output_box_id, end) {
  return readResult(await outputOf(session, output_box_id), end);
}

/**
 * Returns the result on the last deliverable. The rules mark a deliverable of a turn that failed as partial.
 *
 * @param {readonly CardRow[]} cards
 * @param {End} end
 * @returns {TurnResult}
 */
function readResult(cards, { attempts }) {
  const card = cards.findLast(({ metadata }) => metadata.type === "task.deliverable");
  if (card === undefined) return { status: "failed", attempts, fields: {}, error: { message: "the turn ended without a deliverable" } };
  const { metadata, content } = /** @type {{ metadata: any, content: any }} */ (card);
  const list = Array.isArray(content.data?.fields) ? content.data.fields : [];
  const fields = Object.fromEntries(list.map((/** @type {any} */ { name, value }) => [name, value]));
  if (metadata.partial !== true) return { ...card, status: "success", attempts, fields };
  const message = String(metadata.terminal_reason ?? metadata.stop_reason ?? fields.error ?? fields.reason ?? "the turn failed");
  return { ...card, status: "failed", attempts, fields, error: { message } };
}

/**
 * Yields the cards of a turn as they are stored, the deltas of its model's stream, and its result.
 *
 * @param {{ engine: Pick<Engine, "watch">, rows: Rows, clock: Clock, hold: <Value>(work: (session: Session) => Promise<Value>) => Promise<Value> }} host
 * @param {Turn} turn
 * @param {{ after?: number, signal?: AbortSignalLike, pollMs?: number }} options
 * @returns {AsyncGenerator<TurnEvent, void, undefined>}
 */
export async function* turnEvents({ engine, rows, clock, hold }, turn, { after = 0, signal, pollMs = 200 }) {
  const { agent_id, agent_turn_id, output_box_id } = turn;
  const watcher = engine.watch({ signal, kinds: ["delta", "step", "task"] });
  let position = after;
  let message = watcher.next();
  try {
    for (;;) {
      if (signal?.aborted) throw stopped(agent_turn_id, signal);
      const end = await endOf(rows, agent_id, agent_turn_id);
      const cards = await hold((session) => outputOf(session, output_box_id));
      for (const card of cards.slice(position)) {
        position += 1;
        yield { kind: "card", position, card };
      }
      if (end !== undefined) {
        yield { kind: "end", position, result: readResult(cards, end) };
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
