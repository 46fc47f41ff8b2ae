// Starts the page's worker.

import type { Port } from "./port.ts";
import workerUrl from "./worker.ts?worker&url";

interface TrustedPolicy {
  createScriptURL(url: string): string;
}
interface TrustedFactory {
  createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy;
}

// the page starts no script by URL except its own worker
const rules: TrustedPolicy = {
  createScriptURL(url) {
    if (new URL(url).origin !== new URL(import.meta.url).origin) throw new TypeError(`script \`${url}\` is not from this origin`);
    return url;
  },
};
const factory = (globalThis as { trustedTypes?: TrustedFactory }).trustedTypes;
const policy = factory?.createPolicy("tuckbox", rules) ?? rules;

export function workerPort(): Port {
  return new Worker(policy.createScriptURL(new URL(workerUrl, import.meta.url).href), { type: "module" });
}
