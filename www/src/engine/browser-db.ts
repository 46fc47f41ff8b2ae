// Projects kept in the browser's IndexedDB, so that a reload finds what was there. A browser that
// keeps nothing is told about and is no reason to stop.
import { TuckboxError } from "tuckbox/web";
import type { Kept, NamedCall } from "./protocol.ts";

const DATABASE = "tuckbox-inspector";
/** The words about a project, and its text, apart: a list of all reads none of the texts. */
const [ABOUT, TEXTS] = ["about", "texts"] as const;
/** The calls that somebody writes for a project that lives elsewhere. */
const CALLS = "calls";
const STORES = [ABOUT, TEXTS, CALLS];

/** Puts a project there, in place of one with the same id. */
export function keepProject(about: Kept, text: string): Promise<void> {
  return within("readwrite", (transaction) => {
    transaction.objectStore(ABOUT).put(about, about.id);
    transaction.objectStore(TEXTS).put(text, about.id);
    return () => undefined;
  });
}

/** Everything that is kept, the latest first. */
export function keptProjects(): Promise<Kept[]> {
  return within("readonly", (transaction) => {
    const all = transaction.objectStore(ABOUT).getAll() as IDBRequest<Kept[]>;
    return () => all.result.toSorted((a, b) => b.saved - a.saved);
  });
}

/** The words about one project; `undefined` when it is not kept. */
export function keptAbout(id: string): Promise<Kept | undefined> {
  return within("readonly", (transaction) => {
    const about = transaction.objectStore(ABOUT).get(id) as IDBRequest<Kept | undefined>;
    return () => about.result;
  });
}

/** A project with the words about it, both of one moment; `undefined` when it is not kept. */
export function keptProject(id: string): Promise<{ about: Kept; text: string } | undefined> {
  return within("readonly", (transaction) => {
    const about = transaction.objectStore(ABOUT).get(id) as IDBRequest<Kept | undefined>;
    const text = transaction.objectStore(TEXTS).get(id) as IDBRequest<string | undefined>;
    return () => (about.result === undefined || text.result === undefined ? undefined : { about: about.result, text: text.result });
  });
}

export function forgetProject(id: string): Promise<void> {
  return within("readwrite", (transaction) => {
    transaction.objectStore(ABOUT).delete(id);
    transaction.objectStore(TEXTS).delete(id);
    return () => undefined;
  });
}

/** Keeps what somebody writes for a project that lives elsewhere. */
export function keepCalls(place: string, calls: NamedCall[]): Promise<void> {
  return within("readwrite", (transaction) => {
    transaction.objectStore(CALLS).put(calls, place);
    return () => undefined;
  });
}

export function keptCalls(place: string): Promise<NamedCall[]> {
  return within("readonly", (transaction) => {
    const calls = transaction.objectStore(CALLS).get(place) as IDBRequest<NamedCall[] | undefined>;
    return () => calls.result ?? [];
  });
}

/** One transaction: `work` asks, and what it gives back is called once everything is stored. */
async function within<T>(mode: IDBTransactionMode, work: (transaction: IDBTransaction) => () => T): Promise<T> {
  const db = await opened();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(STORES, mode);
      const result = work(transaction);
      transaction.oncomplete = () => resolve(result());
      transaction.onabort = () => reject(failure(transaction.error));
    });
  } catch (thrown) {
    throw failure(thrown);
  } finally {
    db.close();
  }
}

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    try {
      const request = indexedDB.open(DATABASE, 2);
      request.onupgradeneeded = () => {
        const there = request.result.objectStoreNames;
        for (const name of STORES) if (!there.contains(name)) request.result.createObjectStore(name);
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(failure(request.error));
    } catch (thrown) {
      reject(failure(thrown));
    }
  });
}

function failure(thrown: unknown): TuckboxError {
  if (thrown instanceof TuckboxError) return thrown;
  const { name, message } = thrown instanceof Error ? thrown : { name: "", message: String(thrown) };
  if (name === "QuotaExceededError") return new TuckboxError("limit", "the browser's storage is full", { path: "indexedDB", cause: thrown });
  return new TuckboxError("store", `the browser lets this page keep nothing: ${message}`, { path: "indexedDB", cause: thrown });
}
