// Connections of a pool of `pg`.

/**
 * Returns a connection of a pool that has a listener of errors. The listener is added before the next packet is read.
 * If it were added after a promise, it could miss an error that the server sends with the packet before. An error
 * without a listener ends the process.
 *
 * @param {any} pool
 * @param {(error: unknown) => void} onError
 * @returns {Promise<any>}
 */
export function connectionOf(pool, onError) {
  return new Promise((resolve, reject) => {
    pool.connect((/** @type {unknown} */ error, /** @type {any} */ client) => {
      if (client === undefined) {
        reject(error);
        return;
      }
      client.on("error", onError);
      resolve(client);
    });
  });
}
