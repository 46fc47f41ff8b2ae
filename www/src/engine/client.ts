// The page's side of its workers: one promise per call, errors as `WorkerError`.
//
// Every project has its own worker. A new project opens in a new worker, which replaces the current one only when it is
// ready. A broken file or a URL that never answers therefore leaves the open project unchanged.
import { begin } from "../pending.ts";
import type { Port } from "./port.ts";
import type { ErrorData, MethodCall, MethodReply, Methods, Origin, Progress, ProjectChanged } from "./protocol.ts";

export class WorkerError extends Error {
  readonly data: ErrorData;
  constructor(data: ErrorData) {
    super(data.message);
    this.name = "WorkerError";
    this.data = data;
  }
}

/** Returns an error of the page itself. */
export function pageError(message: string, code = "page"): ErrorData {
  return { code, message, path: "", details: null };
}

/** Returns any thrown value as data that can be shown. */
export function errorData(thrown: unknown): ErrorData {
  if (thrown instanceof WorkerError) return thrown.data;
  return pageError(thrown instanceof Error ? thrown.message : String(thrown));
}

/** Starts what answers the calls; set by the entry point. */
let portFactory: (() => Port) | undefined;

/** Sets the function that starts a port. Entry points call it before the first call. */
export function setPortFactory(start: () => Port): void {
  portFactory = start;
}

interface PendingCall {
  resolve: (value: never) => void;
  reject: (reason: WorkerError) => void;
  onProgress: ((progress: Progress) => void) | undefined;
  end: () => void;
}

class Engine {
  #worker: Port;
  #waiting = new Map<number, PendingCall>();
  #last = 0;

  constructor() {
    if (portFactory === undefined) throw new Error("no port factory is set");
    this.#worker = portFactory();
    this.#worker.onmessage = ({ data }: MessageEvent<MethodReply | ProjectChanged>) => {
      if ("changed" in data) {
        if (this === current) onChanged(data);
        return;
      }
      const call = this.#waiting.get(data.id);
      if ("progress" in data) {
        call?.onProgress?.(data.progress);
        return;
      }
      this.#waiting.delete(data.id);
      call?.end();
      if ("error" in data) call?.reject(new WorkerError(data.error));
      else call?.resolve(data.result as never);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.end(pageError(event.message || "the worker failed to start"));
    };
  }

  ask<M extends keyof Methods>(
    method: M,
    params: Parameters<Methods[M]>,
    onProgress?: (progress: Progress) => void,
  ): Promise<ReturnType<Methods[M]>> {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, reject, onProgress, end: begin() });
      this.#worker.postMessage({ id, method, params } satisfies MethodCall);
    });
  }

  /** Stops the worker and rejects all pending calls with `error`. */
  end(error: ErrorData): void {
    this.#worker.terminate();
    for (const call of this.#waiting.values()) {
      call.end();
      call.reject(new WorkerError(error));
    }
    this.#waiting.clear();
  }
}

let onChanged: (change: ProjectChanged) => void = () => undefined;

/** Sets the listener for changes of the open project that the page did not ask for. */
export function setChangeListener(listener: (change: ProjectChanged) => void): void {
  onChanged = listener;
}

let current: Engine | undefined;
let opening: Engine | undefined;

/** The error code of an open that was stopped. */
export const STOPPED = "stopped";

/** Opens a project in a new worker. The current project stays open until the new one is ready. */
export async function openInWorker(origin: Origin, onProgress: (progress: Progress) => void): Promise<ReturnType<Methods["open"]>> {
  stopOpening();
  const engine = new Engine();
  opening = engine;
  try {
    const opened = await engine.ask("open", [origin], onProgress);
    current?.end(pageError("the project was closed", STOPPED));
    current = engine;
    return opened;
  } catch (thrown) {
    engine.end(pageError("the project was not opened", STOPPED));
    throw thrown;
  } finally {
    if (opening === engine) opening = undefined;
  }
}

/** Stops opening a project. */
export function stopOpening(): void {
  opening?.end(pageError("stopped", STOPPED));
  opening = undefined;
}

/** Calls a method on the open project. */
export function ask<M extends keyof Methods>(method: M, ...params: Parameters<Methods[M]>): Promise<ReturnType<Methods[M]>> {
  if (current === undefined) return Promise.reject(new WorkerError(pageError("no project is open")));
  return current.ask(method, params);
}
