// The storage of a Durable Object in memory, with its rules.
import assert from "node:assert/strict";

/**
 * Returns a storage: transactions run one after the other, calls have at most 128 keys, and values are copied. `alarm`
 * is the time of its alarm, or null.
 */
export function objectStorage() {
  const rows = new Map();
  let last = Promise.resolve();
  const few = (keys) => assert.ok(keys.length <= 128, `${keys.length} keys in one call`);
  const get = async (keys) => {
    few(keys);
    await new Promise((resolve) => setImmediate(resolve));
    return new Map(keys.filter((key) => rows.has(key)).map((key) => [key, structuredClone(rows.get(key))]));
  };
  const put = async (entries) => {
    few(Object.keys(entries));
    for (const [key, value] of Object.entries(entries)) rows.set(key, structuredClone(value));
  };
  const remove = async (keys) => {
    few(keys);
    for (const key of keys) rows.delete(key);
  };
  const transaction = (work) => {
    const mine = last.then(() => work({ get, put, delete: remove }));
    last = mine.catch(() => {});
    return mine;
  };
  return {
    get,
    transaction,
    entries: rows,
    alarm: null,
    async getAlarm() {
      return this.alarm;
    },
    async setAlarm(at) {
      this.alarm = at;
    },
    async deleteAlarm() {
      this.alarm = null;
    },
  };
}
