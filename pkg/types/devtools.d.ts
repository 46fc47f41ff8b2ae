import type { Workspace } from "./workspace.js";

/** How a project is shown. */
export interface ExposeOptions {
  /** What the panel calls it; its id by default. */
  readonly name?: string;
  /** Whether the panel may also commit to the project's store; false by default: it previews, and reads. */
  readonly commits?: boolean;
}

/**
 * Shows a project in the Tuckbox panel of the browser's DevTools: its previews and commits appear there as
 * they happen, and the panel can preview on the project's own store. One call, in a page or in a worker.
 *
 * What the panel reads it reads through the project's store, on request. Leave the call out of what you
 * ship: every script of the page can hear what is said.
 *
 * @example
 * import { expose } from "tuckbox/devtools";
 *
 * const project = await open(store, { project_id: "demo" });
 * if (import.meta.env.DEV) expose(project);
 *
 * @returns A function that ends it.
 */
export declare function expose(project: Workspace, options?: ExposeOptions): () => void;
