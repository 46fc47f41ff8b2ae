import type { Store } from "./store.js";
import type { OpenOptions, Workspace } from "./workspace.js";

export * from "./arguments.js";
export * from "./bodies.js";
export * from "./cards.js";
export * from "./clients.js";
export * from "./codes.js";
export * from "./compose.js";
export * from "./conversation.js";
export * from "./custom.js";
export * from "./error.js";
export * from "./handoff.js";
export * from "./handover.js";
export * from "./import.js";
export * from "./json.js";
export * from "./ledger.js";
export * from "./lock.js";
export * from "./methods.js";
export * from "./operations.js";
export * from "./payload.js";
export * from "./results.js";
export * from "./store.js";
export * from "./workspace.js";

/** The version of this package. */
export declare const version: string;

/** A module: a `WebAssembly.Module`, its bytes, a `Response`, a `URL`, or a promise of one of them. */
export type ModuleSource = object | string;

/** The parts of the module. The core is loaded first. Each other part is loaded when a call first needs it. */
export type ModulePart =
  | "core"
  | "pack"
  | "commit"
  | "agents"
  | "prompt"
  | "memory"
  | "response"
  | "handoff"
  | "run"
  | "import"
  | "inspect"
  | "request"
  | "cache"
  | "lock";

/**
 * Opens a project in a store with modules of the caller. `wasm` is a function of the part's name, or the core alone
 * if no call needs another part.
 *
 * @example
 * import { open } from "tuckbox/slim";
 *
 * const wasm = (part) => new URL(`/tuckbox/${part}.wasm`, location.href);
 * const project = await open(store, { projectId: "p1", wasm });
 */
export declare function open(
  store: Store,
  options: OpenOptions & { readonly wasm: ModuleSource | ((part: ModulePart) => ModuleSource) },
): Promise<Workspace>;
