// Cards and boxes in PostgreSQL over `pg`.
//
//   import { Pool } from "pg";
//   const store = pgStore(new Pool({ connectionString }));
//   await store.migrate();
/** @import { AbortSignalLike } from "../types/store.js" */
/** @import { PgStatement } from "../types/stores/pg.js" */
import { own, wrong } from "../lib/options.js";
import { connectionOf } from "../lib/sql/pool.js";
import { preparedNames } from "../lib/sql/prepared.js";
import { sqlStore } from "./sql.js";

/** @typedef {PromiseLike<{ rows: object[] }>} Result */

/**
 * Returns a store over a Pool. A Client works too, one statement at a time. A connection prepares a statement that runs
 * again. Use `prepare: false` for poolers without prepared statements. A Pool cancels the statement of a call that
 * stops waiting.
 *
 * @type {typeof import("../types/stores/pg.js").pgStore}
 */
export function pgStore(pool, given) {
  const { prepare = true, ...options } = own(given);
  if (typeof prepare !== "boolean") throw wrong("prepare", "`prepare` must be true or false");
  const nameOf = prepare ? preparedNames() : () => undefined;
  /** @type {import("../types/stores/sql.js").Query} */
  const query = (text, values, { signal, projectId } = {}) => {
    const name = values.length === 0 ? undefined : nameOf(text, projectId);
    const statement = name === undefined ? { text, values } : { name, text, values };
    const canCancel = signal !== undefined && "Client" in pool && "connect" in pool;
    return canCancel ? cancelable(pool, statement, signal) : /** @type {Result} */ (pool.query(statement));
  };
  return sqlStore(query, options);
}

/**
 * Runs a statement on a connection of the pool, and cancels it in the database when the signal fires.
 *
 * @param {any} pool
 * @param {PgStatement} statement
 * @param {AbortSignalLike} signal
 * @returns {Promise<{ rows: object[] }>}
 */
async function cancelable(pool, statement, signal) {
  /** An error or a cancellation ends the connection: a late cancellation must not meet another statement. */
  let isBroken = false;
  const onError = () => {
    isBroken = true;
  };
  const client = await connectionOf(pool, onError);
  const cancel = () => {
    isBroken = true;
    sendCancellation(pool, client);
  };
  signal.addEventListener("abort", cancel, { once: true });
  try {
    if (signal.aborted) throw signal.reason;
    return await client.query(statement);
  } catch (error) {
    isBroken = true;
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
    client.removeListener("error", onError);
    client.release(isBroken);
  }
}

/** How long a request for cancellation can take. */
const CANCEL_MS = 10_000;

/**
 * Sends a request for cancellation, over a connection of its own as the protocol requires. If it fails, the statement
 * runs to its end.
 *
 * @param {any} pool
 * @param {any} client
 */
function sendCancellation(pool, client) {
  const { connection, host, port } = new pool.Client(pool.options);
  // drivers in native code have no such connection
  if (typeof connection?.cancel !== "function") return;
  const send = () => connection.cancel(client.processID, client.secretKey);
  connection.once("connect", () => {
    if (!connection.ssl) send();
    else if (connection.sslNegotiation !== "direct") connection.requestSsl();
  });
  connection.once("sslconnect", send);
  connection.on("error", () => connection.stream.destroy());
  connection.stream.setTimeout(CANCEL_MS, () => connection.stream.destroy());
  if (host?.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
}
