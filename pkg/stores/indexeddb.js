// Cards and boxes in a browser's IndexedDB.
//
//   const store = indexedDbStore("my-app");
//
// Invariant: a transaction of IndexedDB closes while something else is awaited. So all work inside one runs in
// callbacks of its requests.
/** @import { Shelves, wanted as Wanted } from "../lib/rows.js" */
/** @import { ProfileRow } from "../types/cards.js" */
/** @import { JsonText } from "../types/json.js" */
/** @import { AbortSignalLike, Reads, Writes } from "../types/store.js" */
import { deciding, selecting } from "../lib/decide.js";
import { messageOf, TuckboxError } from "../lib/error.js";
import { own } from "../lib/options.js";
import { answersText, columns, placed, SHELVES, wanted, withFollowed } from "../lib/rows.js";

const TABLES = [...SHELVES, "operations"];

/** The version of the database. An older one is updated when it is opened. */
const VERSION = 2;

/** @typedef {(value: any, error?: unknown) => void} Done Sets the result of a transaction, or its error. */

/**
 * Returns a store in the database `name`, which is created if it does not exist.
 *
 * @type {typeof import("../types/stores/indexeddb.js").indexedDbStore}
 */
export function indexedDbStore(name = "tuckbox", options) {
  const { indexedDB = globalThis.indexedDB, durability = "strict" } = own(options);
  const factory = /** @type {IDBFactory} */ (indexedDB);
  if (typeof factory?.open !== "function") {
    throw new TuckboxError("bad_request", "this runtime has no IndexedDB; pass one as `indexedDB`", { path: "indexedDB" });
  }
  return new IndexedDbStore(name, factory, durability);
}

class IndexedDbStore {
  #name;
  #factory;
  #durability;
  /** @type {Promise<IDBDatabase> | undefined} */
  #opening;

  /** @param {string} name @param {IDBFactory} factory @param {IDBTransactionDurability} durability */
  constructor(name, factory, durability) {
    this.#name = name;
    this.#factory = factory;
    this.#durability = durability;
  }

  /**
   * @param {Reads} reads
   * @param {{ signal?: AbortSignalLike }} [more]
   * @returns {Promise<string>}
   */
  async read(reads, { signal } = {}) {
    const select = await selecting(reads);
    const asked = wanted(reads);
    const named = (reads.follow ?? []).flatMap(({ to }) => to.map((target) => ("box" in target ? "boxes" : target.table)));
    const tables = [...new Set([...tablesOf(asked), ...named])];
    if (tables.length === 0) return answersText(reads, { find: () => undefined, select });
    return this.#within(tables, "readonly", signal, (transaction, done) => {
      /** @param {Reads} whole */
      const answer = (whole) => guarded(transaction, done, (rows) => done(answersText(whole, { ...rows, select })));
      if (reads.follow === undefined) look(transaction, reads.project_id, asked, answer(reads));
      else {
        look(
          transaction,
          reads.project_id,
          asked,
          guarded(transaction, done, (rows) => {
            const whole = withFollowed(reads, { ...rows, select });
            look(transaction, reads.project_id, wanted(whole), answer(whole));
          }),
        );
      }
    });
  }

  /** @param {Writes} writes @param {{ text?: string, signal?: AbortSignalLike }} [more] */
  async commit(writes, { text, signal } = {}) {
    const batch = await deciding(writes, text);
    const { project_id, operation_id } = writes;
    const asked = wanted(batch.reads);
    const changed = (writes.rows ?? []).map(({ table }) => table);
    const tables = [...new Set([...tablesOf(asked), ...changed, "cards", "boxes", "files", "project_agents", "operations"])];
    return this.#within(tables, "readwrite", signal, (transaction, done) => {
      const operations = transaction.objectStore("operations");
      const before = operations.get([project_id, operation_id]);
      before.onsuccess = () =>
        look(
          transaction,
          project_id,
          asked,
          guarded(transaction, done, (rows) => {
            const { receipt, changes, operation } = batch.decide(rows, before.result);
            for (const { shelf, key, text: row } of changes) {
              const table = transaction.objectStore(shelf);
              if (row === undefined) table.delete([project_id, key]);
              else table.put(row, [project_id, key]);
            }
            if (operation !== undefined) operations.put(operation, [project_id, operation_id]);
            done(receipt);
          }),
        );
    });
  }

  /**
   * Registers profiles. A profile replaces one with the same name; case is ignored.
   *
   * @param {string} project_id
   * @param {readonly (ProfileRow | JsonText)[]} rows
   */
  async addProfiles(project_id, rows) {
    const version = globalThis.crypto.randomUUID();
    const puts = rows.map((row) => placed("project_profiles", columns(row), version));
    return this.#within(["project_profiles"], "readwrite", undefined, (transaction, done) => {
      const profiles = transaction.objectStore("project_profiles");
      for (const { key, text } of puts) profiles.put(text, [project_id, key]);
      done(undefined);
    });
  }

  /** Closes the database; the next call opens it again. */
  async close() {
    const opening = this.#opening;
    this.#opening = undefined;
    await opening?.then(
      (db) => db.close(),
      () => {},
    );
  }

  /**
   * Does work in one transaction. Resolves with its result once it is stored.
   *
   * @param {readonly string[]} tables
   * @param {IDBTransactionMode} mode
   * @param {AbortSignalLike | undefined} signal
   * @param {(transaction: IDBTransaction, done: Done) => void} work
   * @returns {Promise<any>}
   */
  async #within(tables, mode, signal, work) {
    const db = await this.#open();
    /** @type {IDBTransaction} */
    let transaction;
    try {
      transaction = db.transaction(tables, mode, { durability: this.#durability });
    } catch (error) {
      // another tab changed the database and so closed it, or the user cleared it
      if (/** @type {any} */ (error)?.name !== "InvalidStateError") throw failure(error);
      this.#opening = undefined;
      transaction = (await this.#open()).transaction(tables, mode, { durability: this.#durability });
    }
    return new Promise((resolve, reject) => {
      /** @type {any} */
      let result;
      /** @type {unknown} */
      let refusal;
      const stop = () => {
        try {
          transaction.abort();
        } catch {
          // the transaction ended already
        }
      };
      /** @param {(value: any) => void} settle @param {unknown} value */
      const end = (settle, value) => {
        signal?.removeEventListener("abort", stop);
        settle(value);
      };
      transaction.oncomplete = () => end(resolve, result);
      transaction.onabort = () => end(reject, refusal ?? failure(transaction.error ?? signal?.reason ?? "it was aborted"));
      signal?.addEventListener("abort", stop, { once: true });
      if (signal?.aborted) {
        stop();
        return;
      }
      work(transaction, (value, error) => {
        result = value;
        refusal = error;
      });
    });
  }

  #open() {
    this.#opening ??= /** @type {Promise<IDBDatabase>} */ (
      new Promise((resolve, reject) => {
        // object stores of an older version stay unchanged
        const request = this.#factory.open(this.#name, VERSION);
        request.onupgradeneeded = () => {
          for (const table of TABLES) {
            if (!request.result.objectStoreNames.contains(table)) request.result.createObjectStore(table);
          }
        };
        request.onsuccess = () => {
          const db = request.result;
          db.onversionchange = () => this.close();
          db.onclose = () => {
            this.#opening = undefined;
          };
          resolve(db);
        };
        request.onerror = () => reject(failure(request.error));
      })
    ).catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }
}

