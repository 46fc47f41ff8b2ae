// Projects saved in IndexedDB, so that a reload restores them. If the browser refuses storage, the page reports it and
// continues.
import { type NamedBytes, TuckboxError } from "tuckbox/web";
import type { NamedCall, SavedProject } from "./protocol.ts";

const DATABASE = "tuckbox-inspector";
/** Metadata and text of projects are in separate stores, so that listing projects reads no texts. */
const [ABOUT, TEXTS] = ["about", "texts"] as const;
/** Calls that the user writes for a remote project. */
const CALLS = "calls";
const STORES = [ABOUT, TEXTS, CALLS];

/** What is saved of a project: its text, and the files of a log. */
interface SavedContents {
  text: string;
  files?: readonly NamedBytes[];
}

/** Saves a project, replacing one with the same id. */
export function saveProject(about: SavedProject, text: string, files?: readonly NamedBytes[]): Promise<void> {
  return transact("readwrite", (transaction) => {
    transaction.objectStore(ABOUT).put(about, about.id);
    transaction.objectStore(TEXTS).put(files === undefined ? text : ({ text, files } satisfies SavedContents), about.id);
    return () => undefined;
  });
}

/** Returns the metadata of all saved projects, latest first. */
export function listProjects(): Promise<SavedProject[]> {
  return transact("readonly", (transaction) => {
    const all = transaction.objectStore(ABOUT).getAll() as IDBRequest<SavedProject[]>;
    return () => all.result.toSorted((a, b) => b.saved - a.saved);
  });
}

/** Returns the metadata of a project; `undefined` if it is not saved. */
export function loadAbout(id: string): Promise<SavedProject | undefined> {
  return transact("readonly", (transaction) => {
    const about = transaction.objectStore(ABOUT).get(id) as IDBRequest<SavedProject | undefined>;
    return () => about.result;
  });
}

/** Returns a project and its metadata from one transaction; `undefined` if it is not saved. */
export function loadProject(id: string): Promise<({ about: SavedProject } & SavedContents) | undefined> {
  return transact("readonly", (transaction) => {
    const about = transaction.objectStore(ABOUT).get(id) as IDBRequest<SavedProject | undefined>;
    const text = transaction.objectStore(TEXTS).get(id) as IDBRequest<string | SavedContents | undefined>;
    return () => {
      if (about.result === undefined || text.result === undefined) return undefined;
      return { about: about.result, ...(typeof text.result === "string" ? { text: text.result } : text.result) };
    };
  });
}

export function deleteProject(id: string): Promise<void> {
  return transact("readwrite", (transaction) => {
    transaction.objectStore(ABOUT).delete(id);
    transaction.objectStore(TEXTS).delete(id);
    return () => undefined;
  });
}

/** Saves the calls that the user writes for a remote project. */
export function saveCalls(place: string, calls: NamedCall[]): Promise<void> {
  return transact("readwrite", (transaction) => {
    transaction.objectStore(CALLS).put(calls, place);
    return () => undefined;
  });
}

export function loadCalls(place: string): Promise<NamedCall[]> {
  return transact("readonly", (transaction) => {
    const calls = transaction.objectStore(CALLS).get(place) as IDBRequest<NamedCall[] | undefined>;
    return () => calls.result ?? [];
  });
}

/** Runs one transaction. `work` issues the requests and returns a function that reads the result after completion. */
async function transact<T>(mode: IDBTransactionMode, work: (transaction: IDBTransaction) => () => T): Promise<T> {
  const db = await openDatabase();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(STORES, mode);
      const result = work(transaction);
      transaction.oncomplete = () => resolve(result());
      transaction.onabort = () => reject(storageError(transaction.error));
    });
  } catch (thrown) {
    throw storageError(thrown);
  } finally {
    db.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    try {
      const request = indexedDB.open(DATABASE, 2);
      request.onupgradeneeded = () => {
        const there = request.result.objectStoreNames;
        for (const name of STORES) if (!there.contains(name)) request.result.createObjectStore(name);
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(storageError(request.error));
    } catch (thrown) {
      reject(storageError(thrown));
    }
  });
}

function storageError(thrown: unknown): TuckboxError {
  if (thrown instanceof TuckboxError) return thrown;
  const { name, message } = thrown instanceof Error ? thrown : { name: "", message: String(thrown) };
  if (name === "QuotaExceededError")
    return new TuckboxError("limit", "the browser's storage is full", { path: "indexedDB", cause: thrown });
  return new TuckboxError("store", `the browser refuses storage: ${message}`, { path: "indexedDB", cause: thrown });
}
