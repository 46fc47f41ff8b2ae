// Wakeups of an engine over LISTEN and NOTIFY of PostgreSQL.
//
//   const store = pgStore(pool);
//   const team = engine({ open, store, projectId: "demo", transport: await notifyTransport(pool) });
//
// The store is the source of truth. Without this transport, workers look for work every second.
/** @import { Clock } from "../types/engine.js" */
/** @import { OutboxMessage } from "../types/results.js" */
import { checkClock, systemClock } from "../lib/clock.js";
import { isObject, notify, readJson, readMessage } from "../lib/engine/incoming.js";
import { messageOf, TuckboxError } from "../lib/error.js";
import { own } from "../lib/options.js";
import { connectionOf } from "../lib/sql/pool.js";

/** The maximum length of a message. The limit of a notification is 8,000 bytes. */
const MAX_BYTES = 7000;
/** The wait before another connection listens after one was lost. */
const RETRY_MS = 500;

/**
 * @typedef {object} Listening
 * @property {string} channel
 * @property {(text: string) => void} hear
 * @property {Clock} clock
 * @property {(error: unknown) => void} onError
 */

/**
 * Returns a transport over a pool of `pg`, an `sql` of `postgres`, or a PGlite database.
 *
 * @type {typeof import("../types/engines/postgres.js").notifyTransport}
 */
export async function notifyTransport(database, options) {
  const { channel = "tuckbox", clock = systemClock, onError = () => {} } = own(options);
  if (typeof channel !== "string" || !/^[a-z_][a-z0-9_]*$/.test(channel))
    throw new TuckboxError("bad_request", "`channel` must be a name of lower-case letters, digits and `_`", { path: "channel" });
  checkClock(clock);
  const listeners = /** @type {Set<{ listener: (message: OutboxMessage) => void, project_id: string }>} */ (new Set());
  /** @param {string} text */
  const hear = (text) => {
    // other software uses this channel too
    const found = readJson(text);
    const message = readMessage(found);
    if (message === undefined || !isObject(found)) return;
    for (const { listener, project_id } of listeners) if (found.project_id === project_id) notify(() => listener(message));
  };
  const { send, close } = await connected(database, { channel, hear, clock, onError });
  return {
    async publish({ message_id, subject, payload, headers, core }, { projectId: project_id }) {
      const { agent_id, agent_turn_id, status } = /** @type {any} */ (payload ?? {});
      const whole = JSON.stringify({ project_id, message_id, subject, payload, headers, core });
      // a wakeup only needs its agent
      const text =
        new TextEncoder().encode(whole).length <= MAX_BYTES
          ? whole
          : JSON.stringify({
              project_id,
              message_id,
              subject,
              payload: { agent_id, agent_turn_id, status },
              headers: null,
              core,
            });
      await send(text);
    },
    subscribe(listener, { projectId: project_id }) {
      const entry = { listener, project_id };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    close,
  };
}

/**
 * @param {any} database
 * @param {Listening} listening
 * @returns {Promise<{ send: (text: string) => PromiseLike<unknown>, close: () => Promise<void> }>}
 */
async function connected(database, { channel, hear, clock, onError }) {
  try {
    if (typeof database?.listen === "function" && typeof database.unsafe === "function") {
      const { unlisten } = await database.listen(channel, hear);
      return { send: (text) => database.notify(channel, text), close: unlisten };
    }
    if (typeof database?.listen === "function") {
      const unlisten = await database.listen(channel, hear);
      return { send: (text) => database.query("select pg_notify($1, $2)", [channel, text]), close: unlisten };
    }
    if (typeof database?.connect !== "function")
      throw new TuckboxError("bad_request", "`database` must be a Pool of `pg`, an `sql` of `postgres`, or a PGlite", { path: "database" });
    return await overPool(database, { channel, hear, clock, onError });
  } catch (error) {
    if (error instanceof TuckboxError) throw error;
    throw new TuckboxError("store", `cannot listen to the database: ${messageOf(error)}`, { path: "transport", cause: error });
  }
}

/**
 * Listens on one connection of the pool, and on another one if that is lost.
 *
 * @param {any} pool
 * @param {Listening} options
 */
async function overPool(pool, { channel, hear, clock, onError }) {
  let client = { end: () => {} };
  /** @type {unknown} */
  let timer;
  /** @type {Promise<void> | undefined} */
  let listening;
  let isClosed = false;
  const listen = async () => {
    /** @type {any} */
    let made;
    // each connection is released exactly once: a closing pool waits for it
    let isGone = false;
    let isListening = false;
    const end = () => {
      if (!isGone) made.release(true);
      isGone = true;
    };
    /** @param {unknown} error */
    const lost = (error) => {
      // its first statement reports an error that comes before it
      if (isGone || made === undefined) return;
      end();
      // if it did not listen yet, its statement reports the error
      if (isClosed || !isListening) return;
      notify(() => onError(error));
      again();
    };
    made = await connectionOf(pool, lost);
    made.on("end", lost);
    made.on("notification", (/** @type {{ payload: string }} */ { payload }) => {
      if (!isClosed) hear(payload);
    });
    try {
      await made.query(`listen ${channel}`);
    } catch (error) {
      end();
      throw error;
    }
    isListening = true;
    client = { end };
    if (isClosed) end();
  };
  const again = () => {
    if (isClosed) return;
    timer = clock.setTimeout(() => {
      listening = listen().catch(again);
    }, RETRY_MS);
  };
  await listen();
  const close = async () => {
    isClosed = true;
    clock.clearTimeout(timer);
    // a connection that listened is not used again
    client.end();
    await listening;
  };
  return { send: (/** @type {string} */ text) => pool.query("select pg_notify($1, $2)", [channel, text]), close };
}