/**
 * Returns the tables that the answer needs.
 *
 * @param {ReturnType<typeof Wanted>} wanted
 */
function tablesOf({ keys, whole, paths }) {
  return [...new Set([...keys.map(([shelf]) => shelf), ...whole, ...(paths ? ["files"] : [])])];
}

/**
 * Reads all rows, and calls `then` with them.
 *
 * @param {IDBTransaction} transaction
 * @param {string} project_id
 * @param {ReturnType<typeof Wanted>} wanted
 * @param {(rows: Shelves) => void} then
 */
function look(transaction, project_id, { keys, whole, paths }, then) {
  const found = /** @type {Map<string, string>} */ (new Map());
  const all = /** @type {Map<string, string[]>} */ (new Map());
  let names = /** @type {string[]} */ ([]);
  let open = keys.length + whole.length + (paths ? 1 : 0);
  /** @type {Shelves} */
  const rows = {
    find: (shelf, key) => found.get(`${shelf} ${key}`),
    all: (shelf) => all.get(shelf) ?? [],
    paths: () => names,
  };
  if (open === 0) then(rows);
  /** @param {IDBRequest} request @param {(result: any) => void} take */
  const ask = (request, take) => {
    request.onsuccess = () => {
      take(request.result);
      open -= 1;
      if (open === 0) then(rows);
    };
  };
  // in IndexedDB a list sorts after every string
  const project = () => IDBKeyRange.bound([project_id], [project_id, []]);
  for (const [shelf, key] of keys) {
    ask(transaction.objectStore(shelf).get([project_id, key]), (text) => text !== undefined && found.set(`${shelf} ${key}`, text));
  }
  for (const shelf of whole) ask(transaction.objectStore(shelf).getAll(project()), (texts) => all.set(shelf, texts));
  if (paths) {
    ask(transaction.objectStore("files").getAllKeys(project()), (list) => {
      names = list.map((/** @type {[string, string]} */ [, path]) => path);
    });
  }
}

/**
 * Returns work that aborts the transaction if it throws.
 *
 * @param {IDBTransaction} transaction
 * @param {Done} done
 * @param {(rows: Shelves) => void} work
 */
function guarded(transaction, done, work) {
  return (/** @type {Shelves} */ rows) => {
    try {
      work(rows);
    } catch (error) {
      done(undefined, error);
      transaction.abort();
    }
  };
}

/** @param {any} error */
function failure(error) {
  if (error instanceof TuckboxError) return error;
  if (error?.name === "QuotaExceededError") {
    return new TuckboxError("limit", "the storage of the browser is full", { path: "store", cause: error });
  }
  if (error?.name === "VersionError") {
    const message = `the database was made by a newer version of this package; this one has version ${VERSION}: use a newer one`;
    return new TuckboxError("store", message, { path: "store", details: { reason: "newer", expected: VERSION }, cause: error });
  }
  return new TuckboxError("store", `IndexedDB failed: ${messageOf(error)}`, { path: "store", cause: error });
}
