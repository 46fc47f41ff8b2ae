// Cards and boxes in a browser's IndexedDB.
//
//   const store = indexedDbStore("my-app");
//
// Architecture invariant: a transaction of IndexedDB closes while anything else is awaited, so
// everything inside one happens in callbacks of its own requests.
import { deciding, selecting } from "../lib/decide.js";
import { TuckboxError, messageOf } from "../lib/error.js";
import { SHELVES, answersText, columns, placed, wanted, withFollowed } from "../lib/rows.js";

const TABLES = [...SHELVES, "operations"];

/** A store in the database `name`, which is made when it is not there. */
export function indexedDbStore(name = "tuckbox", { indexedDB = globalThis.indexedDB, durability = "strict" } = {}) {
  if (typeof indexedDB?.open !== "function") {
    throw new TuckboxError("bad_request", "there is no IndexedDB here; pass one as `indexedDB`", { path: "indexedDB" });
  }
  return new IndexedDbStore(name, indexedDB, durability);
}

class IndexedDbStore {
  #name;
  #factory;
  #durability;
  #opening;

  constructor(name, factory, durability) {
    this.#name = name;
    this.#factory = factory;
    this.#durability = durability;
  }

  async read(reads, { signal } = {}) {
    const select = await selecting(reads);
    const asked = wanted(reads);
    const named = (reads.follow ?? []).flatMap(({ to }) => to.map(({ table = "boxes" }) => table));
    const tables = [...new Set([...tablesOf(asked), ...named])];
    if (tables.length === 0) return answersText(reads, { find: () => undefined, select });
    return this.#within(tables, "readonly", signal, (transaction, done) => {
      const answer = (whole) => guarded(transaction, done, (rows) => done(answersText(whole, { ...rows, select })));
      if (reads.follow === undefined) look(transaction, reads.project_id, asked, answer(reads));
      else {
        look(transaction, reads.project_id, asked, guarded(transaction, done, (rows) => {
          const whole = withFollowed(reads, { ...rows, select });
          look(transaction, reads.project_id, wanted(whole), answer(whole));
        }));
      }
    });
  }

  async commit(writes, { text, signal } = {}) {
    const batch = await deciding(writes, text);
    const { project_id, operation_id } = writes;
    const asked = wanted(batch.reads);
    const changed = (writes.rows ?? []).map(({ table }) => table);
    const tables = [...new Set([...tablesOf(asked), ...changed, "cards", "boxes", "files", "project_agents", "operations"])];
    return this.#within(tables, "readwrite", signal, (transaction, done) => {
      const operations = transaction.objectStore("operations");
      const before = operations.get([project_id, operation_id]);
      before.onsuccess = () => look(transaction, project_id, asked, guarded(transaction, done, (rows) => {
        const { receipt, changes, operation } = batch.decide(rows, before.result);
        for (const { shelf, key, text: row } of changes) {
          const table = transaction.objectStore(shelf);
          if (row === undefined) table.delete([project_id, key]);
          else table.put(row, [project_id, key]);
        }
        if (operation !== undefined) operations.put(operation, [project_id, operation_id]);
        done(receipt);
      }));
    });
  }

  /** Registers profiles; one with the same name in any case is replaced. */
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
    await opening?.then((db) => db.close(), () => {});
  }

  /** Does some work in one transaction; resolves with what it was `done` with, once that is stored. */
  async #within(tables, mode, signal, work) {
    const db = await this.#open();
    let transaction;
    try {
      transaction = db.transaction(tables, mode, { durability: this.#durability });
    } catch (error) {
      // closed behind our back: another tab changed the database, or the user cleared it
      if (error?.name !== "InvalidStateError") throw failure(error);
      this.#opening = undefined;
      transaction = (await this.#open()).transaction(tables, mode, { durability: this.#durability });
    }
    return new Promise((resolve, reject) => {
      let result;
      let refusal;
      const stop = () => {
        try {
          transaction.abort();
        } catch {
          // it is over already, and says so itself
        }
      };
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
    this.#opening ??= new Promise((resolve, reject) => {
      // what an older version of the store kept is left alone
      const request = this.#factory.open(this.#name, 2);
      request.onupgradeneeded = () => {
        for (const table of TABLES) {
          if (!request.result.objectStoreNames.contains(table)) request.result.createObjectStore(table);
        }
      };
      request.onsuccess = () => {
        const db = request.result;
        db.onversionchange = () => this.close();
        db.onclose = () => (this.#opening = undefined);
        resolve(db);
      };
      request.onerror = () => reject(failure(request.error));
    }).catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }
}

/** The tables that must be open to answer. */
function tablesOf({ keys, whole, paths }) {
  return [...new Set([...keys.map(([shelf]) => shelf), ...whole, ...(paths ? ["files"] : [])])];
}

/** Looks everything up, and calls `then` with how it is found: at once where that is nothing. */
function look(transaction, project_id, { keys, whole, paths }, then) {
  const found = new Map();
  const all = new Map();
  let names = [];
  let open = keys.length + whole.length + (paths ? 1 : 0);
  const rows = {
    find: (shelf, key) => found.get(`${shelf} ${key}`),
    all: (shelf) => all.get(shelf) ?? [],
    paths: () => names,
  };
  if (open === 0) then(rows);
  const ask = (request, take) => {
    request.onsuccess = () => {
      take(request.result);
      open -= 1;
      if (open === 0) then(rows);
    };
  };
  // a list comes after every text
  const project = () => IDBKeyRange.bound([project_id], [project_id, []]);
  for (const [shelf, key] of keys) {
    ask(transaction.objectStore(shelf).get([project_id, key]), (text) => text !== undefined && found.set(`${shelf} ${key}`, text));
  }
  for (const shelf of whole) ask(transaction.objectStore(shelf).getAll(project()), (texts) => all.set(shelf, texts));
  if (paths) ask(transaction.objectStore("files").getAllKeys(project()), (list) => (names = list.map(([, path]) => path)));
}

/** Work that takes the whole transaction back when it throws. */
function guarded(transaction, done, work) {
  return (rows) => {
    try {
      work(rows);
    } catch (error) {
      done(undefined, error);
      transaction.abort();
    }
  };
}

function failure(error) {
  if (error instanceof TuckboxError) return error;
  if (error?.name === "QuotaExceededError") {
    return new TuckboxError("limit", "there is no room left in the browser's storage", { path: "store", cause: error });
  }
  return new TuckboxError("store", `IndexedDB failed: ${messageOf(error)}`, { path: "store", cause: error });
}
