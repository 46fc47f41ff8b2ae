// How long rows have been unchanged, as this host has seen it. Clocks of hosts can differ and jump, so on a store without
// a clock this decides whether a worker is lost.
/** @import { Clock } from "../../types/engine.js" */
/** @import { RunOperations, RunSettings } from "../../types/arguments.js" */
/** @import { HeadRow, InboxRow } from "../../types/results.js" */
/** @import { Session } from "./calls.js" */
/** @import { Rows } from "./rows.js" */
import { elapsed } from "../clock.js";
import { withDefaults } from "./settings.js";

/** @typedef {RunOperations["due"]["value"]["calls"][number]} DueCall */

/** The rules that take a turn or a message away from a worker, and the time after which one of their calls can be due. */
const RULES = /** @type {const} */ (["requeue", "time_out", "recover", "reap_dispatched", "reap_active"]);
const TAKING = new Set(["requeue_inbox", "time_out_tools", "recover_turn", "reap_turn"]);
/** Later than every limit and every wrong clock. */
const LATER_MS = 10 * 365 * 86_400_000;
/** A row that was not read for longer counts as new. */
const FORGET_MS = 3_600_000;

/** What this host has seen of rows. */
export class Unchanged {
  #clock;
  #seen = /** @type {Map<string, { stamp: string, since: number, at: number }>} */ (new Map());

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /**
   * Returns the milliseconds since this host first saw a row with this stamp.
   *
   * @param {string} key
   * @param {string} stamp
   */
  age(key, stamp) {
    const at = elapsed(this.#clock);
    const known = this.#seen.get(key);
    const since = known?.stamp === stamp ? known.since : at;
    this.#seen.set(key, { stamp, since, at });
    // times of calls are whole milliseconds
    return Math.floor(at - since);
  }

  /** @param {HeadRow} head */
  ofHead({ agent_id, turn_epoch, status, updated_at }) {
    return this.age(`head ${agent_id}`, `${turn_epoch} ${status} ${updated_at}`);
  }

  /** Evicts rows that no caller reads any more. */
  prune() {
    const now = elapsed(this.#clock);
    for (const [key, { at }] of this.#seen) if (now - at > FORGET_MS) this.#seen.delete(key);
  }
}

/**
 * Returns the calls that are due. A call that takes something away from a worker is due when its row has been unchanged for
 * the time of its limit. Its time is that of the row plus this time, so the rule compares times of one clock.
 *
 * @param {Session} session
 * @param {Rows} rows
 * @param {{ now: number, settings: RunSettings, unchanged: Unchanged }} options
 */
export async function dueCalls(session, rows, { now, settings, unchanged }) {
  const { calls, unreadable = [] } = await session.look("due", {}, { now });
  const others = calls.filter(({ op }) => !TAKING.has(op)).map((call) => ({ call, now }));
  const taking = /** @type {DueCall[]} */ ([]);
  for (const rule of RULES) taking.push(...(await session.look("due", { rule }, { now: now + LATER_MS })).calls);
  unchanged.prune();
  if (taking.length === 0) return { calls: others, unreadable };
  const named = (/** @type {string} */ name) => [...new Set(taking.map((call) => /** @type {any} */ (call)[name]).filter(Boolean))];
  const heads = await rows.heads(named("agent_id"));
  const messages = await rows.messages(named("inbox_id"));
  const limits = withDefaults(settings);
  const due = taking.flatMap((call) => {
    const at = timeOf(/** @type {any} */ (call), heads, messages, limits, unchanged);
    return at === undefined ? [] : [{ call, now: at }];
  });
  // in the order of the rules, these come first
  return { calls: [...due, ...others], unreadable };
}

/**
 * Returns the time of a call that is due; `undefined` if it is not.
 *
 * @param {{ op: string, agent_id?: string, inbox_id?: string, which?: string }} call
 * @param {Map<string, HeadRow>} heads
 * @param {Map<string, InboxRow>} messages
 * @param {ReturnType<typeof withDefaults>} limits
 * @param {Unchanged} unchanged
 */
function timeOf({ op, agent_id = "", inbox_id = "", which }, heads, messages, limits, unchanged) {
  if (op === "requeue_inbox") {
    const message = messages.get(inbox_id);
    if (message?.processed_at == null) return undefined;
    const age = unchanged.age(`message ${inbox_id}`, `${message.status} ${message.processed_at}`);
    const seconds = Math.min(limits.lease_seconds || Infinity, limits.processing_timeout_seconds);
    return age > seconds * 1000 ? Date.parse(message.processed_at) + age : undefined;
  }
  const head = heads.get(agent_id);
  if (head?.updated_at == null) return undefined;
  const age = unchanged.ofHead(head);
  const at = Date.parse(head.updated_at) + age;
  const deadline = head.resume_deadline == null ? undefined : Date.parse(head.resume_deadline);
  if (op === "time_out_tools") return deadline !== undefined && at > deadline ? at : undefined;
  const seconds =
    op === "recover_turn"
      ? limits.lease_seconds
      : which === "dispatched"
        ? limits.dispatched_timeout_seconds
        : limits.active_timeout_seconds;
  const since = Math.max(Date.parse(head.updated_at), (which === "suspended" && deadline) || 0);
  return at - since > seconds * 1000 ? at : undefined;
}
