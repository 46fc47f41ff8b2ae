// Doorbells of an engine over PostgreSQL's own LISTEN and NOTIFY, for hosts that ask for them.
//
//   const store = pgStore(pool);
//   const team = engine({ open, store, project_id: "demo", transport: await notifyTransport(pool) });
//
// The database is the truth with or without it: without, workers look every second.
import { checkClock, systemClock } from "../lib/clock.js";
import { TuckboxError, messageOf } from "../lib/error.js";

/** The longest text that a notification can carry is 8,000 bytes. */
const LONGEST = 7000;
/** How long to wait before another connection listens in place of one that was cut. */
const AGAIN_MS = 500;

/** A transport over a pool of `pg`, an `sql` of `postgres`, or a PGlite database. */
export async function notifyTransport(database, { channel = "tuckbox", clock = systemClock, onError = () => {} } = {}) {
  if (typeof channel !== "string" || !/^[a-z_][a-z0-9_]*$/.test(channel)) throw new TuckboxError("bad_request", "`channel` is a name of lower-case letters, digits and `_`", { path: "channel" });
  checkClock(clock);
  const listeners = new Set();
  const hear = (text) => {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      // somebody else notifies on this channel, too
      return;
    }
    for (const { listener, project_id } of listeners) if (message.project_id === project_id) listener(message);
  };
  const { notify, close } = await connected(database, { channel, hear, clock, onError });
  return {
    async publish({ message_id, subject, payload, headers, core }, { project_id }) {
      const whole = JSON.stringify({ project_id, message_id, subject, payload, headers, core });
      // a doorbell needs no more than whom it is for
      const text = new TextEncoder().encode(whole).length <= LONGEST ? whole : JSON.stringify({ project_id, message_id, subject, payload: { agent_id: payload?.agent_id, agent_turn_id: payload?.agent_turn_id, status: payload?.status }, headers: null, core });
      await notify(text);
    },
    subscribe(listener, { project_id }) {
      const entry = { listener, project_id };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    close,
  };
}

async function connected(database, { channel, hear, clock, onError }) {
  try {
    if (typeof database?.listen === "function" && typeof database.unsafe === "function") {
      const { unlisten } = await database.listen(channel, hear);
      return { notify: (text) => database.notify(channel, text), close: unlisten };
    }
    if (typeof database?.listen === "function") {
      const unlisten = await database.listen(channel, hear);
      return { notify: (text) => database.query("select pg_notify($1, $2)", [channel, text]), close: unlisten };
    }
    if (typeof database?.connect !== "function") throw new TuckboxError("bad_request", "the database is a Pool of `pg`, an `sql` of `postgres`, or a PGlite", { path: "database" });
    return await overPool(database, { channel, hear, clock, onError });
  } catch (error) {
    if (error instanceof TuckboxError) throw error;
    throw new TuckboxError("store", `the database cannot be listened to: ${messageOf(error)}`, { path: "transport", cause: error });
  }
}

/** One connection of the pool listens; when it is cut, another one does. */
async function overPool(pool, { channel, hear, clock, onError }) {
  let client;
  let timer;
  let listening;
  let isClosed = false;
  const listen = async () => {
    const made = await pool.connect();
    // a connection is given back once, whatever ends it: the pool waits for it when it is closed
    let isGone = false;
    let isListening = false;
    const end = () => {
      if (!isGone) made.release(true);
      isGone = true;
    };
    const lost = (error) => {
      if (isGone) return;
      end();
      // one that is lost before it listened is told by its statement
      if (isClosed || !isListening) return;
      onError(error);
      again();
    };
    made.on("error", lost);
    made.on("end", lost);
    made.on("notification", ({ payload }) => isClosed || hear(payload));
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
    }, AGAIN_MS);
  };
  await listen();
  const close = async () => {
    isClosed = true;
    clock.clearTimeout(timer);
    // what has listened is not given to anybody else
    client.end();
    await listening;
  };
  return { notify: (text) => pool.query("select pg_notify($1, $2)", [channel, text]), close };
}
