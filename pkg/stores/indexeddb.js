// Cards and boxes in a browser's IndexedDB.
//
//   const store = indexedDbStore("my-app");
//
// Architecture invariant: a transaction of IndexedDB closes while anything else is awaited, so
// everything inside one happens in callbacks of its own requests.
import { Batch } from "../lib/batch.js";
import { TuckboxError, messageOf } from "../lib/error.js";
import { members } from "../lib/raw.js";
import { KEYS, KINDS, answersText, columns, directoryRow, fold, idOf, profileBoxOf, rowText } from "../lib/rows.js";

const TABLES = [...Object.keys(KEYS), "operations"];

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
    const kinds = KINDS.filter((kind) => reads[kind]?.length > 0);
    if (kinds.length === 0) return "{}";
    const tables = [...new Set(kinds.map(tableOf))];
    return this.#within(tables, "readonly", signal, (transaction, done) => {
      const found = new Map();
      const all = gather(kinds.flatMap((kind) => reads[kind].map((key) => [kind, key])), () => {
        done(answersText(reads, (kind, key) => found.get(`${kind} ${key}`)));
      });
      for (const kind of kinds) {
        const table = transaction.objectStore(tableOf(kind));
        for (const key of reads[kind]) {
          const { request, row } = lookup(table, reads.project_id, kind, key);
          request.onsuccess = () => {
            const text = row(request.result);
            if (text !== undefined) found.set(`${kind} ${key}`, text);
            all.answered();
          };
        }
      }
    });
  }

  async commit(writes, { text, signal } = {}) {
    const batch = new Batch(writes, text);
    const { project_id, operation_id } = writes;
    return this.#within(TABLES.filter((table) => table !== "profiles"), "readwrite", signal, (transaction, done) => {
      const operations = transaction.objectStore("operations");
      const before = operations.get([project_id, operation_id]);
      before.onsuccess = guarded(transaction, done, () => {
        if (before.result !== undefined) {
          done({ ...JSON.parse(before.result), repeated: true });
          return;
        }
        const found = new Map();
        const touches = batch.touches;
        const all = gather(touches, guarded(transaction, done, () => {
          const { puts, receipt } = batch.decide((kind, key) => found.get(`${kind} ${key}`));
          for (const [kind, key, row] of puts) transaction.objectStore(kind).put(rowText(row), [project_id, key]);
          operations.put(JSON.stringify(receipt), [project_id, operation_id]);
          done(receipt);
        }));
        for (const [kind, key] of touches) {
          const request = transaction.objectStore(kind).get([project_id, key]);
          request.onsuccess = () => {
            if (request.result !== undefined) found.set(`${kind} ${key}`, new Map(members(request.result)));
            all.answered();
          };
        }
      });
    });
  }

  /** Registers profiles; one with the same name in any case is replaced. */
  async addProfiles(project_id, rows) {
    const read = rows.map(columns);
    return this.#within(["profiles"], "readwrite", undefined, (transaction, done) => {
      const profiles = transaction.objectStore("profiles");
      for (const row of read) profiles.put(rowText(row), [project_id, fold("profiles", idOf(row, "name"))]);
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
      const request = this.#factory.open(this.#name, 1);
      request.onupgradeneeded = () => {
        for (const table of TABLES) request.result.createObjectStore(table);
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

/** Calls `then` once there was an answer for everything in `list`, at once when that is nothing. */
function gather(list, then) {
  let open = list.length;
  if (open === 0) then();
  return {
    answered() {
      open -= 1;
      if (open === 0) then();
    },
  };
}

/** Work that takes the whole transaction back when it throws. */
function guarded(transaction, done, work) {
  return () => {
    try {
      work();
    } catch (error) {
      done(undefined, error);
      transaction.abort();
    }
  };
}

function tableOf(kind) {
  if (kind === "directories") return "files";
  return kind === "profiles_by_box" ? "profiles" : kind;
}

/** The request for one key, and how its result becomes the text of a row. */
function lookup(table, project_id, kind, key) {
  switch (kind) {
    case "directories": {
      // `/` comes right before `0`
      const inside = IDBKeyRange.bound([project_id, `${key}/`], [project_id, `${key}0`], true, true);
      return { request: table.getAllKeys(inside), row: (keys) => directoryRow(key, keys.map(([, path]) => path)) };
    }
    case "profiles_by_box": {
      // a list comes behind every text; a project has few profiles
      const all = IDBKeyRange.bound([project_id], [project_id, []]);
      return { request: table.getAll(all), row: (texts) => texts.find((text) => profileBoxOf(text) === key) };
    }
    default:
      return { request: table.get([project_id, fold(kind, key)]), row: (text) => text };
  }
}

function failure(error) {
  if (error instanceof TuckboxError) return error;
  if (error?.name === "QuotaExceededError") {
    return new TuckboxError("limit", "there is no room left in the browser's storage", { path: "store", cause: error });
  }
  return new TuckboxError("store", `IndexedDB failed: ${messageOf(error)}`, { path: "store", cause: error });
}
