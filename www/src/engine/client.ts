// The page's side of its workers: one promise a question, faults as `FaultError`.
//
// Every project lives in a worker of its own. A new one is opened beside the old one and takes its
// place only when it is ready: a file that turns out to be broken, or an address that hangs, costs
// nothing that was there before.
import { begin } from "../pending.ts";
import type { Port } from "./port.ts";
import type { Answer, Ask, Fault, Methods, Origin, Progress, ProjectInfo, Told } from "./protocol.ts";

export class FaultError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.name = "FaultError";
    this.fault = fault;
  }
}

/** A fault of the page's own. */
export function pageFault(message: string, code = "page"): Fault {
  return { code, message, path: "", details: null };
}

/** Whatever was thrown, as a fault that can be shown. */
export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof FaultError) return thrown.fault;
  return pageFault(thrown instanceof Error ? thrown.message : String(thrown));
}

/** What answers: set by whoever starts the inspector. */
let startPort: (() => Port) | undefined;

/** Names what starts something that answers, before anything is asked. */
export function answerWith(start: () => Port): void {
  startPort = start;
}

interface Waiting {
  resolve: (value: never) => void;
  reject: (reason: FaultError) => void;
  onProgress: ((progress: Progress) => void) | undefined;
  end: () => void;
}

class Engine {
  #worker: Port;
  #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor() {
    if (startPort === undefined) throw new Error("nothing was named that answers");
    this.#worker = startPort();
    this.#worker.onmessage = ({ data }: MessageEvent<Answer | Told>) => {
      if ("changed" in data) {
        if (this === current) onChanged(data.changed);
        return;
      }
      const call = this.#waiting.get(data.id);
      if ("progress" in data) {
        call?.onProgress?.(data.progress);
        return;
      }
      this.#waiting.delete(data.id);
      call?.end();
      if ("fault" in data) call?.reject(new FaultError(data.fault));
      else call?.resolve(data.result as never);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.end(pageFault(event.message || "the worker could not be started"));
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
      this.#worker.postMessage({ id, method, params } satisfies Ask);
    });
  }

  /** Stops the worker; whoever still waits is told why. */
  end(fault: Fault): void {
    this.#worker.terminate();
    for (const call of this.#waiting.values()) {
      call.end();
      call.reject(new FaultError(fault));
    }
    this.#waiting.clear();
  }
}

let onChanged: (info: ProjectInfo) => void = () => undefined;

/** Names who is told when another tab changed the open project. */
export function whenChanged(listener: (info: ProjectInfo) => void): void {
  onChanged = listener;
}

let current: Engine | undefined;
let opening: Engine | undefined;

/** The code of the fault that a stopped opening ends with. */
export const STOPPED = "stopped";

/** Opens a project; the one that is open stays until this one is ready. */
export async function openProject(
  origin: Origin,
  onProgress: (progress: Progress) => void,
): Promise<ReturnType<Methods["open"]>> {
  stopOpening();
  const engine = new Engine();
  opening = engine;
  try {
    const opened = await engine.ask("open", [origin], onProgress);
    current?.end(pageFault("the project was closed", STOPPED));
    current = engine;
    return opened;
  } catch (thrown) {
    engine.end(pageFault("the project was not opened", STOPPED));
    throw thrown;
  } finally {
    if (opening === engine) opening = undefined;
  }
}

/** Gives up on the project that is being opened. */
export function stopOpening(): void {
  opening?.end(pageFault("stopped", STOPPED));
  opening = undefined;
}

/** Asks the open project. */
export function ask<M extends keyof Methods>(
  method: M,
  ...params: Parameters<Methods[M]>
): Promise<ReturnType<Methods[M]>> {
  if (current === undefined) return Promise.reject(new FaultError(pageFault("no project is open")));
  return current.ask(method, params);
}
