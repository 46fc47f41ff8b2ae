// A project in the browser: one text for all tabs, changed by one of them at a time. Every tab follows the changes, so
// a commit on stale data is a `conflict` and never an overwrite.

import type { ImportReport, MemoryStore, Receipt, Store } from "tuckbox/web";
import { memoryStore, TuckboxError } from "tuckbox/web";
import type { OpenLog } from "../import/log.ts";
import { loadAbout, loadProject, saveProject } from "./browser-db.ts";
import type { NamedCall, ProjectInfo } from "./protocol.ts";
import { exportText, readSnapshot } from "./snapshot.ts";

const CHANNEL = "tuckbox-inspector";

interface ChangeMessage {
  id: string;
  revision: number;
}

/** Where the browser saves a project, and its revision there. */
export interface StorageSlot {
  id: string;
  revision: number;
  isSaved: boolean;
}

export class SharedProject {
  readonly id: string;
  /** Why the browser did not save the project; `null` if it did. */
  saveError: TuckboxError | null = null;
  #memory: MemoryStore;
  #calls: NamedCall[];
  #revision: number;
  #isSaved: boolean;
  #project_id: string;
  #log: OpenLog | undefined;
  #report: ImportReport | undefined;
  #onChange: () => void;
  #channel = new BroadcastChannel(CHANNEL);

  /** `onChange` is called when another tab changed the project. */
  constructor(
    { id, revision, isSaved }: StorageSlot,
    text: string,
    { project_id, calls }: Pick<ProjectInfo, "project_id" | "calls">,
    log: OpenLog | undefined,
    onChange: () => void,
  ) {
    this.id = id;
    this.#isSaved = isSaved;
    this.#memory = memoryStore(text);
    this.#calls = calls;
    this.#revision = revision;
    this.#project_id = project_id;
    this.#log = log;
    if (log?.isImported === true) this.#report = log.report;
    this.#onChange = onChange;
    this.#channel.onmessage = ({ data }: MessageEvent<ChangeMessage>) => {
      if (data.id !== id || data.revision === this.#revision) return;
      void this.#pull().then((isNew) => isNew && this.#onChange());
    };
  }

  get calls(): NamedCall[] {
    return this.#calls;
  }

  /** The report of the logs that the project was imported from, by this tab or another one. */
  get report(): ImportReport | undefined {
    return this.#report;
  }

  /** Takes the project of logs that were imported. It is saved with its first change: until then the files are enough. */
  take(text: string, report: ImportReport): void {
    this.#memory = memoryStore(text);
    this.#report = report;
  }

  set project_id(next: string) {
    this.#project_id = next;
  }

  export(): string {
    return this.#memory.export();
  }

  /** The store of the workspace. */
  get store(): Store {
    return {
      read: (reads) => this.#memory.read(reads),
      commit: (writes, { text }) => this.#exclusively(() => this.#memory.commit(writes, { text }) as Promise<Receipt>),
    };
  }

  /** Changes the project's calls. */
  async changeCalls(change: (calls: NamedCall[]) => NamedCall[]): Promise<void> {
    await this.#exclusively(async () => {
      this.#calls = change(this.#calls);
    });
  }

  /** Saves a project that is not saved yet. */
  async save(): Promise<void> {
    if (!this.#isSaved) await this.#withLock(() => this.#push());
    if (this.saveError !== null) throw this.saveError;
  }

  /** Loads changes of other tabs, runs `work` and saves the result, under a lock. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#withLock(async () => {
      const isNew = await this.#pull();
      try {
        const result = await work();
        await this.#push();
        return result;
      } finally {
        if (isNew) this.#onChange();
      }
    });
  }

  async #withLock<T>(work: () => Promise<T>): Promise<T> {
    // a page from an insecure origin has no locks
    const locks = navigator.locks as LockManager | undefined;
    if (locks === undefined) return work();
    return (await locks.request(`${CHANNEL} ${this.id}`, work)) as T;
  }

  /** Loads a newer text if there is one; returns whether it did. */
  async #pull(): Promise<boolean> {
    try {
      const about = await loadAbout(this.id);
      if (!this.#isSaved || about === undefined || (about.revision ?? 0) === this.#revision) return false;
      const saved = await loadProject(this.id);
      if (saved === undefined) return false;
      this.#memory = memoryStore(saved.text);
      const { info, importReport } = readSnapshot(saved.text, this.#project_id);
      this.#calls = info.calls;
      this.#report = importReport ?? this.#report;
      this.#revision = saved.about.revision ?? 0;
      return true;
    } catch {
      // without storage there is nothing to share
      return false;
    }
  }

  async #push(): Promise<void> {
    const text = exportText(this.#memory.export(), this.#calls, {}, this.#report);
    const { project_id, cards, boxes } = readSnapshot(text, this.#project_id).info;
    const revision = this.#revision + 1;
    const requests = this.#log?.requests;
    const about = { id: this.id, project_id, saved: Date.now(), cards, boxes: boxes.length, requests, revision };
    try {
      await saveProject(about, text, this.#log?.files);
      this.#revision = revision;
      this.#isSaved = true;
      this.saveError = null;
      this.#channel.postMessage({ id: this.id, revision } satisfies ChangeMessage);
    } catch (thrown) {
      this.saveError = thrown instanceof TuckboxError ? thrown : new TuckboxError("store", String(thrown));
    }
  }
}
