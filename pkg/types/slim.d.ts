import type { Store } from "./store.js";
import type { OpenOptions, Workspace } from "./workspace.js";

export * from "./public.js";

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
