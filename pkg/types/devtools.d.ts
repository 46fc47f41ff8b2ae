import type { Workspace } from "./workspace.js";

/** Options of the panel. */
export interface ExposeOptions {
  /** The display name. The id of the project by default. */
  readonly name?: string;
  /** Whether the panel can commit to the project's store. False by default: it only reads and previews. */
  readonly commits?: boolean;
}

/**
 * Shows a project in the Tuckbox panel of the browser's DevTools. Previews and commits appear there as they
 * happen, and the panel can preview on the project's store. Call it once, in a page or a worker.
 *
 * The panel reads through the project's store. Do not ship this call: every script of the page can read
 * the messages of the panel.
 *
 * @example
 * import { expose } from "tuckbox/devtools";
 *
 * const project = await open(store, { projectId: "demo" });
 * if (import.meta.env.DEV) expose(project);
 *
 * @returns A function that ends it.
 */
export declare function expose(project: Workspace, options?: ExposeOptions): () => void;
