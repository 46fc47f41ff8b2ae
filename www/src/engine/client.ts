// The page's side of the worker: one promise a question, faults as `FaultError`.
import workerUrl from "./worker.ts?worker&url";
import type { Answer, Ask, Fault, Methods } from "./protocol.ts";

export class FaultError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.name = "FaultError";
    this.fault = fault;
  }
}

/** Whatever was thrown, as a fault that can be shown. */
export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof FaultError) return thrown.fault;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "page", message, path: "", details: null };
}

interface TrustedPolicy {
  createScriptURL(url: string): string;
}
interface TrustedFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): TrustedPolicy;
}

// the only script the page ever starts by address is its own worker
const rules = {
  createScriptURL(url: string): string {
    const { origin } = new URL(url, import.meta.url);
    if (origin !== new URL(import.meta.url).origin) throw new TypeError(`foreign script ${url}`);
    return url;
  },
};
const factory = (globalThis as { trustedTypes?: TrustedFactory }).trustedTypes;
const policy: TrustedPolicy = factory?.createPolicy("tuckbox", rules) ?? rules;

type Waiting = { resolve: (value: never) => void; reject: (reason: FaultError) => void };

const waiting = new Map<number, Waiting>();
const worker = new Worker(policy.createScriptURL(new URL(workerUrl, import.meta.url).href), {
  type: "module",
});
let last = 0;

worker.onmessage = ({ data }: MessageEvent<Answer>) => {
  const call = waiting.get(data.id);
  waiting.delete(data.id);
  if ("fault" in data) call?.reject(new FaultError(data.fault));
  else call?.resolve(data.result as never);
};
worker.onerror = (event) => {
  event.preventDefault();
  const message = event.message || "the worker could not be started";
  const error = new FaultError({ code: "page", message, path: "", details: null });
  for (const call of waiting.values()) call.reject(error);
  waiting.clear();
};

/** Asks the worker. */
export function ask<M extends keyof Methods>(
  method: M,
  ...params: Parameters<Methods[M]>
): Promise<ReturnType<Methods[M]>> {
  return new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, method, params } satisfies Ask);
  });
}
